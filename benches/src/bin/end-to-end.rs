//! The executor before the mock, for real documents: `cargo xtask end-to-end` runs it.
//!
//! For every operation of each document three sets of arguments are made, turned into requests as a call would, and read by
//! the mock upstream by the document alone. The table says how many of them came out as what was meant; what did not stands
//! below it, and makes the run fail unless it is one of those that no request can say ([`explained`]).

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use opentool::openapi::mock::{Outcome, Trial};
use opentool::openapi::{self, Address};

/// The documents: the large vendors', all versions of the format, and those made to be odd.
const DOCUMENTS: [&str; 24] = [
    "anthropic.yaml",
    "blockfrost.yaml",
    "cohere.yaml",
    "dir-adyen.com_CheckoutService.json",
    "dir-amazonaws.com_s3.json",
    "dir-asana.com.json",
    "dir-box.com.json",
    "dir-digitalocean.com.json",
    "dir-slack.com.json",
    "dir-spotify.com.json",
    "dir-stripe.com.json",
    "dir-twilio.com_api.json",
    "figma.yaml",
    "github.json",
    "k8s-swagger-1.13.json",
    "notion.json",
    "openai.yaml",
    "rclone.json",
    "sample-2.0_json_petstore.json",
    "sample-3.0_json_file-uploads.json",
    "sample-3.0_json_parameters-style.json",
    "sample-3.0_json_schema-encoding-style.json",
    "sample-3.0_json_star-trek.json",
    "sample-3.1_json_train-travel.json",
];

/// What no request can say, and so cannot be read as it was meant: document, the beginning of the operation's name, a part of
/// what differs, and why.
const EXPLAINED: &[(&str, &str, &str, &str)] = &[
    (
        "sample-3.0_json_parameters-style.json",
        "paths_label_exploded",
        "(style)",
        "a `.` within a value of the style `label` looks like the one between values (RFC 6570, section 3.2.5)",
    ),
    (
        "sample-3.0_json_parameters-style.json",
        "query_spaceDelimited",
        "/query/",
        "a space within a value looks like the one between values, since a URL has both as `%20`",
    ),
    (
        "dir-stripe.com.json",
        "PostBillingPortalConfigurations",
        "required but missing, expected an object",
        "a form has no way to say an object without members, and the document asks for objects that may have none",
    ),
];

/// Why a difference is as it must be.
fn explained(document: &str, operation: &str, differences: &[String]) -> Option<&'static str> {
    let entry = EXPLAINED.iter().find(|(known, name, part, _)| {
        *known == document
            && operation.starts_with(name)
            && differences.iter().any(|line| line.contains(part))
    });
    entry.map(|(.., why)| *why)
}

/// How many differences of a document are printed.
const SHOWN: usize = 12;

#[derive(Default)]
struct Count {
    operations: usize,
    fits: usize,
    explained: usize,
    differs: usize,
    refused: usize,
    none: usize,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, chosen)) = arguments.split_first() else {
        eprintln!("usage: end-to-end FOLDER [DOCUMENT…]");
        return ExitCode::from(2);
    };
    let chosen: Vec<&str> = match chosen {
        [] => DOCUMENTS.to_vec(),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    println!(
        "{:<44} {:>6} {:>7} {:>7} {:>9} {:>8} {:>8} {:>8} {:>7}",
        "document", "ops", "trials", "fit", "explained", "differ", "refused", "no args", "s"
    );
    let mut all = Count::default();
    let mut lines = Vec::new();
    let mut failed = false;
    for name in chosen {
        let started = Instant::now();
        match document(&Path::new(folder).join(name), &mut lines) {
            Ok(count) => {
                row(name, &count, started.elapsed().as_secs_f64());
                failed |= count.differs > 0;
                all.operations += count.operations;
                all.fits += count.fits;
                all.explained += count.explained;
                all.differs += count.differs;
                all.refused += count.refused;
                all.none += count.none;
            }
            Err(message) => {
                println!("{name}: {message}");
                failed = true;
            }
        }
    }
    row("all", &all, 0.0);
    lines.iter().for_each(|line| println!("{line}"));
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn row(name: &str, count: &Count, seconds: f64) {
    println!(
        "{name:<44} {:>6} {:>7} {:>7} {:>9} {:>8} {:>8} {:>8} {seconds:>7.1}",
        count.operations,
        count.fits + count.explained + count.differs + count.refused + count.none,
        count.fits,
        count.explained,
        count.differs,
        count.refused,
        count.none
    );
}

fn document(path: &Path, lines: &mut Vec<String>) -> Result<Count, String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let address = Address::Named("https://api.example.test/openapi.json".into());
    let mut api = openapi::parse(&text, address).map_err(|error| error.to_string())?;
    if let Ok(url) = "https://api.example.test/openapi.json".parse() {
        // Some documents have relative servers.
        api = api.document_url(url);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut count = Count { operations: api.operations().len(), ..Count::default() };
    let mut shown = 0;
    Trial::all(&api, |trial| {
        let mut tell = |what: &str, text: String| {
            shown += 1;
            if shown <= SHOWN {
                lines.push(format!(
                    "\n{name} {} ({}) {what}:{text}",
                    trial.operation,
                    trial.arguments.as_str()
                ));
            }
        };
        match &trial.outcome {
            Outcome::Fits => count.fits += 1,
            Outcome::Differs(all) => match explained(&name, &trial.operation, all) {
                Some(why) => {
                    count.explained += 1;
                    tell("is explained", format!("\n    {why}"));
                }
                None => {
                    count.differs += 1;
                    tell("differs", all.iter().map(|line| format!("\n    {line}")).collect());
                }
            },
            Outcome::Refused(why) => {
                count.refused += 1;
                tell("refused", format!("\n    {why}"));
            }
            Outcome::NoArguments(why) => {
                count.none += 1;
                tell("no arguments", format!("\n    {why}"));
            }
            _ => {}
        }
    });
    Ok(count)
}
