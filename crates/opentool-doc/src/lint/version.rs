//! Rules about versions, and about members that came with one.

use opentool_text::Members;

use super::{Culprit, Lint, rule};
use crate::Version;
use crate::version::numbers;
use crate::words::short;

const VERSIONS: &str = "the versions are 1.0.0, 1.1.0 (adds `server`) and 2.0.0 (adds `stream`)";

impl<'d> Lint<'d> {
    pub(super) fn format_version(&mut self, object: &'d Members<'d>) {
        let Some(version) = self.text(object, "opentool") else { return };
        self.within("opentool", |lint| {
            let shown = short(version);
            if numbers(version).is_none() {
                let message = format!("`{shown}` is not a version: three numbers with dots between them");
                lint.found(rule::FORMAT_VERSION, Culprit::Value, message, VERSIONS);
            } else if !Version::is_known(version) {
                let message = match Version::rules_for(version) {
                    Some(rules) => format!(
                        "OpenTool has no version {shown}; the document is read by the rules of {rules}"
                    ),
                    None => format!("OpenTool has no version {shown}; its first one is 1.0.0"),
                };
                lint.found(
                    rule::UNKNOWN_VERSION,
                    Culprit::Value,
                    message,
                    VERSIONS,
                );
            } else if let Some((release, _)) = version.split_once(['-', '+']) {
                let message = format!(
                    "`{shown}` is a version of its own that was never published; the document is read by the rules of \
                     {release}"
                );
                lint.found(rule::UNKNOWN_VERSION, Culprit::Value, message, VERSIONS);
            }
        });
    }

    /// The version of the document itself: `1`, `1.2`, `v1.2.3-beta`, `2024.11.5`.
    pub(super) fn info_version(&mut self, version: &str) {
        let plain = version.strip_prefix('v').unwrap_or(version);
        let numbers = plain.split(['-', '+']).next().unwrap_or_default();
        let is_version =
            numbers.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_version {
            self.within("version", |lint| {
                let message = format!(
                    "`{}` is not a version, so nobody can tell which document is newer",
                    short(version)
                );
                lint.found(rule::INFO_VERSION, Culprit::Value, message, "write numbers: `\"1.0.0\"`");
            });
        }
    }

    /// The member where the check is came with this version.
    pub(super) fn since(&mut self, version: Version, name: &str) {
        if self.version < version {
            let message = format!(
                "`{name}` came with version {version}, and the document says {}; readers of that version ignore it",
                self.version
            );
            let help = format!("set `\"opentool\": \"{version}\"`, or remove `{name}`");
            self.found(rule::NEWER_MEMBER, Culprit::Key, message, help);
        }
    }
}
