//! The agent side: calls an OpenTool server, and makes its functions tools of this program.
//!
//! [`connect`] finds a server; [`Client::tools`] makes its functions ordinary tools: validated before they leave,
//! exported to every dialect, served over every protocol. [`Client::call`] and its siblings are the protocol itself,
//! for hosts that want no tools.
//!
//! ```no_run
//! # async fn run(key: String) -> Result<(), Box<dyn std::error::Error>> {
//! # use opentool_server::client;
//! let server = client::connect("http://127.0.0.1:17001/opentool").api_key(key).await?;
//! let (tools, diagnostics) = server.tools().await?;
//! # Ok(()) }
//! ```
//!
//! # Where the API key goes
//! A [`Client`] has one address, and its key goes there and nowhere else:
//! * Redirects are followed within the origin only (and from `http` to `https` of one host).
//! * What a server says of itself does not count: a document that comes from `/load` may name another `server.url`, and
//!   its functions are called where the document was loaded.
//! * A document that comes from elsewhere names an address that nobody checked. [`connect_document`] starts without a
//!   key; giving it one with [`ConnectBuilder::api_key`] is how a host says that it trusts this address. Without a key,
//!   too, the host decides by connecting: the address may be one inside its own network, unless
//!   [`ConnectBuilder::addresses`] says that only public ones may be connected to.
//!
//! What a server repeats of the key is covered before anybody reads it.
//!
//! # What a server may cost
//! All that comes back is bounded: time ([`ConnectBuilder::timeout`], [`ConnectBuilder::stream_timeout`]), bytes of an
//! answer and of an event ([`ConnectBuilder::answer_limit`]), bytes of a stream ([`ConnectBuilder::stream_limit`]), and
//! the length of messages that a model reads.
//!
//! # What is tried again
//! Only what never reached the server, because nobody took the connection ([`ConnectBuilder::retries`]), or because a
//! connection that was kept open had been closed before anything was written to it. A call whose bytes have left may
//! have run, and is never made twice.

mod address;
mod builder;
mod call;
mod connection;
mod document;
mod error;
mod events;
mod exchange;
mod stream;
mod tool;
mod unreachable;

pub use builder::{ConnectBuilder, connect};
pub use call::{FunctionCall, ToolReturn};
pub use connection::Client;
pub use document::{connect_document, document_tools};
pub use error::{ClientError, KeyGiven};
pub use events::{EventStream, StreamEvent};
pub use opentool_http::{Addresses, Authorities};
