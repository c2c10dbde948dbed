//! Choosing, renaming, describing, and keeping definitions small.

use opentool_openapi::{Absent, Api, Budget, Config, Filter, Marked, OperationConfig, OutputSchemas, parse};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

fn shop() -> Api {
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {
        "/pets": {
            "get": {"operationId": "listPets", "tags": ["pets"], "summary": "Lists pets.",
                "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"type": "array"}}}}}},
            "post": {"operationId": "addPet", "tags": ["pets"]}
        },
        "/pets/{id}": {"delete": {"operationId": "pets/remove", "tags": ["pets", "admin"]}},
        "/stores/{id}/pets": {"get": {"operationId": "storePets", "deprecated": true}},
        "/stores": {"get": {"tags": ["stores"]}}
    }});
    parse(text.to_string(), "shop.json").unwrap()
}

fn names(api: &Api) -> Vec<String> {
    api.tools().unwrap().names().map(str::to_owned).collect()
}

fn chosen(config: Value) -> Vec<String> {
    names(&shop().configure(&serde_json::from_value(config).unwrap()).unwrap())
}

fn refused(config: Value) -> String {
    match serde_json::from_value::<Config>(config) {
        Ok(config) => shop().configure(&config).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn operations_are_chosen_by_what_they_are() {
    for (config, expected) in [
        (json!({}), vec!["listPets", "addPet", "pets_remove", "storePets", "get_stores"]),
        (json!({"include": [{"tag": "pets"}]}), vec!["listPets", "addPet", "pets_remove"]),
        (json!({"include": [{"tags": ["stores", "admin"]}]}), vec!["pets_remove", "get_stores"]),
        (json!({"include": [{"path": "/pets/*"}]}), vec!["pets_remove"]),
        (json!({"include": [{"path": "/stores**"}]}), vec!["storePets", "get_stores"]),
        (json!({"include": [{"method": "get", "tag": "pets"}]}), vec!["listPets"]),
        (json!({"include": [{"operation": "*Pet*"}]}), vec!["listPets", "addPet", "storePets"]),
        (json!({"include": [{"operation": "pets/remove"}]}), vec!["pets_remove"]),
        (json!({"exclude": [{"deprecated": true}]}), vec!["listPets", "addPet", "pets_remove", "get_stores"]),
        (
            json!({"include": [{"read-only": true}], "exclude": [{"path": "/stores"}]}),
            vec!["listPets", "storePets"],
        ),
        (
            json!({"include": [{"read-only": true}], "operations": {"addPet": {"exclude": false}, "listPets": {"exclude": true}}}),
            vec!["addPet", "storePets", "get_stores"],
        ),
    ] {
        assert_eq!(chosen(config.clone()), expected, "{config}");
    }
    let api = shop().configure(&Config::new().include(Filter::new().read_only(true))).unwrap();
    assert_eq!(api.not_chosen(), 2);
    assert!(api.operation("addPet").is_none() && api.request("addPet", &Default::default()).is_err());
    // A second configuration replaces the first.
    assert_eq!(names(&api.configure(&Config::new()).unwrap()).len(), 5);
}

#[test]
fn hosts_rename_and_describe() {
    let config = Config::new()
        .operation(
            "listPets",
            OperationConfig::new()
                .name("pets")
                .title("Our pets")
                .description("The pets of today.")
                .argument("limit", "How many, at most 10."),
        )
        .operation("DELETE /pets/{id}", OperationConfig::new().name("listPets"))
        .operation("addPet", OperationConfig::new().read_only(true));
    let api = shop().configure(&config).unwrap();
    assert_eq!(names(&api)[..3], ["pets", "addPet", "listPets"]);
    let tools = api.tools().unwrap();
    let pets = tools.find("pets").unwrap().definition();
    assert_eq!((pets.description.as_str(), pets.title.as_deref()), ("The pets of today.", Some("Our pets")));
    assert_eq!(pets.input_schema.as_value()["properties"]["limit"]["description"], "How many, at most 10.");
    assert_eq!(pets.metadata["operationId"], "listPets");
    assert_eq!(tools.find("addPet").unwrap().definition().annotations.read_only, Some(true));
    let request = api
        .clone()
        .server("https://a.test")
        .request("listPets", &json!({"id": 1}).as_object().unwrap().clone().into());
    assert_eq!(request.unwrap().to_json()["url"], "https://a.test/pets/1");
}

#[test]
fn mistakes_in_a_configuration_are_refused() {
    for (config, expected) in [
        (json!({"exlude": []}), "unknown field `exlude`"),
        (json!({"include": [{"tagg": "a"}]}), "unknown field `tagg`"),
        (
            json!({"operations": {"listPet": {}}}),
            "the document has no operation `listPet`; there is `listPets`",
        ),
        (json!({"operations": {"listPets": {"name": "a b"}}}), "`a b` cannot be the name of a tool"),
        (
            json!({"operations": {"listPets": {"name": "addPet"}}}),
            "two operations would have the name `addPet`: `GET /pets` and `POST /pets`",
        ),
        (
            json!({"operations": {"listPets": {"arguments": {"x": {}}}}}),
            "`listPets` has no argument `x`; it has: limit",
        ),
        (
            json!({"operations": {"listPets": {}, "GET /pets": {}}}),
            "the operation `listPets` is configured twice",
        ),
        (json!({"operations": {"listPets": {"result": ["a"]}}}), "`a` is no JSON Pointer"),
        (json!({"operations": {"zoo*": {}}}), "no operation of the document fits `zoo*`"),
        (
            json!({"operations": {"*Pet*": {"name": "pet"}}}),
            "`*Pet*` is a pattern, and no two tools have one name",
        ),
        (json!({"operations": {"*Pet*": {"result": ["a"]}}}), "`a` is no JSON Pointer"),
        (
            json!({"operations": {"*": {"arguments": {"x": {}}}}}),
            "no operation that fits `*` has an argument `x`",
        ),
        (
            json!({"operations": {"*": {"media-type": "text/csv"}}}),
            "no operation that fits `*` takes `text/csv`",
        ),
    ] {
        let told = refused(config.clone());
        assert!(told.contains(expected), "{config}\n gives {told}\n not  {expected}");
    }
}

#[test]
fn marks_of_the_document_choose_and_describe() {
    let text = json!({"openapi": "3.1.0", "x-mcp": false, "paths": {
        "/a": {"x-mcp": true, "get": {}, "post": {"x-mcp": {"enabled": false}}, "put": {"x-mcp": false, "x-opentool": true}},
        "/b": {"get": {}, "post": {"x-opentool": {"enabled": true, "name": "b!", "title": "B", "description": "Does b."}}},
        "/c": {"get": {"x-mcp": {"exclude": false, "annotations": {"destructiveHint": true}}},
               "delete": {"x-mcp": {"enabled": true, "readOnlyHint": true}}}
    }});
    let api = parse(text.to_string(), "a.json").unwrap();
    assert_eq!(names(&api), ["get_a", "put_a", "b", "get_c", "delete_c"]);
    let tools = api.tools().unwrap();
    let hints = |tool: &str| tools.find(tool).unwrap().definition().annotations;
    assert_eq!(tools.find("b").unwrap().definition().description, "Does b.");
    assert_eq!((hints("get_c").read_only, hints("get_c").destructive), (Some(false), Some(true)));
    // A document cannot make an operation look safer than its method.
    assert_eq!((hints("delete_c").read_only, hints("delete_c").destructive), (Some(false), Some(true)));
    assert_eq!(names(&api.clone().configure(&Config::new().marked(Marked::Ignore)).unwrap()).len(), 7);
    assert_eq!(names(&api.configure(&Config::new().marked(Marked::Only)).unwrap()).len(), 5);
    let none = parse(text.to_string().replace("true", "false"), "a.json").unwrap();
    assert_eq!((names(&none).len(), none.not_chosen()), (1, 6));
    assert!(none.diagnostics().iter().any(|found| found.code == "marked-off"), "{:?}", none.diagnostics());
}

/// An operation whose definition is large in every way.
fn large() -> Api {
    let sentence = "This is a sentence about something that matters little. ";
    let schemas: serde_json::Map<String, Value> = (0..60)
        .map(|index| {
            let next = format!("#/components/schemas/S{}", (index + 1) % 60);
            let schema = json!({"type": "object", "description": sentence.repeat(20), "example": {"a": 1},
                "properties": {"id": {"type": "integer"}, "next": {"$ref": next}}});
            (format!("S{index}"), schema)
        })
        .collect();
    let text = json!({"openapi": "3.0.3", "paths": {"/a": {"post": {
        "operationId": "a",
        "description": sentence.repeat(100),
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}},
        "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S1"}}}}}
    }}}, "components": {"schemas": schemas}});
    parse(text.to_string(), "large.json").unwrap()
}

#[test]
fn definitions_fit_their_budget() {
    let mut before = usize::MAX;
    for most in [200_000, 50_000, 20_000, 8_000, 4_000, 2_000, 1_000] {
        let api = large().configure(&Config::new().budget(Budget::new().max_tool_bytes(most))).unwrap();
        crate::read::assert_sound(&api);
        let tools = api.tools().unwrap();
        let tool = tools.find("a").unwrap().definition();
        let told = json!({"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema.as_value(),
            "outputSchema": tool.output_schema.as_ref().map(|schema| schema.as_value())});
        let size = told.to_string().len();
        assert!(size <= most, "{size} of {most}");
        assert!(size <= before && size * 20 > most, "{size} of {most}: too much was left out");
        before = size;
        assert!(tool.description.ends_with('.'), "{}", tool.description);
        assert_eq!(tool.input_schema.as_value()["properties"]["id"]["type"], "integer");
    }
}

/// Not all documents have their schemas by name: what stands within others is cut too, and still takes what fits.
#[test]
fn schemas_within_schemas_fit_the_budget_too() {
    let leaf = |index: usize| {
        json!({"type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {"a": {"type": "string", "enum": ["one", "two", "three"]}, "b": {"type": "integer", "minimum": index}}})
    };
    let wide: serde_json::Map<String, Value> = (0..60)
        .map(|index| (format!("field_{index}"), json!({"type": "array", "items": leaf(index)})))
        .collect();
    let branch = |index: usize| {
        let mut properties = wide.clone();
        properties.insert("kind".to_owned(), json!({"const": format!("k{index}")}));
        json!({"type": "object", "properties": {"deep": {"type": "object", "required": ["kind"], "properties": properties}}})
    };
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {"post": {
        "operationId": "a",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["limits"], "properties": {
                "id": {"type": "integer", "description": "Which one."},
                "limits": {"type": "object", "description": "What it may do.", "properties": wide},
                "either": {"oneOf": [branch(1), branch(2)]},
        }}}}},
        "responses": {}
    }}}})
    .to_string();
    for most in [30_000, 8_000, 4_000, 1_000, 700] {
        let config = Config::new().budget(Budget::new().max_tool_bytes(most));
        let api = parse(text.clone(), "a.json").unwrap().configure(&config).unwrap();
        crate::read::assert_sound(&api);
        let tools = api.tools().unwrap();
        let definition = tools.find("a").unwrap().definition();
        let schema = definition.input_schema.as_value();
        let size = schema.to_string().len();
        assert!(size <= most && size * 20 > most, "{size} of {most}");
        assert_eq!(schema["properties"]["id"], json!({"type": "integer", "description": "Which one."}));
        assert_eq!(schema["properties"]["limits"]["type"], "object");
        assert_eq!(schema["properties"]["limits"]["description"], "What it may do.");
        assert_eq!(schema["required"], json!(["limits"]));
        // What the whole schema takes, the cut one takes: alternatives that were told apart by what is cut are not exclusive.
        let given = json!({"limits": {"field_3": [{"a": "one", "b": 5}]}, "either": {"deep": {"kind": "k1", "field_3": [{"a": "two"}]}}});
        let validator = opentool_schema::Validator::new(&definition.input_schema).unwrap();
        assert!(validator.accepts(&given), "{most}: {schema}");
    }
}

/// What stands in place of what was left out counts too: where many names are referred to, it must not push out the
/// body itself; and a definition that is too large alone is not left out whole.
#[test]
fn a_body_behind_a_reference_keeps_its_members() {
    let reference = |name: String| json!({"$ref": format!("#/components/schemas/{name}")});
    let leaf = |index: usize| {
        json!({"title": format!("Leaf {index}"), "type": "object", "properties": {
        "text": {"type": "string", "enum": ["a".repeat(index % 90), "b".repeat(99)]}}})
    };
    let mut schemas: serde_json::Map<String, Value> =
        (0..400).map(|index| (format!("Leaf{index}"), leaf(index))).collect();
    let leaves: serde_json::Map<String, Value> =
        (0..400).map(|index| (format!("leaf_{index}"), reference(format!("Leaf{index}")))).collect();
    schemas.insert("Tree".to_owned(), json!({"type": "object", "properties": leaves}));
    let inline: serde_json::Map<String, Value> =
        (0..400).map(|index| (format!("inline_{index}"), leaf(index))).collect();
    schemas.insert(
        "Wide".to_owned(),
        json!({"type": "object", "required": ["kind"], "properties": {
        "kind": {"type": "string"}, "more": {"type": "object", "properties": inline}}}),
    );
    let whole = json!({"type": "object", "required": ["id"], "properties": {
        "id": {"type": "integer"}, "tree": reference("Tree".to_owned()), "wide": reference("Wide".to_owned())}});
    schemas.insert("Body".to_owned(), whole);
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {"post": {
        "operationId": "a",
        "requestBody": {"required": true, "content": {"application/json": {
            "schema": {"anyOf": [reference("Body".to_owned()), {"type": "null"}]}}}},
        "responses": {}
    }}}, "components": {"schemas": schemas}})
    .to_string();
    for most in [60_000, 40_000, 20_000] {
        let config = Config::new().budget(Budget::new().max_tool_bytes(most));
        let api = parse(text.clone(), "a.json").unwrap().configure(&config).unwrap();
        crate::read::assert_sound(&api);
        let tools = api.tools().unwrap();
        let schema = tools.find("a").unwrap().definition().input_schema.as_value().clone();
        assert!(schema.to_string().len() <= most, "{most}");
        assert_eq!(schema["$defs"]["Body"]["properties"]["id"]["type"], "integer", "{most}");
        assert_eq!(schema["$defs"]["Wide"]["properties"]["kind"]["type"], "string", "{most}");
        // What is referred to says what it is, if nothing else.
        let leaf = schema["$defs"].get("Leaf399");
        assert!(leaf.is_some() || most < 60_000, "{most}");
        assert!(leaf.is_none_or(|leaf| leaf["type"] == "object"), "{most}");
    }
}

#[test]
fn a_budget_in_which_no_definition_fits_is_refused() {
    let config = Config::new().budget(Budget::new().max_tool_bytes(10));
    let refused = large().configure(&config).map(|api| api.operations().len()).unwrap_err().to_string();
    assert!(refused.contains("/budget/max-tool-bytes") && refused.contains("at least 256"), "{refused}");
}

#[test]
fn results_are_told_or_not() {
    let keep = shop().tools().unwrap();
    assert!(keep.find("listPets").unwrap().definition().output_schema.is_some());
    let config = Config::new().budget(Budget::new().output_schemas(OutputSchemas::LeaveOut));
    let left = shop().configure(&config).unwrap().tools().unwrap();
    assert!(left.find("listPets").unwrap().definition().output_schema.is_none());
}

#[test]
fn a_body_behind_two_references_is_the_same_whatever_was_read_before() {
    let body = |name: &str| {
        json!({"post": {"requestBody": {"required": true, "content": {"application/json": {
        "schema": {"$ref": format!("#/components/schemas/{name}")}}}}}})
    };
    let schemas = json!({"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/C"},
        "C": {"type": "object", "properties": {"x": {"type": "integer"}}}});
    let arguments = |paths: Value| {
        let text =
            json!({"openapi": "3.1.0", "paths": paths, "components": {"schemas": schemas}}).to_string();
        let api = parse(text, "a.json").unwrap();
        api.operation("post_a").unwrap().arguments().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(arguments(json!({"/a": body("A")})), ["x"]);
    assert_eq!(arguments(json!({"/b": body("B"), "/c": body("C"), "/a": body("A")})), ["x"]);
}

#[test]
fn names_are_the_same_however_the_document_is_ordered() {
    let mut operations: Vec<(String, Value)> = (0..200)
        .map(|index| {
            let path = format!(
                "/organizations/{{organizationIdentifier}}/environments/{}/configurations",
                index % 50
            );
            let id = match index % 4 {
                0 => json!({"operationId": "retrieveOrganizationEnvironmentConfigurationInformationDetails"}),
                1 => json!({"operationId": format!("op {}", index % 20)}),
                2 => json!({"operationId": format!("x_{}", "long".repeat(30))}),
                _ => json!({}),
            };
            (format!("{path}/{index}"), json!({"get": id}))
        })
        .collect();
    let named = |operations: &[(String, Value)]| {
        let paths: serde_json::Map<String, Value> = operations.iter().cloned().collect();
        let api = parse(json!({"openapi": "3.1.0", "paths": paths}).to_string(), "a.json").unwrap();
        let mut named: Vec<(String, String)> = api
            .operations()
            .iter()
            .map(|operation| (operation.path.clone(), operation.name.clone()))
            .collect();
        named.sort();
        named
    };
    let first = named(&operations);
    let mut state = 7_u64;
    for _ in 0..10 {
        // Fisher and Yates with a generator that is the same every time.
        for index in (1..operations.len()).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            operations.swap(index, (state >> 33) as usize % (index + 1));
        }
        assert_eq!(named(&operations), first);
    }
    assert!(first.iter().all(|(_, name)| name.len() <= 64));
    // Words are shortened before anything is cut: the name still tells what it is.
    assert!(
        first
            .iter()
            .any(|(_, name)| name == "retrieveOrganizationEnvironmentConfigurationInformationDetails"),
        "{first:?}"
    );
}

/// Whoever wrote a mark wanted to say something: by a slip of the pen nothing becomes a tool.
#[test]
fn marks_that_cannot_be_understood_are_told_and_the_operation_stays_out() {
    let text = json!({"openapi": "3.1.0", "paths": {"/a": {
        "delete": {"x-opentool": {"exlude": true}},
        "put": {"x-mcp": {"enabled": "false"}},
        "post": {"x-mcp": "maybe"},
        "get": {"operationId": "g", "x-opentool": {"nmae": "x", "else": 1}, "x-mcp": {"scopes": []}},
    }}})
    .to_string();
    let api = parse(text, "a.json").unwrap();
    let names: Vec<&str> = api.operations().iter().map(|operation| operation.name.as_str()).collect();
    assert_eq!(names, ["g"]);
    let told: Vec<String> =
        api.diagnostics().iter().map(|d| format!("{} {}", d.pointer, d.message)).collect();
    // The last says how many are left out.
    assert_eq!(told.len(), 6, "{told:?}");
    for expected in [
        "/paths/~1a/delete/x-opentool/exlude `x-opentool` has no member `exlude` (did you mean `exclude`?); the operation is no tool",
        "/paths/~1a/put/x-mcp/enabled `enabled` is a text, not true or false; the operation is no tool",
        "/paths/~1a/post/x-mcp `x-mcp` is a text, not true, false or an object; the operation is no tool",
        "/paths/~1a/get/x-opentool/nmae `x-opentool` has no member `nmae`, which is ignored; did you mean `name`?",
        "/paths/~1a/get/x-opentool/else `x-opentool` has no member `else`, which is ignored",
    ] {
        assert!(told.iter().any(|told| told == expected), "{expected}: {told:?}");
    }
}

/// A call of them would be refused; whoever asks beforehand is told.
#[test]
fn tools_whose_schema_cannot_be_followed_are_named() {
    let mut schemas: serde_json::Map<String, Value> = (0..70)
        .map(|index| {
            let next = format!("#/components/schemas/S{}", index + 1);
            (format!("S{index}"), json!({"allOf": [{"$ref": next}]}))
        })
        .collect();
    schemas.insert("S70".to_owned(), json!({"type": "object"}));
    let post = |name: &str, schema: &str| {
        json!({"post": {"operationId": name, "requestBody": {"required": true, "content": {"application/json": {
            "schema": {"$ref": format!("#/components/schemas/{schema}")}}}}}})
    };
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": post("deep", "S0"), "/b": post("flat", "S69")},
        "components": {"schemas": schemas}});
    let api = parse(text.to_string(), "a.json").unwrap();
    let told = api.unusable(["deep", "flat"]);
    let [found] = &told[..] else { panic!("{told:?}") };
    assert_eq!((found.severity, found.pointer.as_str()), (opentool_core::Severity::Error, "/paths/~1a/post"));
    assert!(found.message.starts_with("`deep` cannot be called: ") && found.file.is_some(), "{found:?}");
}

#[test]
fn tools_that_no_budget_can_hold_are_named() {
    let parameters: Vec<Value> = (0..60)
        .map(|index| json!({"name": format!("parameter_number_{index}"), "in": "query", "required": true, "schema": {"type": "string"}}))
        .collect();
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {
        "get": {"operationId": "wide", "parameters": parameters}, "post": {"operationId": "small"}}}});
    let api = parse(text.to_string(), "a.json").unwrap();
    assert!(api.over_budget(["wide", "small"]).is_empty(), "without a budget nothing is too much");
    let api = api.configure(&Config::new().budget(Budget::new().max_tool_bytes(1_000))).unwrap();
    let told = api.over_budget(["wide", "small", "nobody"]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(
        (told[0].code, told[0].pointer.as_str(), told[0].file.as_deref()),
        ("tool-bytes", "/paths/~1a/get", Some("a.json"))
    );
    assert!(
        told[0].message.contains("`wide` has") && told[0].message.contains("1000 are allowed"),
        "{}",
        told[0]
    );
}

#[test]
fn a_filter_that_means_nothing_says_which_word_is_why() {
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {"get": {"operationId": "a", "tags": ["x"]}, "post": {"tags": ["y"]}}}});
    let api = parse(text.to_string(), "a.json").unwrap();
    let config = "include:\n- {tag: nope}\n- {method: fetch}\n- {path: /b/**, tag: x}\n- {operation: [b, c]}\n- {tag: x, method: post}\n- {tag: x}\n";
    let config = Config::parse(config, "c.yaml").unwrap();
    let told: Vec<String> =
        api.unused(&config).iter().map(|found| format!("{} {}", found.pointer, found.message)).collect();
    assert_eq!(
        told,
        [
            "/include/0/tag no operation of the document has the tag `nope`",
            "/include/1/method no operation of the document has the method `fetch`",
            "/include/2/path no operation of the document has a path like `/b/**`",
            "/include/3/operation no operation of the document is named `b`, `c`",
            "/include/4 no operation of the document is all that this filter says",
        ]
    );
    let named =
        Config::new().include(Filter::new().tag("x")).operation("a", OperationConfig::new().name("b"));
    let api = api.configure(&named).unwrap();
    assert_eq!(api.absent("a"), Some(Absent::Renamed("b")));
    assert_eq!(
        (api.absent("post_a"), api.absent("b"), api.absent("z")),
        (Some(Absent::NotChosen), None, None)
    );
}

/// What of a definition is the host's alone: not shown, not taken from models, and sent if it has a value.
#[test]
fn arguments_that_only_the_host_sets() {
    let text = json!({"openapi": "3.1.0", "info": {}, "servers": [{"url": "https://a.test"}], "paths": {"/a/{org}": {"post": {
        "operationId": "a",
        "parameters": [
            {"name": "org", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "trace", "in": "header", "required": true, "schema": {"type": "string"}},
            {"name": "q", "in": "query", "schema": {"type": "string"}}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {
            "type": "object", "required": ["token", "v", "x"],
            "properties": {"token": {"type": "string"}, "v": {"type": "integer"}, "x": {"type": "integer"}}}}}}
    }}}})
    .to_string();
    let with = |config: OperationConfig| {
        parse(text.clone(), "a.json").unwrap().configure(&Config::new().operation("a", config))
    };
    let hidden = OperationConfig::new()
        .set_argument("org", "mine")
        .set_argument("v", 2)
        .hide_argument("trace")
        .hide_argument("token");
    let api = with(hidden.clone().name("b")).unwrap();
    let tools = api.tools().unwrap();
    let schema = tools.find("b").unwrap().definition().input_schema.as_value();
    assert_eq!(schema["properties"], json!({"q": {"type": "string"}, "x": {"type": "integer"}}));
    assert_eq!(schema["required"], json!(["x"]));
    // Whatever a caller says in their place.
    let given = |value: Value| opentool_core::Arguments::from(value.as_object().unwrap().clone());
    let request = api.request("b", &given(json!({"x": 1, "org": "other", "v": 9}))).unwrap().to_json();
    assert_eq!(request["url"], "https://a.test/a/mine");
    assert_eq!(request["body"], json!({"x": 1, "v": 2}));
    assert!(request["headers"].get("trace").is_none(), "{request}");
    let refused =
        opentool_schema::Validator::new(&tools.find("b").unwrap().definition().input_schema).unwrap();
    assert!(!refused.accepts(&json!({"x": 1, "org": "other"})));
    // As a file says it.
    let written: Config = serde_json::from_value(json!({"operations": {"a": {"name": "b", "arguments": {
        "org": {"value": "mine"}, "v": {"value": 2}, "trace": {"hide": true}, "token": {"hide": true}}}}}))
    .unwrap();
    assert_eq!(written, Config::new().operation("a", hidden.name("b")));
    for (config, at, why) in [
        (
            OperationConfig::new().hide_argument("org"),
            "/operations/a/arguments/org/hide",
            "give it a `value`",
        ),
        (
            OperationConfig::new().set_argument("q", "command:pass 'my token"),
            "/operations/a/arguments/q/value",
            "words with spaces in quotation marks",
        ),
    ] {
        let refused = with(config).unwrap_err().to_string();
        assert!(refused.contains(at) && refused.contains(why), "{refused}");
    }
}

/// The schema of the result goes first; of what is cut in arguments, the values that there are stay before the notes.
#[test]
fn values_of_arguments_are_kept_before_results_and_notes() {
    let field = |index: usize| {
        (
            format!("f{index}"),
            json!({"type": "string", "enum": ["one", "two"], "default": "one", "description": "A rather long note. ".repeat(9)}),
        )
    };
    let fields: serde_json::Map<String, Value> = (0..12).map(field).collect();
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {"post": {"operationId": "a",
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": fields}}}},
        "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {"id": {"type": "integer"}}}}}}}
    }}}}).to_string();
    let at = |most: usize| {
        let api = parse(text.clone(), "a.json").unwrap();
        let api = api.configure(&Config::new().budget(Budget::new().max_tool_bytes(most))).unwrap();
        let tools = api.tools().unwrap();
        let definition = tools.find("a").unwrap().definition();
        let result = definition.output_schema.as_ref().map(|schema| schema.as_value().clone());
        (definition.input_schema.as_value().clone(), result.unwrap_or_default())
    };
    let (whole, result) = at(20_000);
    assert!(
        whole["properties"]["f3"]["description"].as_str().unwrap().len() > 150 && result["type"] == "object"
    );
    for most in [2_400, 1_500, 1_100] {
        let (cut, result) = at(most);
        assert!(cut.to_string().len() <= most, "{most}");
        assert_eq!(
            (&cut["properties"]["f3"]["enum"], result),
            (&json!(["one", "two"]), json!({})),
            "{most}: {cut}"
        );
    }
    let (least, _) = at(700);
    assert_eq!(least["properties"]["f3"], json!({"type": "string"}));
}

/// A condition that takes more when it is cut would forbid more.
#[test]
fn a_cut_schema_forbids_no_more_than_the_whole_one() {
    let deep =
        json!({"type": "object", "properties": {"text": {"type": "string", "enum": ["long".repeat(60)]}}});
    let wide: serde_json::Map<String, Value> =
        (0..20).map(|index| (format!("f{index}"), deep.clone())).collect();
    let mut body = json!({"type": "object", "properties": wide, "not": {"oneOf": [{"required": ["f1"]}, {"required": ["f2"]}]}});
    body["properties"]["either"] =
        json!({"if": {"oneOf": [{"minProperties": 1}, {"minProperties": 2}]}, "then": {"required": ["x"]}});
    let text = json!({"openapi": "3.1.0", "info": {}, "paths": {"/a": {"post": {"operationId": "a",
        "requestBody": {"required": true, "content": {"application/json": {"schema": body}}}}}}});
    for most in [100_000, 4_000] {
        let api = parse(text.to_string(), "a.json").unwrap();
        let api = api.configure(&Config::new().budget(Budget::new().max_tool_bytes(most))).unwrap();
        let tools = api.tools().unwrap();
        let schema = &tools.find("a").unwrap().definition().input_schema;
        let validator = opentool_schema::Validator::new(schema).unwrap();
        // Both, so that not exactly one of them holds.
        let given = json!({"body": {"f1": {}, "f2": {}, "either": {"y": 1, "z": 2}}});
        assert!(validator.accepts(&given) && schema.to_string().contains("\"not\""), "{most}: {schema}");
    }
}

/// What a model is not shown is asked for all the same, as far as the document says it.
#[tokio::test]
async fn arguments_are_checked_by_what_was_cut_for_models() {
    let field = |index: usize| {
        let words: Vec<String> = (0..20).map(|word| format!("value {word} of {index}")).collect();
        (
            format!("f{index}"),
            json!({"type": "object", "required": ["kind"], "properties": {"kind": {"enum": words}}}),
        )
    };
    let fields: serde_json::Map<String, Value> = (0..30).map(field).collect();
    let text = json!({"openapi": "3.1.0", "servers": [{"url": "http://127.0.0.1:1"}], "paths": {"/a": {"post": {
        "operationId": "a", "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object",
            "properties": {"org": {"type": "string"}, "all": {"type": "object", "properties": fields}}}}}}}}}});
    let api = parse(text.to_string(), "a.json").unwrap();
    let hidden = OperationConfig::new().set_argument("org", "mine");
    let config = Config::new().budget(Budget::new().max_tool_bytes(1_000)).operation("a", hidden);
    let tools = api.configure(&config).unwrap().tools().unwrap();
    let shown = &tools.find("a").unwrap().definition().input_schema;
    assert!(shown.to_string().len() < 1_000 && !shown.to_string().contains("value 3"), "{shown}");
    for (given, refused) in [
        (json!({"all": {"f7": {"kind": "value 3 of 7"}}}), None),
        (json!({"all": {"f7": {"kind": "value 3 of 8"}}}), Some("/all/f7/kind")),
        (json!({"all": {"f7": {}}}), Some("kind")),
        (json!({"org": "other"}), Some("org")),
    ] {
        let call = opentool_core::ToolCall::new("1", "a", given.as_object().unwrap().clone());
        match (tools.check(&call), refused) {
            (Ok(_), None) => {}
            (Err(error), Some(why)) => assert!(error.for_model().contains(why), "{error}"),
            (outcome, _) => panic!("{given}: {outcome:?}"),
        }
    }
    // Where nothing was cut, there is one schema.
    let plain = shop().tools().unwrap();
    let schema = &plain.find("listPets").unwrap().definition().input_schema;
    assert!(std::ptr::eq(schema.whole().as_value(), schema.as_value()));
}

/// What is said under a key of its own counts first, then what the first pattern says.
#[test]
fn patterns_speak_of_many_operations() {
    let config: Config = Config::parse(
        "operations:
           '*Pets': {title: Pets, result: [/name], arguments: {limit: {value: 5}}}
           'GET /**': {title: Gets, read-only: false, description: Asks., arguments: {limit: {description: Ten.}}}
           '* /pets/*': {exclude: true}
           listPets: {title: Own, arguments: {limit: {hide: false}}}",
        "shop.yaml",
    )
    .unwrap();
    let api = shop().configure(&config).unwrap();
    assert_eq!(names(&api), ["listPets", "addPet", "storePets", "get_stores"]);
    let tools = api.tools().unwrap();
    let told = |name: &str| {
        let tool = tools.find(name).unwrap().definition();
        (tool.title.as_deref().unwrap_or_default(), tool.description.as_str(), tool.annotations.read_only)
    };
    assert_eq!(told("listPets"), ("Own", "Asks.", Some(false)));
    assert_eq!(told("storePets"), ("Pets", "Asks.", Some(false)));
    assert_eq!(told("get_stores"), ("Gets", "Asks.", Some(false)));
    assert_eq!(told("addPet"), ("", "POST /pets", Some(false)));
    let limit = &tools.find("listPets").unwrap().definition().input_schema.as_value()["properties"]["limit"];
    assert_eq!(
        limit["description"], "Ten.",
        "whoever shows an argument does not want the value of a pattern"
    );
}
