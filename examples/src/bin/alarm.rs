//! The time, and an alarm: one tool tells, the other acts, and the model needs the first to call the second.
//!
//! The model is a recording, so that no key is needed. With `OPENTOOL_RECORD=1` and `OPENAI_API_KEY` it is made anew.

use std::error::Error;
use std::sync::{Arc, Mutex};

use opentool::agent::Reply;
use opentool::{Agent, ChatModel, ToolSet, chat, tool};

/// A clock with an alarm. A recording is about one moment, so this one stands still.
struct Clock {
    now: &'static str,
    alarm: Mutex<Option<String>>,
}

#[tool]
impl Clock {
    /// The current date and time where the user is.
    #[tool(read_only)]
    fn current_time(&self) -> &'static str {
        self.now
    }

    /// Sets the alarm, in place of one that was set before.
    fn set_alarm(
        &self,
        /// When it rings, in ISO 8601.
        #[arg(format = "date-time")]
        time: String,
    ) -> Result<(), String> {
        *self.alarm.lock().map_err(|_| "the clock is broken")? = Some(time);
        Ok(())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let cassette = concat!(env!("CARGO_MANIFEST_DIR"), "/cassettes/alarm.json");
    let (replies, alarm) = talk(chat::cassette(cassette, || chat::model("gpt-5"))?).await?;
    let rings = alarm.map_or_else(|| "will not ring".to_owned(), |time| format!("will ring at {time}"));
    println!("{}\n{}\nthe clock {rings}", replies[0], replies[1]);
    Ok(())
}

/// The answers, and when the clock will ring.
pub(crate) async fn talk(model: impl ChatModel) -> Result<([Reply; 2], Option<String>), Box<dyn Error>> {
    let clock = Arc::new(Clock { now: "2026-11-22T10:20:00+01:00", alarm: Mutex::default() });
    let agent = Agent::new(model, ToolSet::from(Arc::clone(&clock)));
    let tomorrow = agent.run("What day is tomorrow?").await?;
    let alarm = agent.run("Can you set an alarm 10 minutes from now?").await?;
    let rings = clock.alarm.lock().map_err(|_| "the clock is broken")?.clone();
    Ok(([tomorrow, alarm], rings))
}
