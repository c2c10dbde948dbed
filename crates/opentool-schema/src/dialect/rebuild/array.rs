//! Arrays: items of one kind, and places of their own where the dialect has them.

use serde_json::{Map, Value};

use super::flat::{ANY, ARRAY, Flat, list};
use super::{Made, Rebuild, Result, Spot, Sub};
use crate::dialect::codec::Codec;
use crate::dialect::lower::Effect;

/// The places of an array and what comes after them.
pub(super) struct Places<'r> {
    /// What applies to each of the first items.
    pub(super) first: Vec<Vec<Sub<'r>>>,
    /// What applies to the others.
    pub(super) rest: Vec<Sub<'r>>,
    /// Nobody speaks about the others.
    pub(super) implied: bool,
}

/// Places that are written; an array of more is no tuple but an attack.
const MOST: usize = 1_000;

impl<'r> Rebuild<'r, '_> {
    pub(super) fn array(&mut self, flat: &Flat<'r>, spot: &Spot<'r>) -> Result<Made> {
        if spot.level >= self.rules.sizes.depth {
            return Ok(Some(self.as_text(&flat.subs, "it nests deeper than the provider takes")));
        }
        let longest =
            flat.subs.iter().map(|sub| list(sub.get("prefixItems")).len()).max().unwrap_or_default();
        self.spend(flat.subs.len().saturating_mul(longest.min(MOST).saturating_add(2)), "")?;
        let places = places(flat, longest.min(MOST));
        if places.first.is_empty() {
            return self.uniform(flat, &places, spot);
        }
        if self.has("prefixItems") {
            self.placed(flat, &places, spot)
        } else {
            self.tuple(flat, &places, spot)
        }
    }

    fn uniform(&mut self, flat: &Flat<'r>, places: &Places<'r>, spot: &Spot<'r>) -> Result<Made> {
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "array".into());
        let any = [Sub { schema: &ANY, pointer: format!("{}/items", flat.pointer()).into() }];
        let all = if places.rest.is_empty() { &any[..] } else { &places.rest };
        let item = self.node(all, &spot.inner(1))?;
        let mut limits = Map::new();
        let mut notes = self.limits(&mut limits, flat, ARRAY);
        let Some(item) = item else {
            // Only the empty array fits.
            if self.tightest(flat, "minItems").is_some_and(|least| least > 0) {
                return Ok(None);
            }
            for sub in flat.subs.iter().filter(|sub| sub.get("items").is_some()) {
                if !self.has("maxItems") {
                    notes.extend(sub.get("items").map(|items| ("items", items)));
                    self.note(&sub.pointer, "items", Effect::Wider, super::describe::MOVED);
                } else {
                    self.note(&sub.pointer, "items", Effect::Exact, "written as `maxItems`");
                }
            }
            if self.has("maxItems") {
                limits.insert("maxItems".to_owned(), 0.into());
            }
            self.tell(&mut schema, flat, &Codec::Same, notes);
            schema.insert("items".to_owned(), serde_json::json!({"type": "string"}));
            schema.extend(limits);
            return Ok(Some(Made { schema, codec: Codec::Same }));
        };
        let codec = match item.codec {
            Codec::Same => Codec::Same,
            codec => Codec::Items(Box::new(codec)),
        };
        self.tell(&mut schema, flat, &codec, notes);
        if self.rules.items || !places.implied {
            schema.insert("items".to_owned(), Value::Object(item.schema));
        }
        schema.extend(limits);
        Ok(Some(Made { schema, codec }))
    }

    /// An array whose places are kept.
    fn placed(&mut self, flat: &Flat<'r>, places: &Places<'r>, spot: &Spot<'r>) -> Result<Made> {
        let mut schemas = Vec::new();
        let mut codecs = Vec::new();
        let mut most = None;
        for all in &places.first {
            match self.node(all, &spot.inner(1))? {
                Some(made) => {
                    schemas.push(Value::Object(made.schema));
                    codecs.push(made.codec);
                }
                None => {
                    most = Some(schemas.len());
                    break;
                }
            }
        }
        let rest = match (most, places.implied) {
            (Some(_), _) => None,
            (None, true) => Some(Made { schema: Map::new(), codec: Codec::Same }),
            (None, false) => self.node(&places.rest, &spot.inner(1))?,
        };
        if let Some(most) = most.or(rest.is_none().then_some(schemas.len()))
            && self.tightest(flat, "minItems").is_some_and(|least| least > most as u64)
        {
            return Ok(None);
        }
        let mut limits = Map::new();
        let notes = self.limits(&mut limits, flat, ARRAY);
        let (rest, rest_codec) = match rest {
            Some(rest) => (Some(rest.schema), rest.codec),
            None => (None, Codec::Same),
        };
        let codec = if rest_codec.is_same() && codecs.iter().all(Codec::is_same) {
            Codec::Same
        } else {
            Codec::Places(codecs, Box::new(rest_codec))
        };
        let mut schema = Map::new();
        schema.insert("type".to_owned(), "array".into());
        self.tell(&mut schema, flat, &codec, notes);
        if !schemas.is_empty() {
            schema.insert("prefixItems".to_owned(), Value::Array(schemas));
        }
        match rest {
            None => {
                schema.insert("items".to_owned(), false.into());
            }
            Some(rest) if !places.implied => {
                schema.insert("items".to_owned(), Value::Object(rest));
            }
            Some(_) => {}
        }
        schema.extend(limits);
        Ok(Some(Made { schema, codec }))
    }
}

fn places<'r>(flat: &Flat<'r>, longest: usize) -> Places<'r> {
    let others = |sub: &Sub<'r>| {
        let keyword = ["items", "unevaluatedItems"].into_iter().find(|keyword| sub.get(keyword).is_some())?;
        Some(sub.below(keyword, sub.get(keyword)?))
    };
    let first = (0..longest)
        .map(|i| {
            let at = |sub: &Sub<'r>| {
                let places = sub.get("prefixItems").and_then(Value::as_array);
                match places.and_then(|places| places.get(i)) {
                    Some(place) => Some(sub.entry("prefixItems", &i.to_string(), place)),
                    None => sub.get("items").map(|items| sub.below("items", items)),
                }
            };
            flat.subs.iter().filter_map(at).collect()
        })
        .collect();
    let rest: Vec<Sub<'r>> = flat.subs.iter().filter_map(others).collect();
    Places { first, implied: rest.is_empty(), rest }
}
