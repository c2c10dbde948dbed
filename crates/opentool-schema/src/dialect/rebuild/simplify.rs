//! Codecs of definitions that turn out to change nothing.
//!
//! While a recursive definition is being made nobody knows whether its values change. Here all are taken to stay
//! the same until one does not.

use crate::dialect::codec::{Absent, Codec, ObjectCodec, Rest, TupleCodec};

/// The codecs without those that change nothing.
pub(super) fn simplify(root: Codec, definitions: Vec<Codec>) -> (Codec, Vec<Codec>) {
    let mut same = vec![true; definitions.len()];
    loop {
        let mut changed = false;
        for (number, codec) in definitions.iter().enumerate() {
            let is_same = keeps(codec, &same);
            if let Some(place) = same.get_mut(number).filter(|place| **place && !is_same) {
                *place = false;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let definitions = definitions.into_iter().map(|codec| simple(codec, &same)).collect();
    (simple(root, &same), definitions)
}

/// Whether values stay as they are.
fn keeps(codec: &Codec, same: &[bool]) -> bool {
    match codec {
        Codec::Same => true,
        Codec::Definition(number) => same.get(*number).copied().unwrap_or(true),
        Codec::Items(codec) => keeps(codec, same),
        Codec::Places(places, rest) => places.iter().all(|codec| keeps(codec, same)) && keeps(rest, same),
        Codec::Object(codec) => {
            codec.members.iter().all(|member| {
                member.name == member.lowered
                    && member.absent == Absent::AsAbsent
                    && keeps(&member.codec, same)
            }) && match &codec.rest {
                Rest::Kept(codec) => keeps(codec, same),
                Rest::Refused => true,
                Rest::Entries(..) => false,
            }
        }
        Codec::Choice(branches) => branches.iter().all(|(_, codec)| keeps(codec, same)),
        Codec::All(codecs) => codecs.iter().all(|codec| keeps(codec, same)),
        _ => false,
    }
}

fn simple(codec: Codec, same: &[bool]) -> Codec {
    if keeps(&codec, same) {
        return Codec::Same;
    }
    let within = |codec: Box<Codec>| Box::new(simple(*codec, same));
    match codec {
        Codec::Items(codec) => Codec::Items(within(codec)),
        Codec::Entries(codec) => Codec::Entries(within(codec)),
        Codec::Wrapped(key, codec) => Codec::Wrapped(key, within(codec)),
        Codec::NullMark(mark, codec) => Codec::NullMark(mark, within(codec)),
        Codec::Places(places, rest) => {
            Codec::Places(places.into_iter().map(|codec| simple(codec, same)).collect(), within(rest))
        }
        Codec::Choice(branches) => {
            Codec::Choice(branches.into_iter().map(|(schema, codec)| (schema, simple(codec, same))).collect())
        }
        Codec::Tagged(branches) => Codec::Tagged(
            branches.into_iter().map(|(tag, schema, codec)| (tag, schema, simple(codec, same))).collect(),
        ),
        Codec::Object(object) => {
            let ObjectCodec { mut members, rest } = *object;
            for member in &mut members {
                member.codec = simple(std::mem::take(&mut member.codec), same);
            }
            let rest = match rest {
                Rest::Kept(codec) => Rest::Kept(simple(codec, same)),
                Rest::Entries(name, codec) => Rest::Entries(name, simple(codec, same)),
                Rest::Refused => Rest::Refused,
            };
            Codec::Object(Box::new(ObjectCodec { members, rest }))
        }
        Codec::Tuple(tuple) => {
            let TupleCodec { mut places, least, absent, rest } = *tuple;
            for (_, codec) in &mut places {
                *codec = simple(std::mem::take(codec), same);
            }
            let rest = rest.map(|(name, codec)| (name, simple(codec, same)));
            Codec::Tuple(Box::new(TupleCodec { places, least, absent, rest }))
        }
        other => other,
    }
}
