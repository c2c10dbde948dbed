//! What the manual of Spring AI promises about writing tools (S10 to S77), each under its number. What it promises about
//! calling them is in the tests of `opentool-agent`; where each number is kept says `docs/statements.md` there.

use std::collections::BTreeMap;

use opentool::{Redefined, Tool as _, ToolContext, ToolDefinition, ToolSet, tool, tool_fn, tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{call, call_in};

/// Where somebody lives.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Address {
    /// The street with its number.
    street_name: String,
    /// Left out abroad.
    #[serde(default)]
    zip: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    Slow,
    Fast,
}

/// Sends a parcel.
#[tool]
fn send_parcel(
    /// Who gets it.
    to: Address,
    others: Vec<Address>,
    speed: Speed,
    labels: BTreeMap<String, Vec<u8>>,
    size: [f64; 3],
    note: Option<String>,
) -> String {
    format!("{} {} {speed:?} {labels:?} {size:?} {note:?}", to.street_name, others.len())
}

fn schema() -> Value {
    send_parcel {}.definition().input_schema.as_value().clone()
}

#[test]
fn s010_s011_s014_s017_s020_a_function_becomes_a_tool_by_one_attribute() {
    // Without a name it has the function's; a description there must be: the compiler says so (`no_description`).
    #[doc = "Says nothing."]
    #[tool]
    fn nothing() {}
    let tools = tools![send_parcel, nothing];
    assert_eq!(tools.names().collect::<Vec<_>>(), ["send_parcel", "nothing"]);
    assert_eq!(call(&tools, "nothing", json!({})).unwrap().to_text(), "Done.");
}

#[test]
fn s059_a_description_has_one_source_the_attribute_or_else_the_function() {
    /// Read by people.
    #[tool(description = "Read by models.")]
    fn told() {}
    /// Read by both.
    #[tool]
    fn plain() {}
    let tools = tools![told, plain];
    let texts: Vec<_> = tools.definitions().map(|definition| definition.description.as_str()).collect();
    assert_eq!(texts, ["Read by models.", "Read by both."]);
}

/// A shop with its state.
struct Shop {
    name: &'static str,
}

#[tool]
impl Shop {
    /// The name of the shop.
    fn name(&self) -> String {
        self.name.to_owned()
    }

    /// The tax.
    fn tax() -> f64 {
        0.2
    }

    /// Who asks.
    fn asker(&self, cx: &ToolContext) -> Option<String> {
        cx.get_value("user").and_then(Value::as_str).map(str::to_owned)
    }
}

#[test]
fn s017_s018_s038_s040_methods_and_associated_functions_of_a_private_type_are_tools() {
    let tools = ToolSet::from(Shop { name: "Corner" });
    assert_eq!(tools.names().collect::<Vec<_>>(), ["name", "tax", "asker"]);
    assert_eq!(call(&tools, "name", json!({})).unwrap().to_text(), "Corner");
    assert_eq!(call(&tools, "tax", json!({})).unwrap().to_text(), "0.2");
}

#[test]
fn s012_s013_a_name_is_there_once() {
    let clash = ToolSet::from(Shop { name: "a" }).merge(Shop { name: "b" }).unwrap_err();
    assert_eq!(clash.name, "name");
}

#[test]
fn s021_s022_s047_parameters_and_results_of_any_serialisable_type() {
    let arguments = json!({
        "to": {"streetName": "Main 1"}, "others": [{"streetName": "Side 2", "zip": "1"}], "speed": "fast",
        "labels": {"a": [1, 2]}, "size": [1, 2.5, 3]
    });
    let output = call(&tools![send_parcel], "send_parcel", arguments).unwrap();
    assert_eq!(output.to_text(), r#"Main 1 1 Fast {"a": [1, 2]} [1.0, 2.5, 3.0] None"#);

    /// Where they live.
    #[tool]
    async fn addresses(street: String) -> BTreeMap<String, Vec<Address>> {
        BTreeMap::from([("all".to_owned(), vec![Address { street_name: street, zip: None }])])
    }
    /// How fast it was, if it came.
    #[tool]
    fn speed(came: bool) -> Option<Speed> {
        came.then_some(Speed::Slow)
    }
    /// Whether it fits.
    #[tool]
    fn fits(size: u8) -> Result<bool, String> {
        if size > 0 { Ok(size < 10) } else { Err("nothing fits everywhere".to_owned()) }
    }
    let tools = tools![addresses, speed, fits];
    for (name, arguments, text) in [
        ("addresses", json!({"street": "Main 1"}), r#"{"all":[{"streetName":"Main 1","zip":null}]}"#),
        ("speed", json!({"came": true}), "slow"),
        ("speed", json!({"came": false}), "null"),
        ("fits", json!({"size": 3}), "true"),
    ] {
        assert_eq!(call(&tools, name, arguments).unwrap().to_text(), text, "{name}");
    }
    let refused = call(&tools, "fits", json!({"size": 0})).unwrap_err();
    assert_eq!(refused.for_model(), "nothing fits everywhere");
}

#[test]
fn s015_s091_the_attribute_says_whether_a_result_goes_to_the_caller() {
    /// To the caller.
    #[tool(return_direct)]
    fn direct() {}
    /// To the model.
    #[tool]
    fn usual() {}
    let direct: Vec<bool> = tools![direct, usual].definitions().map(|tool| tool.return_direct).collect();
    assert_eq!(direct, [true, false]);
}

#[test]
fn s023_s024_s028_s060_s071_s072_s073_the_schema_and_its_descriptions_come_from_the_types_at_every_depth() {
    let schema = schema();
    let address = &schema["$defs"]["Address"];
    assert_eq!(schema["properties"]["to"]["description"], "Who gets it.", "the parameter's own words win");
    assert_eq!(address["description"], "Where somebody lives.");
    assert_eq!(address["properties"]["streetName"]["description"], "The street with its number.");
    assert_eq!(schema["$defs"]["Speed"]["enum"], json!(["slow", "fast"]));
}

#[test]
fn s025_s026_s027_s074_s075_s076_everything_is_required_that_is_no_option_at_every_depth() {
    let schema = schema();
    assert_eq!(schema["required"], json!(["to", "others", "speed", "labels", "size"]));
    assert_eq!(schema["$defs"]["Address"]["required"], json!(["streetName"]));
    let problems = call(&tools![send_parcel], "send_parcel", json!({"to": {}})).unwrap_err().for_model();
    for pointer in ["/to/streetName", "/others", "/speed", "/labels", "/size"] {
        assert!(problems.contains(pointer), "{pointer}: {problems}");
    }
}

#[test]
fn s077_s081_the_context_is_a_parameter_that_no_model_sees() {
    let tools = ToolSet::from(Shop { name: "Corner" });
    let asker = tools.get("asker").unwrap();
    assert_eq!(asker.definition().input_schema.properties().count(), 0);
    let cx = ToolContext::new().value("user", "ada");
    assert_eq!(call_in(&cx, &tools, "asker", json!({})).unwrap().to_text(), "ada");
    assert_eq!(
        call(&tools, "asker", json!({})).unwrap().to_text(),
        "null",
        "without a context there is none"
    );
}

#[derive(Deserialize, JsonSchema)]
struct Pair<T> {
    left: T,
    right: T,
}

#[test]
fn s049_s050_s053_s054_s056_functions_of_every_shape_are_tools() {
    let io = tool_fn("io", "In and out.", async |pair: Pair<i64>| Ok::<_, String>(pair.left + pair.right));
    let out = tool_fn("out", "Out.", async |(): ()| Ok::<_, String>(7));
    let input =
        tool_fn(
            "input",
            "In.",
            async |pair: Pair<String>| {
                if pair.left == pair.right { Ok(()) } else { Err("they differ".to_owned()) }
            },
        );
    let list =
        tool_fn("list", "A list in, by a name.", async |pair: Pair<Vec<u8>>| Ok::<_, String>(pair.left));
    let mut tools = ToolSet::from_tools([io]).unwrap();
    tools.insert(out).unwrap();
    tools.insert(input).unwrap();
    tools.insert(list).unwrap();
    let text = |name, arguments| {
        call(&tools, name, arguments).map(|output| output.to_text()).map_err(|e| e.for_model())
    };
    assert_eq!(text("io", json!({"left": 1, "right": 2})), Ok("3".to_owned()));
    assert_eq!(text("out", json!({})), Ok("7".to_owned()));
    assert_eq!(text("input", json!({"left": "a", "right": "a"})), Ok("Done.".to_owned()));
    assert_eq!(text("input", json!({"left": "a", "right": "b"})), Err("they differ".to_owned()));
    assert_eq!(text("list", json!({"left": [1], "right": []})), Ok("[1]".to_owned()));
}

#[test]
fn s043_s044_s052_s068_s070_a_definition_is_read_and_every_part_of_it_can_be_said_by_the_host() {
    let read = send_parcel {}.definition().clone();
    assert_eq!((read.name.as_str(), read.description.as_str()), ("send_parcel", "Sends a parcel."));
    let own = json!({"type": "object", "properties": {"to": {"type": "string"}}});
    let mut said: ToolDefinition = read.input_schema(own.clone()).return_direct(true);
    said.name = "post".to_owned();
    assert_eq!((said.name.as_str(), said.return_direct), ("post", true));
    assert_eq!(*said.input_schema.as_value(), own, "what is said explicitly wins");

    // And it holds for calls: what it says is what is checked, and the function is the same.
    let narrow = json!({
        "type": "object", "properties": {"left": {"const": 1}, "right": {"maximum": 5}}, "required": ["left"],
    });
    let sum = std::sync::Arc::new(tool_fn("sum", "Adds.", async |pair: Pair<i64>| {
        Ok::<_, String>(pair.left + pair.right)
    }));
    let mut said = sum.definition().clone().input_schema(narrow);
    said.name = "one_more".to_owned();
    let tools = ToolSet::from_tools([Redefined::new(sum, said)]).unwrap();
    assert_eq!(call(&tools, "one_more", json!({"left": 1, "right": 2})).unwrap().to_text(), "3");
    let refused = call(&tools, "one_more", json!({"left": 2, "right": 9})).unwrap_err().for_model();
    assert!(refused.contains("/left") && refused.contains("/right"), "{refused}");
}
