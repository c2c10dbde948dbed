//! Order, names, selection and merging.

use std::sync::Arc;

use futures_util::FutureExt as _;
use opentool_core::{
    Arguments, BoxFuture, Origin, Tool, ToolContext, ToolDefinition, ToolError, ToolOutput, ToolSet,
};

use crate::{Named, named};

fn set(names: &[&str]) -> ToolSet {
    ToolSet::from_tools(names.iter().map(|name| named(name))).unwrap()
}

fn names(set: &ToolSet) -> Vec<&str> {
    set.names().collect()
}

#[test]
fn keeps_the_order_of_insertion() {
    assert_eq!(names(&set(&["c", "a", "b"])), ["c", "a", "b"]);
}

#[test]
fn merging_appends_and_refuses_a_clash_naming_both_origins() {
    let left = ToolSet::from_tools([Named(
        ToolDefinition::new("find", "Finds.").origin(Origin::new("openapi").location("a.yaml")),
    )])
    .unwrap();
    let right = ToolSet::from_tools([Named(
        ToolDefinition::new("find", "Finds.").origin(Origin::new("rust").item("shop::find")),
    )])
    .unwrap();
    assert_eq!(names(&set(&["a"]).merge(set(&["b"])).unwrap()), ["a", "b"]);
    let clash = left.clone().merge(right.clone()).unwrap_err();
    assert_eq!(clash.name, "find");
    let text = clash.to_string();
    assert!(text.contains("openapi a.yaml") && text.contains("rust shop::find"), "{text}");
    assert_eq!(names(&left.namespace("api").merge(right).unwrap()), ["api__find", "find"]);
}

#[test]
fn a_refused_insertion_changes_nothing() {
    let mut tools = set(&["a", "b"]);
    assert!(tools.insert(named("a")).is_err());
    assert_eq!(names(&tools), ["a", "b"]);
}

#[test]
fn a_clone_is_a_value_of_its_own() {
    let first = set(&["a"]);
    let mut second = first.clone();
    second.insert(named("b")).unwrap();
    assert_eq!((first.len(), second.len()), (1, 2));
}

#[test]
fn selects_by_name_tag_and_predicate() {
    let mut tools = set(&["a", "b", "c"]);
    tools.insert(Named(ToolDefinition::new("d", "Tagged.").tag("pets"))).unwrap();
    assert_eq!(names(&tools.by_tag("pets")), ["d"]);
    assert_eq!(names(&tools.only(["c", "a"]).unwrap()), ["a", "c"]);
    assert_eq!(names(&tools.without(["b"]).unwrap()), ["a", "c", "d"]);
    assert_eq!(names(&tools.filter(|d| d.description.contains("tool"))), ["a", "b", "c"]);
    assert_eq!(tools.only(["x"]).unwrap_err().name, "x");
    assert!(!tools.only(["a"]).unwrap().contains("b"));
}

#[test]
fn a_namespaced_tool_runs_and_is_found_by_its_new_name_only() {
    let tools = set(&["find"]).namespace("shop");
    assert!(tools.get("find").is_none());
    let tool = tools.get("shop__find").unwrap();
    assert_eq!(tool.definition().name, "shop__find");
    let cx = ToolContext::new();
    let output = tool.call(&cx, Arguments::new()).now_or_never().unwrap().unwrap();
    assert_eq!(output.to_text(), "find");
}

#[test]
fn a_name_that_the_namespace_makes_too_long_is_cut_and_stays_its_own() {
    let long = |end: &str| format!("{}{end}", "x".repeat(62));
    let tools = set(&["find", &long("_a"), &long("_b"), &"é".repeat(60)]);
    let named = tools.namespace("shop");
    assert_eq!(names(&named)[0], "shop__find");
    assert_eq!(named.len(), tools.len());
    for name in names(&named) {
        assert!(name.starts_with("shop__") && name.chars().count() <= 64, "{name}");
    }
    assert_eq!(names(&named), names(&tools.namespace("shop")), "the same every time");
    // The order is the way back.
    for (own, new) in tools.iter().zip(named.iter()) {
        assert_eq!(own.definition().description, new.definition().description);
    }
    // Somebody who knows the short name has given it to another tool before.
    let short = names(&named)[1].strip_prefix("shop__").unwrap().to_owned();
    assert_eq!(set(&[&long("_a"), &short]).namespace("shop").len(), 2);
    assert_eq!(set(&["a", "b"]).namespace(&"n".repeat(200)).len(), 2);
}

#[test]
fn nothing_looks_like_a_text_of_megabytes() {
    let mut tools = set(&["find_pets"]);
    for end in ["a", "b"] {
        tools.insert(named(&format!("{}{end}", "x".repeat(1 << 20)))).unwrap();
    }
    assert!(tools.nearest(&"x".repeat(1 << 20)).is_empty());
    assert_eq!(tools.nearest("find_pet"), ["find_pets"]);
    let Err(error) = tools.find(&"y".repeat(1 << 20)) else { panic!("found") };
    assert!(error.to_string().len() < 1_000, "{} bytes are written to a model", error.to_string().len());
}

#[test]
fn renaming_keeps_the_place_and_refuses_a_name_in_use() {
    let tools = set(&["a", "b", "c"]);
    assert_eq!(names(&tools.rename("b", "x").unwrap()), ["a", "x", "c"]);
    assert!(matches!(tools.rename("nope", "x"), Err(ToolError::UnknownTool(_))));
    assert!(tools.rename("b", "c").unwrap_err().to_string().contains("`c`"));
}

#[test]
fn an_unknown_name_suggests_names_that_look_like_it() {
    let tools = set(&["find_pets_by_status", "get_pet_by_id", "place_order"]);
    assert_eq!(tools.nearest("find_pet_by_status"), ["find_pets_by_status"]);
    assert_eq!(tools.nearest("getPetById")[0], "get_pet_by_id");
    assert_eq!(tools.nearest("order_place"), ["place_order"]);
    assert!(tools.nearest("zzz").is_empty());
    let Err(error) = tools.find("place_ordr") else { panic!("found") };
    assert_eq!(error.to_string(), "there is no tool `place_ordr`; did you mean `place_order`?");
}

#[test]
fn thousands_of_tools_are_normal() {
    let mut tools = ToolSet::new();
    for i in 0..20_000 {
        tools.insert(named(&format!("tool_{i}"))).unwrap();
    }
    assert_eq!(tools.get("tool_19999").unwrap().definition().name, "tool_19999");
}

#[test]
fn what_is_derived_is_made_once_for_all_clones_and_selections() {
    let tools = set(&["a", "b"]);
    let (_, first) = tools.derived("a", |_| 7_u32).unwrap();
    let selection = tools.only(["a"]).unwrap();
    let (_, second) = selection.derived("a", |_| -> u32 { panic!("made twice") }).unwrap();
    assert!(std::ptr::eq(first, second));
    assert!(tools.derived("x", |_| 7_u32).is_none());
}

#[test]
fn layers_wrap_every_tool() {
    struct Shout(Arc<dyn Tool>);
    impl Tool for Shout {
        fn definition(&self) -> &ToolDefinition {
            self.0.definition()
        }
        fn call<'a>(
            &'a self,
            cx: &'a ToolContext,
            arguments: Arguments,
        ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
            Box::pin(async move {
                let output = self.0.call(cx, arguments).await?;
                Ok(ToolOutput::text(output.to_text().to_uppercase()))
            })
        }
    }
    let loud = set(&["a", "b"]).layer(&|tool: Arc<dyn Tool>| Arc::new(Shout(tool)) as Arc<dyn Tool>).unwrap();
    let cx = ToolContext::new();
    let output = loud.get("b").unwrap().call(&cx, Arguments::new()).now_or_never().unwrap().unwrap();
    assert_eq!(output.to_text(), "B");
}
