//! Names of arguments: those of the document, with the place in front where one name stands in two places.

use std::collections::{HashMap, HashSet};

use super::body::WHOLE;
use crate::plan::{Body, BodyArguments, Parameter};

/// Gives every parameter the name of its argument. Depends on the names alone, not on their order.
pub(super) fn name(parameters: &mut [Parameter], body: Option<&Body>) {
    let mut uses: HashMap<String, usize> = HashMap::new();
    for parameter in parameters.iter() {
        let count = uses.entry(parameter.name.clone()).or_default();
        *count = count.saturating_add(1);
    }
    let mut taken: HashSet<String> = HashSet::new();
    match body.map(|body| &body.arguments) {
        Some(BodyArguments::Whole(_)) => {
            // The body keeps its name.
            uses.insert(WHOLE.to_owned(), 2);
            taken.insert(WHOLE.to_owned());
        }
        Some(BodyArguments::Properties(names)) => taken.extend(names.iter().cloned()),
        None => {}
    }
    let is_shared = |parameter: &Parameter| uses.get(&parameter.name).is_some_and(|count| *count > 1);
    taken.extend(parameters.iter().filter(|parameter| !is_shared(parameter)).map(|p| p.name.clone()));
    let mut shared: Vec<&mut Parameter> = parameters.iter_mut().filter(|p| is_shared(p)).collect();
    shared.sort_by_key(|parameter| (parameter.name.clone(), parameter.place));
    for parameter in shared {
        let mut argument = format!("{}_{}", parameter.place.as_str(), parameter.name);
        while !taken.insert(argument.clone()) {
            argument.push('_');
        }
        parameter.argument = argument;
    }
}
