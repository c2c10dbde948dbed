//! Ids of requests, on their way through the SDK as numbers of ours.
//!
//! The SDK gives an answer to whoever has its id now. A client that cancels a request and uses its id again at once
//! would get the late answer of the first as that of the second. So every request gets a number that never comes
//! back; the client's ids are put in again where something leaves. The SDK drops the answers of numbers that were
//! cancelled.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::{Either, ready};
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, GetExtensions as _, GetMeta as _, JsonRpcMessage, RequestId, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// A transport whose requests have numbers.
pub(crate) struct Numbered<T> {
    inner: T,
    numbers: Arc<Mutex<Numbers>>,
}

/// The id that the client gave; among the extensions of its request.
#[derive(Debug, Clone)]
pub(crate) struct ClientId(pub(crate) RequestId);

#[derive(Debug, Default)]
struct Numbers {
    last: i64,
    ids: HashMap<i64, RequestId>,
    current: HashMap<RequestId, i64>,
}

impl Numbers {
    fn begin(&mut self, id: RequestId) -> RequestId {
        self.last = self.last.wrapping_add(1);
        self.ids.insert(self.last, id.clone());
        self.current.insert(id, self.last);
        RequestId::Number(self.last)
    }

    /// The client's id of a request that goes on.
    fn id(&self, number: &RequestId) -> Option<RequestId> {
        match number {
            RequestId::Number(number) => self.ids.get(number).cloned(),
            RequestId::String(_) => None,
        }
    }

    /// The client's id of a request that is answered, and is no more.
    fn answered(&mut self, number: &RequestId) -> Option<RequestId> {
        let RequestId::Number(number) = number else { return None };
        let id = self.ids.remove(number)?;
        if self.current.get(&id) == Some(number) {
            self.current.remove(&id);
        }
        Some(id)
    }

    /// The number of a request that its client gives up: it is no more.
    fn cancelled(&mut self, id: &RequestId) -> Option<RequestId> {
        let number = self.current.remove(id)?;
        self.ids.remove(&number);
        Some(RequestId::Number(number))
    }
}

impl<T> Numbered<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, numbers: Arc::default() }
    }

    fn numbers(&self) -> MutexGuard<'_, Numbers> {
        // Valid at every point where a panic could happen.
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The message with the client's ids; `None` if it belongs to a request that is no more.
    fn named(&self, mut message: TxJsonRpcMessage<RoleServer>) -> Option<TxJsonRpcMessage<RoleServer>> {
        match &mut message {
            JsonRpcMessage::Response(response) => {
                response.id = self.numbers().answered(&response.id)?;
                if let ServerResult::SubscriptionsListenResult(ended) = &mut response.result {
                    ended.meta.set_subscription_id(response.id.clone());
                }
            }
            JsonRpcMessage::Error(error) => {
                if let Some(number) = &error.id {
                    error.id = Some(self.numbers().answered(number)?);
                }
            }
            JsonRpcMessage::Notification(message) => {
                if let Some(number) = message.notification.get_meta().subscription_id() {
                    let id = self.numbers().id(&number)?;
                    message.notification.get_meta_mut().set_subscription_id(id);
                }
            }
            JsonRpcMessage::Request(_) => {}
        }
        Some(message)
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Numbered<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match self.named(item) {
            Some(message) => Either::Left(self.inner.send(message)),
            None => Either::Right(ready(Ok(()))),
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let mut message = self.inner.receive().await?;
        match &mut message {
            JsonRpcMessage::Request(request) => {
                request.request.extensions_mut().insert(ClientId(request.id.clone()));
                request.id = self.numbers().begin(request.id.clone());
            }
            JsonRpcMessage::Notification(message) => {
                if let ClientNotification::CancelledNotification(cancelled) = &mut message.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    // No request has the number 0.
                    *id = self.numbers().cancelled(id).unwrap_or(RequestId::Number(0));
                }
            }
            _ => {}
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
