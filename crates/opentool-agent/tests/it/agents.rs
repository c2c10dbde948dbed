//! Agents as tools of agents.

use std::sync::{Arc, Mutex};

use opentool_agent::memory::{Conversations, InProcess, Memory as _};
use opentool_agent::{Agent, AgentEvent, Approvals, Decision, StopWhen, chat};
use opentool_core::{
    AssistantMessage, Cancellation, ChatRequest, Message, ToolCall, ToolContext, ToolOutput, ToolSet,
};
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

fn asks(tool: &'static str) -> chat::Script {
    chat::script().calls([(tool, json!({"prompt": "Look it up."}))]).then(|request| {
        let text = chat::last_results(request).next().expect("a result").output.to_text();
        AssistantMessage::text(format!("It says: {text}"))
    })
}

#[tokio::test]
async fn an_agent_has_its_own_tools_and_gets_the_facts_of_the_host() {
    struct Tenant(&'static str);
    let whoami = raw("whoami", async |cx, _| {
        let locale = cx.get_value("locale").cloned().unwrap_or_default();
        Ok(ToolOutput::text(format!("{} {locale}", cx.get::<Tenant>().map_or("nobody", |tenant| tenant.0))))
    });
    let inner = Agent::new(
        chat::script().calls([("whoami", json!({}))]).then(|request| {
            assert_eq!(request.tools.names().collect::<Vec<_>>(), ["whoami"], "not those of the outer one");
            AssistantMessage::text(chat::last_results(request).next().expect("a result").output.to_text())
        }),
        set![whoami],
    )
    .context(ToolContext::new().fact(Tenant("inner")).value("locale", "fr"));
    let outer = Agent::new(asks("research"), set![inner.as_tool("research", "Looks things up.")])
        .context(ToolContext::new().fact(Tenant("acme")));
    let reply = outer.run("?").await.unwrap();
    assert_eq!(reply.text, "It says: acme \"fr\"");
    let opentool_core::Message::Tool(result) = &reply.messages[2] else { panic!("no result") };
    assert_eq!(result.output.metadata["agent.turn"]["rounds"], 2);
}

#[tokio::test]
async fn what_inner_agents_take_counts_for_the_rules_of_the_outer_one() {
    let usage = opentool_core::Usage::new(90, 10);
    let said = |text: &str| {
        opentool_core::ChatReply::new(AssistantMessage::text(text)).usage(opentool_core::Usage::new(90, 10))
    };
    let answers =
        || Agent::new(chat::script().answers(said("42")), set![]).as_tool("research", "Looks things up.");
    let stuck = || {
        let call = opentool_core::ToolCall::new("", "echo", json!({}));
        let asks = opentool_core::ChatReply::new(AssistantMessage::calls([call])).usage(usage);
        Agent::new(chat::script().answers(asks), set![echo()])
            .max_rounds(1)
            .as_tool("research", "Looks things up.")
    };
    // An answer of the inner agent, one of an agent inside of it, and none at all.
    let nested = Agent::new(asks("research"), set![answers()]).as_tool("research", "Asks somebody.");
    for tool in [answers(), nested, stuck()] {
        let outer = Agent::new(asks("research"), set![tool]);
        let reply = outer.run("?").await.unwrap();
        assert_eq!((reply.usage, reply.inner_usage), (Default::default(), usage));
    }
    let outer = Agent::new(asks("research"), set![stuck()]).stop_when(opentool_agent::StopWhen::tokens(100));
    assert_eq!(outer.run("?").await.unwrap().finish, opentool_agent::Finish::Stopped);
    let prices = opentool_agent::Prices::per_million(1e6, 1e6);
    let outer =
        Agent::new(asks("research"), set![stuck()]).stop_when(opentool_agent::StopWhen::cost(100.0, prices));
    assert_eq!(outer.run("?").await.unwrap().finish, opentool_agent::Finish::Stopped);
}

#[tokio::test]
async fn agents_that_call_each_other_are_stopped_at_a_depth() {
    // Each agent asks the next one, and passes on what it hears.
    let mut agent = Agent::new(asks("deeper"), set![echo()]);
    for _ in 0..8 {
        let tool = agent.as_tool("deeper", "Asks somebody else.").depth(3);
        agent = Agent::new(asks("deeper"), set![tool]);
    }
    let reply = agent.run("?").await.unwrap();
    assert_eq!(
        reply.text,
        "It says: It says: It says: It says: the call was refused: agents may call agents 3 deep only, and this call \
         is deeper"
    );
}

#[tokio::test]
async fn what_happens_inside_is_told_outside_and_people_are_asked_there() {
    let inner = Agent::new(chat::script().calls([("buy", json!({}))]).text("Bought."), {
        set![raw("buy", async |_, _| Ok(ToolOutput::text("ok")))]
    })
    .approvals(Approvals::new().ask(["buy"]));
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let see = Arc::clone(&seen);
    let outer = Agent::new(asks("shop"), set![inner.as_tool("shop", "Buys.")])
        .approver(async |pending| {
            assert_eq!(pending.tool, "buy");
            Some(Decision::Allow)
        })
        .observe(move |event| {
            if let AgentEvent::Inner { call_id, name, inner } = event
                && let AgentEvent::CallFinished { name: tool, .. } = &**inner
            {
                see.lock().unwrap().push(format!("{call_id} {name} {tool}"));
            }
        });
    assert_eq!(outer.run("?").await.unwrap().text, "It says: Bought.");
    assert_eq!(*seen.lock().unwrap(), ["call_1 shop buy"]);
}

#[tokio::test]
async fn an_agent_that_comes_to_nothing_is_a_failed_call() {
    let needs_approval = Agent::new(chat::script().calls([("echo", json!({}))]), set![echo()])
        .approvals(Approvals::new().ask_otherwise());
    let no_end = Agent::new(chat::script().calls([("echo", json!({}))]), set![echo()]).max_rounds(1);
    let broken = Agent::new(chat::script(), ToolSet::new());
    let tools = set![
        needs_approval.as_tool("careful", "…"),
        no_end.as_tool("endless", "…"),
        broken.as_tool("broken", "…"),
    ];
    let model = chat::script()
        .calls(["careful", "endless", "broken"].map(|name| (name, json!({"prompt": "?"}))))
        .text("ok");
    let reply = Agent::new(model, tools).run("?").await.unwrap();
    assert_eq!(
        texts(&reply.messages),
        [
            "the agent needs a person's approval for what it would do, and has nobody to ask",
            "the agent came to no answer within its limits; ask for less, or for something else",
            "the agent failed; its operator has the details",
        ]
    );
}

#[tokio::test]
async fn cancelling_reaches_the_agent_inside() {
    let signal = Cancellation::new();
    let trigger = signal.clone();
    let cancels = raw("cancels", move |_, _| {
        trigger.cancel();
        std::future::pending()
    });
    let inner = Agent::new(chat::script().calls([("cancels", json!({}))]), set![cancels]);
    let outer = Agent::new(asks("research"), set![inner.as_tool("research", "…")])
        .context(ToolContext::new().cancellation(signal));
    let error = outer.run("?").await.unwrap_err();
    assert_eq!(texts(error.run().expect("the run").messages()), ["the call was cancelled"]);
}

#[tokio::test]
async fn a_tool_may_call_back_into_the_agent_that_runs_it() {
    let model = chat::Script::always(|request| match chat::last_results(request).next() {
        Some(result) => AssistantMessage::text(result.output.to_text()),
        None => AssistantMessage::calls([ToolCall::new("", "back", json!({}))]),
    });
    let slot: Arc<Mutex<Option<Agent>>> = Arc::default();
    let own = Arc::clone(&slot);
    let back = raw("back", move |cx, _| {
        let agent = own.lock().unwrap().clone().expect("the agent");
        async move {
            struct Inside;
            if cx.get::<Inside>().is_some() {
                return Ok(ToolOutput::text("the bottom"));
            }
            let reply = agent.extend_context(ToolContext::new().fact(Inside)).run("?").await;
            Ok(ToolOutput::text(reply.map_err(opentool_core::ToolError::from_author)?.text))
        }
    });
    let agent = Agent::new(model, set![back]).stop_when(StopWhen::rounds(9));
    *slot.lock().unwrap() = Some(agent.clone());
    assert_eq!(agent.run("?").await.unwrap().text, "the bottom");
    slot.lock().unwrap().take();
}

/// A model that says how often it was asked something in the conversation that it is shown.
fn counts() -> chat::Script {
    chat::Script::always(|request| {
        let asked = request.messages.iter().filter(|message| matches!(message, Message::User(_))).count();
        AssistantMessage::text(format!("{asked} so far"))
    })
}

/// A model that asks `counter` once each turn, and passes on what it hears.
fn passes_on() -> chat::Script {
    chat::Script::always(|request: &ChatRequest<'_>| match chat::last_results(request).next() {
        Some(result) => AssistantMessage::text(result.output.to_text()),
        None => AssistantMessage::calls([ToolCall::new("", "counter", json!({"prompt": "How often?"}))]),
    })
}

#[tokio::test]
async fn an_agent_remembers_nothing_unless_it_is_given_a_memory() {
    let inner = Agent::new(counts(), ToolSet::new());
    let outer = Agent::new(passes_on(), set![inner.as_tool("counter", "Counts.")]);
    let conversations = Conversations::new(outer, InProcess::new());
    for _ in 0..2 {
        assert_eq!(conversations.say("ada", "?").await.unwrap().text, "1 so far");
    }
}

#[tokio::test]
async fn an_agent_with_a_memory_remembers_what_this_conversation_asked_and_no_other_one() {
    let memory = InProcess::new();
    let inner = Agent::new(counts(), ToolSet::new()).system("You count.");
    let tool = inner.as_tool("counter", "Counts.").memory(memory.clone());
    let outer = Agent::new(passes_on(), set![tool]);
    let conversations = Conversations::new(outer.clone(), InProcess::new());
    assert_eq!(conversations.say("ada", "?").await.unwrap().text, "1 so far");
    assert_eq!(conversations.say("ada", "?").await.unwrap().text, "2 so far");
    assert_eq!(conversations.say("bob", "?").await.unwrap().text, "1 so far");
    assert_eq!(memory.list().await.unwrap(), ["ada/counter", "bob/counter"]);
    assert_eq!(memory.load("ada/counter").await.unwrap().len(), 4, "questions and answers, no instructions");

    // By hand, where no store of the outer one is wanted; and nothing without an id.
    let agent = outer.clone().conversation_id("ada");
    assert_eq!(agent.run("?").await.unwrap().text, "3 so far");
    assert_eq!(outer.run("?").await.unwrap().text, "1 so far");
    assert_eq!(memory.list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn agents_inside_of_agents_remember_by_the_way_that_leads_to_them() {
    let memory = InProcess::new();
    let innermost = Agent::new(counts(), ToolSet::new()).as_tool("counter", "Counts.").memory(memory.clone());
    let middle =
        Agent::new(passes_on(), set![innermost]).as_tool("counter", "Passes on.").memory(memory.clone());
    let outer = Agent::new(passes_on(), set![middle]).conversation_id("ada");
    assert_eq!(outer.run("?").await.unwrap().text, "1 so far");
    assert_eq!(outer.run("?").await.unwrap().text, "2 so far");
    assert_eq!(memory.list().await.unwrap(), ["ada/counter", "ada/counter/counter"]);
}

#[tokio::test]
async fn whose_memory_it_is_can_be_said_by_the_host() {
    struct Customer(&'static str);
    let memory = InProcess::new();
    let tool =
        Agent::new(counts(), ToolSet::new()).as_tool("counter", "Counts.").memory_per(memory.clone(), |cx| {
            cx.get::<Customer>().map(|customer| format!("customer {}", customer.0))
        });
    let outer = Agent::new(passes_on(), set![tool]);
    let asks = async |customer| {
        let context = ToolContext::new().fact(Customer(customer));
        outer.clone().extend_context(context).run("?").await.unwrap().text
    };
    assert_eq!(asks("7").await, "1 so far");
    assert_eq!(asks("7").await, "2 so far");
    assert_eq!(asks("8").await, "1 so far");
    assert_eq!(outer.run("?").await.unwrap().text, "1 so far", "nobody is signed in");
    assert_eq!(memory.list().await.unwrap(), ["customer 7", "customer 8"]);
}

#[tokio::test]
async fn calls_of_one_answer_that_share_a_memory_lose_nothing() {
    let memory = InProcess::new();
    let tool = Agent::new(counts(), ToolSet::new()).as_tool("counter", "Counts.").memory(memory.clone());
    let model = chat::script()
        .calls(["a", "b", "c"].map(|prompt| ("counter", json!({"prompt": prompt}))))
        .text("done");
    let reply = Agent::new(model, set![tool]).conversation_id("ada").run("?").await.unwrap();
    let mut heard = texts(&reply.messages);
    heard.sort();
    assert_eq!(heard, ["1 so far", "2 so far", "3 so far"], "one after the other");
    assert_eq!(memory.load("ada/counter").await.unwrap().len(), 6);
}
