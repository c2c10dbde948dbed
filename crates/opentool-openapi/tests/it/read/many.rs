//! Many operations, a few of them odd; and names that do not depend on order.

use opentool_openapi::parse;
use serde_json::{Map, Value, json};

fn paths(count: usize) -> Map<String, Value> {
    (0..count)
        .map(|index| {
            let operation = json!({
                "operationId": format!("getItem{index}"),
                "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"$ref": "#/components/schemas/Id"}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}}}
            });
            (format!("/items{index}/{{id}}"), json!({"get": operation}))
        })
        .collect()
}

fn document(paths: Map<String, Value>) -> String {
    let schemas = json!({
        "Id": {"type": "string"},
        "Item": {"type": "object", "properties": {"id": {"$ref": "#/components/schemas/Id"}}}
    });
    json!({"openapi": "3.0.3", "info": {}, "paths": paths, "components": {"schemas": schemas}}).to_string()
}

#[test]
fn a_thousand_operations_with_three_odd_ones_give_the_rest() {
    let mut paths = paths(1_000);
    paths["/items10/{id}"]["get"] = json!("not an operation");
    paths["/items500/{id}"]["get"]["parameters"] = json!([{"$ref": "#/components/parameters/Missing"}]);
    paths["/items600/{id}"]["get"]["requestBody"] = json!({"$ref": "#/components/requestBodies/Missing"});
    paths["/items999/{id}"]["get"]["requestBody"] = json!([]);
    let api = parse(document(paths), "big.json").unwrap();
    let tools = api.tools().unwrap();
    assert_eq!(tools.len(), 997);
    let found: Vec<(&str, bool, &str)> = api
        .diagnostics()
        .iter()
        .map(|found| (found.code, found.location.is_some(), found.pointer.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("operation", true, "/paths/~1items10~1{id}/get"),
            // The path says that there is a parameter; others may be missing.
            ("ref-not-found", true, "/paths/~1items500~1{id}/get/parameters/0/$ref"),
            ("path-parameter", true, "/paths/~1items500~1{id}/get"),
            ("ref-not-found", true, "/paths/~1items600~1{id}/get/requestBody/$ref"),
            ("body", true, "/paths/~1items999~1{id}/get/requestBody"),
        ]
    );
    let names: Vec<&str> = tools.names().collect();
    assert_eq!(names[9..12], ["getItem9", "getItem11", "getItem12"]);
    super::assert_sound(&api);
}

#[test]
fn the_same_document_gives_the_same_definitions_and_another_order_the_same_names() {
    let mut reversed = paths(50);
    reversed["/items3/{id}"]["get"]["operationId"] = json!("getItem1");
    reversed["/items4/{id}"]["get"]["operationId"] = json!("getItem1");
    let forward = document(reversed.clone());
    reversed = reversed.into_iter().rev().collect();
    let describe = |text: &str| {
        let tools = parse(text, "a.json").unwrap().tools().unwrap();
        let described = tools.definitions().map(|definition| {
            let origin = definition.origin.item.clone().unwrap();
            format!("{origin} {} {}", definition.name, definition.input_schema)
        });
        described.collect::<Vec<String>>()
    };
    assert_eq!(describe(&forward), describe(&forward));
    let mut backward = describe(&document(reversed));
    backward.reverse();
    assert_eq!(describe(&forward), backward);
}

#[test]
fn results_do_not_carry_a_whole_api() {
    let schemas: Map<String, Value> = (0..2_000)
        .map(|index| {
            let next = format!("#/components/schemas/S{}", (index + 1) % 2_000);
            let text = "a description of some length that costs room ".repeat(3);
            (
                format!("S{index}"),
                json!({"type": "object", "description": text, "properties": {"next": {"$ref": next}}}),
            )
        })
        .collect();
    let response =
        json!({"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}});
    let text = json!({
        "openapi": "3.0.3",
        "paths": {"/a": {"get": {"responses": response}}},
        "components": {"schemas": schemas}
    });
    let api = parse(text.to_string(), "a.json").unwrap();
    super::assert_sound(&api);
    let tools = api.tools().unwrap();
    let result = tools.definitions().next().unwrap().output_schema.as_ref().unwrap().to_string();
    assert!(result.len() < 7_000, "{}", result.len());
    // The last one is there with less, or something stands in its place.
    let is_cut =
        result.contains("left out for brevity: S") || result.ends_with(r#""next":{"type":"object"}}}}}"#);
    assert!(is_cut, "{result}");
}

#[test]
fn tools_that_reach_every_schema_stay_small_and_are_named() {
    let document = |count: usize| {
        let schema = |index: usize| {
            json!({"type": "object", "properties": {
            "id": {"type": "integer"}, "next": {"$ref": format!("#/components/schemas/S{}", (index + 1) % count)}}})
        };
        let schemas: Map<String, Value> =
            (0..count).map(|index| (format!("S{index}"), schema(index))).collect();
        let body = |index: usize| json!({"content": {"application/json": {"schema": {"$ref": format!("#/components/schemas/S{index}")}}}});
        let paths: Map<String, Value> = (0..count)
            .map(|index| (format!("/a{index}"), json!({"post": {"requestBody": body(index)}})))
            .collect();
        json!({"openapi": "3.0.3", "paths": paths, "components": {"schemas": schemas}}).to_string()
    };
    let api = parse(document(400), "chain.json").unwrap();
    let told = api.diagnostics()[0].to_string();
    assert!(
        told.contains("note[large-tool]: the arguments of 400 tools, such as `post_a0`, reach more"),
        "{told}"
    );
    // Each is the one before, one schema further on; the first and the last stand where the circle closes.
    for definition in api.tools().unwrap().definitions().step_by(19) {
        super::assert_sound_definition(definition);
        let carried = definition.input_schema.as_value()["$defs"].as_object().unwrap().len();
        assert!((200..=252).contains(&carried), "{carried}");
    }
    assert!(parse(document(100), "chain.json").unwrap().diagnostics().is_empty());
}
