//! Where the endpoints are, and the words that both sides use.

/// The path below which the endpoints are, unless somebody chose another.
pub const BASE_PATH: &str = "/opentool";
/// `GET`: the version of the protocol.
pub const VERSION: &str = "version";
/// `POST`: runs a function.
pub const CALL: &str = "call";
/// `POST`: runs a function and answers with an event stream.
pub const STREAM_CALL: &str = "streamCall";
/// `GET`: the document.
pub const LOAD: &str = "load";
/// `POST`: ends the server.
pub const STOP: &str = "stop";

/// What an event stream is sent as.
pub const EVENT_STREAM: &str = "text/event-stream";

/// The host-only metadata of a tool's output that only repeats the partial outputs before it. A server that has sent
/// those as data has nothing to add.
pub const REPEATS_PARTIALS: &str = "opentool.repeats_partials";

/// The host-only metadata of an output that only says that the function is done: it gives nothing, and what stands there
/// is for models. On the wire it is `{}`.
pub const GIVES_NOTHING: &str = "opentool.gives_nothing";
