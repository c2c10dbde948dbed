//! Many calls, one result each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use opentool_agent::Dispatcher;
use opentool_core::{Cancellation, ToolCall, ToolContext, ToolOutput};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use crate::fixtures::set;
use crate::fixtures::{add, echo, hangs, panics, raw};

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, json!({}))
}

// The clock stands still: where nothing can go on, the calls run into their limit at once.
#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side_and_results_come_in_the_order_of_the_calls() {
    // Each call waits for the two others: one after the other they would wait for ever.
    let barrier = Arc::new(Barrier::new(3));
    let meets = raw("meets", move |_, arguments| {
        let barrier = Arc::clone(&barrier);
        async move {
            // The last call to arrive is the first to leave.
            barrier.wait().await;
            Ok(ToolOutput::json(arguments.get("n").cloned().unwrap_or_default()))
        }
    });
    let calls: Vec<ToolCall> =
        (0..3).map(|n| ToolCall::new(format!("c{n}"), "meets", json!({"n": n}))).collect();
    let results = Dispatcher::new(set![meets]).dispatch(&calls).await;
    let seen: Vec<(&str, String)> =
        results.iter().map(|result| (result.call_id.as_str(), result.output.to_text())).collect();
    assert_eq!(seen, [("c0", "0".to_owned()), ("c1", "1".to_owned()), ("c2", "2".to_owned())]);
}

#[tokio::test]
async fn no_more_calls_run_at_a_time_than_allowed() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let counts = {
        let most = Arc::clone(&most);
        raw("counts", move |_, _| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(ToolOutput::new())
            }
        })
    };
    let calls: Vec<ToolCall> = (0..10).map(|n| call(&n.to_string(), "counts")).collect();
    let dispatcher = Dispatcher::new(set![counts]).concurrency(3);
    assert_eq!(dispatcher.dispatch(&calls).await.len(), 10);
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn whatever_goes_wrong_each_call_has_one_result_and_the_others_keep_theirs() {
    let dispatcher = Dispatcher::new(set![add(), echo(), panics(), hangs()]).timeout(Duration::from_secs(3));
    let calls = [
        call("1", "echo"),
        call("2", "panics"),
        call("3", "hangs"),
        call("4", "nobody"),
        call("5", "add"),
        call("6", "echo"),
    ];
    let results = dispatcher.dispatch(&calls).await;
    let seen: Vec<(&str, bool, &Value)> = results
        .iter()
        .map(|result| {
            let output = &result.output;
            (
                result.call_id.as_str(),
                output.is_error,
                output.metadata.get("error.code").unwrap_or(&Value::Null),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("1", false, &Value::Null),
            ("2", true, &json!("panicked")),
            ("3", true, &json!("timed_out")),
            ("4", true, &json!("unknown_tool")),
            ("5", true, &json!("invalid_arguments")),
            ("6", false, &Value::Null),
        ]
    );
    let panicked = results[1].output.to_text();
    assert!(!panicked.contains("secret of the operator"), "{panicked}");
    assert_eq!(results[2].output.to_text(), "the tool gave no answer within 3 s");
}

#[tokio::test(start_paused = true)]
async fn the_sooner_of_limit_and_deadline_holds_and_the_tool_knows_it() {
    let left = raw("left", async |cx, _| {
        let left = cx.ends_at().expect("a deadline") - tokio::time::Instant::now().into_std();
        Ok(ToolOutput::json(left.as_secs()))
    });
    let tools = set![left, hangs()];
    let dispatcher = Dispatcher::new(tools).timeout(Duration::from_secs(9));
    assert_eq!(dispatcher.call(&call("a", "left")).await.output.to_text(), "9");

    let soon = tokio::time::Instant::now().into_std() + Duration::from_secs(2);
    let dispatcher = dispatcher.context(ToolContext::new().deadline(soon));
    assert_eq!(dispatcher.call(&call("b", "left")).await.output.to_text(), "2");
    let late = dispatcher.call(&call("c", "hangs")).await;
    assert_eq!(late.output.to_text(), "the tool gave no answer within 2 s");

    let unlimited = Dispatcher::new(set![hangs()]).timeout(Duration::MAX);
    let hour = Duration::from_secs(3_600);
    assert!(tokio::time::timeout(hour, unlimited.call(&call("d", "hangs"))).await.is_err());
}

#[tokio::test]
async fn a_host_that_gives_up_gets_its_results_at_once() {
    let signal = Cancellation::new();
    let trigger = signal.clone();
    let cancels = raw("cancels", move |_, _| {
        trigger.cancel();
        std::future::pending()
    });
    let dispatcher =
        Dispatcher::new(set![cancels, hangs(), echo()]).context(ToolContext::new().cancellation(signal));
    let results = dispatcher.dispatch(&[call("1", "hangs"), call("2", "cancels"), call("3", "echo")]).await;
    assert!(results.iter().all(|result| result.output.to_text() == "the call was cancelled"), "{results:?}");
    assert_eq!(results.len(), 3);
}

#[tokio::test]
async fn a_call_that_ended_well_is_not_cancelled_afterwards() {
    let kept: Arc<std::sync::Mutex<Option<Cancellation>>> = Arc::default();
    let keeps = {
        let kept = Arc::clone(&kept);
        raw("keeps", move |cx, _| {
            *kept.lock().unwrap() = Some(cx.cancel_signal().clone());
            async { Ok(ToolOutput::new()) }
        })
    };
    Dispatcher::new(set![keeps]).call(&call("a", "keeps")).await;
    let signal = kept.lock().unwrap().take().expect("the tool ran");
    assert!(!signal.is_cancelled(), "work that goes on behind the call may");
}

#[tokio::test]
async fn each_call_knows_its_id() {
    let id = raw("id", async |cx, _| Ok(ToolOutput::text(cx.id().unwrap_or("none"))));
    let results = Dispatcher::new(set![id]).dispatch(&[call("x", "id"), call("y", "id")]).await;
    let ids: Vec<String> = results.iter().map(|result| result.output.to_text()).collect();
    assert_eq!(ids, ["x", "y"]);
}

#[tokio::test]
async fn a_host_deadline_in_the_past_runs_out_at_once() {
    let past = Instant::now() - Duration::from_millis(1);
    let ran = Arc::new(AtomicUsize::new(0));
    let counts = {
        let ran = Arc::clone(&ran);
        raw("counts", move |_, _| {
            ran.fetch_add(1, Ordering::SeqCst);
            async { Ok(ToolOutput::new()) }
        })
    };
    let dispatcher = Dispatcher::new(set![counts]).context(ToolContext::new().deadline(past));
    assert!(dispatcher.call(&call("a", "counts")).await.output.is_error);
    assert_eq!(ran.load(Ordering::SeqCst), 0, "nothing begins that nobody waits for");
}
