//! Which operations a request may be for, by method and path.

use http::Method;
use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::sync::Arc;
use url::Url;

use super::decode;
use crate::Api;
use crate::plan::{Operation, ParameterForm, Place, Server};

/// How many ways to divide a segment among its names are tried: a document can have any number of names in one.
const MOST_STEPS: usize = 10_000;

/// All operations of all documents.
#[derive(Debug, Default)]
pub(super) struct Routes {
    pub(super) routes: Vec<Route>,
    /// The paths that stand before those of operations, each once.
    pub(super) bases: Vec<String>,
}

/// One operation, and how its requests are recognised.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) api: usize,
    pub(super) operation: Arc<Operation>,
    /// What stands before the path: one for each server.
    bases: Vec<Vec<Segment>>,
    path: Vec<Segment>,
    /// Names of the query that must have one of some values. Some documents tell operations of one path apart by them.
    fixed: Vec<(String, Vec<String>)>,
    /// The names in the query of the template.
    pub(super) in_template: Vec<String>,
}

/// A segment of a template: texts and names in turn.
type Segment = Vec<Piece>;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Name(String),
}

/// A request's path fits a route.
pub(super) struct Match<'r> {
    pub(super) index: usize,
    pub(super) route: &'r Route,
    /// The texts of the path parameters, still encoded.
    pub(super) texts: Vec<(String, String)>,
    /// How much of the path is the template's own: the more, the better the match.
    own: usize,
}

impl Routes {
    pub(super) fn of(apis: &[Api]) -> Self {
        let mut all = Self::default();
        for (api, document) in apis.iter().enumerate() {
            for operation in document.operations() {
                let route = Route::of(api, operation);
                for base in route.bases.iter().map(|base| written(base)) {
                    if !all.bases.contains(&base) {
                        all.bases.push(base);
                    }
                }
                all.routes.push(route);
            }
        }
        all
    }

    /// The operations of the path, those with the most concrete templates first, and the methods that it has.
    pub(super) fn find(&self, method: &Method, path: &str, query: &str) -> (Vec<Match<'_>>, Vec<Method>) {
        let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
        let mut found = Vec::new();
        let mut methods = Vec::new();
        for (index, route) in self.routes.iter().enumerate() {
            let Some((texts, own)) = route.matches(&segments) else { continue };
            if !methods.contains(&route.operation.method) {
                methods.push(route.operation.method.clone());
            }
            if route.operation.method == *method {
                found.push(Match { index, route, texts, own });
            }
        }
        let best = found.iter().map(|found| found.own).max();
        found.retain(|found| Some(found.own) == best);
        if found.len() > 1 {
            // Those that the query is for, if it is for any.
            let is_meant = |found: &Match<'_>| {
                found.route.fixed.iter().all(|(name, allowed)| decode::holds(query, name, allowed))
            };
            if found.iter().any(is_meant) {
                found.retain(is_meant);
                let most = found.iter().map(|found| found.route.fixed.len()).max();
                found.retain(|found| Some(found.route.fixed.len()) == most);
            }
        }
        (found, methods)
    }
}

impl Route {
    fn of(api: usize, operation: &Arc<Operation>) -> Self {
        let template = operation.path.split('#').next().unwrap_or_default();
        let (path, query) = template.split_once('?').unwrap_or((template, ""));
        let pairs = || query.split('&').filter(|pair| !pair.is_empty());
        let split = |pair: &str| -> (String, String) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.to_owned(), value.to_owned())
        };
        let fixed = pairs().map(split).filter(|(_, value)| !value.contains('{'));
        let mut fixed: Vec<(String, Vec<String>)> = fixed.map(|(name, value)| (name, vec![value])).collect();
        for parameter in &operation.parameters {
            let is_plain = matches!(parameter.form, ParameterForm::Style { .. });
            let values = parameter.schema.get("enum").and_then(Value::as_array);
            if let Some(values) = values
                && parameter.place == Place::Query
                && parameter.required
                && is_plain
            {
                let texts = values.iter().map(|value| match value {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                });
                fixed.push((parameter.name.clone(), texts.collect()));
            }
        }
        let in_template = pairs().map(|pair| split(pair).0).collect();
        let mut bases: Vec<Vec<Segment>> = Vec::new();
        for base in operation.servers.iter().map(base) {
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
        Self { api, operation: Arc::clone(operation), bases, path: segments(path), fixed, in_template }
    }

    /// The texts of the placeholders, and how many characters are the template's own.
    fn matches(&self, segments: &[&str]) -> Option<(Vec<(String, String)>, usize)> {
        self.bases.iter().find_map(|base| {
            if segments.len() != base.len() + self.path.len() {
                return None;
            }
            let mut texts = Vec::new();
            let mut own = 0_usize;
            for (template, text) in base.iter().chain(&self.path).zip(segments) {
                own = own.saturating_add(fit(template, text, &mut texts)?);
            }
            Some((texts, own))
        })
    }
}

/// The path of a server's address. A variable stands for any text.
fn base(server: &Server) -> Vec<Segment> {
    let mut template = server.url.split(['?', '#']).next().unwrap_or_default().to_owned();
    if let Some((_, rest)) = template.split_once("://") {
        template = rest.split_once('/').map_or(String::new(), |(_, path)| format!("/{path}"));
    } else if template.starts_with("//") {
        template = template
            .trim_start_matches('/')
            .split_once('/')
            .map_or(String::new(), |(_, path)| path.to_owned());
    } else if !template.starts_with('/') && template.contains('{') {
        // The scheme or the host is a variable too.
        template = template.split_once('/').map_or(String::new(), |(_, path)| path.to_owned());
    } else if let Ok(url) = Url::parse("http://host/").and_then(|root| root.join(&template)) {
        template = url.path().to_owned();
    }
    let template = template.trim_matches('/');
    if template.is_empty() { Vec::new() } else { segments(&format!("/{template}")) }
}

fn segments(path: &str) -> Vec<Segment> {
    path.strip_prefix('/').unwrap_or(path).split('/').map(segment).collect()
}

fn segment(text: &str) -> Segment {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once('{') {
        let Some((name, after)) = from.split_once('}') else { break };
        if !before.is_empty() {
            pieces.push(Piece::Text(plain(before)));
        }
        pieces.push(Piece::Name(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(plain(rest)));
    }
    pieces
}

/// A text of a template as it is compared.
fn plain(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// A template as it is shown.
fn written(segments: &[Segment]) -> String {
    let mut text = String::new();
    for segment in segments {
        text.push('/');
        for piece in segment {
            match piece {
                Piece::Text(own) => text.push_str(own),
                Piece::Name(name) => text.push_str(&format!("{{{name}}}")),
            }
        }
    }
    text
}

/// Fits one segment of a path to its template; how many characters are the template's own.
fn fit(template: &Segment, text: &str, texts: &mut Vec<(String, String)>) -> Option<usize> {
    // Texts of the template are found in the encoded text as well as in the decoded one, as clients write both.
    match template.as_slice() {
        [] => text.is_empty().then_some(0),
        [Piece::Text(own)] => (own == text || *own == plain(text)).then_some(own.len().saturating_add(1)),
        [Piece::Name(name)] => (!text.is_empty()).then(|| {
            texts.push((name.clone(), text.to_owned()));
            0
        }),
        pieces => several(pieces, text, texts, &mut { MOST_STEPS }),
    }
}

/// Several pieces in one segment: each name takes as little as what follows leaves.
fn several(
    pieces: &[Piece],
    text: &str,
    texts: &mut Vec<(String, String)>,
    steps: &mut usize,
) -> Option<usize> {
    *steps = steps.checked_sub(1)?;
    let (first, rest) = match pieces.split_first() {
        None => return text.is_empty().then_some(0),
        Some(split) => split,
    };
    match first {
        Piece::Text(own) => {
            let encoded =
                percent_encoding::utf8_percent_encode(own, percent_encoding::NON_ALPHANUMERIC).to_string();
            let after =
                [own.as_str(), encoded.as_str()].into_iter().find_map(|own| text.strip_prefix(own))?;
            several(rest, after, texts, steps).map(|more| more.saturating_add(own.len()))
        }
        Piece::Name(name) => {
            let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
            // The last name takes everything; for the others every end is tried.
            let ends: Vec<usize> = if rest.is_empty() { vec![text.len()] } else { ends.collect() };
            ends.into_iter().filter(|end| *end > 0).find_map(|end| {
                let (taken, after) = text.split_at_checked(end)?;
                let mark = texts.len();
                texts.push((name.clone(), taken.to_owned()));
                let found = several(rest, after, texts, steps);
                if found.is_none() {
                    texts.truncate(mark);
                }
                found
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{base, fit, segment, segments, written};
    use crate::plan::Server;

    #[test]
    fn the_base_path_is_that_of_the_server() {
        for (url, expected) in [
            ("https://api.test/v1/", "/v1"),
            ("https://api.test", ""),
            ("/v2", "/v2"),
            ("/", ""),
            ("https://{region}.api.test/{version}/x", "/{version}/x"),
            ("{scheme}://api.test/v3", "/v3"),
            ("{host}/v4", "/v4"),
            ("//api.test/v5", "/v5"),
        ] {
            let server = Server { url: url.to_owned(), variables: Vec::new() };
            assert_eq!(written(&base(&server)), expected, "{url}");
        }
    }

    #[test]
    fn several_names_in_one_segment_are_told_apart_by_what_is_between() {
        let mut texts = Vec::new();
        let own = fit(&segment("{owner}:{repo}.json"), "me:a.b.json", &mut texts);
        assert_eq!(own, Some(6));
        let texts: Vec<_> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(texts, [("owner", "me"), ("repo", "a.b")]);
        // A hostile template is given up, soon.
        let names = segment(&format!("{}!", "{a}".repeat(40)));
        assert_eq!(fit(&names, &"x".repeat(4_000), &mut Vec::new()), None);
        assert_eq!(fit(&segment("a b"), "a%20b", &mut Vec::new()), Some(4));
        assert_eq!(segments("/").len(), 1);
    }
}
