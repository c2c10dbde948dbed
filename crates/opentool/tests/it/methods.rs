//! `#[tool]` on `impl` blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use opentool::{ToolContext, ToolSet, tool};
use serde_json::json;

use crate::call;

struct Shop {
    name: String,
    sold: AtomicU32,
}

impl Shop {
    fn open(name: &str) -> Self {
        Self { name: name.to_owned(), sold: AtomicU32::new(0) }
    }
}

#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
struct Order {
    item: String,
    number: u32,
}

#[tool(tags = ["shop"], open_world = false)]
impl Shop {
    /// What no tool is made of.
    const LIMIT: u32 = 3;

    /// Orders something.
    #[tool(name = "place_order", destructive, tags = ["write"])]
    async fn order(
        &self,
        _cx: &ToolContext,
        /// What to order.
        item: String,
    ) -> Result<Order, String> {
        let number = self.sold.fetch_add(1, Ordering::SeqCst) + 1;
        if number > Self::LIMIT {
            Err(format!("{} is sold out", self.name))
        } else {
            Ok(Order { item, number })
        }
    }

    /// The rate of tax.
    #[tool(read_only)]
    fn tax() -> f64 {
        0.25
    }

    /// Like itself.
    fn same(&self, order: <Self as Catalogue>::Item) -> <Self as Catalogue>::Item {
        order
    }

    /// Not for models.
    #[tool(skip)]
    fn secret(&mut self) -> &mut String {
        &mut self.name
    }

    /// Only elsewhere.
    #[cfg(any())]
    fn never(&self) -> Missing {}
}

trait Catalogue {
    type Item;
}

impl Catalogue for Shop {
    type Item = u64;
}

#[test]
fn methods_and_associated_functions_become_tools_in_order() {
    let tools = ToolSet::from(Shop::open("Corner"));
    assert_eq!(tools.names().collect::<Vec<_>>(), ["place_order", "tax", "same"]);
    assert_eq!(call(&tools, "tax", json!({})).unwrap().structured, Some(json!(0.25)));
    assert_eq!(call(&tools, "same", json!({"order": 9})).unwrap().structured, Some(json!(9)));
}

#[test]
fn tools_of_one_value_share_it_and_the_host_can_keep_it() {
    let shop = Arc::new(Shop::open("Corner"));
    let tools = ToolSet::from(Arc::clone(&shop));
    for number in 1..=3 {
        let output = call(&tools, "place_order", json!({"item": "tea"})).unwrap();
        assert_eq!(output.structured, Some(json!({"item": "tea", "number": number})));
    }
    let error = call(&tools, "place_order", json!({"item": "tea"})).unwrap_err();
    assert_eq!(error.for_model(), "Corner is sold out");
    assert_eq!(shop.sold.load(Ordering::SeqCst), 4);
}

#[test]
fn two_values_do_not_share() {
    let (one, other) = (ToolSet::from(Shop::open("a")), ToolSet::from(Shop::open("b")));
    call(&one, "place_order", json!({"item": "tea"})).unwrap();
    let output = call(&other, "place_order", json!({"item": "tea"})).unwrap();
    assert_eq!(output.structured, Some(json!({"item": "tea", "number": 1})));
}

#[test]
fn settings_of_the_block_hold_for_each_method_and_add_up() {
    let tools = ToolSet::from(Shop::open("Corner"));
    let order = tools.get("place_order").unwrap().definition();
    assert_eq!(order.tags, ["shop", "write"]);
    assert_eq!(order.annotations.open_world, Some(false));
    assert_eq!(order.annotations.destructive, Some(true));
    assert!(order.origin.item.as_deref().unwrap().ends_with("::methods::Shop::order"));
    let tax = tools.get("tax").unwrap().definition();
    assert_eq!((tax.annotations.read_only, tax.annotations.destructive), (Some(true), None));
}

#[test]
fn a_method_stays_callable_and_a_skipped_one_too() {
    let mut shop = Shop::open("Corner");
    shop.secret().push('!');
    assert_eq!((shop.name.as_str(), Shop::tax()), ("Corner!", 0.25));
    let order = crate::run(shop.order(&ToolContext::new(), "tea".to_owned())).unwrap();
    assert_eq!((order.item.as_str(), order.number), ("tea", 1));
}

struct Archive;

#[tool(read_only, crate = renamed::framework)]
impl Archive {
    /// Reads.
    fn read(&self) -> u8 {
        1
    }

    /// Removes.
    #[tool(destructive)]
    fn remove(&self) {}
}

mod renamed {
    pub(crate) use opentool as framework;
}

/// Found under another path.
#[tool(crate = renamed::framework)]
fn elsewhere(#[arg(default = 2, minimum = 1)] n: u8) -> u8 {
    n
}

#[test]
fn a_method_answers_for_itself_where_the_block_says_the_opposite() {
    let tools = ToolSet::from(Archive);
    let hints = |name: &str| tools.get(name).unwrap().definition().annotations;
    assert_eq!((hints("read").read_only, hints("read").destructive), (Some(true), None));
    assert_eq!((hints("remove").read_only, hints("remove").destructive), (None, Some(true)));
}

#[test]
fn the_crate_may_go_by_another_name() {
    assert_eq!(
        call(&opentool::tools![elsewhere], "elsewhere", json!({})).unwrap().structured,
        Some(json!(2))
    );
}

struct Till;

// The other name of the attribute, where `tools![..]` does not have it.
#[opentool::macros::tools]
impl Till {
    /// What is in it.
    fn balance(&self) -> u32 {
        7
    }
}

#[test]
fn tools_is_tool_for_impl_blocks() {
    assert_eq!(ToolSet::from(Till).names().collect::<Vec<_>>(), ["balance"]);
}
