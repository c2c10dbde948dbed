//! Names of tools: valid for every provider, unique, readable, and the same however the document is ordered.

use std::collections::{HashMap, HashSet};

use crate::hash::short_hash;

/// The longest name that every provider takes.
const MAX: usize = 64;

/// The longest name whose words are worth abbreviating.
const MAX_ABBREVIATED: usize = 400;

/// What a name is made from.
#[derive(Debug, Clone)]
pub(crate) struct Naming<'a> {
    pub(crate) operation_id: Option<&'a str>,
    pub(crate) method: &'a str,
    /// The path as the document has it.
    pub(crate) path: &'a str,
}

impl Naming<'_> {
    /// What tells this operation from all others of the document.
    fn key(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The name that the operation would like to have.
    fn wish(&self) -> String {
        let own = self.operation_id.map(sanitise).filter(|name| !name.is_empty());
        shorten(&first_letter(own.unwrap_or_else(|| self.by_path())))
    }

    /// `get_pet_by_petId`.
    fn by_path(&self) -> String {
        let mut name = self.method.to_lowercase();
        let mut is_empty = true;
        for segment in self.path.split('/').filter(|segment| !segment.is_empty()) {
            // A segment can mix text and parameters: `{id}:archive`, `report.{format}`.
            let mut rest = segment;
            while !rest.is_empty() {
                let (text, after) = rest.split_once('{').unwrap_or((rest, ""));
                let (parameter, after) = after.split_once('}').unwrap_or((after, ""));
                for (before, part) in [("_", text), ("_by_", parameter)] {
                    let part = sanitise(part);
                    if !part.is_empty() {
                        name.push_str(before);
                        name.push_str(&part);
                        is_empty = false;
                    }
                }
                rest = after;
            }
        }
        if is_empty {
            name.push_str("_root");
        }
        name
    }
}

/// A name for each, in the order given.
pub(crate) fn assign(operations: &[Naming<'_>]) -> Vec<String> {
    let wishes: Vec<String> = operations.iter().map(Naming::wish).collect();
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, wish) in wishes.iter().enumerate() {
        groups.entry(wish).or_default().push(index);
    }
    // A wish is taken by somebody of its group, whoever that is.
    let mut taken: HashSet<String> = wishes.iter().cloned().collect();
    let mut names: HashMap<usize, String> = HashMap::new();
    let mut others: Vec<(String, usize)> = Vec::new();
    for (wish, group) in &groups {
        // The name goes to the one that has it literally, then by method and path: never by order in the document.
        let rank = |index: &usize| {
            operations.get(*index).map(|operation| (operation.operation_id != Some(*wish), operation.key()))
        };
        let mut group: Vec<usize> = group.clone();
        group.sort_by_cached_key(rank);
        let mut group = group.into_iter();
        names.extend(group.next().map(|winner| (winner, (*wish).to_owned())));
        others.extend(
            group.filter_map(|index| operations.get(index).map(|operation| (operation.key(), index))),
        );
    }
    others.sort();
    for (key, index) in others {
        let (Some(operation), Some(wish)) = (operations.get(index), wishes.get(index)) else { continue };
        let longer = match operation.operation_id {
            Some(_) => shorten(&format!("{wish}_{}", operation.by_path())),
            None => with_hash(wish, &key),
        };
        let mut name = longer;
        let mut round = 0_u32;
        while !taken.insert(name.clone()) {
            name = with_hash(wish, &format!("{key} {round}"));
            round = round.saturating_add(1);
        }
        names.insert(index, name);
    }
    (0..operations.len()).map(|index| names.remove(&index).unwrap_or_default()).collect()
}

/// The text with everything that a name cannot have as `_`, without runs and without ends of it.
fn sanitise(text: &str) -> String {
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if text.chars().all(valid) {
        // A name that is valid stays as it is.
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if valid(c) {
            out.push(c);
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// Some providers want a letter or `_` first.
fn first_letter(name: String) -> String {
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("op_{name}") }
}

/// A name of at most [`MAX`] characters: words lose their vowels, then their ends, the longest first; at last the name
/// is cut and gets a fingerprint.
fn shorten(name: &str) -> String {
    if name.len() <= MAX {
        return name.to_owned();
    }
    if name.len() > MAX_ABBREVIATED {
        return with_hash(name, name);
    }
    let mut words = words(name);
    let length = |words: &[String]| words.iter().map(String::len).sum::<usize>();
    for squeeze in [without_vowels, without_end] {
        let mut order: Vec<usize> = (0..words.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(words.get(*index).map_or(0, String::len)));
        for index in order {
            if length(&words) <= MAX {
                return words.concat();
            }
            if let Some(word) = words.get_mut(index) {
                *word = squeeze(word);
            }
        }
    }
    let short = words.concat();
    if short.len() <= MAX { short } else { with_hash(&short, name) }
}

/// Words with the separators before them: `reposList-all` is `repos`, `List`, `-all`.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = '_';
    for c in name.chars() {
        let starts = matches!(c, '_' | '-') || (c.is_ascii_uppercase() && before.is_ascii_lowercase());
        match words.last_mut() {
            Some(word) if !starts => word.push(c),
            _ => words.push(c.to_string()),
        }
        before = c;
    }
    words
}

/// `_organization` is `_orgnztn`.
fn without_vowels(word: &str) -> String {
    if word.len() <= 4 {
        return word.to_owned();
    }
    let mut kept = 0;
    word.chars()
        .filter(|c| {
            let is_start = kept == 0 && c.is_ascii_alphanumeric();
            let keep = is_start || !matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u');
            kept += usize::from(keep && c.is_ascii_alphanumeric());
            keep
        })
        .collect()
}

/// `_orgnztn` is `_orgn`.
fn without_end(word: &str) -> String {
    let limit = if word.starts_with(['_', '-']) { 5 } else { 4 };
    word.chars().take(limit).collect()
}

/// The beginning of a name and a fingerprint of what tells it from others.
fn with_hash(name: &str, key: &str) -> String {
    let start: String = name.chars().take(MAX.saturating_sub(9)).collect();
    format!("{}_{}", start.trim_end_matches(['_', '-']), short_hash(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(operations: &[(Option<&str>, &str, &str)]) -> Vec<String> {
        let operations: Vec<Naming<'_>> = operations
            .iter()
            .map(|(operation_id, method, path)| Naming { operation_id: *operation_id, method, path })
            .collect();
        assign(&operations)
    }

    #[test]
    fn names_are_made_from_method_and_path() {
        assert_eq!(
            names(&[
                (None, "GET", "/pet/{petId}"),
                (None, "POST", "/pet/{petId}/uploadImage"),
                (None, "GET", "/"),
                (None, "POST", "/reports/{id}:archive"),
                (None, "GET", "/日本"),
                (Some(""), "GET", "/a b/c"),
            ]),
            [
                "get_pet_by_petId",
                "post_pet_by_petId_uploadImage",
                "get_root",
                "post_reports_by_id_archive",
                "get_root_341c11bb",
                "get_a_b_c"
            ]
        );
    }

    #[test]
    fn invalid_characters_go_and_valid_names_stay() {
        assert_eq!(
            names(&[
                (Some("repos/list-for.user"), "GET", "/a"),
                (Some("__odd--__"), "GET", "/b"),
                (Some("2fa"), "GET", "/c"),
                (Some(" spaces "), "GET", "/d"),
            ]),
            ["repos_list-for_user", "__odd--__", "op_2fa", "spaces"]
        );
    }

    #[test]
    fn long_names_are_abbreviated_before_they_are_cut() {
        let long = "actions/list-organization-selected-repositories-enabled-for-github-actions-permissions";
        let [name] = names(&[(Some(long), "GET", "/a")]).try_into().unwrap();
        assert!(name.len() <= 64, "{name}");
        assert!(name.starts_with("actions_list-"), "{name}");
        let endless = "a_".repeat(500);
        let [name] = names(&[(Some(&endless), "GET", "/a")]).try_into().unwrap();
        assert!(name.len() <= 64, "{name}");
    }

    #[test]
    fn clashes_are_told_apart_by_path_however_they_are_ordered() {
        let mut operations = vec![
            (Some("list"), "GET", "/users"),
            (Some("list"), "GET", "/pets"),
            (Some("a.b"), "GET", "/1"),
            (Some("a_b"), "GET", "/2"),
        ];
        let forward = names(&operations);
        assert_eq!(forward, ["list_get_users", "list", "a_b_get_1", "a_b"]);
        operations.reverse();
        let mut backward = names(&operations);
        backward.reverse();
        assert_eq!(forward, backward);
    }

    #[test]
    fn no_two_names_are_equal() {
        let ids = ["x", "x_get_a", "x", "x", "x"];
        let operations: Vec<_> = ids
            .iter()
            .zip(["/b", "/c", "/a", "/a/", "//a"])
            .map(|(id, path)| (Some(*id), "GET", path))
            .collect();
        let names = names(&operations);
        let distinct: HashSet<&String> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}
