//! The demo as a person sees it: plain ASCII, at home in 80 columns, with colours where they are wanted.
//!
//! Rendering is pure: an event in, styled text out.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use opentool::ToolOutput;
use opentool::agent::AgentEvent;
use serde_json::Value;

use super::event::{Event, NextStep, ToolLine};
use super::layout::{command, duration, shorten, wrap};
use opentool_text::printable;

use crate::console::{FAINT, STRONG};
use crate::render::{Column, table};

const PERSON: Style = AnsiColor::Cyan.on_default().bold();
const MODEL: Style = AnsiColor::Green.on_default().bold();
const CALL: Style = AnsiColor::Yellow.on_default();
const WRONG: Style = AnsiColor::Red.on_default().bold();

/// Where the text of a speaker begins.
const INDENT: usize = 10;

/// What has to be remembered between two events.
pub(super) struct Screen {
    width: usize,
    /// Calls of this round that have begun: results name their tool where there are several.
    calls: usize,
    /// The id of the call that began last: a request of another one names its tool.
    latest: Option<String>,
}

impl Screen {
    /// A screen so many columns wide, 80 where nobody knows. Very wide ones are not filled: long lines are
    /// hard to read.
    pub(super) fn new(width: Option<usize>) -> Self {
        Self { width: width.unwrap_or(80).clamp(40, 110), calls: 0, latest: None }
    }

    /// The text of an event.
    pub(super) fn show(&mut self, event: &Event<'_>) -> String {
        match event {
            Event::ShopOpened { url } => self.shop(url),
            Event::ToolsReady { tools } => self.tools(tools),
            Event::ConversationStarted { model, real_model, .. } => {
                self.conversation(model, real_model.as_ref())
            }
            Event::User { text } => format!("\n{}\n", self.speech(PERSON, "you", text)),
            Event::Agent(event) => self.agent(event),
            Event::Next { commands } => self.next(commands),
            Event::Serving { mcp, shop, tools } => self.serving(mcp, shop, *tools),
            Event::Closed => format!("{FAINT}closed{FAINT:#}\n"),
        }
    }

    fn shop(&self, url: &str) -> String {
        let mut text =
            format!("{STRONG}Define a tool once, call it from any model, over any protocol.{STRONG:#}\n");
        text.push_str(&heading("1. The API"));
        text.push_str(&self.paragraph(&format!(
            "A pet shop opens inside this program: a real HTTP server at {url}, described by an OpenAPI document."
        )));
        text
    }

    fn tools(&self, tools: &[ToolLine<'_>]) -> String {
        let imported = tools.iter().filter(|tool| tool.source != "Rust function").count();
        let mut text = heading("2. The tools");
        text.push_str(&self.paragraph(&format!(
            "The document becomes {imported} tools; {} Rust functions join them in one set.",
            tools.len().saturating_sub(imported)
        )));
        text.push('\n');
        let columns = [
            Column::whole("TOOL", STRONG),
            Column::narrowed("WHAT IT DOES", 12),
            Column::narrowed("FROM", 12),
        ];
        let rows: Vec<Vec<String>> = tools
            .iter()
            .map(|tool| {
                [tool.name, tool.summary, &tool.source].map(|cell| printable(cell).into_owned()).to_vec()
            })
            .collect();
        for line in table(&columns, &rows, Some(self.width.saturating_sub(3))).lines() {
            let _ = writeln!(text, "   {line}");
        }
        text
    }

    fn conversation(&self, model: &str, real: Option<&[String; 2]>) -> String {
        let mut text = heading("3. The conversation");
        let Some(commands) = real else {
            text.push_str(&self.paragraph(&format!(
                "The model is {}. What it says and which tools it calls is its own choice.",
                printable(model)
            )));
            return text;
        };
        text.push_str(&self.paragraph(
            "The model in it is a script that plays a model's part, so that this needs no key and no network. \
             All else is real: the loop, the checks of the arguments, the requests, the answers. With a real \
             model, from OpenAI or from your own machine:",
        ));
        for command in commands {
            text.push_str(&self.command(5, command));
        }
        text
    }

    fn agent(&mut self, event: &AgentEvent) -> String {
        match event {
            AgentEvent::RoundStarted { .. } => {
                self.calls = 0;
                String::new()
            }
            AgentEvent::Text { text } => format!("{}\n", self.speech(MODEL, "model", text)),
            AgentEvent::CallStarted { call_id, name, arguments } => {
                self.calls = self.calls.saturating_add(1);
                self.latest = Some(call_id.clone());
                let label = self.label(CALL, "call");
                let name = shorten(&printable(name), 40);
                let room = self.room().saturating_sub(name.chars().count().saturating_add(1));
                let arguments = shorten(&printable(&arguments_text(arguments)), room);
                format!("{label}{STRONG}{name}{STRONG:#} {arguments}\n")
            }
            AgentEvent::CallSent { call_id, name, request } => self.sent(call_id, name, request),
            AgentEvent::CallFinished { name, output, duration: took, .. } => {
                self.finished(name, output, &duration(*took))
            }
            _ => String::new(),
        }
    }

    fn sent(&self, call_id: &str, name: &str, request: &str) -> String {
        let whose = if self.latest.as_deref() == Some(call_id) { String::new() } else { of_tool(name) };
        let room = self.room().saturating_sub(whose.chars().count());
        let request = shorten(&printable(request), room);
        format!("{}{whose}{request}\n", self.label(FAINT, "sent"))
    }

    fn finished(&self, name: &str, output: &ToolOutput, took: &str) -> String {
        let (style, word) = if output.is_error { (WRONG, "error") } else { (CALL, "result") };
        let whose = if self.calls > 1 { of_tool(name) } else { String::new() };
        let room =
            self.room().saturating_sub(whose.chars().count()).saturating_sub(took.len().saturating_add(2));
        let result = shorten(&printable(&output.to_text()), room);
        let gap = room.saturating_sub(result.chars().count()).saturating_add(2);
        let label = self.label(style, word);
        format!("{label}{whose}{result}{:gap$}{FAINT}{took}{FAINT:#}\n", "")
    }

    fn next(&self, steps: &[NextStep]) -> String {
        let mut text = heading("4. What to try next");
        for step in steps {
            let _ = writeln!(text, "   {FAINT}# {}{FAINT:#}", step.about);
            text.push_str(&self.command(3, &step.command));
        }
        text
    }

    fn serving(&self, mcp: &str, shop: &str, tools: usize) -> String {
        let mut text = format!("{STRONG}A pet shop and its MCP server{STRONG:#}\n");
        text.push_str(&self.paragraph(&format!("{tools} tools are served over the Model Context Protocol.")));
        text.push('\n');
        let document = format!("{shop}/openapi.yaml");
        for (what, address) in
            [("MCP endpoint", mcp), ("pet shop", shop), ("its document", document.as_str())]
        {
            let _ = writeln!(text, "   {FAINT}{what:<14}{FAINT:#}{STRONG}{address}{STRONG:#}");
        }
        text.push('\n');
        text.push_str(&self.paragraph("Give a client the endpoint, for example:"));
        text.push_str(&self.command(5, &format!("claude mcp add --transport http petshop {mcp}")));
        let inspector = "npx @modelcontextprotocol/inspector --cli";
        text.push_str(&self.command(5, &format!("{inspector} {mcp} --transport http --method tools/list")));
        text.push_str(&self.paragraph("or in a client's configuration file:"));
        let _ = writeln!(text, "     {STRONG}{{\"mcpServers\": {{\"petshop\":{STRONG:#}");
        let _ = writeln!(text, "       {STRONG}{{\"type\": \"http\", \"url\": \"{mcp}\"}}}}}}{STRONG:#}");
        text.push('\n');
        text.push_str(&self.paragraph("Then ask it: \"Is there any pending pet?\" Ctrl-C ends the server."));
        text
    }

    /// A command to copy: never shortened.
    fn command(&self, indent: usize, text: &str) -> String {
        let lines = command(&printable(text), self.width.saturating_sub(indent)).into_iter();
        lines.map(|line| format!("{:indent$}{STRONG}{line}{STRONG:#}\n", "")).collect()
    }

    /// A speaker and what they said.
    fn speech(&self, style: Style, who: &str, said: &str) -> String {
        let mut text = self.label(style, who);
        for (i, line) in wrap(&printable(said), self.room()).iter().enumerate() {
            if i > 0 {
                let _ = write!(text, "{:INDENT$}", "");
            }
            let _ = writeln!(text, "{line}");
        }
        text.truncate(text.trim_end().len());
        text
    }

    fn label(&self, style: Style, word: &str) -> String {
        let gap = INDENT.saturating_sub(word.len().saturating_add(3));
        format!("   {style}{word}{style:#}{:gap$}", "")
    }

    /// Columns for what stands after a label.
    fn room(&self) -> usize {
        self.width.saturating_sub(INDENT)
    }

    fn paragraph(&self, text: &str) -> String {
        wrap(text, self.width.saturating_sub(3)).iter().map(|line| format!("   {line}\n")).collect()
    }
}

fn heading(title: &str) -> String {
    format!("\n{STRONG}{title}{STRONG:#}\n")
}

/// Whose line it is.
fn of_tool(name: &str) -> String {
    format!("{}: ", shorten(&printable(name), 30))
}

/// Arguments as the model wrote them.
fn arguments_text(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => "{}".to_owned(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use opentool::ToolOutput;
    use opentool::agent::AgentEvent;
    use serde_json::{Value, json};

    use super::{Event, Screen};

    fn plain(screen: &mut Screen, event: &Event<'_>) -> String {
        let text = screen.show(event);
        let text = anstream::adapter::strip_str(&text).to_string();
        for line in text.lines() {
            assert!(line.is_ascii() && line.len() <= 80 && line.trim_end() == line, "{line:?}");
        }
        text
    }

    fn events(screen: &mut Screen, events: &[Value]) -> String {
        events.iter().map(|event| plain(screen, &Event::Agent(&told(event)))).collect()
    }

    /// An event as the loop tells it, from a short form.
    fn told(event: &Value) -> AgentEvent {
        let text = |key: &str| event[key].as_str().unwrap().to_owned();
        if let Some(round) = event["round"].as_u64() {
            return AgentEvent::RoundStarted { round: u32::try_from(round).unwrap() };
        }
        if event["says"].is_string() {
            return AgentEvent::Text { text: text("says") };
        }
        // A tool is called once in a round here.
        if event["call"].is_string() {
            let (name, arguments) = (text("call"), event["with"].clone());
            return AgentEvent::CallStarted { call_id: name.clone(), name, arguments };
        }
        if event["sent"].is_string() {
            return AgentEvent::CallSent { call_id: text("of"), name: text("of"), request: text("sent") };
        }
        let mut output = ToolOutput::text(text("result"));
        output.is_error = event["error"] == true;
        // It is told when it leaves, and not once more.
        output = output.metadata("http.request", "GET http://127.0.0.1:7387/again");
        let (name, duration) = (text("of"), Duration::from_micros(1_234));
        AgentEvent::CallFinished { call_id: name.clone(), name, output, failure: None, duration }
    }

    #[test]
    fn a_call_shows_its_arguments_request_result_and_time() {
        let mut screen = Screen::new(None);
        let shown = events(
            &mut screen,
            &[
                json!({"round": 1}),
                json!({"call": "getPetById", "with": {"petId": 2}}),
                json!({"of": "getPetById", "sent": "GET http://127.0.0.1:7387/pet/2"}),
                json!({"of": "getPetById",
                       "result": format!("{{\"id\":2,\n \"name\":\"{}\"}}", "Miso".repeat(30))}),
                json!({"round": 2}),
                json!({"says": "Miso is a cat. ".repeat(8)}),
            ],
        );
        insta::assert_snapshot!(shown, @r#"
        call   getPetById {"petId":2}
        sent   GET http://127.0.0.1:7387/pet/2
        result {"id":2, "name":"MisoMisoMisoMisoMisoMisoMisoMisoMisoMisoM...  1.23 ms
        model  Miso is a cat. Miso is a cat. Miso is a cat. Miso is a cat. Miso is a
               cat. Miso is a cat. Miso is a cat. Miso is a cat.
        "#);
    }

    #[test]
    fn a_request_is_shown_when_it_leaves_and_before_there_is_an_answer() {
        let mut screen = Screen::new(None);
        events(&mut screen, &[json!({"round": 1}), json!({"call": "getPetById", "with": {"petId": 2}})]);
        let request = json!({"of": "getPetById", "sent": "GET http://127.0.0.1:7387/pet/2"});
        assert_eq!(events(&mut screen, &[request]), "   sent   GET http://127.0.0.1:7387/pet/2\n");
    }

    #[test]
    fn lines_of_calls_side_by_side_say_whose_they_are() {
        let mut screen = Screen::new(Some(80));
        let shown = events(
            &mut screen,
            &[
                json!({"round": 1}),
                json!({"call": "getPetById", "with": {"petId": 2}}),
                json!({"call": "findPetsByTags", "with": {}}),
                json!({"of": "findPetsByTags", "sent": "GET http://127.0.0.1:7387/pet/findByTags"}),
                json!({"call": "today", "with": null}),
                json!({"of": "getPetById", "sent": format!("GET http://127.0.0.1:7387/{}", "x".repeat(80))}),
                json!({"of": "today", "result": "2026-11-21"}),
                json!({"of": "getPetById", "result": "there is no pet 2", "error": true}),
                json!({"round": 2}),
                json!({"call": "today", "with": "{\"broken\""}),
                json!({"of": "today", "result": "alone again"}),
            ],
        );
        insta::assert_snapshot!(shown, @r#"
        call   getPetById {"petId":2}
        call   findPetsByTags {}
        sent   GET http://127.0.0.1:7387/pet/findByTags
        call   today {}
        sent   getPetById: GET http://127.0.0.1:7387/xxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
        result today: 2026-11-21                                              1.23 ms
        error  getPetById: there is no pet 2                                  1.23 ms
        call   today {"broken"
        result alone again                                                    1.23 ms
        "#);
    }

    #[test]
    fn the_server_says_where_it_is_and_how_to_connect() {
        let (mcp, shop) = ("http://127.0.0.1:3000/mcp", "http://127.0.0.1:7387");
        let shown = plain(&mut Screen::new(None), &Event::Serving { mcp, shop, tools: 12 });
        for part in ["12 tools", mcp, shop, "http://127.0.0.1:7387/openapi.yaml", "claude mcp add", "Ctrl-C"]
        {
            assert!(shown.contains(part), "no {part} in\n{shown}");
        }
        let (_, configuration) = shown.split_once("configuration file:").unwrap();
        let (configuration, _) = configuration.split_once("\n\n").unwrap();
        let configuration: Value = serde_json::from_str(configuration).unwrap();
        assert_eq!(configuration["mcpServers"]["petshop"]["url"], mcp);
    }

    #[test]
    fn what_others_write_cannot_drive_the_terminal() {
        let mut screen = Screen::new(None);
        let attack = "\x1b[2J\x07\u{202e}";
        let shown = [
            screen.show(&Event::Agent(&told(&json!({"call": attack, "with": {"a": attack}})))),
            screen.show(&Event::Agent(&told(&json!({"of": attack, "sent": attack})))),
            screen.show(&Event::Agent(&told(&json!({"of": "other", "sent": attack})))),
            screen.show(&Event::Agent(&told(&json!({"of": attack, "result": attack})))),
            screen.show(&Event::Agent(&told(&json!({"says": attack})))),
        ]
        .concat();
        let shown = anstream::adapter::strip_str(&shown).to_string();
        assert!(!shown.contains(['\x1b', '\x07', '\u{202e}']), "{shown:?}");
        // What the loop's own styles leave is the visible form.
        assert!(shown.contains("\\u{1b}[2J"), "{shown}");
    }
}
