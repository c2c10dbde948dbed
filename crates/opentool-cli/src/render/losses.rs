//! What is lost when tools become a document, in lines for people.

use opentool::doc::Loss;

/// How many tools a line names before it counts them.
const NAMED: usize = 3;

/// What happened to how many tools at one place.
pub(crate) struct Lost<'l> {
    /// Where.
    pub(crate) place: String,
    /// What was done instead.
    pub(crate) message: &'l str,
}

/// One entry for each loss, but for those that several tools have in the same place: these are told together unless
/// `each` is wanted.
pub(crate) fn losses(losses: &[Loss], each: bool) -> Vec<Lost<'_>> {
    let mut groups: Vec<(&Loss, Vec<&str>)> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for loss in losses {
        let place = *index.entry((&loss.pointer, &loss.message)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, tools)) if !each => tools.push(&loss.tool),
            _ => groups.push((loss, vec![&loss.tool])),
        }
    }
    groups
        .into_iter()
        .map(|(loss, tools)| {
            let place = match tools.as_slice() {
                [""] => loss.pointer.clone(),
                [tool] => format!("{tool} {}", loss.pointer),
                several => {
                    let named = several.get(..NAMED).filter(|_| several.len() > NAMED).unwrap_or(several);
                    let more = if named.len() < several.len() { ", …" } else { "" };
                    format!("{} of {} tools ({}{more})", loss.pointer, several.len(), named.join(", "))
                }
            };
            Lost { place, message: &loss.message }
        })
        .collect()
}
