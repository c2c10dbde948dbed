//! Tool sets that change.

use futures_util::FutureExt as _;
use opentool_core::{LiveTools, ToolSet, ToolSource};

use crate::named;

#[test]
fn a_replaced_set_is_seen_and_announced_once() {
    let live = LiveTools::new(ToolSet::new());
    let seen = live.tools();
    let mut change = live.changed(&seen);
    assert_eq!((&mut change).now_or_never(), None);
    live.replace(ToolSet::from_tools([named("a")]).unwrap());
    assert_eq!(change.now_or_never(), Some(()));
    let seen = live.tools();
    assert!(seen.contains("a"));
    assert_eq!(live.changed(&seen).now_or_never(), None);
}

#[test]
fn a_change_between_looking_and_waiting_is_not_missed() {
    let live = LiveTools::new(ToolSet::new());
    let seen = live.tools();
    live.replace(ToolSet::from_tools([named("a")]).unwrap());
    assert_eq!(live.changed(&seen).now_or_never(), Some(()));
}

#[test]
fn a_fixed_set_never_changes() {
    let tools = ToolSet::new();
    assert_eq!(ToolSource::changed(&tools, &tools.clone()).now_or_never(), None);
}
