//! Installs the programs of others that the tests talk to: MCP clients in Python and TypeScript, and Python libraries
//! whose schemas are compared with ours.
//!
//! Everything goes below `target/peers` by the ordinary package clients; a second run finds it there.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{output, target};

/// Packages for the Python environment, pinned: the tests are about our side.
const PYTHON: &[&str] = &[
    "mcp==2.3.0",
    // Libraries with the same job as `opentool-schema`, for comparisons.
    "langchain-core==1.7.2",
    "openai-agents==0.24.0",
    "pydantic-ai-slim==2.68.0",
    "tool2schema==2.2.0",
];
/// The TypeScript SDK, in its current and in its legacy line.
const NODE: &[&str] = &["@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/sdk@1.32.2"];

/// Where the peers are.
pub(crate) struct Peers {
    /// The interpreter that has the packages.
    pub(crate) python: PathBuf,
    /// The folder whose `node_modules` has the packages.
    pub(crate) node: PathBuf,
}

/// Installs what is missing, saying so.
pub(crate) fn install() -> Result<Peers, String> {
    let folder = target().join("peers");
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    let python = python(&folder)?;
    let node = node(&folder)?;
    redis()?;
    Ok(Peers { python, node })
}

fn python(folder: &std::path::Path) -> Result<PathBuf, String> {
    let environment = folder.join("python");
    let python = environment.join("bin/python");
    let stamp = environment.join("installed");
    let wanted = PYTHON.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    println!("installing with pip into target/peers/python: {wanted}");
    let make = || output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&environment));
    if let Err(first) = make() {
        // Debian ships the module apart from the interpreter.
        println!("python3 has no venv; installing python3-venv with apt-get");
        let apt = output(Command::new("apt-get").args(["install", "--yes", "python3-venv"])).or_else(|_| {
            output(Command::new("apt-get").arg("update"))?;
            output(Command::new("apt-get").args(["install", "--yes", "python3-venv"]))
        });
        apt.map_err(|second| format!("{first}\n{second}"))?;
        make()?;
    }
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    output(Command::new(&python).args(pip).args(PYTHON))?;
    std::fs::write(&stamp, wanted).map_err(|e| e.to_string())?;
    Ok(python)
}

/// A server for the tests of the memory in Redis; they start it themselves, on a port of its own.
fn redis() -> Result<(), String> {
    if output(Command::new("redis-server").arg("--version")).is_ok() {
        return Ok(());
    }
    println!("there is no redis-server; installing it with apt-get");
    let install = || output(Command::new("apt-get").args(["install", "--yes", "redis-server"]));
    install()
        .or_else(|_| {
            output(Command::new("apt-get").arg("update"))?;
            install()
        })
        .map(drop)
}

fn node(folder: &std::path::Path) -> Result<PathBuf, String> {
    let home = folder.join("node");
    let stamp = home.join("installed");
    let wanted = NODE.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(home);
    }
    println!("installing with npm into target/peers/node: {wanted}");
    std::fs::create_dir_all(&home).map_err(|e| e.to_string())?;
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix"];
    output(Command::new("npm").args(npm).arg(&home).args(NODE))?;
    std::fs::write(&stamp, wanted).map_err(|e| e.to_string())?;
    Ok(home)
}
