//! Walking over YAML by the parser's events. Aliases are not entered: what is inside has the place of the alias.

use opentool_core::Location;
use saphyr_parser::{Event, Marker, Parser};

use super::{Place, Wanted};
use crate::yaml;

/// One open list or mapping.
enum Level {
    List(usize),
    /// The key whose value comes next.
    Mapping(Option<(String, Marker)>),
}

/// Notes the places of what is wanted.
pub(super) fn walk(text: &str, wanted: &mut Wanted) {
    if let End::Whole = walk_over(text, wanted) {
        return;
    }
    for (text, _) in yaml::mended(text) {
        wanted.forget();
        if let End::Whole = walk_over(&text, wanted) {
            return;
        }
    }
}

/// How a walk ended.
enum End {
    Whole,
    Broken,
}

fn walk_over(text: &str, wanted: &mut Wanted) -> End {
    let mut parser = Parser::new_from_str(text);
    let mut stack: Vec<Level> = Vec::new();
    // The path of tree nodes along the stack.
    let mut path: Vec<String> = Vec::new();
    // Of several documents the first one counts that is not empty.
    let mut is_read = false;
    while let Some(event) = parser.next_event() {
        let Ok((event, span)) = event else { return End::Broken };
        match event {
            Event::DocumentStart(_) if is_read => break,
            Event::SequenceEnd | Event::MappingEnd => {
                stack.pop();
                path.truncate(stack.len());
                match stack.last_mut() {
                    // It was a key that is none.
                    Some(Level::Mapping(key @ None)) => *key = Some((String::new(), span.start)),
                    _ => finish(&mut stack),
                }
                continue;
            }
            Event::Scalar(ref text, ..) if let Some(Level::Mapping(key @ None)) = stack.last_mut() => {
                *key = Some((text.to_string(), span.start));
                continue;
            }
            Event::Alias(_) if let Some(Level::Mapping(key @ None)) = stack.last_mut() => {
                *key = Some((String::new(), span.start));
                continue;
            }
            Event::Scalar(..) | Event::Alias(_) | Event::SequenceStart(..) | Event::MappingStart(..) => {}
            _ => continue,
        }
        let (segment, at) = match stack.last() {
            Some(Level::List(index)) => (Some(index.to_string()), span.start),
            Some(Level::Mapping(Some((key, at)))) => (Some(key.clone()), *at),
            Some(Level::Mapping(None)) | None => (None, span.start),
        };
        let depth = stack.len();
        if let Some(segment) = segment {
            path.truncate(depth.saturating_sub(1));
            path.push(segment);
        }
        if let Some(node) = descend(wanted, &path) {
            node.key = place(at);
            node.value = place(span.start);
        }
        is_read |= !matches!(&event, Event::Scalar(text, ..) if text.is_empty());
        match event {
            Event::SequenceStart(..) => stack.push(Level::List(0)),
            Event::MappingStart(..) => stack.push(Level::Mapping(None)),
            _ => finish(&mut stack),
        }
    }
    End::Whole
}

fn place(at: Marker) -> Place {
    Place::Known(Location::new(at.line().max(1), at.col().saturating_add(1)))
}

/// A value is over: the next item, or the next key.
fn finish(stack: &mut [Level]) {
    match stack.last_mut() {
        Some(Level::List(index)) => *index = index.saturating_add(1),
        Some(Level::Mapping(key)) => *key = None,
        None => {}
    }
}

fn descend<'w>(wanted: &'w mut Wanted, path: &[String]) -> Option<&'w mut Wanted> {
    path.iter().try_fold(wanted, |node, member| node.members.get_mut(member))
}
