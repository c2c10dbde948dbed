//! Facts, values and events of a call.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use opentool_core::{BoxFuture, EventSink, Progress, ToolContext, ToolEvent, ToolOutput};

#[derive(Debug, PartialEq)]
struct Tenant(&'static str);

#[test]
fn facts_are_found_by_type_and_values_by_key() {
    let cx = ToolContext::new().fact(Tenant("acme")).fact(7_u8).value("language", "fr").call_id("c1");
    assert_eq!(cx.get::<Tenant>(), Some(&Tenant("acme")));
    assert_eq!(cx.get::<u8>(), Some(&7));
    assert_eq!(cx.get::<String>(), None);
    assert_eq!(cx.get_value("language").unwrap(), "fr");
    assert_eq!(cx.id(), Some("c1"));
}

#[test]
fn a_clone_can_be_extended_without_touching_the_original() {
    let shared = ToolContext::new().fact(Tenant("acme"));
    let special = shared.clone().fact(Tenant("other"));
    assert_eq!(shared.get::<Tenant>(), Some(&Tenant("acme")));
    assert_eq!(special.get::<Tenant>(), Some(&Tenant("other")));
}

#[test]
fn debug_shows_no_fact_and_no_value() {
    let cx = ToolContext::new().fact(Tenant("acme-secret")).value("token", "t0ps3cret");
    let text = format!("{cx:?}");
    assert!(!text.contains("acme") && !text.contains("t0ps3cret"), "{text}");
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<String>>>);

impl EventSink for Heard {
    fn send(&self, event: ToolEvent) -> BoxFuture<'_, ()> {
        let text = match event {
            ToolEvent::Progress(p) => format!("{}/{}", p.done, p.total.unwrap_or_default()),
            ToolEvent::Partial(output) => output.to_text(),
            ToolEvent::Sent(request) => request,
            _ => String::new(),
        };
        self.0.lock().unwrap().push(text);
        Box::pin(std::future::ready(()))
    }
}

#[test]
fn events_reach_the_sink_in_order() {
    let heard = Heard::default();
    let cx = ToolContext::new().events(heard.clone());
    cx.progress(Progress::new(1.0).total(2.0)).now_or_never().unwrap();
    cx.sent("GET https://api.example/pet/1").now_or_never().unwrap();
    cx.partial(ToolOutput::text("half")).now_or_never().unwrap();
    assert_eq!(*heard.0.lock().unwrap(), ["1/2", "GET https://api.example/pet/1", "half"]);
    // Nobody listens: nothing happens, nothing blocks.
    ToolContext::new().progress(0.5).now_or_never().unwrap();
}
