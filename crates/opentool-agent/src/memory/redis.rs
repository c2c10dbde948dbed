//! A memory in Redis (or a server that speaks as it does): several machines share conversations, and old ones can
//! expire by themselves.
//!
//! A conversation is a list of messages under one key. Checking the end and writing are one script, so that two writers
//! cannot mix their turns.

use std::fmt;
use std::time::Duration;

use opentool_core::{BoxFuture, Message};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands as _, Client, RedisError};

use super::error::{read, write};
use super::{Memory, MemoryError, Place};

/// How long a connection, and an answer, may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Appends, or replaces, if the end is where the writer thinks it is. `ARGV`: the expected length or -1, 1 to replace,
/// milliseconds to live or 0, then the messages. Gives -1, or the length where the end was.
const WRITE: &str = "
local found = redis.call('LLEN', KEYS[1])
if tonumber(ARGV[1]) >= 0 and tonumber(ARGV[1]) ~= found then return found end
if ARGV[2] == '1' then redis.call('DEL', KEYS[1]) end
for i = 4, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
if tonumber(ARGV[3]) > 0 then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return -1
";

/// Conversations in Redis. Clones share the connection, which is made again when it breaks.
#[derive(Clone)]
pub struct Redis {
    connection: ConnectionManager,
    prefix: String,
    expire: Option<Duration>,
}

impl Redis {
    /// Connects: `redis://user:password@host:6379/0`, `unix:///path`.
    ///
    /// # Errors
    /// [`MemoryError::Unavailable`] if there is no such server, or it refuses.
    pub async fn connect(url: &str) -> Result<Self, MemoryError> {
        // The library's words about an address may hold the address, and its password.
        let client = Client::open(url).map_err(|error| {
            MemoryError::unavailable(format!("this is no address of a Redis: {}", kind(&error)), error)
        })?;
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(2)
            .set_connection_timeout(Some(PATIENCE))
            .set_response_timeout(Some(PATIENCE));
        let connection = ConnectionManager::new_with_config(client, config).await.map_err(failed)?;
        Ok(Self { connection, prefix: "opentool:conversation:".to_owned(), expire: None })
    }

    /// Sets what stands before the ids in keys. Default: `opentool:conversation:`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Has conversations forgotten that were not written to for this long. Default: never.
    pub fn expire_after(mut self, time: Duration) -> Self {
        self.expire = Some(time);
        self
    }

    fn key(&self, conversation: &str) -> String {
        format!("{}{conversation}", self.prefix)
    }

    async fn write(
        &self,
        conversation: &str,
        place: Place,
        messages: &[Message],
        replace: &str,
    ) -> Result<(), MemoryError> {
        let texts = write(messages)?;
        let expected = match place {
            Place::End => -1,
            Place::After(count) => i64::try_from(count).unwrap_or(i64::MAX),
        };
        let live = self.expire.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1));
        let mut command = redis::cmd("EVAL");
        command.arg(WRITE).arg(1).arg(self.key(conversation)).arg(expected).arg(replace).arg(live).arg(texts);
        let found: i64 = command.query_async(&mut self.connection.clone()).await.map_err(failed)?;
        match usize::try_from(found) {
            Err(_) => Ok(()),
            Ok(found) => {
                Err(MemoryError::Conflict { expected: usize::try_from(expected).unwrap_or(0), found })
            }
        }
    }
}

fn failed(error: RedisError) -> MemoryError {
    MemoryError::unavailable(kind(&error), error)
}

/// What went wrong, without what the server or the library adds.
fn kind(error: &RedisError) -> String {
    match error.code() {
        Some(code) => format!("Redis answered {code}"),
        None => error.category().to_owned(),
    }
}

impl Memory for Redis {
    fn load<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>> {
        Box::pin(async move {
            let texts: Vec<String> =
                self.connection.clone().lrange(self.key(conversation), 0, -1).await.map_err(failed)?;
            read(texts)
        })
    }

    fn append<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(self.write(conversation, place, messages, "0"))
    }

    fn replace<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(self.write(conversation, place, messages, "1"))
    }

    fn forget<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(async move {
            let () = self.connection.clone().del(self.key(conversation)).await.map_err(failed)?;
            Ok(())
        })
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>> {
        Box::pin(async move {
            // What means something in a pattern stands for itself.
            let escape = |c: char| if "*?[]\\^-".contains(c) { format!("\\{c}") } else { c.to_string() };
            let pattern: String = self.prefix.chars().map(escape).chain(["*".to_owned()]).collect();
            let mut ids = std::collections::BTreeSet::new();
            let mut cursor = 0_u64;
            loop {
                let mut scan = redis::cmd("SCAN");
                scan.arg(cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(500).arg("TYPE").arg("list");
                let (next, keys): (u64, Vec<String>) =
                    scan.query_async(&mut self.connection.clone()).await.map_err(failed)?;
                ids.extend(keys.iter().filter_map(|key| key.strip_prefix(&self.prefix).map(str::to_owned)));
                cursor = next;
                if cursor == 0 {
                    return Ok(ids.into_iter().collect());
                }
            }
        })
    }
}

/// Not the address: it may hold a password.
impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("prefix", &self.prefix)
            .field("expire", &self.expire)
            .finish_non_exhaustive()
    }
}
