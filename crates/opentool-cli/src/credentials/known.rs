//! Names of variables and schemes that a document does not have: slips of the pen, which would otherwise send a request
//! to the default server, or without its credential.

use std::collections::BTreeSet;

use opentool::openapi::{Api, Settings};

use crate::console::Console;
use crate::error::CliError;

/// Holds the names in the settings against those of the document.
///
/// # Errors
/// [`CliError::Usage`] for a variable that no server has. A scheme that no operation uses is a warning: a document may
/// declare more than it uses.
pub(super) fn check(api: &Api, settings: &Settings, console: &Console) -> Result<(), CliError> {
    let variables = variables(api);
    if let Some(name) = settings.server_variables.keys().find(|name| !variables.contains(name.as_str())) {
        return Err(CliError::usage(
            format!("no server of the document has the variable `{name}` of `--server-variable`"),
            match variables.is_empty() {
                true => "its servers have no variables; `--server URL` names another one".to_owned(),
                false => format!("there is {}", listed(&variables)),
            },
        ));
    }
    let used: BTreeSet<&str> = api
        .operations()
        .iter()
        .flat_map(|operation| operation.security.iter())
        .flat_map(|requirement| requirement.schemes.iter().map(|used| used.name.as_str()))
        .collect();
    for scheme in settings.credentials.keys().filter(|scheme| !used.contains(scheme.as_str())) {
        let known = match used.is_empty() {
            true => "none uses any".to_owned(),
            false => format!("there is {}", listed(&used)),
        };
        console.warning(&format!(
            "no operation uses the security scheme `{scheme}` of `--credential`; {known}"
        ))?;
    }
    Ok(())
}

/// The variables that servers declare, and those that their addresses name.
fn variables(api: &Api) -> BTreeSet<&str> {
    let servers = || api.operations().iter().flat_map(|operation| operation.servers.iter());
    let declared =
        servers().flat_map(|server| server.variables.iter().map(|variable| variable.name.as_str()));
    let named = servers()
        .flat_map(|server| server.url.split('{').skip(1).filter_map(|from| Some(from.split_once('}')?.0)));
    declared.chain(named).collect()
}

fn listed(names: &BTreeSet<&str>) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
