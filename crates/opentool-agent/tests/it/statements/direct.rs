//! S87 to S91: results that go to the caller and not to the model.

use opentool_agent::{Agent, Finish, chat};
use opentool_core::{Tool, ToolError, ToolOutput};
use serde_json::json;

use crate::fixtures::{raw, set, texts};

fn tool(name: &'static str, direct: bool) -> impl Tool {
    raw(name, async |_, arguments| match arguments.get("fail") {
        Some(_) => Err(ToolError::failed("it failed")),
        None => Ok(ToolOutput::text("result")),
    })
    .define(|definition| if direct { definition.return_direct(true) } else { definition })
}

#[tokio::test]
async fn s015_s042_s055_s087_s088_s089_s090_s091_direct_if_all_are_and_none_failed() {
    let d = || ("direct", json!({}));
    let m = || ("model", json!({}));
    let fails = || ("direct", json!({"fail": true}));
    for (calls, direct) in [
        (vec![d()], true),
        (vec![d(), d()], true),
        (vec![m()], false),
        (vec![d(), m()], false),
        (vec![m(), d()], false),
        (vec![fails()], false),
        (vec![d(), fails()], false),
        (vec![d(), ("nobody", json!({}))], false),
    ] {
        let words = format!("{calls:?}");
        let count = calls.len();
        let model = chat::script().calls(calls).text("from the model");
        let agent = Agent::new(model.clone(), set![tool("direct", true), tool("model", false)]);
        let reply = agent.run("?").await.unwrap();
        assert_eq!(reply.finish == Finish::ReturnDirect, direct, "{words}");
        assert_eq!(model.asked(), if direct { 1 } else { 2 }, "{words}");
        assert_eq!(texts(&reply.messages).len(), count, "every call has its result: {words}");
        if direct {
            assert_eq!(reply.text, ["result"].repeat(count).join("\n"));
        }
    }
}
