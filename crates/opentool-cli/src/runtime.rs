//! Async runtimes, started by the commands that need one and by no other; and the signals that end a server.

use std::future::Future;

use crate::error::CliError;

/// Runs a future to its end on this thread: for commands that wait for one thing at a time.
///
/// # Errors
/// Those of the future, and [`CliError::Output`] if the system has no room for a runtime.
pub(crate) fn wait_for<T>(future: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(future)
}

/// The same, and does not wait for what reads the terminal and cannot be stopped: it ends with the process.
///
/// # Errors
/// Those of [`wait_for`].
pub(crate) fn wait_for_a_person<T>(future: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(future);
    runtime.shutdown_background();
    result
}

/// Runs a future to its end on a runtime of many threads: for servers.
///
/// Does not wait for blocking reads of standard input that are still under way: they end with the process.
///
/// # Errors
/// Those of [`wait_for`].
pub(crate) fn serve<T>(future: impl Future<Output = Result<T, CliError>>) -> Result<T, CliError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let result = runtime.block_on(future);
    runtime.shutdown_background();
    result
}

/// Completes when the process is asked to end: Ctrl-C or SIGTERM. Listens from the first poll on.
///
/// # Errors
/// Those of [`shutdown`].
pub(crate) async fn shutdown_requested() -> Result<(), CliError> {
    shutdown()?.await;
    Ok(())
}

/// Listens from now on for Ctrl-C and SIGTERM; the future completes at the first. Whoever asks a second time does
/// not want to wait for calls that run: then the process ends at once.
///
/// # Errors
/// [`CliError::Server`] if the signals cannot be listened to.
#[cfg(unix)]
pub(crate) fn shutdown() -> Result<impl Future<Output = ()> + Send + 'static, CliError> {
    use tokio::signal::unix::{SignalKind, signal};

    /// What a shell reports of a process that Ctrl-C ended.
    const INTERRUPTED: i32 = 130;

    let listen = |kind| signal(kind).map_err(|error| CliError::server(&error));
    let (mut interrupt, mut terminate) = (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    let mut next = async move || {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    };
    Ok(async move {
        next().await;
        tokio::spawn(async move {
            next().await;
            std::process::exit(INTERRUPTED);
        });
    })
}

/// Listens for Ctrl-C.
///
/// # Errors
/// None on this system.
#[cfg(not(unix))]
pub(crate) fn shutdown() -> Result<impl Future<Output = ()> + Send + 'static, CliError> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
