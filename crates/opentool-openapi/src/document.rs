//! The document as a tree of values, with the other documents that it refers to, ready to be asked for its parts.
//!
//! No part of OpenAPI is turned into a struct here. Real documents break every rule of the specification somewhere, and
//! a value tree is the only reading that all of them survive.
//!
//! A part is named by its *place*: a JSON Pointer in the main document (`/paths/~1pets`), or, in another document, a
//! pointer with that document's number before it (`@2/Pet`). A pointer begins with `/` or is empty, so the two cannot
//! be confused, and whatever walks a document extends a place as it extends a pointer.

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use opentool_core::Diagnostic;
use opentool_text::{Decoded, Expected, Notation, Parsed, Spot, decode, locate};
use serde_json::Value;

use crate::load::Cache;
use crate::other::OtherDocument;
use crate::version::{self, Version};
use crate::{Address, OpenApiError};

const EXPECTED: Expected<'static> = Expected::new("an OpenAPI document", "openapi: 3.1.0");

/// A parsed document, and what it refers to.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) address: Address,
    /// The document itself, and after it those that it refers to.
    parts: Vec<Part>,
    /// What a reference to another document means, by the part in which it stands and its text before the `#`.
    links: HashMap<(usize, Box<str>), Result<usize, Refusal>>,
}

/// One text of a document.
#[derive(Debug)]
pub(crate) struct Part {
    root: Value,
    version: Version,
    pub(crate) address: Address,
    /// Its address as messages have it, which no other part has.
    pub(crate) shown: Box<str>,
    /// A name that is the same on every machine: relative to the main document.
    pub(crate) name: Box<str>,
    /// The machine that it came from, if it was fetched because another text refers to it.
    peer: Option<IpAddr>,
    /// Pointers of the schemas that have an anchor, by its name; found when first asked for.
    pub(crate) anchors: OnceLock<HashMap<String, Vec<String>>>,
}

/// Why a reference to another document is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: &'static str,
    pub(crate) reason: Box<str>,
    pub(crate) help: &'static str,
}

/// What comes out of reading a text. The texts are kept until the places of findings are known.
#[derive(Debug)]
pub(crate) struct Opened<'t> {
    pub(crate) document: Document,
    pub(crate) texts: Vec<Text<'t>>,
    pub(crate) findings: Vec<Diagnostic>,
}

/// The text of a part.
#[derive(Debug)]
pub(crate) struct Text<'t> {
    bytes: Cow<'t, [u8]>,
    notation: Notation,
}

impl Document {
    /// Reads a text and makes sure that it is an OpenAPI document of a version that can be read.
    pub(crate) fn open<'t>(
        text: Cow<'t, [u8]>,
        address: Address,
        cache: Option<&Cache>,
    ) -> Result<Opened<'t>, OpenApiError> {
        let name = address.to_string();
        let syntax = |found: Box<Diagnostic>| OpenApiError::syntax(found.file(name.clone()));
        let Decoded { text: decoded, mut findings, .. } = decode(&text).map_err(syntax)?;
        let expected = EXPECTED.notation(address.notation());
        let parsed = parse(&decoded, &expected, cache).map_err(syntax)?;
        let Parsed { value: root, notation, .. } = parsed;
        findings.extend(parsed.findings);
        let version = version::recognise(&root, &decoded, &mut findings).map_err(|found| {
            let place = locate(&decoded, notation, [Spot::Key(&found.pointer)]).into_iter().next().flatten();
            let found = found.file(name);
            OpenApiError::not_openapi(match place {
                Some(place) => found.location(place),
                None => found,
            })
        })?;
        let part = Part {
            root,
            version,
            address: address.clone(),
            shown: address.to_string().into(),
            name: "".into(),
            peer: None,
            anchors: OnceLock::new(),
        };
        let document = Self { address, parts: vec![part], links: HashMap::new() };
        let mended = mended(decoded);
        let text = mended.map_or(text, Cow::Owned);
        Ok(Opened { document, texts: vec![Text { bytes: text, notation }], findings })
    }

    /// The whole tree of the main document.
    pub(crate) fn root(&self) -> &Value {
        self.parts.first().map_or(&Value::Null, |part| &part.root)
    }

    /// The rules of the main document.
    pub(crate) fn version(&self) -> Version {
        self.version_at("")
    }

    /// The rules that hold at a place.
    pub(crate) fn version_at(&self, place: &str) -> Version {
        self.part_of(place).0.map_or(Version::V3_1, |part| part.version)
    }

    /// The value at a place.
    pub(crate) fn at(&self, place: &str) -> Option<&Value> {
        let (part, pointer) = self.part_of(place);
        part?.root.pointer(pointer)
    }

    /// The part that a place is in, and the pointer there.
    pub(crate) fn part_of<'p>(&self, place: &'p str) -> (Option<&Part>, &'p str) {
        let (index, pointer) = split(place);
        (self.parts.get(index), pointer)
    }

    /// All parts; the first is the document itself.
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The text that a place is in, where it is not the one that was asked for.
    pub(crate) fn other(&self, place: &str) -> Option<Arc<OtherDocument>> {
        let (index, _) = split(place);
        let part = self.parts.get(index).filter(|_| index > 0)?;
        let (shown, address) = (part.shown.clone(), part.address.clone());
        Some(Arc::new(OtherDocument { index, shown, address, peer: part.peer }))
    }

    /// The place of a pointer in another document, or in this one.
    pub(crate) fn place(&self, other: Option<&OtherDocument>, pointer: &str) -> String {
        place(other.map_or(0, |other| other.index), pointer)
    }

    /// What a reference to another document means.
    pub(crate) fn link(&self, from: usize, document: &str) -> Option<&Result<usize, Refusal>> {
        if self.links.is_empty() {
            return None;
        }
        self.links.get(&(from, document.into()))
    }

    /// A text of the `info` object.
    pub(crate) fn info(&self, member: &str) -> Option<&str> {
        self.root().get("info")?.get(member)?.as_str()
    }

    /// Where the document says that it is (3.2).
    pub(crate) fn own_uri(&self) -> Option<&str> {
        self.root().get("$self")?.as_str().map(str::trim).filter(|uri| !uri.is_empty())
    }
}

impl Part {
    /// Its whole tree.
    pub(crate) fn root(&self) -> &Value {
        &self.root
    }
}

impl<'t> Opened<'t> {
    /// Adds another document; its number.
    pub(crate) fn add(
        &mut self,
        text: Cow<'t, [u8]>,
        parsed: Parsed,
        address: Address,
        name: Box<str>,
        peer: Option<IpAddr>,
    ) -> usize {
        let version = version::of(&parsed.value).unwrap_or_else(|| self.document.version());
        let index = self.document.parts.len();
        let findings = parsed.findings.into_iter().map(|mut finding| {
            finding.pointer = place(index, &finding.pointer);
            finding
        });
        self.findings.extend(findings);
        let alike = self.document.parts.iter().filter(|part| part.address.to_string() == address.to_string());
        let shown = match alike.count() {
            0 => address.to_string(),
            // They differ in what is not shown.
            before => format!("{address} ({})", before.saturating_add(1)),
        };
        self.document.parts.push(Part {
            root: parsed.value,
            version,
            address,
            shown: shown.into(),
            name,
            peer,
            anchors: OnceLock::new(),
        });
        self.texts.push(Text { bytes: text, notation: parsed.notation });
        index
    }

    /// Notes what a reference means.
    pub(crate) fn link(&mut self, from: usize, document: &str, target: Result<usize, Refusal>) {
        self.document.links.insert((from, document.into()), target);
    }

    /// Gives findings their file and line, and makes pointers of their places.
    pub(crate) fn locate(&self, findings: &mut [Diagnostic]) {
        let mut by_part: HashMap<usize, Vec<&mut Diagnostic>> = HashMap::new();
        for finding in findings {
            by_part.entry(split(&finding.pointer).0).or_default().push(finding);
        }
        for (index, findings) in by_part {
            let (Some(part), Some(text)) = (self.document.parts.get(index), self.texts.get(index)) else {
                continue;
            };
            let name = &part.shown;
            let decoded = text.as_str();
            let spots = findings.iter().map(|finding| Spot::Key(split(&finding.pointer).1));
            let places = locate(decoded, text.notation, spots);
            for (finding, place) in findings.into_iter().zip(places) {
                finding.file = Some(name.to_string());
                // What a parser found has its place; of two equal keys a pointer means one.
                finding.location = finding.location.or(place);
                finding.pointer = split(&finding.pointer).1.to_owned();
            }
        }
    }
}

impl Text<'_> {
    /// The text without a byte order mark; it is known to be UTF-8, or it would not be a document.
    fn as_str(&self) -> &str {
        let text = std::str::from_utf8(&self.bytes).unwrap_or_default();
        text.strip_prefix('\u{feff}').unwrap_or(text)
    }

    /// Whether something that no reader sees may be in it: it is not plain ASCII, or has escapes for what is not.
    pub(crate) fn may_hide(&self) -> bool {
        let is_escape =
            |pair: &[u8]| matches!(pair, [b'\\', b'u' | b'U' | b'x' | b'e' | b'a' | b'b' | b'v' | b'f']);
        !self.bytes.is_ascii() || self.bytes.windows(2).any(is_escape)
    }

    /// The text itself; it is known to be UTF-8, or it would not be a document.
    pub(crate) fn into_string(self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Reads the text of another document, which may hold anything. Where it is not plain UTF-8 the bytes are replaced by those
/// of the text that was read.
pub(crate) fn parse_part(
    bytes: &mut Vec<u8>,
    address: &Address,
    cache: Option<&Cache>,
) -> Result<Parsed, Box<Diagnostic>> {
    let expected = EXPECTED.notation(address.notation());
    let read = decode(bytes).and_then(|Decoded { text, findings, .. }| {
        let mut parsed = parse(&text, &expected, cache)?;
        parsed.findings.splice(0..0, findings);
        Ok((parsed, mended(text)))
    });
    let (parsed, mended) = read.map_err(|found| Box::new(found.file(address.to_string())))?;
    if let Some(mended) = mended {
        *bytes = mended;
    }
    Ok(parsed)
}

/// The bytes of a text that is not as it stood in its file.
fn mended(text: Cow<'_, str>) -> Option<Vec<u8>> {
    match text {
        Cow::Owned(text) => Some(text.into_bytes()),
        Cow::Borrowed(_) => None,
    }
}

fn parse(text: &str, expected: &Expected<'_>, cache: Option<&Cache>) -> Result<Parsed, Box<Diagnostic>> {
    match cache {
        Some(cache) => cache.parse(text, expected),
        None => opentool_text::parse(text, expected),
    }
}

/// The number of the part, and the pointer in it.
pub(crate) fn split(place: &str) -> (usize, &str) {
    let Some(rest) = place.strip_prefix('@') else { return (0, place) };
    let end = rest.find('/').unwrap_or(rest.len());
    let (number, pointer) = rest.split_at_checked(end).unwrap_or((rest, ""));
    (number.parse().unwrap_or(usize::MAX), pointer)
}

/// The place of a pointer in the part of this number.
pub(crate) fn place(index: usize, pointer: &str) -> String {
    if index == 0 { pointer.to_owned() } else { format!("@{index}{pointer}") }
}
