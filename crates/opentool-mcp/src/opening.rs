//! How a client opens a stream: with `initialize`, or in the revisions without it with its first request.
//!
//! The SDK ends a connection on which anything but a request comes first. Clients do send such things (a
//! cancellation of `server/discover`, an answer that is late), so until the connection is open they are left out.
//! Once it is, it keeps its revision: the SDK would accept an `initialize` after a modern request and then refuse
//! every call that follows.

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion};

/// How far a connection is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Nothing has been agreed on.
    #[default]
    Closed,
    /// Opened by `initialize`.
    Initialized,
    /// Opened by a request of a revision without `initialize`.
    Modern,
}

/// What to do with a message.
#[derive(Debug)]
pub(crate) enum Step {
    /// It goes on.
    Take,
    /// It has no meaning here and wants no answer.
    LeaveOut,
    /// It is a request that is refused.
    Refuse(ErrorData),
}

impl Opening {
    /// Takes note of a message. The revisions are those that the server speaks.
    pub(crate) fn step(&mut self, message: &ClientJsonRpcMessage, spoken: &[ProtocolVersion]) -> Step {
        let JsonRpcMessage::Request(request) = message else {
            return if *self == Self::Closed { Step::LeaveOut } else { Step::Take };
        };
        match (&request.request, *self) {
            (ClientRequest::InitializeRequest(_), Self::Modern) => {
                let message = "Invalid request: this connection was opened without `initialize`, by a request of a \
                               revision that has none, and goes on like that; open another one";
                return Step::Refuse(ErrorData::invalid_request(message, None));
            }
            (ClientRequest::InitializeRequest(_), Self::Closed) => *self = Self::Initialized,
            (ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_), _) => {}
            (other, Self::Closed) => {
                let meta = other.get_meta();
                let whole = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
                if whole && meta.protocol_version().is_some_and(|version| spoken.contains(&version)) {
                    *self = Self::Modern;
                }
            }
            _ => {}
        }
        Step::Take
    }
}
