//! Walking over JSON that is known to be valid, by counting brackets: nothing is built, nothing wanted is missed.

use std::collections::HashMap;
use std::slice::Iter;

use opentool_core::Location;

use super::{Place, Wanted};
use crate::mended::Source;

/// Notes the places of what is wanted.
pub(super) fn walk(text: &str, wanted: &mut Wanted) {
    let mut scanner = Scanner { text: text.as_bytes(), at: 0 };
    scanner.space();
    wanted.key = Place::Byte(scanner.at);
    scanner.value(Some(wanted));
    let mut bytes = Vec::new();
    wanted.places(&mut |place| {
        if let Place::Byte(at) = place {
            bytes.push(*at);
        }
    });
    let locations = locations(text, bytes);
    wanted.places(&mut |place| {
        if let Place::Byte(at) = place {
            *place = locations.get(at).copied().map_or(Place::Unknown, Place::Known);
        }
    });
}

/// The lines and columns of byte positions. One pass: a document can be one line of megabytes.
pub(crate) fn locations(text: &str, mut bytes: Vec<usize>) -> HashMap<usize, Location> {
    bytes.sort_unstable();
    bytes.dedup();
    let mut here = Location::new(1, 1);
    let mut done = 0_usize;
    let mut found = HashMap::with_capacity(bytes.len());
    for at in bytes {
        let Some(between) = text.get(done..at) else { break };
        let line_ends = between.bytes().filter(|byte| *byte == b'\n').count();
        here = match between.rfind('\n') {
            Some(last) => {
                let line = between.get(last..).unwrap_or_default();
                // Its characters begin with the line end, and columns with 1.
                Location::new(here.line.saturating_add(line_ends), line.chars().count())
            }
            None => Location::new(here.line, here.column.saturating_add(between.chars().count())),
        };
        done = at;
        found.insert(at, here);
    }
    found
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Scanner<'t> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.step();
        }
    }

    /// Walks over a value. Without anything wanted inside it is skipped without looking.
    fn value(&mut self, mut wanted: Option<&mut Wanted>) {
        self.space();
        if let Some(wanted) = &mut wanted {
            wanted.value = Place::Byte(self.at);
        }
        let inside = wanted.filter(|wanted| !wanted.members.is_empty());
        match (self.peek(), inside) {
            (b'{', Some(wanted)) => self.object(wanted),
            (b'[', Some(wanted)) => self.array(wanted),
            (b'{' | b'[', None) => self.skip(),
            (b'"', _) => self.string(),
            _ => self.word(),
        }
    }

    fn object(&mut self, wanted: &mut Wanted) {
        self.step();
        loop {
            self.space();
            if self.peek() != b'"' {
                self.step();
                return;
            }
            let start = self.at;
            self.string();
            let written = self.text.get(start..self.at).unwrap_or_default();
            let member = match plain(written) {
                Some(name) => wanted.members.get_mut(name),
                None => {
                    let name = read(written).unwrap_or_default();
                    wanted.members.get_mut(&name)
                }
            };
            if let Some(member) = member {
                member.forget();
                member.key = Place::Byte(start);
                self.value(Some(member));
            } else {
                self.value(None);
            }
        }
    }

    fn array(&mut self, wanted: &mut Wanted) {
        self.step();
        let mut index = 0_usize;
        loop {
            self.space();
            if matches!(self.peek(), b']' | 0) {
                self.step();
                return;
            }
            let item = wanted.members.get_mut(&index.to_string());
            if let Some(item) = item {
                item.key = Place::Byte(self.at);
                self.value(Some(item));
            } else {
                self.value(None);
            }
            index = index.saturating_add(1);
        }
    }

    /// Skips an object or a list by counting brackets.
    fn skip(&mut self) {
        let mut rest = self.rest();
        let mut depth = 0_usize;
        while let Some(byte) = rest.next() {
            match byte {
                b'"' => skip_string(&mut rest),
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        break;
                    }
                }
                _ => {}
            }
        }
        self.go_on(&rest);
    }

    fn word(&mut self) {
        while !matches!(self.peek(), b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' | b']' | b'}' | 0) {
            self.step();
        }
    }

    fn string(&mut self) {
        let mut rest = self.rest();
        rest.next();
        skip_string(&mut rest);
        self.go_on(&rest);
    }

    fn rest(&self) -> Iter<'t, u8> {
        self.text.get(self.at..).unwrap_or_default().iter()
    }

    fn go_on(&mut self, rest: &Iter<'_, u8>) {
        self.at = self.text.len().saturating_sub(rest.len());
    }
}

/// Goes behind the end of a string that has begun.
fn skip_string(rest: &mut Iter<'_, u8>) {
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => {
                rest.next();
            }
            b'"' => return,
            _ => {}
        }
    }
}

/// What a string says, as the reader reads it.
fn read(written: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(written).ok()?;
    let mended = || serde_json::from_str(Source::mended(text)?.text()).ok();
    serde_json::from_str(text).ok().or_else(mended)
}

/// What stands between the quotes, if it means itself.
fn plain(written: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(written).ok()?.strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains('\\')).then_some(text)
}
