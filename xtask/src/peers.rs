//! Installs the programs of others that the tests talk to, or that are compared with ours: MCP clients in Python and
//! TypeScript, libraries that make schemas, the SDKs of model providers, an OpenAPI client, an OpenAPI importer.
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
/// The SDKs of model providers, in an environment of their own: the libraries above want other versions of them.
const SDKS: &[&str] =
    &["anthropic==2.12.0", "google-genai==3.4.0", "mistralai==3.7.0", "ollama==0.6.3", "openai==3.54.0"];
/// The TypeScript SDK, in its current and in its legacy line.
const NODE: &[&str] = &["@modelcontextprotocol/client@2.4.0", "@modelcontextprotocol/sdk@1.32.2"];

/// The OpenAPI client whose requests are compared with ours.
pub(crate) const OPENAPI_CLIENT: &str = "swagger-client@3.39.0";
/// The importer whose speed is compared with ours.
pub(crate) const FASTMCP: &str = "fastmcp==4.1.0";

/// Where the peers are.
pub(crate) struct Peers {
    /// The interpreter that has the packages.
    pub(crate) python: PathBuf,
    /// The interpreter that has the SDKs of model providers.
    pub(crate) sdks: PathBuf,
    /// The folder whose `node_modules` has the packages.
    pub(crate) node: PathBuf,
}

/// Installs what is missing, saying so.
pub(crate) fn install() -> Result<Peers, String> {
    Ok(Peers { python: python("python", PYTHON)?, sdks: python("sdks", SDKS)?, node: node("node", NODE)? })
}

/// The folder with the OpenAPI client.
pub(crate) fn openapi_client() -> Result<PathBuf, String> {
    node("openapi-client", &[OPENAPI_CLIENT])
}

/// The interpreter that has FastMCP.
pub(crate) fn fastmcp() -> Result<PathBuf, String> {
    python("fastmcp", &[FASTMCP])
}

fn folder(name: &str) -> Result<PathBuf, String> {
    let folder = target().join("peers").join(name);
    std::fs::create_dir_all(&folder).map_err(|e| format!("cannot make {}: {e}", folder.display()))?;
    Ok(folder)
}

fn python(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let environment = folder(name)?;
    let python = environment.join("bin/python");
    let stamp = environment.join("installed");
    let wanted = packages.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(python);
    }
    println!("installing with pip into target/peers/{name}: {wanted}");
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
    output(Command::new(&python).args(pip).args(packages))?;
    std::fs::write(&stamp, wanted).map_err(|e| e.to_string())?;
    Ok(python)
}

fn node(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let home = folder(name)?;
    let stamp = home.join("installed");
    let wanted = packages.join(" ");
    if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
        return Ok(home);
    }
    println!("installing with npm into target/peers/{name}: {wanted}");
    let npm = ["install", "--silent", "--no-audit", "--no-fund", "--no-save", "--prefix"];
    output(Command::new("npm").args(npm).arg(&home).args(packages))?;
    std::fs::write(&stamp, wanted).map_err(|e| e.to_string())?;
    Ok(home)
}
