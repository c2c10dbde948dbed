//! Two requests, part by part, and the reasons for what is different.

use std::collections::BTreeMap;

use opentool::openapi::plan::{Operation, ParameterForm, Place, Style};
use serde_json::Value;

/// What a comparison came to.
pub(crate) enum Verdict {
    /// The same, but for what has no meaning: the case of header names, the boundary, the type of a part that is text.
    Same,
    /// Different for these reasons, all of them known.
    Explained(Vec<Reason>),
    /// Different, and nobody knows why.
    Unexplained(String),
}

/// Why two requests are different. What each means is on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    Order,
    Numbers,
    Escapes,
    FormList,
    Fragment,
    Label,
    Delimited,
    Cookies,
    PartStyle,
    PartList,
    PartFile,
    EmptyInPath,
    NoBytes,
    ObjectInDisguise,
    PeerRefuses,
}

type Compared = Result<Vec<Reason>, String>;

/// Compares our request for an operation with the peer's.
pub(crate) fn compare(operation: &Operation, ours: &Value, theirs: &Value) -> Verdict {
    if let Some(refused) = ours.get("refused").and_then(Value::as_str) {
        return match () {
            () if refused.contains("expected a value that is not empty") => {
                Verdict::Explained(vec![Reason::EmptyInPath])
            }
            () if refused.contains("expected bytes in base64") => Verdict::Explained(vec![Reason::NoBytes]),
            () => Verdict::Unexplained(format!("ours refused: {refused}")),
        };
    }
    if let Some(error) = theirs.get("error").and_then(Value::as_str) {
        return match error.contains("Could not parse parameter value") {
            true => Verdict::Explained(vec![Reason::PeerRefuses]),
            false => Verdict::Unexplained(format!("theirs failed: {error}")),
        };
    }
    let mut reasons = Vec::new();
    let ((path_here, query_here), (mut path_there, mut query_there)) =
        (split(text(ours, "url")), split(text(theirs, "url")));
    if operation.pointer.contains('#') {
        // What stands behind it is not sent.
        reasons.push(Reason::Fragment);
        (path_there, query_there) = (path_here, query_here);
    }
    let parts = [
        ("method", equal(text(ours, "method"), text(theirs, "method"))),
        ("path", path(path_here, path_there)),
        ("query", query(operation, query_here, query_there)),
        ("headers", headers(operation, ours, theirs)),
        ("body", body(operation, ours, theirs)),
    ];
    for (part, compared) in parts {
        match compared {
            Ok(found) => reasons.extend(found),
            Err(different) => return Verdict::Unexplained(format!("{part}\n{different}")),
        }
    }
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() { Verdict::Same } else { Verdict::Explained(reasons) }
}

fn text<'v>(value: &'v Value, member: &str) -> &'v str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}

/// The address without its query, and the query.
fn split(url: &str) -> (&str, &str) {
    url.split_once('?').unwrap_or((url, ""))
}

fn different(ours: &str, theirs: &str) -> Compared {
    Err(format!("    ours   {ours}\n    theirs {theirs}"))
}

fn equal(ours: &str, theirs: &str) -> Compared {
    if ours == theirs { Ok(Vec::new()) } else { different(ours, theirs) }
}

fn path(ours: &str, theirs: &str) -> Compared {
    if ours == theirs {
        return Ok(Vec::new());
    }
    let dots = |text: &str| -> String {
        let segment = |segment: &str| match segment.starts_with('.') {
            true => segment.replace(',', "."),
            false => segment.to_owned(),
        };
        text.split('/').map(segment).collect::<Vec<_>>().join("/")
    };
    if dots(ours) == dots(theirs) { Ok(vec![Reason::Label]) } else { different(ours, theirs) }
}

fn query(operation: &Operation, ours: &str, theirs: &str) -> Compared {
    let delimited = |name: &str| {
        operation.parameters.iter().any(|parameter| {
            let style = matches!(
                parameter.form,
                ParameterForm::Style { style: Style::SpaceDelimited | Style::PipeDelimited, .. }
            );
            parameter.name == name && parameter.place == Place::Query && style
        })
    };
    pairs(ours, theirs, &delimited, Lists::Alike)
}

/// Whether the peer may have joined by commas what we repeat.
#[derive(Clone, Copy, PartialEq)]
enum Lists {
    Alike,
    Joined,
}

/// `name=value` pairs of a query or a form.
fn pairs(ours: &str, theirs: &str, delimited: &dyn Fn(&str) -> bool, lists: Lists) -> Compared {
    if ours == theirs {
        return Ok(Vec::new());
    }
    let list = |text: &str| -> Vec<(String, String)> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(n, v)| (decoded(n), v.to_owned()))
            .collect()
    };
    let (mut own, mut other) = (list(ours), list(theirs));
    let mut reasons = Vec::new();
    if lists == Lists::Joined && own.len() > other.len() {
        reasons.push(Reason::FormList);
        own = own.into_iter().fold(Vec::new(), |mut joined: Vec<(String, String)>, (name, value)| {
            match joined.last_mut().filter(|last| last.0 == name) {
                Some(last) => last.1 = format!("{},{value}", last.1),
                None => joined.push((name, value)),
            }
            joined
        });
    }
    if own.iter().map(|pair| &pair.0).ne(other.iter().map(|pair| &pair.0)) {
        reasons.push(Reason::Order);
        // Stable, so that the values of one name stay in their order.
        own.sort_by(|a, b| a.0.cmp(&b.0));
        other.sort_by(|a, b| a.0.cmp(&b.0));
    }
    if own.len() != other.len() {
        return different(ours, theirs);
    }
    for ((name, own), (other_name, other)) in own.iter().zip(&other) {
        if name != other_name {
            return different(ours, theirs);
        }
        match () {
            () if own == other => {}
            () if same_number(own, other) => reasons.push(Reason::Numbers),
            () if delimited(name) && commas(own) == commas(other) => reasons.push(Reason::Delimited),
            () if decoded(own) == decoded(other) => reasons.push(Reason::Escapes),
            () => return different(ours, theirs),
        }
    }
    Ok(reasons)
}

/// The values of a list, whatever stands between them.
fn commas(text: &str) -> String {
    decoded(text).replace([' ', '|'], ",")
}

fn same_number(ours: &str, theirs: &str) -> bool {
    ours.parse::<f64>()
        .ok()
        .zip(theirs.parse::<f64>().ok())
        .is_some_and(|(own, other)| own.total_cmp(&other).is_eq())
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn headers(operation: &Operation, ours: &Value, theirs: &Value) -> Compared {
    let of = |request: &Value| -> BTreeMap<String, String> {
        let headers = request.get("headers").and_then(Value::as_object).into_iter().flatten();
        let headers = headers.map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (name.to_lowercase(), value.split("; boundary=").next().unwrap_or_default().to_owned())
        });
        headers.filter(|(name, _)| name != "accept").collect()
    };
    let (mut own, mut other) = (of(ours), of(theirs));
    let mut reasons = Vec::new();
    if own.get("cookie") != other.get("cookie")
        && operation.parameters.iter().any(|p| p.place == Place::Cookie)
    {
        reasons.push(Reason::Cookies);
        own.remove("cookie");
        other.remove("cookie");
    }
    let is_thing = |media_type: &str| media_type.starts_with("message/");
    for (name, value) in &mut own {
        if let Some(found) = other.get(name)
            && name == "content-type"
            && value == "application/json"
            && is_thing(found)
        {
            reasons.push(Reason::ObjectInDisguise);
            value.clone_from(found);
        }
        if let Some(found) = other.get(name)
            && found != value
            && same_number(value, found)
        {
            reasons.push(Reason::Numbers);
            value.clone_from(found);
        }
    }
    if own == other { Ok(reasons) } else { different(&format!("{own:?}"), &format!("{other:?}")) }
}

fn body(operation: &Operation, ours: &Value, theirs: &Value) -> Compared {
    let null = Value::Null;
    let (own, other) = (ours.get("body").unwrap_or(&null), theirs.get("body").unwrap_or(&null));
    match (text(ours, "body_kind"), text(theirs, "kind")) {
        ("none", "none") => Ok(Vec::new()),
        // A value that is false for JavaScript is none to it.
        ("json" | "text", "json" | "text" | "none") => json(own, other),
        ("form", "text" | "none") => {
            let (own, other) = (own.as_str().unwrap_or_default(), other.as_str().unwrap_or_default());
            pairs(own, other, &|_| false, Lists::Joined)
        }
        ("base64", "bytes") => json(own, other),
        ("multipart", "multipart") => multipart(operation, own, other),
        _ => different(&ours.to_string(), &theirs.to_string()),
    }
}

/// One value, in which a number may be written in another way.
fn json(ours: &Value, theirs: &Value) -> Compared {
    fn same(ours: &Value, theirs: &Value) -> bool {
        match (ours, theirs) {
            (Value::Number(own), Value::Number(other)) => own.as_f64() == other.as_f64(),
            (Value::Array(own), Value::Array(other)) => {
                own.len() == other.len() && own.iter().zip(other).all(|(own, other)| same(own, other))
            }
            (Value::Object(own), Value::Object(other)) => {
                own.len() == other.len()
                    && own.iter().all(|(name, own)| other.get(name).is_some_and(|other| same(own, other)))
            }
            (own, other) => own == other,
        }
    }
    match () {
        () if ours == theirs => Ok(Vec::new()),
        () if same(ours, theirs) => Ok(vec![Reason::Numbers]),
        () => different(&ours.to_string(), &theirs.to_string()),
    }
}

/// Parts by their names, those of one name in their order.
fn multipart(operation: &Operation, ours: &Value, theirs: &Value) -> Compared {
    let media = operation.body.as_ref().and_then(|body| body.preferred());
    let styled = |name: &str| {
        // What is ignored is not in the plan; that there was something is.
        media.is_some_and(|media| media.encoding.get(name).is_some())
    };
    let mut reasons = Vec::new();
    let mut rest: Vec<&Value> = theirs.as_array().into_iter().flatten().collect();
    let mut names: Vec<&str> = ours.as_array().into_iter().flatten().map(|part| text(part, "name")).collect();
    names.dedup();
    for name in names {
        let own: Vec<&Value> =
            ours.as_array().into_iter().flatten().filter(|part| text(part, "name") == name).collect();
        let (other, others): (Vec<&Value>, Vec<&Value>) =
            rest.iter().partition(|part| text(part, "name") == name);
        if own.len() == other.len() {
            let compared = own.iter().zip(&other).map(|(own, other)| part(own, other));
            if let Ok(found) = compared.collect::<Result<Vec<_>, _>>() {
                reasons.extend(found.into_iter().flatten());
                rest = others;
                continue;
            }
        }
        if styled(name) {
            reasons.push(Reason::PartStyle);
            // Spread over parts of other names.
            let members: Vec<&String> = own
                .iter()
                .filter_map(|part| part.get("json")?.as_object())
                .flat_map(|json| json.keys())
                .collect();
            rest = others;
            rest.retain(|part| {
                let found = text(part, "name");
                !found.starts_with(&format!("{name}[")) && !members.iter().any(|member| *member == found)
            });
            continue;
        }
        let joined: Vec<String> = own.iter().map(|part| plain(part)).collect();
        let [other] = other.as_slice() else { return different(&ours.to_string(), &theirs.to_string()) };
        if joined.join(",") != plain(other) {
            return different(&ours.to_string(), &theirs.to_string());
        }
        reasons.push(Reason::PartList);
        rest = others;
    }
    if rest.is_empty() { Ok(reasons) } else { different(&ours.to_string(), &theirs.to_string()) }
}

/// One part.
fn part(ours: &Value, theirs: &Value) -> Compared {
    if let Some(own) = ours.get("json") {
        let other: Value = serde_json::from_str(text(theirs, "body")).unwrap_or_default();
        return json(own, &other);
    }
    let is_file = |part: &Value| part.get("base64").is_some();
    match () {
        () if is_file(ours) && is_file(theirs) => equal(text(ours, "base64"), text(theirs, "base64")),
        () if plain(ours) != plain(theirs) && same_number(&plain(ours), &plain(theirs)) => {
            Ok(vec![Reason::Numbers])
        }
        () if plain(ours) != plain(theirs) => different(&plain(ours), &plain(theirs)),
        () if is_file(ours) != is_file(theirs) => Ok(vec![Reason::PartFile]),
        () => Ok(Vec::new()),
    }
}

/// What a part holds, as text.
fn plain(part: &Value) -> String {
    match part.get("base64").and_then(Value::as_str) {
        Some(base64) => String::from_utf8_lossy(&unpacked(base64)).into_owned(),
        None => part.get("json").map_or_else(|| text(part, "body").to_owned(), Value::to_string),
    }
}

/// The bytes of standard base64.
fn unpacked(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for digit in text.bytes().filter_map(|byte| ALPHABET.iter().position(|letter| *letter == byte)) {
        bits = (bits << 6) | u32::try_from(digit).unwrap_or(0);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
            bits &= (1 << count) - 1;
        }
    }
    bytes
}
