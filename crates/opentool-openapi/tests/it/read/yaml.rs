//! YAML without its surprises.

use opentool_openapi::parse;
use serde_json::{Value, json};

/// What a piece of YAML means, read as the `const` of a parameter's schema.
fn meaning(yaml: &str) -> Value {
    let indented = yaml.replace('\n', "\n            ");
    let text = format!(
        "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n      - name: p\n        in: query\n        schema:\n          const: {indented}\n"
    );
    let api = parse(text, "a.yaml").unwrap_or_else(|error| panic!("{error}"));
    api.operations()[0].parameters[0].schema["const"].clone()
}

fn fault(yaml: &str) -> String {
    parse(yaml, "a.yaml").map(|api| format!("{:?}", api.operations())).unwrap_err().to_string()
}

#[test]
fn plain_scalars_mean_what_the_core_schema_says() {
    for (yaml, expected) in [
        ("no", json!("no")),
        ("Yes", json!("Yes")),
        ("on", json!("on")),
        ("y", json!("y")),
        ("true", json!(true)),
        ("False", json!(false)),
        ("null", json!(null)),
        ("~", json!(null)),
        ("", json!(null)),
        ("12", json!(12)),
        ("-3", json!(-3)),
        ("+3", json!(3)),
        ("0", json!(0)),
        ("012", json!("012")),
        ("-012", json!("-012")),
        ("00.5", json!("00.5")),
        ("0.5", json!(0.5)),
        (".5", json!(0.5)),
        ("1e3", json!(1000.0)),
        ("0x1F", json!(31)),
        ("0o17", json!(15)),
        ("0x", json!("0x")),
        ("1_000", json!("1_000")),
        ("0b11", json!("0b11")),
        ("12:30:45", json!("12:30:45")),
        ("2020-01-01", json!("2020-01-01")),
        (".inf", json!(".inf")),
        (".nan", json!(".nan")),
        ("1e999", json!("1e999")),
        ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
        ("=", json!("=")),
        ("'12'", json!("12")),
        ("\"true\"", json!("true")),
        ("!!str 12", json!("12")),
        ("!!int \"12\"", json!(12)),
        ("! 12", json!("12")),
        ("!custom 12", json!(12)),
        ("|\n  two\n  lines", json!("two\nlines\n")),
    ] {
        assert_eq!(meaning(yaml), expected, "{yaml:?}");
    }
}

#[test]
fn keys_are_texts_as_they_stand() {
    assert_eq!(
        meaning("\n200: a\nno: b\n1.0: c\ntrue: d\nnull: e\n012: f\n'quoted': g"),
        json!({"200": "a", "no": "b", "1.0": "c", "true": "d", "null": "e", "012": "f", "quoted": "g"})
    );
}

#[test]
fn merges_and_aliases_are_applied() {
    assert_eq!(
        meaning(
            "\nbase: &b {x: 1, y: 2}\none: {<<: *b, y: 3}\ntwo: {y: 4, <<: *b}\nthree: {<<: [{x: 5}, *b]}\nfour: *b\n'<<': {a: 1}"
        ),
        json!({
            "base": {"x": 1, "y": 2},
            "one": {"x": 1, "y": 3},
            "two": {"y": 4, "x": 1},
            "three": {"x": 5, "y": 2},
            "four": {"x": 1, "y": 2},
            "<<": {"a": 1}
        })
    );
}

#[test]
fn an_unquoted_version_is_a_version() {
    assert_eq!(parse("openapi: 3.0\npaths: {/a: {get: {}}}", "a").unwrap().operations().len(), 1);
}

#[test]
fn faults_name_their_line() {
    for (yaml, expected) in [
        (
            "openapi: 3.0.0\npaths:\n\t/a: {}\n",
            "a.yaml:3:1: error[yaml-tab]: this line is indented with a tab",
        ),
        ("openapi: 3.0.0\npaths:\n  /a:\n  \tget: {}\n", "a.yaml:4:3: error[yaml-tab]"),
        ("openapi: 3.0.0\npaths: [\n", "error[yaml-syntax]"),
        ("a: 'b\n", "error[yaml-syntax]"),
        ("a: b: c\n", "a.yaml:1:5: error[yaml-syntax]"),
        ("a: *missing\n", "a.yaml:1:4: error[yaml-syntax]"),
    ] {
        let fault = fault(yaml);
        assert!(fault.contains(expected), "{yaml:?}\n gives {fault}\n not  {expected}");
    }
}

/// What would cost other readers the whole document: one line of it.
#[test]
fn the_operations_survive_what_is_wrong_in_one_place() {
    let yaml = "openapi: 3.0.0\npaths:\n  /a:\n    get: {operationId: a}\n";
    let json =
        r#"{"openapi": "3.0.0", "paths": {"/a": {"get": {"operationId": "a", "summary": "SUMMARY"}}}}"#;
    let wide = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
        mark.iter().copied().chain(yaml.encode_utf16().flat_map(bytes)).collect::<Vec<u8>>()
    };
    for (name, text, expected) in [
        ("a.yaml", wide(b"\xFF\xFE", u16::to_le_bytes), "a.yaml:1:1: warning[utf-16]"),
        ("a.yaml", wide(b"", u16::to_be_bytes), "a.yaml:1:1: warning[utf-16]"),
        (
            "a.yaml",
            [yaml.as_bytes(), b"# caf\xE9\n"].concat(),
            "a.yaml:5:6: warning[encoding]: the byte 0xE9",
        ),
        ("a.yaml", format!("{yaml}x: &a [*a]\n").into(), "a.yaml:5:8: error[yaml-alias]"),
        ("a.yaml", format!("{yaml}{{a: 1}}: b\n").into(), "a.yaml:5:1: error[yaml-key]"),
        ("a.yaml", format!("{yaml}x: {{<<: 5}}\n").into(), "a.yaml:5:9: error[yaml-merge]"),
        ("a.yaml", format!("{yaml}---\nb: 2\n").into(), "a.yaml:5:1: error[yaml-several-documents]"),
        ("a.yaml", format!("{yaml}x:\ty\n").into(), "a.yaml:5:3: warning[yaml-tab]"),
        ("a.yaml", format!("{yaml}x:\n  y: {{\n\t\"z\": 1\n}}\n").into(), "a.yaml:7:1: warning[yaml-tab]"),
        ("a.json", json.replace("SUMMARY", "\\udc00").into(), "a.json:1:67: warning[lone-surrogate]"),
        (
            "a.json",
            json.replace("SUMMARY", "\u{e9}").chars().map(|c| c as u8).collect(),
            "a.json:1:79: warning[encoding]",
        ),
    ] {
        let api = parse(text, name).unwrap();
        assert_eq!(api.operations().len(), 1, "{expected}");
        let told: Vec<String> = api.diagnostics().iter().map(ToString::to_string).collect();
        assert!(told.iter().any(|told| told.starts_with(expected)), "{told:#?}\n not {expected}");
    }
}

#[test]
fn tabs_that_yaml_allows_are_no_fault() {
    let yaml =
        "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      description: |\n        code:\n        \tindented\n";
    let api = parse(yaml, "a.yaml").unwrap();
    assert_eq!(api.operations()[0].description.as_deref(), Some("code:\n\tindented"));
}

#[test]
fn findings_have_their_place_in_yaml() {
    let yaml = "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      parameters:\n        - name: p\n          in: query\n          schema:\n            $ref: '#/nowhere'\n";
    let api = parse(yaml, "a.yaml").unwrap();
    let told = api.diagnostics()[0].to_string();
    assert!(told.starts_with("a.yaml:9:13: error[ref-not-found]: `#/nowhere` leads to nothing"), "{told}");
    assert!(told.contains("(at /paths/~1a/get/parameters/0/schema/$ref)"), "{told}");
}

#[test]
fn a_key_that_stands_twice_hides_nothing_else() {
    let yaml = "openapi: 3.0.0\npaths:\n  /a:\n    get: {operationId: first}\n    get: {operationId: second}\n  /b: {get: {operationId: b}}\n";
    let api = parse(yaml, "a.yaml").unwrap();
    let names: Vec<&str> = api.operations().iter().map(|operation| operation.name.as_str()).collect();
    assert_eq!(names, ["second", "b"]);
    let told = api.diagnostics()[0].to_string();
    assert!(
        told.starts_with(
            "a.yaml:5:5: error[duplicate-key]: the key `get` stands twice in one mapping; the last"
        ),
        "{told}"
    );
    assert!(told.contains("(at /paths/~1a/get)") && api.diagnostics().len() == 1, "{told}");
    // A merge is no second time, and thousands are one finding too many at most.
    assert_eq!(meaning("\nb: &b {x: 1}\nc: {<<: *b, x: 2}")["c"]["x"], 2);
    let many = format!("openapi: 3.0.0\npaths: {{/a: {{get: {{}}}}}}\n{}", "x-a: 1\n".repeat(20_000));
    assert!(parse(many, "a.yaml").unwrap().diagnostics().len() <= 5_001);
}

/// Who writes `type: string` means what stands there, digit by digit.
#[test]
fn numbers_that_are_texts_stay_as_they_are_written() {
    let schema = |schema: &str| {
        let text = format!(
            "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n      - {{name: p, in: query, schema: {schema}}}\n"
        );
        let api = parse(text, "a.yaml").unwrap_or_else(|error| panic!("{error}"));
        api.operations()[0].parameters[0].schema.clone()
    };
    let texts = json!(["1.0", "1.10", "2.20", "1e3", "0x1f", "+1", "7"]);
    for kind in ["string", "[string, 'null']"] {
        let read =
            schema(&format!("{{enum: [1.0, 1.10, 2.20, 1e3, 0x1f, +1, 7], type: {kind}, default: 1.10}}"));
        assert_eq!((&read["enum"], &read["default"]), (&texts, &json!("1.10")), "{kind}");
    }
    assert_eq!(schema("{type: string, const: 1.50}")["const"], "1.50");
    let numbers = schema("{type: number, enum: [1.10, 0x1f], default: 1.10}");
    assert_eq!((&numbers["enum"], &numbers["default"]), (&json!([1.1, 31]), &json!(1.1)));
}

#[test]
fn a_parameter_may_have_a_number_for_a_name() {
    let text = "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      parameters:\n      - {name: 12, in: query, schema: {type: string}}\n      \
        - {in: query, name: 1.10, schema: {type: string}}\n";
    let api = parse(text, "a.yaml").unwrap();
    assert_eq!(api.operations()[0].arguments().collect::<Vec<_>>(), ["12", "1.10"]);
}
