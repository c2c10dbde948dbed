//! Documents that want to hurt: nothing may panic, overflow the stack, or take for ever.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use opentool_core::ToolCall;
use opentool_openapi::parse;
use opentool_schema::ToolSetExt as _;
use serde_json::{Map, Value, json};

/// Far more than any of these takes, far less than what an attack would.
const ENOUGH: Duration = Duration::from_secs(20);

fn refused(text: &str) -> String {
    let started = Instant::now();
    let error = parse(text, "a.yaml").map(|api| api.operations().len()).unwrap_err().to_string();
    assert!(started.elapsed() < ENOUGH, "took {:?}", started.elapsed());
    error
}

#[test]
fn aliases_that_expand_without_end_are_refused() {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let alias = format!("*a{}", level - 1);
        writeln!(text, "a{level}: &a{level} [{}]", [alias.as_str(); 10].join(", ")).unwrap();
    }
    let error = refused(&text);
    assert!(error.contains("error[yaml-expansion]"), "{error}");
}

#[test]
fn long_texts_behind_aliases_are_refused() {
    let text = format!("a: &a {}\nb: [{}]\n", "x".repeat(1_000_000), ["*a"; 1_000].join(", "));
    assert!(refused(&text).contains("error[yaml-expansion]"));
}

#[test]
fn depth_is_limited_and_hides_nothing() {
    for (open, close) in [("[", "]"), ("{\"a\": ", "}")] {
        let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        for (text, code) in [
            (format!("x-deep: {deep}\nopenapi: 3.0.0\npaths: {{/a: {{get: {{}}}}}}\n"), "yaml-depth"),
            (
                format!(
                    "{{\"x-deep\": {deep}, \"openapi\": \"3.0.0\", \"paths\": {{\"/a\": {{\"get\": {{}}}}}}}}"
                ),
                "json-depth",
            ),
        ] {
            let started = Instant::now();
            let api = parse(text, "a").unwrap();
            assert_eq!(api.operations().len(), 1);
            assert_eq!(api.diagnostics()[0].code, code, "{:?}", api.diagnostics());
            assert!(started.elapsed() < ENOUGH);
        }
    }
    let mut text = String::from("openapi: 3.0.0\npaths: {/a: {get: {}}}\nx:\n");
    for level in 1..1_000 {
        writeln!(text, "{}a:", " ".repeat(level)).unwrap();
    }
    let api = parse(text, "a.yaml").unwrap();
    assert_eq!((api.operations().len(), api.diagnostics()[0].code), (1, "yaml-depth"));
}

#[test]
fn depth_cannot_be_made_by_aliases() {
    let mut text = String::from("openapi: 3.0.0\npaths: {/a: {get: {}}}\na0: &a0 x\n");
    for level in 1..1_000 {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    let api = parse(text, "a.yaml").unwrap();
    assert_eq!((api.operations().len(), api.diagnostics()[0].code), (1, "yaml-depth"));
}

#[test]
fn keys_of_megabytes_are_only_long() {
    let key = "k".repeat(2_000_000);
    let text = json!({"openapi": "3.0.0", "paths": {format!("/{key}"): {"get": {"operationId": key, "parameters": [{"$ref": format!("#/{key}")}]}},
        "/a": {"get": {"tags": [key], "requestBody": {"content": {"application/json": {"schema": {"properties": {key.as_str(): {"$ref": format!("#/{key}")}}}}}}}}}});
    let started = Instant::now();
    let api = parse(text.to_string(), "a.json").unwrap();
    assert_eq!(api.operations().len(), 2);
    assert!(api.operations().iter().all(|operation| operation.name.len() <= 64));
    super::assert_sound(&api);
    assert!(started.elapsed() < ENOUGH);
    let shown = api.diagnostics()[0].message.len();
    assert!(shown < 500, "a message of {shown} bytes");
}

#[test]
fn chains_and_circles_of_references_end() {
    let mut schemas = Map::new();
    for index in 0..5_000 {
        schemas.insert(format!("S{index}"), json!({"$ref": format!("#/components/schemas/S{}", index + 1)}));
    }
    schemas.insert("S5000".into(), json!({"allOf": [{"$ref": "#/components/schemas/S0"}]}));
    let mut parameters = Map::new();
    for index in 0..5_000 {
        parameters.insert(
            format!("P{index}"),
            json!({"$ref": format!("#/components/parameters/P{}", (index + 1) % 5_000)}),
        );
    }
    let uses: Vec<Value> =
        (0..4_000).map(|index| json!({"$ref": format!("#/components/parameters/P{index}")})).collect();
    let body = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}});
    let text = json!({
        "openapi": "3.0.0",
        "paths": {"/a": {"post": {"parameters": uses}}, "/b": {"post": {"operationId": "b", "requestBody": body}}},
        "components": {"schemas": schemas, "parameters": parameters}
    });
    let started = Instant::now();
    let api = parse(text.to_string(), "a.json").unwrap();
    assert_eq!(api.operations().len(), 2);
    assert!(started.elapsed() < ENOUGH, "took {:?}", started.elapsed());
    let mut codes: Vec<&str> = api.diagnostics().iter().map(|found| found.code).collect();
    codes.dedup();
    assert_eq!(codes, ["ref-limit", "ref-cycle", "large-tool"]);
}

#[test]
fn a_schema_that_means_only_itself_can_be_validated_against() {
    let schemas = json!({
        "Self": {"$ref": "#/components/schemas/Self"},
        "Ping": {"allOf": [{"$ref": "#/components/schemas/Pong"}]},
        "Pong": {"oneOf": [{"$ref": "#/components/schemas/Ping"}]},
        "Not": {"not": {"if": {"$ref": "#/components/schemas/Not"}, "then": {"type": "string"}}}
    });
    let property = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    let body = json!({"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {
        "self": property("Self"), "ping": property("Ping"), "not": property("Not"),
    }}}}});
    let text = json!({
        "openapi": "3.0.0",
        "paths": {"/a": {"post": {"operationId": "a", "requestBody": body}}},
        "components": {"schemas": schemas}
    });
    let api = parse(text.to_string(), "a.json").unwrap();
    super::assert_sound(&api);
    let tools = api.tools().unwrap();
    let arguments = json!({"self": 1, "ping": {"a": [1]}, "not": "x"});
    // Whether it is valid is not the point: that it is decided is.
    let _ = tools.check(&ToolCall::new("1", "a", arguments));
    assert_eq!(api.diagnostics().iter().filter(|found| found.code == "ref-cycle").count(), 3);
}

#[test]
fn wide_compositions_do_not_multiply() {
    let mut schemas = Map::new();
    for level in 0..20 {
        let parts: Vec<Value> =
            (0..50).map(|_| json!({"$ref": format!("#/components/schemas/L{}", level + 1)})).collect();
        schemas.insert(format!("L{level}"), json!({"required": ["x"], "allOf": parts}));
    }
    schemas.insert("L20".into(), json!({"type": "object"}));
    let body = json!({"content": {"application/json": {"schema": {"$ref": "#/components/schemas/L0"}}}});
    let text = json!({
        "openapi": "3.0.0",
        "paths": {"/a": {"post": {"requestBody": body}}},
        "components": {"schemas": schemas}
    });
    let started = Instant::now();
    let api = parse(text.to_string(), "a.json").unwrap();
    let _ = api.tools().unwrap().definitions().next().unwrap().input_schema.as_value();
    assert!(started.elapsed() < ENOUGH, "took {:?}", started.elapsed());
}

#[test]
fn faults_without_number_are_not_all_listed() {
    let properties: Map<String, Value> =
        (0..6_000).map(|index| (format!("p{index}"), json!({"$ref": "#/nowhere"}))).collect();
    let body = json!({"content": {"application/json": {"schema": {"properties": properties}}}});
    let text = json!({"openapi": "3.0.0", "paths": {"/a": {"post": {"requestBody": body}}}});
    let api = parse(text.to_string(), "a.json").unwrap();
    assert_eq!(api.diagnostics().len(), 5_001);
    assert_eq!(api.diagnostics()[5_000].message, "1000 more findings are not listed");
}

#[test]
fn rubbish_is_an_error_and_nothing_else() {
    let seeds = [
        "openapi: 3.0.0\npaths:\n  /a/{id}:\n    get:\n      parameters: [{name: id, in: path}]\n      x: &a {b: *a}\n",
        r##"{"openapi":"3.1.0","paths":{"/a":{"get":{"requestBody":{"content":{"a/b":{"schema":{"$ref":"#/x"}}}}}}}}"##,
    ];
    // A small generator of its own: the same texts on every machine.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
    };
    let bits: Vec<&str> = vec![
        "{", "}", "[", "]", ":", "- ", "\n", "\t", "'", "\"", "&a ", "*a", "<<: ", "|\n", ">", "%", "!!int ",
        "---\n", "?", "\u{feff}", "null", "é",
    ];
    for round in 0..2_000 {
        let mut text: Vec<char> = seeds[round % seeds.len()].chars().collect();
        for _ in 0..=next(6) {
            let at = next(text.len());
            if next(3) == 0 {
                text.remove(at);
            } else {
                let bit = bits[next(bits.len())];
                text.splice(at..at, bit.chars());
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(api) = parse(&text, "a.yaml") {
            super::assert_sound(&api);
        }
    }
}

#[test]
fn a_long_chain_of_paths_is_no_cycle() {
    let mut paths: serde_json::Map<String, Value> =
        (0..70).map(|i| (format!("/p{i}"), json!({"$ref": format!("#/paths/~1p{}", i + 1)}))).collect();
    paths.insert("/p70".to_owned(), json!({"get": {}}));
    paths.insert("/round".to_owned(), json!({"$ref": "#/paths/~1round"}));
    let api =
        opentool_openapi::parse(json!({"openapi": "3.1.0", "paths": paths}).to_string(), "a.json").unwrap();
    let told = |pointer: &str| {
        let found = api.diagnostics().iter().find(|told| told.pointer == format!("{pointer}/$ref"));
        found.map(|told| (told.code, told.message.clone()))
    };
    let (code, message) = told("/paths/~1p0").unwrap();
    assert!(code == "ref-limit" && message.contains("leads through more than 64 others"), "{message}");
    assert_eq!(told("/paths/~1round").unwrap().0, "ref-cycle");
    assert_eq!(told("/paths/~1p30"), None);
}

/// A byte on the wire may become a hundred bytes of memory; how many values and operations there are is counted first.
#[test]
fn floods_of_values_and_operations_are_refused() {
    let flood = format!("{{\"openapi\": \"3.1.0\", \"paths\": {{}}, \"x\": [{}1]}}", "1,".repeat(8_000_001));
    let error = opentool_openapi::parse(&flood, "a.json").unwrap_err().to_string();
    assert!(error.contains("error[too-many-values]: the document has more than 8000000 values"), "{error}");
    // Commas in texts are none.
    let text = format!(
        "{{\"openapi\": \"3.1.0\", \"paths\": {{\"/a\": {{\"get\": {{}}}}}}, \"x\": \"{}\"}}",
        ",,".repeat(8_000_001)
    );
    assert_eq!(opentool_openapi::parse(&text, "a.json").unwrap().operations().len(), 1);
    let methods: Vec<String> = (0..100_002).map(|index| format!("\"M{index}\": {{}}")).collect();
    let text = format!(
        "{{\"openapi\": \"3.2.0\", \"paths\": {{\"/a\": {{\"additionalOperations\": {{{}}}}}}}}}",
        methods.join(",")
    );
    let api = opentool_openapi::parse(&text, "a.json").unwrap();
    assert_eq!((api.operations().len(), api.left_out()), (100_000, 2));
    assert!(api.diagnostics().iter().any(|found| found.code == "too-many-operations"));
}
