//! Walking over JSON that is known to be valid, by counting brackets: nothing is built, nothing wanted is missed.

use opentool_core::Location;

use super::{Place, Wanted};

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
            let found = locations.binary_search_by_key(at, |(byte, _)| *byte).ok();
            let location = found.and_then(|index| locations.get(index)).map(|(_, location)| *location);
            *place = location.map_or(Place::Unknown, Place::Known);
        }
    });
}

/// The lines and columns of byte positions, sorted. One pass: a document can be one line of megabytes.
fn locations(text: &str, mut bytes: Vec<usize>) -> Vec<(usize, Location)> {
    bytes.sort_unstable();
    bytes.dedup();
    let mut wanted = bytes.into_iter().peekable();
    let mut found = Vec::new();
    let mut here = Location::new(1, 1);
    for (at, c) in text.char_indices() {
        while wanted.next_if(|byte| *byte <= at).is_some() {
            found.push((at, here));
        }
        if wanted.peek().is_none() {
            break;
        }
        if c == '\n' {
            here = Location::new(here.line.saturating_add(1), 1);
        } else {
            here.column = here.column.saturating_add(1);
        }
    }
    found
}

struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
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
            _ => self.skip(),
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
            let key =
                self.text.get(start..self.at).and_then(|text| serde_json::from_slice::<String>(text).ok());
            let member = key.and_then(|key| wanted.members.get_mut(&key));
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

    /// Skips a value by counting brackets.
    fn skip(&mut self) {
        let mut depth = 0_usize;
        while self.at < self.text.len() {
            match self.peek() {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth = depth.saturating_add(1);
                    self.step();
                }
                b'}' | b']' => {
                    if depth == 0 {
                        return;
                    }
                    depth = depth.saturating_sub(1);
                    self.step();
                }
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {
                    self.step();
                    continue;
                }
                _ => self.word(),
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn word(&mut self) {
        while !matches!(self.peek(), b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' | b']' | b'}' | 0) {
            self.step();
        }
    }

    fn string(&mut self) {
        self.step();
        while self.at < self.text.len() {
            match self.peek() {
                b'\\' => {
                    self.step();
                    self.step();
                }
                b'"' => {
                    self.step();
                    return;
                }
                _ => self.step(),
            }
        }
    }
}
