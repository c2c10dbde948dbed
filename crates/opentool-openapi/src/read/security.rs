//! Security requirements: which credentials an operation asks for. What they are is the host's business.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use opentool_core::Diagnostic;
use opentool_text::{kind, pointer};
use serde_json::{Map, Value};

use super::{Reader, swagger};
use crate::plan::{Operation, Place, Requirement, SchemeUse, SecurityScheme};
use crate::version::Version;

/// The schemes that were read.
pub(super) type Schemes = HashMap<String, Arc<SecurityScheme>>;

impl Reader<'_> {
    /// What an operation asks for: its own list, else the document's.
    pub(super) fn operation_security(
        &mut self,
        members: &Map<String, Value>,
        pointer: &str,
    ) -> Arc<[Requirement]> {
        if let Some(own) = members.get("security").filter(|own| !own.is_null()) {
            let own = self.requirements(own, &pointer::join(pointer, "security"));
            if let Some(mut own) = own {
                if own.is_empty() {
                    // An empty list takes the document's requirements away: none is needed, and none is sent. To say
                    // nothing at all is another thing.
                    own.push(Requirement { schemes: Vec::new() });
                }
                return own.into();
            }
        }
        if let Some(known) = &self.security {
            return Arc::clone(known);
        }
        let document = self.document;
        let requirements: Arc<[Requirement]> = match document.root().get("security") {
            Some(security) => self.requirements(security, "/security").unwrap_or_default().into(),
            None => Vec::new().into(),
        };
        self.security = Some(Arc::clone(&requirements));
        requirements
    }

    /// The alternatives; nothing where it is not a list, so that the document's own hold.
    fn requirements(&mut self, value: &Value, at: &str) -> Option<Vec<Requirement>> {
        let Some(items) = value.as_array() else {
            if !value.is_null() {
                let message = format!("`security` is {}, not a list; it is ignored", kind(value));
                self.warn("security", at, message, "write `security: [{\"schemeName\": []}]`");
            }
            return None;
        };
        let mut requirements = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let at = pointer::join(at, &index.to_string());
            let Some(members) = item.as_object() else {
                let message = format!("a requirement is {}, not an object; it is ignored", kind(item));
                self.warn("security", at, message, "write `{\"schemeName\": []}`");
                continue;
            };
            let schemes = members
                .iter()
                .map(|(name, scopes)| SchemeUse {
                    // A reference has the name of what it leads to, which is the name that hosts know.
                    name: name
                        .rsplit_once("#/")
                        .and_then(|(_, end)| end.rsplit('/').next())
                        .unwrap_or(name)
                        .to_owned(),
                    scheme: self.scheme(name, &at),
                    scopes: scopes
                        .as_array()
                        .into_iter()
                        .flatten()
                        .filter_map(|scope| scope.as_str().map(str::to_owned))
                        .collect(),
                })
                .collect();
            requirements.push(Requirement { schemes });
        }
        // None that can be understood is not the same as none that is needed.
        (items.is_empty() || !requirements.is_empty()).then_some(requirements)
    }

    /// Says which operations ask for what cannot be given, and what then becomes of their calls. Asked when operations have
    /// their names.
    pub(super) fn look_at_unsupported(&mut self, operations: &[Operation]) {
        let place = self.schemes_at();
        let mut by_scheme: BTreeMap<&str, Asked<'_>> = BTreeMap::new();
        for operation in operations {
            let unsupported = |used: &&SchemeUse| matches!(*used.scheme, SecurityScheme::Other(_));
            let is_needed = operation
                .security
                .iter()
                .all(|requirement| requirement.schemes.iter().any(|used| unsupported(&used)));
            let all = operation.security.iter().flat_map(|requirement| &requirement.schemes);
            let mut seen: Vec<&str> = Vec::new();
            for used in all.filter(unsupported) {
                let SecurityScheme::Other(kind) = &*used.scheme else { continue };
                if seen.contains(&used.name.as_str()) {
                    continue;
                }
                seen.push(&used.name);
                let asked =
                    by_scheme.entry(&used.name).or_insert(Asked { kind, needing: Vec::new(), others: 0 });
                match is_needed {
                    true => asked.needing.push(&operation.name),
                    false => asked.others = asked.others.saturating_add(1),
                }
            }
        }
        for (name, asked) in by_scheme {
            let at = pointer::join(place, name);
            // Of one that is not there, it was said already.
            if self.document.at(&at).is_some() {
                self.findings.add(asked.finding(name, at));
            }
        }
    }

    /// Where the document keeps its schemes.
    pub(super) fn schemes_at(&self) -> &'static str {
        match self.document.version() {
            Version::V2 => "/securityDefinitions",
            _ => "/components/securitySchemes",
        }
    }

    pub(super) fn scheme(&mut self, name: &str, used_at: &str) -> Arc<SecurityScheme> {
        if let Some(known) = self.schemes.get(name) {
            return Arc::clone(known);
        }
        let scheme = Arc::new(self.read_scheme(name, used_at));
        self.schemes.insert(name.to_owned(), Arc::clone(&scheme));
        scheme
    }

    fn read_scheme(&mut self, name: &str, used_at: &str) -> SecurityScheme {
        let schemes = self.schemes_at();
        let at = pointer::join(schemes, name);
        // Since 3.2 the name may be a reference.
        let referenced = || self.document.resolve(name, used_at).ok().filter(|_| name.contains('#'));
        let found = self.document.at(&at).map(|value| (value, at.clone()));
        let found = found.or_else(|| referenced().map(|found| (found.value, found.pointer.into_owned())));
        let Some((value, at)) = found else {
            self.findings.add(
                Diagnostic::warning(
                    "security-scheme",
                    pointer::join(used_at, name),
                    format!("there is no security scheme `{name}` in this document"),
                )
                .help(format!("add it under `{}`", schemes.trim_start_matches('/'))),
            );
            return SecurityScheme::Other(name.to_owned());
        };
        let found = match self.document.follow(value, &at) {
            Ok(found) => found,
            Err(broken) => {
                self.findings.add(broken.finding(&at, "the security scheme is unknown"));
                return SecurityScheme::Other(name.to_owned());
            }
        };
        let word = |member: &str| found.value.get(member).and_then(Value::as_str).unwrap_or_default();
        let lower = |member: &str| word(member).to_ascii_lowercase();
        let scheme = match lower("type").as_str() {
            "apikey" => {
                let place = match lower("in").as_str() {
                    "header" => Some(Place::Header),
                    "query" => Some(Place::Query),
                    "cookie" => Some(Place::Cookie),
                    _ => None,
                };
                let key = word("name");
                place
                    .filter(|_| !key.is_empty())
                    .map(|place| SecurityScheme::ApiKey { place, name: key.to_owned() })
            }
            "http" => Some(match lower("scheme").as_str() {
                "basic" => SecurityScheme::Basic,
                "bearer" => SecurityScheme::Bearer,
                other => SecurityScheme::Other(format!("http {other}")),
            }),
            "oauth2" => Some(SecurityScheme::OAuth2 {
                named_by: self.document.other(&found.pointer),
                flows: found.value.get("flows").cloned().unwrap_or_else(|| swagger::flows(found.value)),
            }),
            "openidconnect" => {
                let named_by = self.document.other(&found.pointer);
                Some(SecurityScheme::OpenIdConnect { url: word("openIdConnectUrl").to_owned(), named_by })
            }
            "mutualtls" => Some(SecurityScheme::MutualTls),
            // Swagger 2.0's word.
            "basic" => Some(SecurityScheme::Basic),
            _ => None,
        };
        scheme.unwrap_or_else(|| {
            let message = format!("the security scheme `{name}` is not one that OpenAPI has");
            let help = "the types are apiKey (with `in` and `name`), http, oauth2, openIdConnect, mutualTLS";
            self.warn("security-scheme", found.pointer.as_ref(), message, help);
            SecurityScheme::Other(word("type").to_owned())
        })
    }
}

/// Which operations ask for a scheme that is not supported.
struct Asked<'o> {
    /// What it is.
    kind: &'o str,
    /// Those that take nothing else.
    needing: Vec<&'o str>,
    /// How many take something else, too.
    others: usize,
}

impl Asked<'_> {
    fn finding(&self, name: &str, at: String) -> Diagnostic {
        let what = format!("the security scheme `{name}` ({}) is not supported", self.kind);
        if self.needing.is_empty() {
            let message = format!("{what}; the {} operations that name it take another as well", self.others);
            return Diagnostic::note("security-unsupported", at, message);
        }
        let mut shown: Vec<String> = self.needing.iter().take(3).map(|name| format!("`{name}`")).collect();
        if self.needing.len() > shown.len() {
            shown.push("…".to_owned());
        }
        let count = self.needing.len();
        let (needs, calls) =
            if count == 1 { ("operation needs", "it is") } else { ("operations need", "they are") };
        let message =
            format!("{what}; {count} {needs} it ({}), and {calls} refused when called", shown.join(", "));
        Diagnostic::warning("security-unsupported", at, message).help(
            "send without it (`--anonymous`, in Rust `MissingCredentials::SendWithout`) and give what the service asks for as a \
             header of your own (`--header`), or name a proxy that signs requests as the server (`--server`)",
        )
    }
}
