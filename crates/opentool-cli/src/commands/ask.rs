//! `opentool ask`: one question to a model that has tools, for scripts and for a quick answer.

use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;

use opentool::agent::{AgentError, AgentEvent, Conversation, Finish, Reply};
use opentool::{Cancellation, Message, ToolContext};
use opentool_text::printable;
use tokio::sync::mpsc;

use crate::args::examples;
use crate::console::{Console, counted, write_json};
use crate::credentials::Access;
use crate::error::CliError;
use crate::exit::Exit;
use crate::runtime;
use crate::source::{Loading, Selection, SourceSpec};
use crate::talk::{self, Editor, Saying, Show, Talk, Tools, Trace};
use crate::write::Existing;

/// Ask a model a question that it answers with tools
///
/// The last word is the question, `-` reads it from standard input; those before it are
/// the sources of the tools. The answer goes to standard output, what is called on the
/// way to standard error. Before a tool that may change something you are asked; where
/// nobody can be asked, --yes runs it.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment, after_help = examples! {
    "opentool ask petstore.yaml 'Which pets are pending?' --model gpt-5"
    "opentool ask petstore.yaml 'Reserve pet no. 2.' --yes"
    "git diff | opentool ask - --model ollama:qwen3 --system 'Review this change.'"
    "opentool ask petstore.yaml 'How many pets?' --json | jq -r 'select(.event == \"done\").reply.text'"
    "opentool ask petstore.yaml 'How many pets?' --record pets.json"
    "opentool ask petstore.yaml 'How many pets?' --model replay:pets.json"
    "opentool ask petstore.yaml 'And how many cats?' --continue pets.chat --save pets.chat"
})]
pub(crate) struct Args {
    /// Where the tools come from, then the question
    #[arg(required = true, value_name = "SOURCE… QUESTION")]
    words: Vec<String>,
    /// Print what each answer and each call took, on standard error
    #[arg(long)]
    trace: bool,
    /// Write the conversation to this file, also where there is no answer: `--continue FILE` goes on with it. A file that
    /// is there stays, unless it is the one that goes on
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    talk: Talk,
    #[command(flatten)]
    loading: Loading,
    #[command(flatten)]
    selection: Selection,
    #[command(flatten)]
    access: Access,
}

/// Asks, and prints the answer; with `--json` every event as a line.
pub(crate) fn run(args: Args, console: &Console) -> Result<(), CliError> {
    let (question, sources) = args.words.split_last().ok_or_else(|| {
        CliError::usage("there is no question", "write it last: `opentool ask SOURCE \"…\"`")
    })?;
    let question = match question.as_str() {
        "-" if sources.iter().any(|source| source == "-") => {
            return Err(CliError::usage(
                "standard input cannot be both a source and the question",
                "save one of them to a file",
            ));
        }
        "-" => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            text
        }
        text => text.to_owned(),
    };
    if question.trim().is_empty() {
        return Err(CliError::usage("the question is empty", "write it last: `opentool ask SOURCE \"…\"`"));
    }
    if sources.is_empty() && is_source(&question) {
        return Err(CliError::usage(
            format!("`{question}` is a source of tools, and there is no question"),
            format!("write the question last: `opentool ask {question} \"…\"`"),
        ));
    }
    let sources: Vec<SourceSpec> = sources
        .iter()
        .map(|source| {
            source
                .parse()
                .map_err(|error| CliError::usage(format!("{source}: {error}"), "see `opentool --help`"))
        })
        .collect::<Result<_, _>>()?;
    let keep = args.save.as_deref().map(|file| Keep::new(file, &args.talk)).transpose()?;
    let model = args.talk.model()?;
    let from = (&args.loading, &args.selection, &args.access);
    let tools = Tools::load(sources, args.talk.mock, from, console)?;
    let (agent, mut messages) =
        args.talk.agent(model, tools.set().clone(), &tools.secrets(), args.loading.timeout)?;
    messages.push(Message::user(question.trim_end()));

    let trace = Arc::new(Trace::new(agent.model().name()));
    trace.begin();
    let watching = Arc::clone(&trace);
    let mut agent = agent.observe(move |event| watching.tell(event));
    // The person gave up at a question: nothing that was asked about is run, not even what was allowed before.
    let gave_up = Cancellation::new();
    if !console.is_json() && io::stdin().is_terminal() && io::stdout().is_terminal() {
        agent = agent.extend_context(ToolContext::new().cancellation(gave_up.clone()));
        let gave_up = gave_up.clone();
        agent = agent.approver(move |call| {
            let gave_up = gave_up.clone();
            async move {
                // A person takes their time, and the terminal is read by blocking.
                let asked = tokio::task::spawn_blocking(move || {
                    talk::question(&call, &mut Editor::new(Vec::new()).ok()?).ok()
                });
                match asked.await.ok().flatten()? {
                    Some(decision) => Some(decision),
                    None => {
                        gave_up.cancel();
                        std::future::pending().await
                    }
                }
            }
        });
    }
    let saying = Saying::default();
    let (tell, told) = mpsc::unbounded_channel();
    let agent = {
        let saying = saying.clone();
        agent.observe(move |event| {
            saying.tell(event);
            // Nobody listens any more where the turn was given up.
            let _ = tell.send(event.clone());
        })
    };
    let words = !console.is_json() && io::stdout().is_terminal();
    let show = Show::calls(anstream::stderr());
    let live = Show::all(anstream::stdout());
    let tell = |event: &AgentEvent| {
        if console.is_json() {
            console.json_line(event)?;
        } else if words {
            live.tell(event);
        } else {
            show.tell(event);
        }
        Ok(())
    };
    let mut conversation = agent.conversation().history(messages);
    let answered = runtime::wait_for_a_person(async {
        let turn = turn(&mut conversation, told, tell).await;
        let answered = match turn {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) if gave_up.is_cancelled() => Err(given_up()),
            Ok(Err(error)) => Err(args.talk.interrupted(error)),
            Err(stopped) => {
                // Where it waits for an answer, it takes what there is of it.
                let _ = conversation.break_off(saying.take());
                Err(stopped)
            }
        };
        if words {
            live.end()?;
        }
        Ok(answered)
    })?;
    trace.end();
    // Of what has been paid for, nothing is lost because something else goes wrong.
    let printed = answered.as_ref().map_or(Ok(()), |reply| print(reply, console));
    let kept = keep.as_ref().map_or(Ok(()), |keep| match &answered {
        Ok(reply) => keep.write(&reply.messages, console),
        Err(_) => keep.write(&conversation.run().to_messages(), console),
    });
    let traced = if args.trace { show_trace(&trace, console) } else { Ok(()) };
    let answered = answered.and_then(|reply| printed.and_then(|()| settle(&reply)));
    match (answered, kept.and(traced)) {
        // The first counts, and the other is told too.
        (Err(first), Err(second)) => {
            console.error(&second)?;
            Err(first)
        }
        (answered, then) => answered.and(then),
    }
}

/// What each answer and each call took.
fn show_trace(trace: &Trace, console: &Console) -> Result<(), CliError> {
    let mut err = anstream::stderr();
    match console.is_json() {
        true => write_json(&mut err, &trace.json())?,
        false => err.write_all(trace.last().as_bytes())?,
    }
    Ok(())
}

/// One turn, told as it comes.
///
/// # Errors
/// Where it was ended from outside (Ctrl-C, SIGTERM), or nobody reads what is told.
async fn turn(
    conversation: &mut Conversation,
    mut told: mpsc::UnboundedReceiver<AgentEvent>,
    tell: impl Fn(&AgentEvent) -> Result<(), CliError>,
) -> Result<Result<Reply, AgentError>, CliError> {
    let (mut ended, mut answered) = (pin!(runtime::shutdown()?), pin!(conversation.resume()));
    loop {
        tokio::select! {
            biased;
            Some(event) = told.recv() => tell(&event)?,
            () = &mut ended => return Err(stopped()),
            answered = &mut answered => {
                while let Ok(event) = told.try_recv() {
                    tell(&event)?;
                }
                if let Ok(reply) = &answered {
                    tell(&AgentEvent::Done { reply: Box::new(reply.clone()) })?;
                }
                return Ok(answered);
            }
        }
    }
}

/// Where the conversation is written to.
struct Keep<'a> {
    file: &'a Path,
    existing: Existing,
}

impl<'a> Keep<'a> {
    /// Says early that a file is there and will not be replaced, or cannot be there: an answer costs money.
    fn new(file: &'a Path, talk: &Talk) -> Result<Self, CliError> {
        let folder = file.parent().filter(|folder| *folder != Path::new(""));
        if let Some(missing) = folder.filter(|folder| !folder.is_dir()) {
            return Err(CliError::usage(
                format!("{}: there is no folder `{}`", file.display(), missing.display()),
                "make it, or name a file in another one",
            ));
        }
        if talk.records_into(file) {
            return Err(CliError::usage(
                format!("{}: `--save` and `--record` write the same file", file.display()),
                "name two files: one is the conversation, the other what the model was asked and answers",
            ));
        }
        if talk.existing(file) == Existing::Replace {
            return Ok(Self { file, existing: Existing::Replace });
        }
        match file.symlink_metadata() {
            Ok(_) => Err(CliError::usage(
                format!("{}: there is a file of this name, and it stays as it is", file.display()),
                "name another one; a conversation that `--continue` goes on with can be saved where it was",
            )),
            Err(_) => Ok(Self { file, existing: Existing::Keep }),
        }
    }

    fn write(&self, messages: &[Message], console: &Console) -> Result<(), CliError> {
        talk::save(self.file, messages, self.existing)
            .map_err(|error| CliError::NotWritten { file: self.file.display().to_string(), error })?;
        Ok(console.note(&format!("{} in {}", counted(messages.len(), "message"), self.file.display()))?)
    }
}

/// It was ended from outside.
fn stopped() -> CliError {
    CliError::Model {
        message: "stopped before there was an answer".to_owned(),
        help: Some("`--save FILE` keeps what was said so far".into()),
        exit: Exit::Interrupted,
        code: "interrupted",
    }
}

/// The person gave up at a question.
fn given_up() -> CliError {
    CliError::Model {
        message: "stopped: nothing was run that you were asked about".to_owned(),
        help: None,
        exit: Exit::Interrupted,
        code: "interrupted",
    }
}

/// Whether this is where tools come from, and nothing that somebody would ask.
fn is_source(words: &str) -> bool {
    let is_address = ["http://", "https://"].iter().any(|scheme| words.starts_with(scheme));
    Path::new(words).is_file() || (is_address && !words.contains(char::is_whitespace))
}

/// The answer, where it was not shown as it came.
fn print(reply: &Reply, console: &Console) -> Result<(), CliError> {
    if console.is_json() {
        return Ok(());
    }
    let is_shown = io::stdout().is_terminal() && reply.finish != Finish::ReturnDirect;
    if !is_shown {
        let mut text = reply.text.clone();
        if !text.ends_with('\n') {
            text.push('\n');
        }
        console.data(text.as_bytes())?;
    }
    Ok(())
}

/// An answer that is none has an exit code of its own.
fn settle(reply: &Reply) -> Result<(), CliError> {
    let (message, code) = match reply.finish {
        Finish::CutOff => ("the answer was cut off at the model's output limit", "cut_off"),
        Finish::Refused => ("the model refused to answer", "refused"),
        Finish::Empty => ("the model answered nothing", "empty"),
        Finish::Broken => {
            let reason = reply.reason.as_deref().unwrap_or("no reason");
            let message = format!("the model's answer ended before all was said: {}", printable(reason));
            return Err(CliError::Model { message, help: None, exit: Exit::Negative, code: "broken" });
        }
        Finish::Stopped | Finish::RoundLimit | Finish::CallLimit => {
            ("the turn ended before an answer", "stopped")
        }
        _ => return Ok(()),
    };
    Err(CliError::Model { message: printable(message).into_owned(), help: None, exit: Exit::Negative, code })
}
