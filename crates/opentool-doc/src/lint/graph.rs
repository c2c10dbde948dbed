//! Which schemas lead where. Without recursion: a chain of references may be as long as the document.

use std::collections::{HashMap, HashSet};

/// All names that can be reached, the start included.
pub(super) fn reachable<'d, 'u>(
    from: impl IntoIterator<Item = &'d str>,
    uses: impl Fn(&'d str) -> &'u [&'d str],
) -> HashSet<&'d str>
where
    'd: 'u,
{
    let mut seen = HashSet::new();
    let mut next: Vec<&str> = from.into_iter().collect();
    while let Some(name) = next.pop() {
        if seen.insert(name) {
            next.extend(uses(name).iter().copied());
        }
    }
    seen
}

/// The names from which following the only step of each never ends.
pub(super) fn endless<'d>(
    names: impl IntoIterator<Item = &'d str>,
    step: impl Fn(&'d str) -> Option<&'d str>,
) -> HashSet<&'d str> {
    // Whether a name is endless; nothing while it is on the path that is being followed.
    let mut known: HashMap<&str, Option<bool>> = HashMap::new();
    for name in names {
        let mut path = Vec::new();
        let mut here = Some(name);
        let endless = loop {
            let Some(name) = here else { break false };
            match known.get(name) {
                Some(Some(endless)) => break *endless,
                Some(None) => break true,
                None => {}
            }
            known.insert(name, None);
            path.push(name);
            here = step(name);
        };
        known.extend(path.into_iter().map(|name| (name, Some(endless))));
    }
    known.into_iter().filter(|(_, endless)| *endless == Some(true)).map(|(name, _)| name).collect()
}

/// The groups of names that lead to themselves, in the order of the names. Tarjan's algorithm with a stack of its own.
pub(super) fn cycles<'d, 'u>(
    names: impl IntoIterator<Item = &'d str>,
    uses: impl Fn(&'d str) -> &'u [&'d str],
) -> Vec<Vec<&'d str>>
where
    'd: 'u,
{
    let names: Vec<&str> = names.into_iter().collect();
    let mut search = Search { seen: HashMap::new(), open: Vec::new(), cycles: Vec::new() };
    for name in &names {
        search.visit(name, &uses);
    }
    let position: HashMap<&str, usize> =
        names.iter().enumerate().map(|(index, name)| (*name, index)).collect();
    let mut cycles = search.cycles;
    for cycle in &mut cycles {
        cycle.sort_by_key(|name| position.get(name));
    }
    cycles.sort_by_key(|cycle| cycle.first().and_then(|name| position.get(name)).copied());
    cycles
}

/// What is known of a name: the order in which it was found, the earliest open name that it leads to, whether it is open.
#[derive(Clone, Copy)]
struct Seen {
    order: usize,
    low: usize,
    open: bool,
}

struct Search<'d> {
    seen: HashMap<&'d str, Seen>,
    open: Vec<&'d str>,
    cycles: Vec<Vec<&'d str>>,
}

impl<'d> Search<'d> {
    fn visit<'u>(&mut self, start: &'d str, uses: &impl Fn(&'d str) -> &'u [&'d str])
    where
        'd: 'u,
    {
        if self.seen.contains_key(start) {
            return;
        }
        self.enter(start);
        let mut path = vec![(start, 0_usize)];
        while let Some((name, next)) = path.last_mut() {
            let name = *name;
            if let Some(target) = uses(name).get(*next).copied() {
                *next = next.saturating_add(1);
                match self.seen.get(target).copied() {
                    None => {
                        self.enter(target);
                        path.push((target, 0));
                    }
                    Some(seen) if seen.open => self.lower(name, seen.order),
                    Some(_) => {}
                }
            } else {
                path.pop();
                let low = self.leave(name, uses);
                if let Some((parent, _)) = path.last() {
                    self.lower(parent, low);
                }
            }
        }
    }

    fn enter(&mut self, name: &'d str) {
        let order = self.seen.len();
        self.seen.insert(name, Seen { order, low: order, open: true });
        self.open.push(name);
    }

    fn lower(&mut self, name: &'d str, low: usize) {
        if let Some(seen) = self.seen.get_mut(name) {
            seen.low = seen.low.min(low);
        }
    }

    /// All that a name leads to was seen. Closes the group that it is the first of.
    fn leave<'u>(&mut self, name: &'d str, uses: &impl Fn(&'d str) -> &'u [&'d str]) -> usize
    where
        'd: 'u,
    {
        let Some(Seen { order, low, .. }) = self.seen.get(name).copied() else { return usize::MAX };
        if low == order {
            let mut group = Vec::new();
            while let Some(member) = self.open.pop() {
                if let Some(seen) = self.seen.get_mut(member) {
                    seen.open = false;
                }
                group.push(member);
                if member == name {
                    break;
                }
            }
            if group.len() > 1 || uses(name).contains(&name) {
                self.cycles.push(group);
            }
        }
        low
    }
}
