//! What opentool's HTTP servers have in common: connections, from the moment they are accepted to their end.
//!
//! The OpenTool server and the MCP endpoint differ in what they answer. How strangers are kept from shutting everybody
//! out is the same for both, and easy to get wrong, so it is written here once:
//!
//! * [`Connections`] accepts as many connections as [`Rules`] allow. If there is no room for one that comes, the one that
//!   has been idle longest gives up its place; one whose request is being answered never does.
//! * Everything that a client has to do has its time: the handshake of TLS, the head of a request, taking the answer. Bodies are
//!   read by whoever wants them ([`Respond`]), who knows how long they may take.
//! * A client that leaves while its request is answered ends the answer.
//! * [`trust`] holds the questions about `Host` and `Origin` that do not depend on whom a server trusts, [`trace`] the trace
//!   that a client names.
//!
//! It deliberately knows no protocol above HTTP/1.1, no tools, no keys and no bounds on the work that requests make. It binds no
//! address, reads no certificate files and handles no process signals: its users do, and tell errors in their own words.

mod address;
mod connection;
mod connections;
mod media;
mod places;
mod pulse;
mod respond;
mod rules;
mod socket;
mod stall;
pub mod trace;
pub mod trust;

pub use address::local;
pub use connections::Connections;
pub use media::is_json;
pub use respond::{Respond, route};
pub use rules::{Rules, Unasked, Untaken};
