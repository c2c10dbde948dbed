//! A call as the protocol has it: a function by its name, arguments, an id.

use std::time::Instant;

use opentool_core::Arguments;
use opentool_http::{Bytes, Method};
use serde_json::{Map, Value};

use super::{Client, ClientError};
use crate::wire::endpoint;
use crate::wire::error_object::error_object;
use crate::wire::request::RequestBody;
use crate::wire::response::Reply;

/// The call of a function. It is sent as it is: only tools ([`Client::tools`]) validate their arguments.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct FunctionCall {
    /// The caller's id of this call; the answer bears it.
    pub id: String,
    /// The name of the function.
    pub name: String,
    /// The arguments by name.
    pub arguments: Map<String, Value>,
}

impl FunctionCall {
    /// The call of the function `name` without arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: Map::new() }
    }

    /// Adds an argument.
    pub fn argument(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.arguments.insert(name.into(), value.into());
        self
    }

    /// Sets all arguments.
    pub fn arguments(mut self, arguments: impl Into<Arguments>) -> Self {
        self.arguments = arguments.into().into_map();
        self
    }

    /// The call as it is sent.
    pub(crate) fn body(&self) -> Bytes {
        // A map whose keys are strings can always be written.
        serde_json::to_vec(&RequestBody::new(&self.id, &self.name, &self.arguments))
            .unwrap_or_default()
            .into()
    }
}

/// What a function gave.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolReturn {
    /// The id of the call.
    pub id: String,
    /// The result: an object by the protocol, and whatever the server sent. An integer beyond 64 bits, or a decimal number
    /// beyond 64-bit floats, is rounded; tools pass such a result on as text.
    pub result: Value,
}

impl ToolReturn {
    /// The error that the result is: tools of some servers return `{"code": 405, "message": "…"}` where they should fail.
    pub fn error(&self) -> Option<ClientError> {
        let error = error_object(self.result.as_object()?)?;
        Some(ClientError::Call { code: error.code, message: error.message.into() })
    }
}

impl Client {
    /// Calls a function.
    ///
    /// The answer's own id does not matter: it came on the connection on which the call went, and servers write it as a
    /// text, as a number, or not at all. `error: null` is success.
    ///
    /// # Errors
    /// [`ClientError`]; [`ClientError::Call`] if the server says that the call failed.
    pub async fn call(&self, call: &FunctionCall) -> Result<ToolReturn, ClientError> {
        let answer = self.answer(call, None).await?;
        match answer.result {
            Some(result) => {
                let result = serde_json::from_str(&result).map_err(|error| {
                    self.exchange().not_opentool(format!("its result cannot be read: {error}"))
                })?;
                Ok(ToolReturn { id: call.id.clone(), result })
            }
            None => Err(ClientError::ResponseNull {
                origin: self.exchange().address().origin(),
                status: answer.status,
            }),
        }
    }

    /// Calls a function; what comes back is the text of its result.
    pub(crate) async fn answer(
        &self,
        call: &FunctionCall,
        deadline: Option<Instant>,
    ) -> Result<Answer, ClientError> {
        let exchange = self.exchange();
        let answer = exchange.ask(Method::POST, endpoint::CALL, call.body(), deadline).await?;
        let status = answer.status.as_u16();
        let text = answer.text();
        if matches!(text.trim_ascii(), "" | "null") {
            return Err(ClientError::ResponseNull { origin: exchange.address().origin(), status });
        }
        let reply = Reply::read(&text)
            .map_err(|reason| exchange.not_opentool(format!("its answer to a call is none: {reason}")))?;
        if let Some(error) = reply.error {
            return Err(exchange.failed(&error));
        }
        if !reply.id.is(&call.id) {
            tracing::debug!(sent = %call.id, received = ?reply.id, "the answer bears another id");
        }
        Ok(Answer { status, result: reply.result.map(str::to_owned) })
    }
}

/// An answer without an error.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The HTTP status.
    pub(crate) status: u16,
    /// The text of the result; `None` where it is missing or `null`.
    pub(crate) result: Option<String>,
}
