//! The documents that a document refers to: read one after the other, within bounds.
//!
//! What cannot or may not be read is no error. The reference keeps its reason, and becomes a finding where it is used.

use std::collections::{HashMap, HashSet, VecDeque};
use std::net::IpAddr;

use http::header::ACCEPT;
use opentool_http::{Addresses, Client, Redirects, Request};
use opentool_text::Parsed;
use serde_json::Value;

use super::aside;
use super::options::LoadOptions;
use super::scope::{Scope, Target, refusal};
use super::text::WANTED;
use crate::document::{Opened, Refusal, parse_part};

/// The texts before `#` of all references to other documents, in the order in which they stand.
pub(super) fn wanted(root: &Value) -> Vec<Box<str>> {
    let mut wanted = Vec::new();
    collect_wanted(root, &mut HashSet::new(), &mut wanted);
    wanted
}

fn collect_wanted<'v>(value: &'v Value, seen: &mut HashSet<&'v str>, wanted: &mut Vec<Box<str>>) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let document = reference.split('#').next().unwrap_or_default();
                if !document.is_empty() && seen.insert(document) {
                    wanted.push(document.into());
                }
            }
            members.values().for_each(|member| collect_wanted(member, seen, wanted));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_wanted(item, seen, wanted)),
        _ => {}
    }
}

/// A document whose references have to be looked at.
struct Waiting {
    index: usize,
    depth: usize,
    wanted: Vec<Box<str>>,
}

/// Reads all that is wanted, and what that wants.
pub(super) async fn collect(opened: &mut Opened<'static>, first: Vec<Box<str>>, options: &LoadOptions) {
    let client = options.client_or_default();
    let scope = Scope::new(&opened.document.address, options);
    let mut known: HashMap<String, Result<usize, Refusal>> = HashMap::new();
    known.extend(scope.main_key().map(|key| (key, Ok(0))));
    let mut left = Left { documents: options.max_documents, bytes: options.max_bytes };
    let mut queue = VecDeque::from([Waiting { index: 0, depth: 0, wanted: first }]);
    while let Some(Waiting { index, depth, wanted }) = queue.pop_front() {
        let Some(from) = opened.document.parts().get(index).map(|part| part.address.clone()) else {
            continue;
        };
        for reference in wanted {
            if from.is_meant_by(&reference) {
                continue;
            }
            let outcome = match scope.target(&from, &reference) {
                Err(refusal) => Err(refusal),
                Ok(target) => match known.get(&target.key()) {
                    Some(outcome) => outcome.clone(),
                    None => {
                        let addresses = scope.addresses(&target);
                        let outcome = match left.read(&target, depth, options, &client, addresses).await {
                            Err(refusal) => Err(refusal),
                            Ok(part) => {
                                let bytes = part.bytes.into();
                                let (address, name) = (target.address(), target.name());
                                let added = opened.add(bytes, part.parsed, address, name, part.peer);
                                let depth = depth.saturating_add(1);
                                queue.push_back(Waiting { index: added, depth, wanted: part.wanted });
                                Ok(added)
                            }
                        };
                        known.insert(target.key(), outcome.clone());
                        outcome
                    }
                },
            };
            opened.link(index, &reference, outcome);
        }
    }
}

/// A document that was read.
struct Part {
    bytes: Vec<u8>,
    parsed: Parsed,
    wanted: Vec<Box<str>>,
    peer: Option<IpAddr>,
}

/// What may still be read.
struct Left {
    documents: usize,
    bytes: u64,
}

impl Left {
    async fn read(
        &mut self,
        target: &Target,
        depth: usize,
        options: &LoadOptions,
        client: &Client,
        addresses: Addresses,
    ) -> Result<Part, Refusal> {
        let limit =
            |what: String| refusal("ref-limit", what, "raise the limit, or bundle the documents into one");
        if depth >= options.max_depth {
            return Err(limit(format!("more than {} documents lead to it", options.max_depth)));
        }
        if self.documents == 0 {
            return Err(limit(format!("{} other documents were read already", options.max_documents)));
        }
        self.documents = self.documents.saturating_sub(1);
        let unreadable = |reason: String| refusal("ref-unreadable", reason, "check the address");
        let too_large = || limit(format!("the other documents have more than {} bytes", options.max_bytes));
        let mut peer = None;
        let mut bytes: Vec<u8> = match target {
            Target::File { real, .. } => {
                let facts = tokio::fs::metadata(real).await.map_err(|error| unreadable(error.to_string()))?;
                if !facts.is_file() {
                    return Err(unreadable("it is no file".to_owned()));
                }
                if facts.len() > self.bytes {
                    return Err(too_large());
                }
                tokio::fs::read(real).await.map_err(|error| unreadable(error.to_string()))?
            }
            Target::Url(url) => {
                let request = Request::get(url.clone())
                    .header(ACCEPT, WANTED)
                    .redirects(Redirects::SameOrigin)
                    .addresses(addresses)
                    .body_limit(self.bytes);
                let answer = client.send(request).await.map_err(|error| unreadable(error.to_string()))?;
                if !answer.status.is_success() {
                    return Err(unreadable(format!("the server answers {}", answer.status)));
                }
                peer = answer.peer;
                answer.body.into()
            }
        };
        self.bytes = self.bytes.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
        let address = target.address();
        let shown = address.to_string();
        let cache = options.reader();
        let parsing = move || {
            let parsed = parse_part(&mut bytes, &address, cache.as_ref());
            (bytes, parsed)
        };
        let (bytes, parsed) = aside(parsing, &shown).await.map_err(|error| unreadable(error.to_string()))?;
        let parsed = parsed.map_err(|found| unreadable(found.to_string()))?;
        let wanted = wanted(&parsed.value);
        Ok(Part { bytes, parsed, wanted, peer })
    }
}
