//! Tools that are found without being listed.

use opentool::{ToolSet, tool, tools};

mod orders {
    use opentool::tool;

    /// Orders.
    #[tool(register, tags = ["shop"])]
    fn orders() {}

    pub(super) mod lines {
        use opentool::tool;

        /// Lines of an order.
        #[tool(register, tags = ["shop", "detail"])]
        pub(in super::super) fn lines(order: u32) -> u32 {
            order
        }
    }
}

mod orders_of_others {
    use opentool::tool;

    /// Not in `orders`.
    #[tool(register)]
    fn foreign() {}
}

mod two_of_a_name {
    mod one {
        /// One.
        #[opentool::tool(register)]
        fn same() {}
    }

    mod other {
        /// Other.
        #[opentool::tool(register, name = "same")]
        fn different() {}
    }
}

/// Not registered.
#[tool]
fn forgotten() {}

fn names(tools: &ToolSet) -> Vec<&str> {
    tools.names().collect()
}

#[test]
fn a_module_gives_its_own_tools_and_those_below_in_the_order_of_the_source() {
    let tools = ToolSet::registered_in(concat!(module_path!(), "::orders")).unwrap();
    assert_eq!(names(&tools), ["orders", "lines"]);
    assert!(ToolSet::registered_in("it::nowhere").unwrap().is_empty());
    assert!(ToolSet::registered_in("").unwrap().is_empty(), "an empty path is no module");
    let here: Vec<String> =
        ToolSet::registered_in(module_path!()).map_or_else(|clash| vec![clash.name], |_| Vec::new());
    assert_eq!(here, ["same"], "two of one name are an error");
}

#[test]
fn all_modules_come_in_one_order_and_a_clash_names_both_places() {
    let clash = ToolSet::registered().unwrap_err();
    let text = clash.to_string();
    assert!(text.contains("two_of_a_name::one::same"), "{text}");
    assert!(text.contains("two_of_a_name::other::different"), "{text}");
}

#[test]
fn tags_and_names_choose() {
    let tools = ToolSet::registered_in(concat!(module_path!(), "::orders")).unwrap();
    assert_eq!(names(&tools.by_tag("detail")), ["lines"]);
    assert_eq!(names(&tools.by_tag("shop")), ["orders", "lines"]);
    assert!(tools.by_tag("other").is_empty());
    assert!(tools.by_name("lines").is_some() && tools.by_name("line").is_none());
    let sent = opentool::schema::export(&tools, opentool::schema::Dialect::OpenAi).to_string();
    assert!(!sent.contains("shop") && !sent.contains("detail"), "{sent}");
}

#[test]
fn s058_s116_a_registered_function_is_found_and_called_like_any_tool_and_still_a_function() {
    assert_eq!(orders::lines::lines(3), 3);
    let tools = ToolSet::registered_in(concat!(module_path!(), "::orders")).unwrap();
    assert_eq!(crate::call(&tools, "lines", serde_json::json!({"order": 4})).unwrap().to_text(), "4");
}

#[test]
fn the_order_is_that_of_the_lines_and_not_of_the_linker() {
    let functions = super::functions::tools().unwrap();
    assert_eq!(names(&functions)[..3], ["plain", "lists", "objects"]);
    assert_eq!(functions.names().next_back(), Some("waits"));
}

#[test]
fn a_function_without_the_setting_is_not_found() {
    assert_eq!(tools![forgotten].len(), 1);
    let found = ToolSet::registered_in(concat!(module_path!(), "::orders")).unwrap();
    assert!(!found.contains("forgotten"));
}
