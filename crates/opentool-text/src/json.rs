//! JSON text to a value, telling of keys that stand twice.
//!
//! `serde_json` alone takes the last of two equal keys without a word; what the other said is lost, so it is an error, as
//! it is in YAML, and the rest is read. Depth is limited by `serde_json` (127 levels), which is what lets every reader
//! walk a document by recursion; what is deeper is left out, with a finding.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;

use opentool_core::{Diagnostic, Location};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::build::Build;
use crate::mended::{LEVELS, Source, What};
use crate::{Notation, Parsed, locate, pointer};

/// A hostile text could be wrong in every byte.
const MOST_FINDINGS: usize = 1_000;

/// The most of a number that is shown, in bytes: it may have as many digits as the text.
const SHOWN: usize = 40;

/// Reads JSON.
///
/// # Errors
/// A diagnostic with the place where the text stops being JSON.
pub(crate) fn parse<'t, V: Build<'t>>(text: &'t str) -> Result<Parsed<V>, Box<Diagnostic>> {
    read(&Source::plain(text)).or_else(|error| {
        // Only then the text is looked through for what can be mended: hardly any has something of the kind.
        match is_mendable(&error).then(|| Source::mended(text)).flatten() {
            // A text that does not end has line ends in it, too, and that is then what is to be said.
            Some(source) => read(&source).map_err(|further| {
                Box::new(broken(text, if is_control(&error) { &error } else { &further }))
            }),
            None => Err(Box::new(broken(text, &error))),
        }
    })
}

fn read<'t, V: Build<'t>>(source: &Source<'t>) -> Result<Parsed<V>, serde_json::Error> {
    let reading = Reading { source, findings: RefCell::default(), placed: RefCell::default() };
    let mut deserializer = serde_json::Deserializer::from_str(source.text());
    let value = reading.at(&Path::Root).deserialize(&mut deserializer)?;
    deserializer.end()?;
    let Reading { findings, placed, .. } = reading;
    let (mut findings, placed) = (findings.into_inner(), placed.into_inner());
    let places = locate::locations(source.original_text(), placed.iter().map(|(at, _)| *at).collect());
    for (at, mut found) in placed {
        found.location = places.get(&at).copied();
        findings.push(found);
    }
    findings.extend(alike(source, What::Control, |more| {
        let message = format!(
            "a control character, such as a line end, stands in a text as it is{more}; it is read as white space"
        );
        Diagnostic::warning("control-character", "", message).help("write an escape: `\\n`, `\\t`")
    }));
    findings.extend(alike(source, What::Comma, |more| {
        let message = format!("a comma stands here{more} behind which nothing comes; it is left out");
        Diagnostic::warning("trailing-comma", "", message).help("remove it")
    }));
    Ok(Parsed { value, notation: Notation::Json, findings })
}

/// Says where something of a kind stands: the first of it, and how much there is.
fn alike(source: &Source<'_>, what: What, say: impl Fn(&str) -> Diagnostic) -> Option<Diagnostic> {
    let mut places = source.all(what);
    let first = places.next()?;
    let found = say(&match places.count() {
        0 => String::new(),
        1 => " (and in one more place)".to_owned(),
        more => format!(" (and in {more} more places)"),
    });
    let place = locate::locations(source.original_text(), vec![first]).get(&first).copied();
    Some(match place {
        Some(place) => found.location(place),
        None => found,
    })
}

/// Whether the reading ended at something that [`Source::mended`] looks for. `serde_json` has no kinds for it.
fn is_mendable(error: &serde_json::Error) -> bool {
    let said = error.to_string();
    [
        "number out of range",
        "recursion limit",
        "trailing comma",
        "lone leading surrogate",
        "unexpected end of hex escape",
    ]
    .iter()
    .any(|start| said.starts_with(start))
        || is_control(error)
}

fn is_control(error: &serde_json::Error) -> bool {
    error.to_string().starts_with("control character")
}

fn broken(text: &str, error: &serde_json::Error) -> Diagnostic {
    let place = Location::new(error.line().max(1), error.column().max(1));
    if levels(text, place) > LEVELS {
        let message = format!("the document is nested more than {LEVELS} levels deep");
        return Diagnostic::error("json-depth", "", message).location(place);
    }
    // serde_json appends the place to its message; ours stands in a field.
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(text, _)| text);
    Diagnostic::error("json-syntax", "", format!("this is not valid JSON: {message}")).location(place)
}

/// How deep the brackets nest at a place, strings left out.
fn levels(text: &str, place: Location) -> usize {
    let before: usize = text.split_inclusive('\n').take(place.line.saturating_sub(1)).map(str::len).sum();
    let (mut level, mut quoted, mut escaped) = (0_usize, false, false);
    for byte in text.bytes().take(before.saturating_add(place.column)) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' if !quoted => level = level.saturating_add(1),
            b']' | b'}' if !quoted => level = level.saturating_sub(1),
            _ => {}
        }
    }
    level
}

/// Where the reading is; lives on the stack, costs nothing until a pointer is wanted.
enum Path<'a> {
    Root,
    Key(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => pointer::join(&parent.pointer(), key),
            Self::Item(parent, index) => pointer::join(&parent.pointer(), &index.to_string()),
        }
    }
}

/// What a whole reading shares.
struct Reading<'s, 't> {
    source: &'s Source<'t>,
    findings: RefCell<Vec<Diagnostic>>,
    /// The same about what was read in another way, with the byte at which it stands.
    placed: RefCell<Vec<(usize, Diagnostic)>>,
}

impl<'t> Reading<'_, 't> {
    fn at<'a, V>(&'a self, path: &'a Path<'a>) -> Seed<'a, 't, V> {
        Seed { path, reading: self, value: PhantomData }
    }

    fn twice(&self, path: &Path<'_>, name: &str) {
        let Ok(mut findings) = self.findings.try_borrow_mut() else { return };
        if findings.len() < MOST_FINDINGS {
            let message = format!(
                "the key `{name}` stands twice in one object; the last one counts, what the other says is lost"
            );
            let pointer = Path::Key(path, name).pointer();
            let found = Diagnostic::error("duplicate-key", pointer, message);
            findings.push(found.help("remove one of the two, or put all in one"));
        }
    }

    /// The nearest number that there is, for one that nothing can hold.
    fn nearest(&self, path: &Path<'_>, at: usize, number: &str) -> f64 {
        let shown = match number.get(..SHOWN) {
            Some(start) => format!("{start}…"),
            None => number.to_owned(),
        };
        let message = format!(
            "the number {shown} is beyond what a number of 64 bits can be, which is about ±1.8e308; that is what it is read as"
        );
        let help = "write a smaller number, or a text: the same in quotes";
        self.placed(path, at, "number-range", message, help);
        if number.starts_with('-') { f64::MIN } else { f64::MAX }
    }

    /// What is nested too deeply was left out.
    fn too_deep(&self, path: &Path<'_>, at: usize) {
        let message = format!(
            "this is nested more than {LEVELS} levels deep; it is left out, and null stands in its place"
        );
        self.placed(
            path,
            at,
            "json-depth",
            message,
            "nest less deeply, or name parts and refer to them by `$ref`",
        );
    }

    fn placed(&self, path: &Path<'_>, at: usize, code: &'static str, message: String, help: &str) {
        let Ok(mut placed) = self.placed.try_borrow_mut() else { return };
        if placed.len() < MOST_FINDINGS {
            placed.push((at, Diagnostic::error(code, path.pointer(), message).help(help)));
        }
    }

    /// Tells of a text in which half of a character was.
    fn look_for_halves(&self, path: &Path<'_>, text: &str) {
        if !self.source.may_be_half(text) {
            return;
        }
        let Ok(mut findings) = self.findings.try_borrow_mut() else { return };
        if findings.len() < MOST_FINDINGS {
            let message =
                "half of a character stands here, as an escape like `\\ud800`; it is read as U+FFFD";
            let found = Diagnostic::warning("lone-surrogate", path.pointer(), message);
            findings.push(found.help("write the character itself, or both halves: `\\ud83d\\ude00`"));
        }
    }
}

struct Seed<'a, 't, V> {
    path: &'a Path<'a>,
    reading: &'a Reading<'a, 't>,
    value: PhantomData<V>,
}

impl<'de, 't, V: Build<'t>> DeserializeSeed<'de> for Seed<'_, 't, V> {
    type Value = V;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, 't, V: Build<'t>> Visitor<'de> for Seed<'_, 't, V> {
    type Value = V;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<V, E> {
        Ok(V::boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<V, E> {
        Ok(V::number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<V, E> {
        Ok(V::number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<V, E> {
        Number::from_f64(value).map(V::number).ok_or_else(|| E::custom("a number that is too large"))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, value: &'de str) -> Result<V, E> {
        match self.reading.source.instead_of(value) {
            Some((What::Number, at, number)) => {
                let nearest = self.reading.nearest(self.path, at, number);
                self.visit_f64(nearest)
            }
            Some((_, at, _)) => {
                self.reading.too_deep(self.path, at);
                Ok(V::null())
            }
            None => Ok(V::text(Cow::Borrowed(self.reading.source.original(value)))),
        }
    }

    fn visit_str<E>(self, value: &str) -> Result<V, E> {
        self.reading.look_for_halves(self.path, value);
        Ok(V::text(Cow::Owned(value.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<V, E> {
        Ok(V::null())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<V, A::Error> {
        let mut items = Vec::new();
        loop {
            let path = Path::Item(self.path, items.len());
            match access.next_element_seed(self.reading.at(&path))? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(V::list(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<V, A::Error> {
        let mut twice = |name: &str| self.reading.twice(self.path, name);
        let mut members = V::Open::default();
        while let Some(name) = access.next_key_seed(Name(self.reading))? {
            let path = Path::Key(self.path, &name);
            self.reading.look_for_halves(&path, &name);
            let member = access.next_value_seed(self.reading.at(&path))?;
            V::add(&mut members, name, member, &mut twice);
        }
        Ok(V::close(members, &mut twice))
    }
}

/// The name of a member.
struct Name<'a, 't>(&'a Reading<'a, 't>);

impl<'de, 't> DeserializeSeed<'de> for Name<'_, 't> {
    type Value = Cow<'t, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'t, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de, 't> Visitor<'de> for Name<'_, 't> {
    type Value = Cow<'t, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, name: &'de str) -> Result<Cow<'t, str>, E> {
        match self.0.source.instead_of(name) {
            Some(_) => Err(E::custom("key must be a string")),
            None => Ok(Cow::Borrowed(self.0.source.original(name))),
        }
    }

    fn visit_str<E>(self, name: &str) -> Result<Cow<'t, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
