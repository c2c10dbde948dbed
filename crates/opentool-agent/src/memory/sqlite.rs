//! A memory in one file, by SQLite: one process or several on one machine.
//!
//! SQLite is C, which is why this is a feature. Nothing written in Rust alone is as well tested as a file format that
//! has to survive power cuts, and everybody's tools can read it. Reading and writing block, so they run on threads that
//! may.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use opentool_core::{BoxFuture, Message};
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::error::{read, write};
use super::{Memory, MemoryError, Place};

/// How long a write waits for that of another process.
const BUSY: Duration = Duration::from_secs(10);
/// How long until something that SQLite does not wait for is tried again.
const AGAIN: Duration = Duration::from_millis(5);
/// The version of the tables, in the file's `user_version`.
const VERSION: i64 = 1;

/// Conversations in a SQLite file. Clones share the connection.
#[derive(Clone)]
pub struct Sqlite {
    path: Arc<Path>,
    connection: Arc<Mutex<Connection>>,
}

impl Sqlite {
    /// Opens the file, or makes it: only its owner can read a new one.
    ///
    /// # Errors
    /// [`MemoryError::Unavailable`] if it cannot be opened, or holds something else.
    pub async fn open(path: impl Into<PathBuf>) -> Result<Self, MemoryError> {
        let path: Arc<Path> = path.into().into();
        let file = Arc::clone(&path);
        let connection = blocking(move || open(&file)).await?;
        Ok(Self { path, connection: Arc::new(Mutex::new(connection)) })
    }

    /// Runs on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Connection) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let connection = Arc::clone(&self.connection);
        blocking(move || run(&mut connection.lock().unwrap_or_else(PoisonError::into_inner))).await
    }

    /// Adds messages behind those that are there, or in their place.
    async fn write(
        &self,
        conversation: &str,
        place: Place,
        messages: &[Message],
        first: First,
    ) -> Result<(), MemoryError> {
        let (conversation, texts) = (conversation.to_owned(), write(messages)?);
        self.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
            let found = count(&transaction, &conversation)?;
            if let Place::After(expected) = place
                && expected != found
            {
                return Err(MemoryError::Conflict { expected, found });
            }
            let start = match first {
                First::Forget => {
                    forget(&transaction, &conversation)?;
                    0
                }
                First::Keep => found,
            };
            {
                let mut insert = transaction
                    .prepare_cached("INSERT INTO message (conversation, number, message) VALUES (?1, ?2, ?3)")
                    .map_err(failed)?;
                for (index, text) in texts.iter().enumerate() {
                    let number = i64::try_from(start.saturating_add(index)).unwrap_or(i64::MAX);
                    insert.execute(params![conversation, number, text]).map_err(failed)?;
                }
            }
            transaction.commit().map_err(failed)
        })
        .await
    }
}

/// What happens to the messages that are there.
enum First {
    Keep,
    Forget,
}

async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, MemoryError> + Send + 'static,
) -> Result<T, MemoryError> {
    tokio::task::spawn_blocking(run)
        .await
        .unwrap_or_else(|error| Err(MemoryError::unavailable("the work was broken off", error)))
}

fn open(path: &Path) -> Result<Connection, MemoryError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;

        // What is said to a model is nobody else's business.
        let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
        if let Err(error) = made
            && error.kind() != std::io::ErrorKind::AlreadyExists
        {
            return Err(MemoryError::unavailable(format!("{}: {error}", path.display()), error));
        }
    }
    let named =
        |error: rusqlite::Error| MemoryError::unavailable(format!("{}: {error}", path.display()), error);
    let mut connection = Connection::open(path).map_err(named)?;
    connection.busy_timeout(BUSY).map_err(named)?;
    if !is_ours(&mut connection).map_err(named)? {
        return Err(MemoryError::Unavailable {
            message: format!(
                "{} holds something else than conversations, or those of a newer version",
                path.display()
            )
            .into(),
            source: None,
        });
    }
    write_ahead(&connection).map_err(named)?;
    Ok(connection)
}

/// Whether the file holds conversations; an empty one does from then on. One transaction, because several processes may
/// open a new file at the same time.
fn is_ours(connection: &mut Connection) -> rusqlite::Result<bool> {
    let version = |connection: &Connection| -> rusqlite::Result<i64> {
        connection.query_row("PRAGMA user_version", [], |row| row.get(0))
    };
    if version(connection)? == VERSION {
        return Ok(true);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    match (version(&transaction)?, tables) {
        (VERSION, _) => return Ok(true),
        (0, 0) => {}
        _ => return Ok(false),
    }
    transaction.execute_batch(
        "CREATE TABLE message (
             conversation TEXT NOT NULL,
             number INTEGER NOT NULL,
             message TEXT NOT NULL,
             PRIMARY KEY (conversation, number)
         ) WITHOUT ROWID, STRICT;
         PRAGMA user_version = 1;",
    )?;
    transaction.commit()?;
    Ok(true)
}

/// Has readers not wait for writers; what was committed survives the process.
///
/// Changing this needs the file for itself, and SQLite does not wait for that as it waits for a write.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let begin = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && begin.elapsed() < BUSY => std::thread::sleep(AGAIN),
            result => return result,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn failed(error: rusqlite::Error) -> MemoryError {
    MemoryError::unavailable(error.to_string(), error)
}

fn count(transaction: &Transaction<'_>, conversation: &str) -> Result<usize, MemoryError> {
    let last: Option<i64> = transaction
        .query_row(
            "SELECT number FROM message WHERE conversation = ?1 ORDER BY number DESC LIMIT 1",
            [conversation],
            |row| row.get(0),
        )
        .optional()
        .map_err(failed)?;
    Ok(last.map_or(0, |last| usize::try_from(last).unwrap_or(usize::MAX).saturating_add(1)))
}

fn forget(connection: &Connection, conversation: &str) -> Result<(), MemoryError> {
    connection.execute("DELETE FROM message WHERE conversation = ?1", [conversation]).map_err(failed)?;
    Ok(())
}

/// The texts of the rows.
fn texts(connection: &Connection, query: &str, parameters: &[&str]) -> Result<Vec<String>, MemoryError> {
    let mut statement = connection.prepare_cached(query).map_err(failed)?;
    let rows =
        statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get(0)).map_err(failed)?;
    rows.collect::<Result<_, _>>().map_err(failed)
}

impl Memory for Sqlite {
    fn load<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Vec<Message>, MemoryError>> {
        let conversation = conversation.to_owned();
        Box::pin(self.run(move |connection| {
            let query = "SELECT message FROM message WHERE conversation = ?1 ORDER BY number";
            read(texts(connection, query, &[&conversation])?)
        }))
    }

    fn append<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(self.write(conversation, place, messages, First::Keep))
    }

    fn replace<'a>(
        &'a self,
        conversation: &'a str,
        place: Place,
        messages: &'a [Message],
    ) -> BoxFuture<'a, Result<(), MemoryError>> {
        Box::pin(self.write(conversation, place, messages, First::Forget))
    }

    fn forget<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), MemoryError>> {
        let conversation = conversation.to_owned();
        Box::pin(self.run(move |connection| forget(connection, &conversation)))
    }

    fn list(&self) -> BoxFuture<'_, Result<Vec<String>, MemoryError>> {
        Box::pin(self.run(|connection| {
            texts(connection, "SELECT DISTINCT conversation FROM message ORDER BY conversation", &[])
        }))
    }
}

impl fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sqlite").field(&self.path).finish()
    }
}
