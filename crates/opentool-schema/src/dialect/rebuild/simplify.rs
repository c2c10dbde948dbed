//! Codecs of definitions that turn out to change nothing.
//!
//! While a recursive definition is being made nobody knows whether its values change. Here all are taken to stay
//! the same until one does not.

use crate::dialect::codec::{Absent, Codec, ObjectCodec, Rest, TupleCodec};

/// The codecs without those that change nothing.
pub(super) fn simplify(root: Codec, definitions: Vec<Codec>) -> (Codec, Vec<Codec>) {
    let mut same = vec![true; definitions.len()];
    // Which definitions refer to each, and those that change something.
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); definitions.len()];
    let mut open = Vec::new();
    for (number, codec) in definitions.iter().enumerate() {
        let mut uses = Vec::new();
        if !keeps(codec, &mut uses) {
            open.push(number);
        }
        for used in uses {
            if let Some(users) = users.get_mut(used) {
                users.push(number);
            }
        }
    }
    while let Some(number) = open.pop() {
        if let Some(place) = same.get_mut(number).filter(|place| **place) {
            *place = false;
            open.extend(users.get_mut(number).map(std::mem::take).unwrap_or_default());
        }
    }
    let definitions = definitions.into_iter().map(|codec| simple(codec, &same)).collect();
    (simple(root, &same), definitions)
}

/// Whether values stay as they are if they do in the definitions that are used.
fn keeps(codec: &Codec, uses: &mut Vec<usize>) -> bool {
    match codec {
        Codec::Same => true,
        Codec::Definition(number) => {
            uses.push(*number);
            true
        }
        Codec::Items(codec) => keeps(codec, uses),
        Codec::Places(places, rest) => places.iter().all(|codec| keeps(codec, uses)) && keeps(rest, uses),
        Codec::Object(codec) => {
            codec.members.iter().all(|member| {
                member.name == member.lowered
                    && member.absent == Absent::AsAbsent
                    && keeps(&member.codec, uses)
            }) && match &codec.rest {
                Rest::Kept(codec) => keeps(codec, uses),
                Rest::Refused => true,
                Rest::Entries(..) => false,
            }
        }
        Codec::Choice(branches) => branches.iter().all(|(_, codec)| keeps(codec, uses)),
        Codec::All(codecs) => codecs.iter().all(|codec| keeps(codec, uses)),
        _ => false,
    }
}

/// The codec with its parts made simple; the same where nothing is left to do.
fn simple(codec: Codec, same: &[bool]) -> Codec {
    let within = |codec: Box<Codec>| Box::new(simple(*codec, same));
    let each = |codecs: Vec<Codec>| codecs.into_iter().map(|codec| simple(codec, same)).collect::<Vec<_>>();
    match codec {
        Codec::Definition(number) if same.get(number).copied().unwrap_or(true) => Codec::Same,
        Codec::Items(codec) => match simple(*codec, same) {
            Codec::Same => Codec::Same,
            codec => Codec::Items(Box::new(codec)),
        },
        Codec::Entries(codec) => Codec::Entries(within(codec)),
        Codec::Wrapped(key, codec) => Codec::Wrapped(key, within(codec)),
        Codec::NullMark(mark, codec) => Codec::NullMark(mark, within(codec)),
        Codec::Places(places, rest) => {
            let (places, rest) = (each(places), within(rest));
            if rest.is_same() && places.iter().all(Codec::is_same) {
                return Codec::Same;
            }
            Codec::Places(places, rest)
        }
        Codec::Choice(branches) => {
            let branches: Vec<_> =
                branches.into_iter().map(|(schema, codec)| (schema, simple(codec, same))).collect();
            if branches.iter().all(|(_, codec)| codec.is_same()) {
                return Codec::Same;
            }
            Codec::Choice(branches)
        }
        Codec::Tagged(branches) => Codec::Tagged(
            branches.into_iter().map(|(tag, schema, codec)| (tag, schema, simple(codec, same))).collect(),
        ),
        Codec::Object(object) => {
            let ObjectCodec { mut members, rest, .. } = *object;
            for member in &mut members {
                member.codec = simple(std::mem::take(&mut member.codec), same);
            }
            let rest = match rest {
                Rest::Kept(codec) => Rest::Kept(simple(codec, same)),
                Rest::Entries(name, codec) => Rest::Entries(name, simple(codec, same)),
                Rest::Refused => Rest::Refused,
            };
            let stays = matches!(rest, Rest::Kept(Codec::Same) | Rest::Refused)
                && members.iter().all(|member| {
                    member.name == member.lowered
                        && member.absent == Absent::AsAbsent
                        && member.codec.is_same()
                });
            if stays { Codec::Same } else { Codec::Object(Box::new(ObjectCodec::new(members, rest))) }
        }
        Codec::Tuple(tuple) => {
            let TupleCodec { mut places, least, absent, rest } = *tuple;
            for (_, codec) in &mut places {
                *codec = simple(std::mem::take(codec), same);
            }
            let rest = rest.map(|(name, codec)| (name, simple(codec, same)));
            Codec::Tuple(Box::new(TupleCodec { places, least, absent, rest }))
        }
        Codec::All(codecs) => {
            let mut codecs = each(codecs);
            codecs.retain(|codec| !codec.is_same());
            if codecs.is_empty() { Codec::Same } else { Codec::All(codecs) }
        }
        other => other,
    }
}
