//! The manual's first example: the time, and an alarm.

use opentool::{AssistantMessage, chat};
use serde_json::json;

use crate::{held, results};

// Its `main` plays the recording.
#[allow(dead_code)]
#[path = "../../src/bin/alarm.rs"]
mod example;

#[tokio::test]
async fn s005_the_time_is_asked_for_and_then_the_alarm_is_set() {
    let script = chat::script()
        .calls([("current_time", json!({}))])
        .then(|request| {
            let now = chat::last_results(request).next().expect("a result").output.to_text();
            AssistantMessage::text(format!("It is {now} now, a Sunday. Tomorrow is Monday."))
        })
        .calls([("current_time", json!({}))])
        .calls([("set_alarm", json!({"time": "2026-11-22T10:30:00+01:00"}))])
        .text("The alarm is set for 10:30.");
    let (replies, rings) =
        held("alarm.json", script, async |model| example::talk(model).await, |(replies, _)| replies).await;
    assert_eq!(replies[0].text, "It is 2026-11-22T10:20:00+01:00 now, a Sunday. Tomorrow is Monday.");
    assert_eq!(replies[1].text, "The alarm is set for 10:30.");
    let names: Vec<&str> = results(&replies[1]).iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["current_time", "set_alarm"]);
    assert_eq!(rings.as_deref(), Some("2026-11-22T10:30:00+01:00"), "the tool acted");
}
