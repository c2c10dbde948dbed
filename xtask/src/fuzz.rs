//! Fuzzing: libFuzzer on one target or on all, and the kept inputs once more without it.
//!
//! The laws and the kept inputs stand in `fuzz/`; what libFuzzer finds on the way goes below `target/fuzz`, and is kept
//! only by `--keep`, which leaves the fewest small inputs that reach what all of them reach.

use std::path::Path;
use std::process::Command;

use crate::run::{cargo, output, root, target, visible};

const HELP: &str = "\
Usage: cargo xtask fuzz [--replay | [TARGET…] [--seconds N] [--keep]]

  --replay      only runs the inputs that are kept in fuzz/corpus; needs no cargo-fuzz
  --seconds N   how long each target runs (default: 60)
  --keep        afterwards makes fuzz/corpus the fewest inputs that reach all that was reached";

/// The longest input, in bytes.
const LONGEST: &str = "-max_len=16384";
/// What counts as a hang, in seconds, and as a flood, in megabytes.
const LIMITS: [&str; 2] = ["-timeout=5", "-rss_limit_mb=1024"];

/// Runs `cargo xtask fuzz` with these arguments.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let known = targets()?;
    let (mut chosen, mut seconds, mut keep) = (Vec::new(), 60_u32, false);
    let mut arguments = arguments.iter().map(String::as_str);
    while let Some(argument) = arguments.next() {
        match argument {
            "--replay" => return replay(),
            "--keep" => keep = true,
            "--seconds" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                seconds = number.ok_or_else(|| format!("--seconds takes a number\n\n{HELP}"))?;
            }
            target if known.iter().any(|known| known == target) => chosen.push(target.to_owned()),
            other => return Err(format!("no target `{other}`; there are {}\n\n{HELP}", known.join(", "))),
        }
    }
    if Command::new("cargo").args(["fuzz", "--version"]).output().is_ok_and(|out| !out.status.success()) {
        return Err("cargo-fuzz is not installed: `cargo install cargo-fuzz --locked`".to_owned());
    }
    for target in if chosen.is_empty() { known } else { chosen } {
        fuzz(&target, seconds)?;
        if keep {
            minimise(&target)?;
        }
    }
    Ok(())
}

/// Every kept input through its target, as an ordinary test.
fn replay() -> Result<(), String> {
    cargo(&["test", "--quiet", "--package", "opentool-fuzz"])
}

/// The names of the targets: those of the folders with kept inputs.
fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/corpus");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().to_str().map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

/// `cargo fuzz` for the package that stands outside of the workspace. There is no unsafe code of ours for a sanitizer to
/// look at; without one the stable compiler is enough.
fn cargo_fuzz(command: &str, target: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["fuzz", command, "--fuzz-dir", "fuzz/libfuzzer", "--sanitizer", "none", target]);
    cargo
}

fn fuzz(name: &str, seconds: u32) -> Result<(), String> {
    let found = target().join("fuzz").join(name);
    std::fs::create_dir_all(&found).map_err(|error| format!("cannot make {}: {error}", found.display()))?;
    let mut command = cargo_fuzz("run", name);
    command.arg(&found).arg(Path::new("fuzz/corpus").join(name));
    command.args(["--", LONGEST, &format!("-max_total_time={seconds}")]).args(LIMITS);
    visible(&mut command)
}

/// The fewest inputs that reach what the kept and the found ones reach.
fn minimise(name: &str) -> Result<(), String> {
    let (found, fewest) = (target().join("fuzz").join(name), target().join("fuzz-fewest").join(name));
    let kept = root().join("fuzz/corpus").join(name);
    let _ = std::fs::remove_dir_all(&fewest);
    let made = std::fs::create_dir_all(&fewest);
    made.map_err(|error| format!("cannot make {}: {error}", fewest.display()))?;
    let mut merge = cargo_fuzz("run", name);
    merge.arg(&fewest).args([&found, &kept]).args(["--", "-merge=1", LONGEST]).args(LIMITS);
    output(merge.current_dir(root()))?;
    let _ = std::fs::remove_dir_all(&kept);
    std::fs::create_dir_all(&kept).map_err(|error| error.to_string())?;
    for entry in std::fs::read_dir(&fewest).map_err(|error| error.to_string())?.flatten() {
        std::fs::copy(entry.path(), kept.join(entry.file_name())).map_err(|error| error.to_string())?;
    }
    Ok(())
}
