//! `opentool chat`: a conversation at the terminal with a model that has tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt as _;
use opentool::agent::{AgentError, Conversation, Finish, PendingCall, Reply, Step};
use opentool::{ToolSet, agent};
use opentool_text::printable;

use crate::args::examples;
use crate::console::{Console, FAINT, STRONG, counted};
use crate::credentials::Access;
use crate::error::CliError;
use crate::source::{Loading, Selection, SourceSpec};
use crate::talk::{Editor, Said, Saying, Show, Talk, Tools, Trace, Typed, question, read_command};
use crate::{render, talk};

/// Talk to a model that has tools
///
/// Calls are shown as they run; before one that may change something you are asked.
/// Ctrl-C stops a turn, Ctrl-D or /quit leaves, /help lists what else there is.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool chat petstore.yaml --model anthropic:claude-sonnet-4-5"
    "opentool chat shop=petstore.yaml github=github.json --read-only"
    "opentool chat petstore.yaml --model ollama:qwen3 --yes --trace"
    "opentool chat petstore.yaml --continue talk.json"
})]
pub(crate) struct Args {
    /// Where the tools come from: a path, an http(s) URL; see `opentool --help`
    #[arg(value_name = "SOURCE")]
    sources: Vec<SourceSpec>,
    /// Print after each turn what each answer and each call took
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    access: Access,
}

/// Talks until the person leaves.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    if console.is_json() {
        return Err(CliError::usage(
            "a chat is for people, and `--json` is for programs",
            "`opentool ask --json` prints every event of a turn",
        ));
    }
    if args.sources.iter().any(|source| source.place == crate::source::Place::StandardInput) {
        return Err(CliError::usage("standard input is what you type", "save the source to a file"));
    }
    let model = args.talk.model()?;
    let from = (&args.loading, &args.selection, &args.access);
    let mut tools = Tools::load(args.sources.clone(), args.talk.mock, from, console)?;
    tools.follow()?;
    let (agent, before) =
        args.talk.agent(model, tools.set().clone(), &tools.secrets(), args.loading.timeout)?;
    let mut editor = Editor::new(names(tools.set()))?;
    let trace = Arc::new(Trace::new(agent.model().name()));
    let show = Arc::new(Show::all(anstream::stdout()));
    let saying = Saying::default();
    let agent = {
        let (trace, show, saying) = (Arc::clone(&trace), Arc::clone(&show), saying.clone());
        agent.observe(move |event| {
            trace.tell(event);
            show.tell(event);
            saying.tell(event);
        })
    };
    greet(&agent, before.len(), console)?;
    // One for the whole talk, so that connections are used again.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // From here on Ctrl-C ends nothing but a turn, also between the line that was typed and its turn.
    runtime.block_on(async { drop(tokio::signal::ctrl_c().now_or_never()) });
    let conversation = agent.conversation().history(before);
    let mut chat = Chat { talk: &args.talk, tools, conversation, trace, show, saying, runtime };
    loop {
        let line = match editor.ask()? {
            Said::Line(line) => line,
            Said::Nothing => continue,
            Said::End => return Ok(()),
        };
        if let Some(tools) = chat.tools.renewed(console)? {
            chat.conversation.replace_tools(tools.clone());
            editor.complete(names(tools));
        }
        match read_command(&line) {
            Typed::Nothing => {}
            Typed::Words(words) => {
                chat.turn(&words, &mut editor, console)?;
                if args.trace {
                    console.styled(&chat.trace.last())?;
                }
            }
            Typed::Tools(name) => tools_of(chat.tools.set(), name.as_deref(), args.sources.len(), console)?,
            Typed::Trace => console.styled(&chat.trace.last())?,
            Typed::Save(file) => chat.save(Path::new(&file), console)?,
            Typed::New => {
                chat.conversation = chat.conversation.agent().conversation();
                console.styled(&format!("{FAINT}A new conversation.{FAINT:#}\n"))?;
            }
            Typed::Help => console.styled(talk::HELP)?,
            Typed::Quit => return Ok(()),
            Typed::Unknown(why) => console.warning(&why)?,
        }
    }
}

fn names(tools: &ToolSet) -> Vec<String> {
    tools.names().map(str::to_owned).collect()
}

fn greet(agent: &agent::Agent, before: usize, console: &Console) -> Result<(), CliError> {
    let model = printable(agent.model().name()).into_owned();
    let tools = counted(agent.tools().len(), "tool");
    let goes_on = if before > 0 { format!(", after {}", counted(before, "message")) } else { String::new() };
    let line = format!("{STRONG}{model}{STRONG:#} {FAINT}with {tools}{goes_on}; /help{FAINT:#}\n");
    Ok(console.styled(&line)?)
}

fn tools_of(tools: &ToolSet, name: Option<&str>, sources: usize, console: &Console) -> Result<(), CliError> {
    match name {
        None if tools.is_empty() => Ok(console.styled(&format!("{FAINT}no tools{FAINT:#}\n"))?),
        None => Ok(console.styled(&render::tools(tools, sources > 1, console.width()))?),
        Some(name) => match tools.find(name) {
            Ok(tool) => Ok(console.styled(&render::tool(tool.definition(), console.width()))?),
            Err(unknown) => Ok(console.warning(&unknown.to_string())?),
        },
    }
}

struct Chat<'a> {
    talk: &'a Talk,
    tools: Tools,
    conversation: Conversation,
    trace: Arc<Trace>,
    show: Arc<Show<anstream::Stdout>>,
    saying: Saying,
    runtime: tokio::runtime::Runtime,
}

/// How a turn went on.
enum Went {
    /// It came to an end.
    Over(Box<Reply>),
    /// A person has to decide.
    Waits,
    /// Ctrl-C.
    Stopped,
    /// There is no answer.
    Failed(CliError),
}

impl Chat<'_> {
    /// One turn, with as many questions to the person as it needs. What fails is told, and the chat goes on.
    ///
    /// # Errors
    /// Where nobody is at a terminal, those of the turn as well: what the next lines say was written for another course of
    /// things, and none of them is an approval.
    fn turn(&mut self, words: &str, editor: &mut Editor, console: &Console) -> Result<(), CliError> {
        self.trace.begin();
        let mut went = self.go(Some(words));
        let went = loop {
            match went {
                Went::Waits => {
                    self.show.end()?;
                    if !editor.is_terminal() {
                        break Went::Failed(self.talk.undecided(self.conversation.run()));
                    }
                    if self.decide(editor)? {
                        went = self.go(None);
                    } else {
                        break Went::Stopped;
                    }
                }
                other => break other,
            }
        };
        self.trace.end();
        self.show.end()?;
        match went {
            Went::Over(reply) => {
                if reply.finish == Finish::ReturnDirect {
                    console.styled(&format!("{}\n", printable(&reply.text)))?;
                }
                if let Some(why) = unfinished(reply.finish) {
                    console.warning(why)?;
                }
            }
            Went::Stopped => {
                if let Step::Ask(_) = self.conversation.run().step() {
                    // It asks: it takes what there is of the answer.
                    let _ = self.conversation.break_off(self.saying.take());
                }
                console.note("stopped; what was said so far stays in the conversation")?;
            }
            Went::Failed(error) if !editor.is_terminal() => return Err(error),
            Went::Failed(error) => console.error(&error)?,
            Went::Waits => {}
        }
        Ok(())
    }

    /// Goes on until something stops it. Ctrl-C drops what is going on, which ends it.
    fn go(&mut self, words: Option<&str>) -> Went {
        let Self { conversation, runtime, talk, .. } = self;
        runtime.block_on(async {
            let turn = async {
                match words {
                    Some(words) => conversation.say(words).await,
                    None => conversation.resume().await,
                }
            };
            tokio::select! {
                result = turn => match result {
                    Ok(reply) => Went::Over(Box::new(reply)),
                    Err(AgentError::Suspended(_)) => Went::Waits,
                    Err(error) => Went::Failed(talk.interrupted(error)),
                },
                _ = tokio::signal::ctrl_c() => Went::Stopped,
            }
        })
    }

    /// Asks about every call that waits; `false` if the person gave up the turn.
    fn decide(&mut self, editor: &mut Editor) -> Result<bool, CliError> {
        let pending: Vec<PendingCall> = self.conversation.run().pending_calls().cloned().collect();
        for call in pending {
            // An earlier answer may have been about all calls of the tool.
            if !self.conversation.run().pending_calls().any(|waiting| waiting.call_id == call.call_id) {
                continue;
            }
            let Some(decision) = question(&call, editor)? else { return Ok(false) };
            let _ = self.conversation.decide(&call.call_id, decision);
        }
        Ok(true)
    }

    fn save(&self, file: &Path, console: &Console) -> Result<(), CliError> {
        // With the results that are there, where a turn was stopped among them.
        let messages = self.conversation.run().to_messages();
        let file = &at_home(file);
        match talk::save(file, &messages, self.talk.existing(file)) {
            Ok(()) => {
                console.note(&format!("{} in {}", counted(messages.len(), "message"), file.display()))?
            }
            // It says which file.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                console.warning(&error.to_string())?
            }
            Err(error) => console.warning(&format!("{}: cannot be written: {error}", file.display()))?,
        }
        Ok(())
    }
}

/// `~/talk.json` as a shell would read it.
fn at_home(file: &Path) -> PathBuf {
    match (file.strip_prefix("~"), std::env::home_dir()) {
        (Ok(rest), Some(home)) => home.join(rest),
        _ => file.to_owned(),
    }
}

/// What is worth saying about an end that is no answer.
fn unfinished(finish: Finish) -> Option<&'static str> {
    match finish {
        Finish::CutOff => Some("the answer was cut off at the model's output limit"),
        Finish::Refused => Some("the model refused to answer"),
        Finish::Empty => Some("the model answered nothing"),
        Finish::Broken => Some("the model's answer ended before all was said"),
        Finish::Stopped | Finish::RoundLimit | Finish::CallLimit => Some("the turn ended before an answer"),
        _ => None,
    }
}
