//! Choosing, renaming, describing and cutting down the tools of OpenAPI documents.

use crate::support::{Ran, golden, opentool};

const CONFIG: &str = "# What the assistant may do.
exclude:
  - method: delete
operations:
  getPetById: {name: pet, description: One pet.}
  POST /pet: {exclude: true}
budget: {output-schemas: leave-out}
";

fn with(config: &str, words: &[&str]) -> Ran {
    let run = opentool(words).file("shop.yaml", config);
    run.file("empty.json", "[]").end()
}

#[test]
fn a_file_chooses_renames_and_describes() {
    let ran = with(CONFIG, &["list", "petstore.yaml", "--config", "shop.yaml", "--json"]).success();
    let tools = ran.json();
    let names: Vec<&str> =
        tools.as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert!(
        names.contains(&"pet") && !names.contains(&"deletePet") && !names.contains(&"addPet"),
        "{names:?}"
    );
    let pet = tools.as_array().unwrap().iter().find(|tool| tool["name"] == "pet").unwrap();
    assert_eq!(pet["description"], "One pet.");
    assert!(pet.get("outputSchema").is_none());
    // The same for every command.
    let ran =
        with(CONFIG, &["call", "petstore.yaml", "pet", "petId=2", "--config", "shop.yaml", "--dry-run"]);
    assert!(ran.success().text().contains("/pet/2"));
    let ran = with(CONFIG, &["show", "petstore.yaml", "getPetById", "--config", "shop.yaml"]);
    ran.failure(4, &["there is no tool `getPetById`"]);
    let ran =
        with(CONFIG, &["list", "a=petstore.yaml", "b=petstore.yaml", "--config", "a=shop.yaml"]).success();
    assert!(ran.text().contains("a__pet ") && ran.text().contains("b__getPetById"), "\n{ran}");
}

#[test]
fn what_is_wrong_in_the_file_is_shown_with_its_line() {
    for (config, said) in [
        (
            "exclud: []\n",
            "shop.yaml:1:1: there is no key `exclud` here; did you mean `exclude`? There are `include`, `exclude`",
        ),
        ("include:\n  - tg: pets\n", "shop.yaml:2:5: there is no key `tg` here; did you mean `tag`?"),
        (
            "operations:\n  getPet: {}\n",
            "shop.yaml:2:3: the document has no operation `getPet`; there is `getPetById`",
        ),
        ("operations:\n  addPet:\n    name: a b\n", "shop.yaml:3:5: `a b` cannot be the name of a tool"),
        (
            "operations:\n  addPet:\n    name: updatePet\n",
            "shop.yaml:3:5: two operations would have the name `updatePet`",
        ),
        (
            "operations:\n  addPet:\n    arguments: {nam: {}}\n",
            "shop.yaml:3:17: `addPet` has no argument `nam`",
        ),
        ("result: [items]\n", "shop.yaml:1:10: `items` is no JSON Pointer"),
        ("include: 5\n", "shop.yaml:1:1: expected a list, found the number 5"),
        (
            "budget: {max-tool-bytes: much}\n",
            "shop.yaml:1:10: expected a whole number, 0 or more, found the text \"much\"",
        ),
        ("budget: {max-tool-bytes: -1}\n", "expected a whole number, 0 or more, found the number -1"),
        ("include: [{tag: {}}]\n", "expected a text, or a list of texts"),
        (
            "marked: onyl\n",
            "there is no value `onyl` here; did you mean `only`? There are `respect`, `ignore`, `only`",
        ),
        ("operations: {addPet: 5}\n", "expected an object, found the number 5"),
        ("operations: {addPet: {exclude: 'yes'}}\n", "expected true or false, found the text \"yes\""),
        ("include: []\ninclude: []\n", "`include`"),
        ("- a\n", "shop.yaml:1:1: a configuration is an object, and this is"),
        ("include: [\n", "shop.yaml:2"),
    ] {
        let ran = with(config, &["list", "petstore.yaml", "--config", "shop.yaml"]);
        ran.failure(2, &[said]);
    }
    let ran = with("exclud: []", &["list", "petstore.yaml", "--config", "shop.yaml", "--json"]);
    ran.failure_json("config");
    with("", &["list", "petstore.yaml", "--config", "no.yaml"]).failure(2, &["no.yaml cannot be read"]);
    with("{}", &["list", "empty.json", "--config", "shop.yaml"]).failure(2, &["no source is one"]);
    let words = ["list", "a=petstore.yaml", "b=petstore.yaml", "--config", "shop.yaml"];
    with("{}", &words).failure(2, &["does not say which one it is for"]);
    let words = ["list", "petstore.yaml", "--config", "shop.yaml", "--config", "shop.yaml"];
    with("{}", &words).failure(2, &["given twice"]);
}

#[test]
fn operations_are_chosen_by_path_method_and_age() {
    let old = |words: &[&str]| {
        let document = "openapi: 3.1.0\ninfo: {title: t, version: '1'}\npaths:\n  /a: {get: {operationId: a}, post: {operationId: b, deprecated: true}}\n  /a/{id}: {get: {operationId: c, parameters: [{name: id, in: path, required: true, schema: {type: string}}]}}\n";
        let words = ["list", "api.yaml", "--json"].iter().chain(words);
        opentool(words)
            .file("api.yaml", document)
            .file("tools.json", r#"[{"name": "d", "inputSchema": {"type": "object"}}]"#)
            .end()
    };
    let names = |words: &[&str]| -> Vec<String> {
        let ran = old(words).success();
        ran.json().as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["--path", "/a"]), ["a", "b"]);
    assert_eq!(names(&["--path", "/a/*", "--path", "/b"]), ["c"]);
    assert_eq!(names(&["--path", "/a**", "--method", "get"]), ["a", "c"]);
    assert_eq!(names(&["--method", "GET,post", "--no-deprecated"]), ["a", "c"]);
    assert_eq!(names(&["tools.json", "--no-deprecated"]), ["a", "c", "d"]);
    assert_eq!(names(&["tools.json", "--method", "post"]), ["b"]);
    let ran = old(&["--path", "/nowhere"]).success();
    assert!(ran.stderr.contains("`--path /nowhere`: no operation has such a path"), "\n{ran}");
    let ran = old(&["--method", "PSOT"]).success();
    assert!(
        ran.stderr.contains("`--method PSOT`: no operation has this method; the methods are GET, POST"),
        "\n{ran}"
    );
    let ran = old(&["--method", "psot,post"]).success();
    assert!(ran.stderr.contains("`--method psot`"), "\n{ran}");
}

#[test]
fn definitions_are_kept_small() {
    let size = |words: &[&str]| {
        let words = ["list", "petstore.yaml", "--json", "--only", "addPet"].iter().chain(words);
        let ran = opentool(words).end().success();
        let tool = ran.json()[0].clone();
        (
            tool["inputSchema"].to_string().len(),
            tool.get("outputSchema").map_or(0, |schema| schema.to_string().len()),
        )
    };
    let (input, output) = size(&[]);
    assert!(input > 400 && output > 400, "{input} {output}");
    assert_eq!(size(&["--no-output-schemas"]), (input, 0));
    let (small, none) = size(&["--max-tool-bytes", "900"]);
    assert!(small < 800 && none < output, "{small} of {input}, {none} of {output}");
    opentool(["list", "petstore.yaml", "--max-tool-bytes", "few"]).end().failure(2, &["a number of bytes"]);
}

#[test]
fn every_key_of_the_configuration_is_documented() {
    let page = include_str!("../../../../docs/openapi-config.md");
    let block = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let ran =
        opentool(["list", "petstore.yaml", "--config", "all.yaml"]).file("all.yaml", block).end().success();
    golden("list/configured", &ran.to_string());
    for key in [
        "include",
        "exclude",
        "marked",
        "operations",
        "result",
        "budget",
        "tag",
        "path",
        "method",
        "operation",
        "deprecated",
        "read-only",
        "name",
        "title",
        "description",
        "destructive",
        "idempotent",
        "media-type",
        "arguments",
        "hide",
        "value",
        "max-tool-bytes",
        "max-description-bytes",
        "output-schemas",
    ] {
        assert!(block.contains(&format!("{key}:")), "the example of docs/openapi-config.md lacks `{key}`");
    }
}

#[test]
fn parts_of_results_are_shown_of_all_tools_or_of_one() {
    let upstream = crate::support::Upstream::answering(
        "200 OK",
        "application/json",
        r#"{"id": 2, "name": "Rex", "status": "sold"}"#,
    );
    let call = |words: &[&str]| {
        let words = [&["call", "petstore.yaml", "--server", &upstream.url], words].concat();
        with("operations:\n  GET /pet/{petId}: {name: pet, result: [/status]}\n", &words)
    };
    let shown = |words: &[&str]| call(words).success().text().to_owned();
    let general = shown(&["getPetById", "petId=2", "--result-pointer", "/name"]);
    assert!(general.contains("Rex") && !general.contains("sold"), "{general}");
    let own = ["--result-pointer", "getPetById=/id", "--result-pointer", "/name"];
    let one = shown(&[&["getPetById", "petId=2"], &own[..]].concat());
    assert!(one.contains('2') && !one.contains("Rex"), "{one}");
    // Another tool keeps what is said of all; a file is replaced, under whatever key it speaks of the tool.
    let other = shown(&[&["updatePet", "petId=2"], &own[..]].concat());
    assert!(other.contains("Rex") && !other.contains("sold"), "{other}");
    for name in ["pet=/name", "getPetById=/name"] {
        let file = shown(&["pet", "petId=2", "--config", "shop.yaml", "--result-pointer", name]);
        assert!(file.contains("Rex") && !file.contains("sold"), "{file}");
    }
    call(&["getPetById", "petId=2", "--result-pointer", "getPet=/id"])
        .failure(2, &["names a tool that is not there"]);
    call(&["getPetById", "petId=2", "--result-pointer", "name"]).failure(2, &["expected a JSON Pointer"]);
    let words =
        ["list", "a=petstore.yaml", "b=petstore.yaml", "--result-pointer", "b__getPetById=/name", "--json"];
    let tools = with("", &words).success().json();
    let of = |name: &str| tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
    assert!(
        of("a__getPetById").get("outputSchema").is_some()
            && of("b__getPetById").get("outputSchema").is_none()
    );
}

#[test]
fn a_body_is_sent_as_the_media_type_that_a_file_names() {
    let document = "openapi: 3.1.0\nservers: [{url: https://api.test}]\npaths:\n  /a: {put: {operationId: a, requestBody: {content: {application/json: {schema: {type: object, properties: {x: {}}}}, text/csv: {}}}}}\n";
    let ran = opentool(["call", "api.yaml", "a", "body=1,2", "--config", "c.yaml", "--dry-run"])
        .file("api.yaml", document)
        .file("c.yaml", "operations: {a: {media-type: text/csv}}\n")
        .end()
        .success();
    assert!(ran.text().contains("Content-Type: text/csv") && ran.text().contains("1,2"), "\n{ran}");
}

#[test]
fn what_a_configuration_takes_away_is_told() {
    let config = "include: [{method: post}, {method: fetch}]\nexclude: [{tag: nope}]\noperations: {addPet: {name: add}}\n";
    let ran = with(config, &["list", "petstore.yaml", "--config", "shop.yaml", "--only", "add"]).success();
    assert!(
        ran.stderr.contains("shop.yaml:1:28: no operation of the document has the method `fetch`"),
        "\n{ran}"
    );
    assert!(ran.stderr.contains("no operation of the document has the tag `nope`"), "\n{ran}");
    with(config, &["list", "petstore.yaml", "--config", "shop.yaml", "--only", "addPet"])
        .failure(4, &["there is no tool `addPet` in petstore.yaml: the configuration names it `add`"]);
    let none = "exclude: [{method: post}]\n";
    for words in [
        &["list", "petstore.yaml", "--only", "addPet"][..],
        &["show", "petstore.yaml", "addPet"],
        &["list", "a=petstore.yaml", "--only", "a__addPet"],
    ] {
        let words = [words, &["--config", "shop.yaml"]].concat();
        with(none, &words)
            .failure(4, &["the document has it, and the configuration, or a mark of the document"]);
    }
}

#[test]
fn tools_that_are_too_large_are_named() {
    let parameters: Vec<String> = (0..60)
        .map(|index| format!("{{name: parameter_number_{index}, in: query, schema: {{type: string}}}}"))
        .collect();
    let document = format!(
        "openapi: 3.1.0\ninfo: {{title: t, version: '1'}}\npaths:\n  /a: {{get: {{operationId: wide, responses: {{}}, parameters: [{}]}}, post: {{operationId: small, responses: {{}}}}}}\n",
        parameters.join(", ")
    );
    let run = |words: &[&str]| opentool(words).file("api.yaml", &document).end();
    let ran = run(&["check", "api.yaml", "--max-tool-bytes", "1000"]).success();
    assert!(ran.text().contains("warning[tool-bytes]: the definition of `wide` has"), "\n{ran}");
    assert!(!ran.text().contains("`small`"), "\n{ran}");
    assert_eq!(run(&["check", "api.yaml", "--max-tool-bytes", "1000", "--deny", "warnings"]).code, 1);
    let ran = run(&["check", "api.yaml", "--max-tool-bytes", "10"]);
    assert!(ran.code == 1 && ran.text().contains("no definition of a tool fits into 10 bytes"), "\n{ran}");
    let listed = run(&["list", "api.yaml", "--max-tool-bytes", "1000"]).success();
    assert!(listed.stderr.contains("warning: the definition of `wide` has"), "\n{listed}");
    let listed = run(&["list", "api.yaml", "--max-tool-bytes", "1000", "--only", "small"]).success();
    assert!(!listed.stderr.contains("wide"), "\n{listed}");
    opentool(["check", "tools.json", "--max-tool-bytes", "1000"])
        .file("tools.json", r#"[{"name": "d", "inputSchema": {"type": "object"}}]"#)
        .end()
        .failure(2, &["`--max-tool-bytes` is about OpenAPI documents"]);
}
