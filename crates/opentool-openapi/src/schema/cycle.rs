//! Schemas that mean nothing but themselves: `A: {$ref: A}`, or `A: {allOf: [B]}` with `B: {anyOf: [A]}`.
//!
//! A validator would follow such a circle for ever, because no step of it goes deeper into the value. Circles through
//! `properties` or `items` are ordinary recursion and not looked at here.

use std::collections::{HashMap, HashSet};

/// The edges that have to be cut so that no circle is left, in a deterministic order.
pub(super) fn closing_edges(edges: &[(String, String)]) -> Vec<(String, String)> {
    let mut targets: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (from, to) in edges {
        targets
            .entry(from)
            .or_insert_with(|| {
                order.push(from);
                Vec::new()
            })
            .push(to);
    }
    // Which circle is cut where must not depend on the order in which the document names its operations.
    order.sort_unstable();
    let mut closing = Vec::new();
    let mut done: HashSet<&str> = HashSet::new();
    for start in order {
        walk(start, &targets, &mut done, &mut closing);
    }
    closing
}

/// Depth first with a stack of its own: chains of references are as long as a document wants.
fn walk<'e>(
    start: &'e str,
    targets: &HashMap<&'e str, Vec<&'e str>>,
    done: &mut HashSet<&'e str>,
    closing: &mut Vec<(String, String)>,
) {
    if done.contains(start) {
        return;
    }
    let mut open: HashSet<&str> = HashSet::from([start]);
    let mut stack: Vec<(&str, usize)> = vec![(start, 0)];
    while let Some((node, next)) = stack.last_mut() {
        let target = targets.get(*node).and_then(|targets| targets.get(*next)).copied();
        *next = next.saturating_add(1);
        let from = *node;
        match target {
            Some(target) if open.contains(target) => closing.push((from.to_owned(), target.to_owned())),
            Some(target) if done.contains(target) => {}
            Some(target) => {
                open.insert(target);
                stack.push((target, 0));
            }
            None => {
                open.remove(from);
                done.insert(from);
                stack.pop();
            }
        }
    }
}
