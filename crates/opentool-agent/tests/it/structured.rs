//! Answers of a Rust type.

use opentool_agent::{Agent, AgentError, Approvals, Decision, Limit, Limits, Run, chat};
use opentool_core::{AssistantMessage, ChatReply, Message, StopReason, ToolSet, Usage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::fixtures::{echo, raw, set, texts};

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Forecast {
    city: String,
    #[schemars(range(min = 0, max = 100))]
    chance: u8,
}

fn paris() -> Forecast {
    Forecast { city: "Paris".to_owned(), chance: 80 }
}

#[tokio::test]
async fn the_answer_is_the_arguments_of_a_tool_and_other_tools_run_on_the_way() {
    let model = chat::script()
        .calls([("echo", json!({"n": 1}))])
        .calls([("final_answer", json!({"city": "Paris", "chance": "80"}))]);
    let answer = Agent::new(model, set![echo()]).run_as::<Forecast>("Rain?").await.unwrap();
    assert_eq!(answer.value, paris());
    assert_eq!(answer.reply.rounds, 2);
    assert_eq!(texts(&answer.reply.messages)[0], r#"{"n":1}"#);
}

#[tokio::test]
async fn the_model_is_told_how_to_answer_and_of_no_other_type() {
    let model = chat::script().then(|request| {
        assert_eq!(request.tools.names().collect::<Vec<_>>(), ["final_answer", "final_answer_2"]);
        let schema = &request.tools.get("final_answer_2").expect("the tool").definition().input_schema;
        assert_eq!(schema.as_value()["required"], json!(["city", "chance"]));
        let Message::System(told) = &request.messages[0] else { panic!("no instructions") };
        assert_eq!(told, "Be brief.\n\nGive your final answer by calling the tool `final_answer_2`.");
        AssistantMessage::text(r#"{"city": "Paris", "chance": 80}"#)
    });
    let agent =
        Agent::new(model, set![raw("final_answer", async |_, _| Err(opentool_core::ToolError::Cancelled))]);
    assert_eq!(agent.system("Be brief.").run_as::<Forecast>("Rain?").await.unwrap().value, paris());
}

#[tokio::test]
async fn an_answer_in_plain_text_is_read_if_it_holds_the_value() {
    let model = chat::script().text("```json\n{\"city\": \"Paris\", \"chance\": 80}\n```");
    assert_eq!(Agent::new(model, ToolSet::new()).run_as::<Forecast>("?").await.unwrap().value, paris());
}

#[tokio::test]
async fn what_is_no_object_is_held_by_one() {
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mood {
        Good,
        Bad,
    }
    let list = chat::script().calls([("final_answer", json!({"answer": [{"city": "Paris", "chance": 80}]}))]);
    assert_eq!(Agent::new(list, ToolSet::new()).run_as::<Vec<Forecast>>("?").await.unwrap().value, [paris()]);
    let mood = chat::script().calls([("final_answer", json!({"answer": "good"}))]);
    assert_eq!(Agent::new(mood, ToolSet::new()).run_as::<Mood>("?").await.unwrap().value, Mood::Good);
    let number = chat::script().calls([("final_answer", json!({"answer": 7}))]);
    assert_eq!(Agent::new(number, ToolSet::new()).run_as::<Option<u8>>("?").await.unwrap().value, Some(7));
}

#[tokio::test]
async fn wrong_answers_are_sent_back_a_few_times() {
    let cost = |message| ChatReply::new(message).usage(Usage::new(10, 1));
    let model = chat::script()
        .calls([("final_answer", json!({"city": "Paris", "chance": 101}))])
        .answers(cost(AssistantMessage::text("It will rain in Paris.")))
        .then(|request| {
            let Some(Message::User(said)) = request.messages.last() else { panic!("not sent back") };
            let said = format!("{said:?}");
            assert!(
                said.contains("not of the form that is needed") && said.contains("final_answer"),
                "{said}"
            );
            AssistantMessage::text(r#"{"city": "Paris", "chance": 80}"#)
        });
    let answer = Agent::new(model.clone(), ToolSet::new()).run_as::<Forecast>("Rain?").await.unwrap();
    assert_eq!(answer.value, paris());
    assert_eq!((model.asked(), answer.reply.rounds, answer.reply.usage), (3, 3, Usage::new(10, 1)));
    assert!(texts(&answer.reply.messages)[0].contains("/chance"));
}

#[tokio::test]
async fn a_model_that_never_fits_ends_with_what_is_wrong() {
    let talks = chat::Script::always(|_| AssistantMessage::text("Rain."));
    let error = Agent::new(talks.clone(), ToolSet::new()).answer_repairs(2).run_as::<Forecast>("?").await;
    let error = error.unwrap_err();
    assert!(matches!(error, AgentError::Unfit(_)), "{error}");
    assert!(error.to_string().starts_with("the model gave no answer of the wanted form: "), "{error}");
    assert_eq!(talks.asked(), 3);
    assert!(error.run().is_some());

    let wrong = chat::Script::always(|request| {
        let n = request.messages.len();
        AssistantMessage::calls([opentool_core::ToolCall::new("", "final_answer", json!({"city": n}))])
    });
    let error = Agent::new(wrong.clone(), ToolSet::new()).run_as::<Forecast>("?").await.unwrap_err();
    assert!(matches!(&error, AgentError::Unfit(unfit) if unfit.problem.contains("/chance")), "{error}");
    assert_eq!(wrong.asked(), 5);

    let refuses =
        chat::script().answers(ChatReply::new(AssistantMessage::text("No.")).stop(StopReason::Refusal));
    let error = Agent::new(refuses, ToolSet::new()).run_as::<Forecast>("?").await.unwrap_err();
    assert!(error.to_string().ends_with("it refused: No."), "{error}");
}

#[tokio::test]
async fn a_run_that_waited_for_a_person_ends_with_the_answer_of_its_type_in_another_process() {
    let answer = || json!({"city": "Paris", "chance": 80});
    let model = || chat::script().calls([("echo", json!({"n": 1}))]);
    let agent = |model: chat::Script| {
        Agent::new(model, set![echo()]).approvals(Approvals::new().ask(["echo"])).system("Be brief.")
    };
    let cost = |message: AssistantMessage| ChatReply::new(message).usage(Usage::new(10, 1));
    let error = agent(model()).run_as::<Forecast>("Rain?").await.unwrap_err();
    let AgentError::Suspended(mut run) = error else { panic!("{error}") };
    run.decide("call_1", Decision::Allow).unwrap();
    let stored = serde_json::to_string(&run).unwrap();
    let run: Run = serde_json::from_str(&stored).unwrap();
    // A wrong answer is mended there as it would have been here.
    let later = chat::script()
        .answers(cost(AssistantMessage::text("It will.")))
        .calls([("final_answer", json!({"city": "Paris", "chance": 101}))])
        .calls([("final_answer", answer())]);
    let answered = agent(later).resume_as::<Forecast>(run).await.unwrap();
    assert_eq!(answered.value, paris());
    assert_eq!(texts(&answered.reply.messages)[0], r#"{"n":1}"#);
    assert_eq!((answered.reply.rounds, answered.reply.usage), (4, Usage::new(10, 1)));
    let Message::System(told) = &answered.reply.messages[0] else { panic!("no instructions") };
    assert_eq!(told.matches("final_answer").count(), 1);

    // One that began without a type.
    let plain = agent(model()).run("Rain?").await.unwrap_err();
    let mut run = plain.into_run().unwrap();
    run.decide("call_1", Decision::Allow).unwrap();
    let later = agent(chat::script().calls([("final_answer", answer())]));
    assert_eq!(later.resume_as::<Forecast>(run).await.unwrap().value, paris());
}

#[tokio::test]
async fn nobody_has_to_allow_an_answer() {
    let model = || {
        chat::script()
            .calls([("echo", json!({"n": 1}))])
            .calls([("final_answer", json!({"city": "Paris", "chance": 80}))])
    };
    for approvals in [
        Approvals::new().allow(["echo"]).ask_unless_read_only(),
        Approvals::new().allow(["echo"]).ask_otherwise(),
        Approvals::new().allow(["echo"]).deny_unless_read_only(),
        Approvals::new().allow(["echo"]).deny_otherwise(),
    ] {
        let agent = Agent::new(model(), set![echo()]).approvals(approvals);
        assert_eq!(agent.run_as::<Forecast>("Rain?").await.unwrap().value, paris());
    }
    for limit in [Limit::stop(1), Limit::tell(1)] {
        let agent = Agent::new(model(), set![echo()]).limits(Limits::new().calls(limit));
        assert_eq!(agent.run_as::<Forecast>("Rain?").await.unwrap().value, paris());
    }
    let agent = Agent::new(model(), set![echo()]).approvals(Approvals::new().deny_otherwise());
    let answer = agent.run_as::<Forecast>("Rain?").await.unwrap();
    assert!(texts(&answer.reply.messages)[0].contains("does not allow"), "other tools are judged as ever");
}
