//! The part of a run that waits for people: calls that are held, and what is decided about them.
//!
//! It exists apart from `run.rs` because a run without approvals never gets here. Nothing is run here, and nothing is
//! asked: the run only remembers.

use opentool_core::{ToolError, ToolOutput, ToolResult};

use crate::{Decision, OutOfTurn, PendingCall, Run};

impl Run {
    /// Takes note that a call needs a person's decision before it runs.
    ///
    /// # Errors
    /// [`OutOfTurn`] if no call of this id waits for a result, or if it was decided about already and has not begun
    /// since.
    pub fn hold(&mut self, pending: PendingCall) -> Result<(), OutOfTurn> {
        let id = &pending.call_id;
        let is_decided = self.allowed.contains_key(id) && !self.begun.contains(id);
        if is_decided || !self.open().any(|call| call.id == *id) {
            return Err(self.out_of_turn(format!("an approval of the call `{id}`")));
        }
        // It was interrupted: what was decided before is no longer about this.
        self.begun.remove(id);
        self.allowed.remove(id);
        self.pending.insert(pending.call_id.clone(), pending);
        Ok(())
    }

    /// Takes note that a call waits with one that is held, until something is decided.
    pub(crate) fn wait_behind(&mut self, call_id: &str) -> Result<(), OutOfTurn> {
        self.behind.insert(call_id.to_owned());
        Ok(())
    }

    /// Takes a person's decision. With [`Decision::AllowTool`] other calls of the tool that wait are allowed as well, unless
    /// they were interrupted ([`PendingCall::interrupted`]). An allowed call is then asked for by [`Run::step`], with the very arguments that were
    /// shown; a denied one has its result, which the model reads.
    ///
    /// # Errors
    /// [`OutOfTurn`] if the call does not wait for a decision: each is decided about once.
    pub fn decide(&mut self, call_id: &str, decision: Decision) -> Result<(), OutOfTurn> {
        let Some(pending) = self.pending.remove(call_id) else {
            return Err(self.out_of_turn(format!("a decision about the call `{call_id}`")));
        };
        self.decided = true;
        // What waits behind others as well is found out anew.
        self.behind.clear();
        match decision {
            Decision::Allow => {}
            Decision::AllowTool => {
                self.allowed_tools.insert(pending.tool.clone());
                // Those that wait beside it are further calls of the tool, but for one that may have done its work.
                let same =
                    |_: &String, other: &mut PendingCall| other.tool == pending.tool && !other.interrupted;
                self.allowed.extend(self.pending.extract_if(.., same));
            }
            Decision::Deny { reason } => {
                let why = if reason.is_empty() { "a person denied it" } else { &reason };
                let error = ToolError::Refused(why.into());
                let output = ToolOutput::from(&error).metadata("error.code", error.code());
                let name = self.open().find(|call| call.id == call_id).map(|call| call.name.clone());
                let call = opentool_core::ToolCall {
                    name: name.unwrap_or(pending.tool.clone()),
                    ..pending.to_call()
                };
                self.untold.push(call_id.to_owned());
                return self.result(ToolResult::new(&call, output));
            }
        }
        self.allowed.insert(pending.call_id.clone(), pending);
        Ok(())
    }

    /// The calls that wait for a decision, in the order of the calls.
    pub fn pending_calls(&self) -> impl Iterator<Item = &PendingCall> {
        self.open().filter_map(|call| self.pending.get(&call.id))
    }

    /// The tools that a person allowed for the rest of the conversation.
    pub fn allowed_tools(&self) -> impl Iterator<Item = &str> {
        self.allowed_tools.iter().map(String::as_str)
    }
}
