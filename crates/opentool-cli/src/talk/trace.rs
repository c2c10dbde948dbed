//! The tree of a turn: how long each answer and each call took, what was sent, what it cost.
//!
//! Made from the events that everybody can watch, under the names that OpenTelemetry's conventions for generative AI
//! give such spans: `invoke_agent`, `chat MODEL`, `execute_tool NAME`.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use opentool::Usage;
use opentool::agent::AgentEvent;
use opentool_text::printable_line;
use serde_json::{Value, json};

use super::show::strong;
use crate::console::{ERROR, FAINT};

/// The turns of a conversation.
pub(crate) struct Trace {
    model: String,
    turns: Mutex<Vec<Turn>>,
}

struct Turn {
    begun: Instant,
    ended: Option<Duration>,
    steps: Vec<Step>,
}

struct Step {
    begun: Instant,
    took: Option<Duration>,
    what: What,
}

enum What {
    Chat { usage: Option<Usage> },
    Call { id: String, name: String, sent: Vec<String>, failed: Option<String> },
}

impl Trace {
    /// Nothing so far.
    pub(crate) fn new(model: &str) -> Self {
        Self { model: model.to_owned(), turns: Mutex::default() }
    }

    fn turns(&self) -> MutexGuard<'_, Vec<Turn>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn begins.
    pub(crate) fn begin(&self) {
        self.turns().push(Turn { begun: Instant::now(), ended: None, steps: Vec::new() });
    }

    /// The turn is over.
    pub(crate) fn end(&self) {
        if let Some(turn) = self.turns().last_mut() {
            turn.ended = Some(turn.begun.elapsed());
        }
    }

    /// Takes note of an event of the current turn.
    pub(crate) fn tell(&self, event: &AgentEvent) {
        let mut turns = self.turns();
        let Some(turn) = turns.last_mut() else { return };
        match event {
            AgentEvent::RoundStarted { .. } => {
                turn.steps.push(Step { begun: Instant::now(), took: None, what: What::Chat { usage: None } });
            }
            AgentEvent::Usage { usage: cost } => {
                if let Some(Step { what: What::Chat { usage }, begun, took }) = turn.open_chat() {
                    *usage = Some(*cost);
                    *took = Some(begun.elapsed());
                }
            }
            AgentEvent::CallStarted { call_id, name, .. } => {
                if let Some(step) = turn.open_chat() {
                    step.took = Some(step.begun.elapsed());
                }
                let what =
                    What::Call { id: call_id.clone(), name: name.clone(), sent: Vec::new(), failed: None };
                turn.steps.push(Step { begun: Instant::now(), took: None, what });
            }
            AgentEvent::CallSent { call_id, request, .. } => {
                if let Some(Step { what: What::Call { sent, .. }, .. }) = turn.call(call_id) {
                    sent.push(request.clone());
                }
            }
            AgentEvent::CallFinished { call_id, name, output, failure, duration } => {
                if turn.call(call_id).is_none() {
                    // It was refused before it began.
                    if let Some(step) = turn.open_chat() {
                        step.took = Some(step.begun.elapsed());
                    }
                    let (id, name) = (call_id.clone(), name.clone());
                    let what = What::Call { id, name, sent: Vec::new(), failed: None };
                    turn.steps.push(Step { begun: Instant::now(), took: None, what });
                }
                if let Some(Step { what: What::Call { failed, .. }, took, .. }) = turn.call(call_id) {
                    *took = Some(*duration);
                    if output.is_error {
                        let code = failure.as_ref().map_or("failed", |failure| failure.code);
                        *failed = Some(code.to_owned());
                    }
                }
            }
            // From here on a person thinks, and no model.
            AgentEvent::ApprovalNeeded { .. } | AgentEvent::Finished { .. } => {
                if let Some(step) = turn.open_chat() {
                    step.took = Some(step.begun.elapsed());
                }
            }
            _ => {}
        }
    }

    /// The tree of the last turn, for programs: `{"trace": {…}}`.
    pub(crate) fn json(&self) -> Value {
        let turns = self.turns();
        json!({"trace": turns.last().map(|turn| turn.json(&self.model))})
    }

    /// The tree of the last turn.
    pub(crate) fn last(&self) -> String {
        let turns = self.turns();
        turns
            .last()
            .map_or_else(|| format!("{FAINT}no turn so far{FAINT:#}\n"), |turn| turn.tree(&self.model))
    }
}

impl Turn {
    /// The answer that has not come to its end.
    fn open_chat(&mut self) -> Option<&mut Step> {
        self.steps
            .iter_mut()
            .rev()
            .find(|step| matches!(step.what, What::Chat { .. }))
            .filter(|step| step.took.is_none())
    }

    fn call(&mut self, call: &str) -> Option<&mut Step> {
        self.steps.iter_mut().rev().find(|step| matches!(&step.what, What::Call { id, .. } if id == call))
    }

    fn took(&self) -> Duration {
        self.ended.unwrap_or_else(|| self.begun.elapsed())
    }

    fn json(&self, model: &str) -> Value {
        let steps = self.steps.iter().map(|step| {
            let took = step.took.map(|took| took.as_secs_f64() * 1_000.0);
            match &step.what {
                What::Chat { usage } => {
                    json!({"name": format!("chat {model}"), "duration_ms": took, "usage": usage})
                }
                What::Call { id, name, sent, failed } => json!({
                    "name": format!("execute_tool {name}"), "call_id": id, "duration_ms": took, "requests": sent,
                    "failure": failed,
                }),
            }
        });
        json!({
            "name": "invoke_agent",
            "duration_ms": self.took().as_secs_f64() * 1_000.0,
            "steps": steps.collect::<Vec<_>>(),
        })
    }

    fn tree(&self, model: &str) -> String {
        let took = self.took();
        let mut tree = format!("{} {FAINT}{}{FAINT:#}\n", strong("invoke_agent"), time(took));
        let last = self.steps.len().saturating_sub(1);
        for (index, step) in self.steps.iter().enumerate() {
            let (branch, below) = if index == last { ("└─", "  ") } else { ("├─", "│ ") };
            let took = step.took.map_or_else(|| "not finished".to_owned(), time);
            match &step.what {
                What::Chat { usage } => {
                    let tokens = usage
                        .map(|usage| {
                            format!(", {} tokens in, {} out", usage.input_tokens, usage.output_tokens)
                        })
                        .unwrap_or_default();
                    tree.push_str(&format!(
                        "{branch} {} {FAINT}{took}{tokens}{FAINT:#}\n",
                        strong(&format!("chat {model}"))
                    ));
                }
                What::Call { name, sent, failed, .. } => {
                    let name = strong(&format!("execute_tool {name}"));
                    let failed =
                        failed.as_ref().map(|code| format!(" {ERROR}{code}{ERROR:#}")).unwrap_or_default();
                    tree.push_str(&format!("{branch} {name} {FAINT}{took}{FAINT:#}{failed}\n"));
                    for request in sent {
                        tree.push_str(&format!("{below}   {FAINT}{}{FAINT:#}\n", printable_line(request)));
                    }
                }
            }
        }
        tree
    }
}

fn time(time: Duration) -> String {
    if time < Duration::from_secs(1) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.2} s", time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_in_which_a_person_decides_is_not_the_models() {
        let trace = Trace::new("m");
        trace.begin();
        trace.tell(&AgentEvent::RoundStarted { round: 1 });
        let pending =
            json!({"call_id": "a", "tool": "buy", "arguments": {}, "reason": "it may change something"});
        trace.tell(&AgentEvent::ApprovalNeeded { pending: serde_json::from_value(pending).unwrap() });
        let first = trace.json()["trace"]["steps"][0]["duration_ms"].clone();
        assert!(first.is_number(), "{first}");
        let (call_id, name) = ("a".to_owned(), "buy".to_owned());
        trace.tell(&AgentEvent::CallStarted { call_id, name, arguments: json!({}) });
        assert_eq!(trace.json()["trace"]["steps"][0]["duration_ms"], first);
    }
}
