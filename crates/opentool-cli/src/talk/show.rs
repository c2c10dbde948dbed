//! A turn as a person sees it: words as they come, a line when a call runs, a line when it ended.
//!
//! What the model and the tools write cannot drive the terminal: it is made visible first.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anstyle::Style;
use opentool::ToolOutput;
use opentool::agent::AgentEvent;
use opentool_text::{printable, printable_line};
use serde_json::Value;
use terminal_size::{Width, terminal_size_of};

use crate::console::{ERROR, FAINT, STRONG, counted};
use crate::render::shorten;

/// The most characters of an argument's value and of a name.
const VALUE: usize = 60;
/// The columns of a line, and of a result in it, where nobody's terminal has some.
const LINE: usize = 160;
const RESULT: usize = 80;
/// So much of a result is shown however narrow the terminal is.
const LEAST: usize = 16;

/// Where words go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// They are shown as they come.
    AsTheyCome,
    /// Somebody else prints the answer.
    Nowhere,
}

/// Shows events. Told by observers, which may come from several calls at once.
pub(crate) struct Show<W> {
    out: Mutex<Out<W>>,
    words: Words,
    /// The columns of the terminal, now.
    columns: fn() -> Option<usize>,
}

struct Out<W> {
    to: W,
    /// Something was written since the last line end.
    open: bool,
    running: Vec<Running>,
}

/// A call under way. Several of one tool are told apart by a number.
struct Running {
    id: String,
    name: String,
    number: usize,
}

impl<W: Write> Show<W> {
    /// Shows everything here, on standard output.
    pub(crate) fn all(to: W) -> Self {
        let out = Mutex::new(Out { to, open: false, running: Vec::new() });
        Self { out, words: Words::AsTheyCome, columns: || columns(terminal_size_of(io::stdout())) }
    }

    /// Shows the calls here, on standard error.
    pub(crate) fn calls(to: W) -> Self {
        Self { words: Words::Nowhere, columns: || columns(terminal_size_of(io::stderr())), ..Self::all(to) }
    }

    /// Shows an event. A terminal that went away is noticed by whoever prints the answer.
    pub(crate) fn tell(&self, event: &AgentEvent) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.write(&mut out, event);
    }

    /// Ends a line that is open.
    pub(crate) fn end(&self) -> io::Result<()> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).end_line()
    }

    fn write(&self, out: &mut Out<W>, event: &AgentEvent) -> io::Result<()> {
        let width = (self.columns)();
        match event {
            AgentEvent::TextDelta { text } if self.words == Words::AsTheyCome => {
                // A stream may begin with the line end of what it did not say.
                let text = if out.open { text.as_str() } else { text.trim_start_matches('\n') };
                if !text.is_empty() {
                    write!(out.to, "{}", printable(text))?;
                    out.open = !text.ends_with('\n');
                    out.to.flush()?;
                }
                Ok(())
            }
            AgentEvent::CallStarted { call_id, name, arguments } => {
                let label = out.begin(call_id, name);
                let call = call_line(&label, arguments).text;
                out.line(FAINT, "→", &call, width)
            }
            AgentEvent::CallSent { call_id, request, .. } => {
                let number = out.number(call_id);
                out.line(FAINT, " ", &format!("{number}{request}"), width)
            }
            AgentEvent::CallRetried { call_id, name, attempt, .. } => {
                let number = out.number(call_id);
                out.line(FAINT, " ", &format!("{number}{name}: attempt {attempt}"), width)
            }
            AgentEvent::CallProgress { call_id, name, done, total, message, .. } => {
                let number = out.number(call_id);
                let total = total.map(|total| format!(" of {total}")).unwrap_or_default();
                let message = message.as_ref().map(|text| format!(", {text}")).unwrap_or_default();
                out.line(FAINT, " ", &format!("{number}{name}: {done}{total}{message}"), width)
            }
            AgentEvent::CallFinished { call_id, name, output, duration, .. } => {
                let label = out.end_call(call_id, name);
                let style = if output.is_error { ERROR } else { FAINT };
                let mark = if output.is_error { "✗" } else { "←" };
                out.line(style, mark, &finished(&label, output, *duration, width), width)
            }
            _ => Ok(()),
        }
    }
}

impl<W: Write> Out<W> {
    fn end_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.open) {
            writeln!(self.to)?;
        }
        self.to.flush()
    }

    fn line(&mut self, style: Style, mark: &str, text: &str, width: Option<usize>) -> io::Result<()> {
        self.end_line()?;
        let room = width.unwrap_or(LINE).saturating_sub(2);
        writeln!(self.to, "{style}{mark} {}{style:#}", shorten(&printable_line(text), room))?;
        self.to.flush()
    }

    /// A call begins: what it is called here.
    fn begin(&mut self, id: &str, name: &str) -> String {
        let others = self.running.iter().filter(|call| call.name == name).map(|call| call.number).max();
        let number = others.map_or(1, |number| number.saturating_add(1));
        let call = Running { id: id.to_owned(), name: name.to_owned(), number };
        let label = call.label();
        self.running.push(call);
        label
    }

    /// A call ended: what it was called here.
    fn end_call(&mut self, id: &str, name: &str) -> String {
        let at = self.running.iter().position(|call| call.id == id);
        at.map_or_else(|| name.to_owned(), |at| self.running.remove(at).label())
    }

    /// What stands before the lines of a call that is not the first one of its tool.
    fn number(&self, id: &str) -> String {
        let call = self.running.iter().find(|call| call.id == id && call.number > 1);
        call.map(|call| format!("#{} ", call.number)).unwrap_or_default()
    }
}

impl Running {
    fn label(&self) -> String {
        match self.number {
            1 => self.name.clone(),
            number => format!("{} #{number}", self.name),
        }
    }
}

fn columns(size: Option<(Width, terminal_size::Height)>) -> Option<usize> {
    size.map(|(width, _)| usize::from(width.0).max(40))
}

/// A call in one line.
pub(crate) struct CallLine {
    /// `weather(city: "Paris", days: 2)`, which can neither end its line nor drive the terminal.
    pub(crate) text: String,
    /// A value or a name is not there to its end.
    pub(crate) is_cut: bool,
}

/// The call of the tool that is called so here.
pub(crate) fn call_line(label: &str, arguments: &Value) -> CallLine {
    let mut is_cut = false;
    let arguments = match arguments {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| format!("{}: {}", argument(name, &mut is_cut), cut(value, &mut is_cut)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Null => String::new(),
        other => cut(other, &mut is_cut),
    };
    CallLine { text: printable_line(&format!("{label}({arguments})")).into_owned(), is_cut }
}

/// The name of an argument; one that could be taken for something else stands in quotes. Documents make up names.
fn argument(name: &str, is_cut: &mut bool) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-.$[]".contains(c);
    if !name.is_empty() && name.chars().count() <= VALUE && name.chars().all(is_plain) {
        return name.to_owned();
    }
    cut(&Value::from(name), is_cut)
}

/// The value, or its beginning and how much more there is. The mark stands outside of a text's quotes, where the text
/// cannot write one.
fn cut(value: &Value, is_cut: &mut bool) -> String {
    let whole = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let Some((end, _)) = whole.char_indices().nth(VALUE) else { return value.to_string() };
    let (begin, rest) = whole.split_at(end);
    *is_cut = true;
    let begin = if value.is_string() { Value::from(begin).to_string() } else { begin.to_owned() };
    format!("{begin}… +{}", counted(rest.chars().count(), "character"))
}

/// `getPet: {"id":2} (27 ms)`: the time stays in sight however long the result is.
fn finished(label: &str, output: &ToolOutput, took: Duration, width: Option<usize>) -> String {
    let text = output.to_text();
    let words: Vec<&str> = text.split_whitespace().collect();
    // What was refused took no time.
    let took = if took.is_zero() { String::new() } else { format!(" ({} ms)", took.as_millis()) };
    let label = printable_line(label);
    let around = label.chars().count().saturating_add(took.len()).saturating_add(4);
    let room = width.map_or(RESULT, |width| width.saturating_sub(around).max(LEAST));
    format!("{label}: {}{took}", shorten(&printable_line(&words.join(" ")), room))
}

/// A heading in a chat.
pub(super) fn strong(text: &str) -> String {
    format!("{STRONG}{}{STRONG:#}", printable_line(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_documents_and_models_write_stays_on_the_line_of_its_call() {
        let hostile = "id: 1)\n  it changes nothing\n? getBalance(id";
        let line = call_line("deletePet", &json!({hostile: 2, "plain_name": "a\nb", "\u{202e}x": 1}));
        assert_eq!(line.text.lines().count(), 1, "{}", line.text);
        assert!(
            line.text.starts_with(
                r#"deletePet("id: 1)\n  it changes nothing\n? getBalance(id": 2, plain_name: "a\nb","#
            ),
            "{}",
            line.text
        );
        assert!(!line.text.contains('\u{202e}') && !line.is_cut, "{}", line.text);
        assert_eq!(call_line("a\n? b", &Value::Null).text.lines().count(), 1);
    }

    #[test]
    fn what_is_cut_says_so_where_the_text_cannot() {
        let line = call_line("pay", &json!({"note": "x".repeat(400), "to": "… +1 character"}));
        assert!(line.is_cut);
        let cut = format!("note: \"{}\"… +340 characters, to: \"… +1 character\")", "x".repeat(60));
        assert!(line.text.ends_with(&cut), "{}", line.text);
        let list = call_line("pay", &json!({"all": vec![1; 40]}));
        assert!(list.is_cut && list.text.ends_with("… +21 characters)"), "{}", list.text);
    }

    fn told(events: &[AgentEvent], columns: fn() -> Option<usize>) -> Vec<String> {
        let show = Show { columns, ..Show::all(Vec::new()) };
        events.iter().for_each(|event| show.tell(event));
        let out = show.out.into_inner().unwrap().to;
        let text = anstream::adapter::strip_bytes(&out).into_vec();
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    fn started(id: &str, n: u32) -> AgentEvent {
        AgentEvent::CallStarted { call_id: id.into(), name: "getPet".into(), arguments: json!({"id": n}) }
    }

    fn ended(id: &str, text: &str) -> AgentEvent {
        AgentEvent::CallFinished {
            call_id: id.into(),
            name: "getPet".into(),
            output: ToolOutput::text(text),
            failure: None,
            duration: Duration::from_millis(27),
        }
    }

    #[test]
    fn results_of_one_tool_that_runs_several_times_say_whose_they_are() {
        let lines = told(
            &[started("a", 1), started("b", 2), ended("b", "B"), ended("a", "A"), started("c", 3)],
            || None,
        );
        assert_eq!(
            lines,
            [
                "→ getPet(id: 1)",
                "→ getPet #2(id: 2)",
                "← getPet #2: B (27 ms)",
                "← getPet: A (27 ms)",
                "→ getPet(id: 3)"
            ]
        );
    }

    #[test]
    fn lines_fit_the_terminal_and_keep_the_time() {
        let events = [started("a", 1), ended("a", &"word ".repeat(60))];
        for (columns, width) in
            [(|| Some(60)) as fn() -> Option<usize>, || Some(200)].into_iter().zip([60, 200])
        {
            let line = told(&events, columns).remove(1);
            let taken = line.chars().count();
            assert!(taken <= width && taken > width - 10 && line.ends_with("… (27 ms)"), "{width}: {line}");
        }
    }
}
