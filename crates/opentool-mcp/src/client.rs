//! The host's side: an MCP server as a source of tools.
//!
//! [`connect()`] finds a server at an address, [`spawn()`] starts one as a child process; [`Client::tools`] makes its tools
//! ordinary ones: validated before they leave, exported to every dialect, served over every protocol.
//!
//! ```no_run
//! # async fn run(token: String) -> Result<(), Box<dyn std::error::Error>> {
//! let server = opentool_mcp::connect("https://tools.example/mcp").bearer(token).await?;
//! let (tools, diagnostics) = server.tools().await?;
//!
//! let files = opentool_mcp::spawn("mcp-server-files").arg("/srv/data").await?;
//! let (more, _) = files.tools().await?;
//! let tools = tools.merge(more)?;                                 // a clash of names is an error here
//! # Ok(()) }
//! ```
//!
//! Every revision of the protocol is spoken: a server is asked by `server/discover` (2026-07-28) first, and by
//! `initialize` where it does not know that.
//!
//! # What a server is trusted with
//! Nothing but the calls that are made. Its token goes to its own origin only, and what it repeats of it is covered. Its
//! texts are read without the characters that hide from a reader. It is offered no model, no files and no person to ask:
//! a call that wants one of these fails and says so. A child process gets the environment that the host gives it, and
//! `PATH`.
//!
//! # What a server may cost
//! Time ([`ConnectBuilder::timeout`]), bytes of an answer ([`ConnectBuilder::answer_limit`]), pages and tools of a list are
//! all bounded. A call whose caller gives up, or whose time is over, is cancelled at the server.
//!
//! # Tools that change
//! A set of tools is that of one moment. [`Client::source`] gives one that follows the server: [`Source`].
//!
//! # What is tried again
//! A connection that is lost is made anew by the next call. The call that lost it is not: it may have run.
//!
//! What it deliberately does not do: prompts, resources, sampling, elicitation and tasks are not asked for, nor is a token
//! fetched for a server that wants OAuth: the host brings one.

mod address;
mod connect;
mod content;
mod error;
mod events;
mod group;
mod link;
mod listen;
mod listing;
mod post;
mod process;
mod relay;
mod running;
mod server;
mod source;
mod span;
mod spawn;
mod standard_error;
mod tool;

pub use connect::{ConnectBuilder, connect};
pub use error::{ClientError, TokenGiven};
pub use opentool_http::{Addresses, Authorities};
pub use server::Client;
pub use source::Source;
pub use spawn::{SpawnBuilder, spawn};
