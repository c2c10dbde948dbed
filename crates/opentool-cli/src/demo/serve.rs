//! `opentool demo --serve`: the pet shop and its tools stay up, for a client of the person's own.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use opentool::ToolSet;
use opentool::mcp::{McpError, Server};
use opentool_petshop::{DEFAULT_PORT, PetShop, StartError};

use super::all_tools;
use super::event::Event;
use super::stage::Stage;
use crate::commands::serve::DEFAULT_ADDRESS;
use crate::console::Console;
use crate::error::CliError;
use crate::listen::Listen;
use crate::runtime::shutdown_requested;

/// Where a server may listen that found its default in use.
const ANYWHERE: &str = "127.0.0.1:0";

/// Serves until the process is asked to end.
pub(super) async fn serve(address: Option<&Listen>, console: &Console) -> Result<(), CliError> {
    if let Some(address) = address.filter(|address| !address.is_local()) {
        // The key of the shop's staff is in these tools.
        return Err(CliError::usage(
            format!("{address} is not an address of this machine alone; the demo serves nobody else"),
            "`opentool serve SOURCE --http ADDR` serves a network",
        ));
    }
    let stage = Stage::new(console);
    let shop = open_shop().await.map_err(|error| CliError::server(&error))?;
    let tools = all_tools(&shop)?;
    let bound = match address {
        Some(address) => server(&tools).bind(address.to_string()).await,
        None => match server(&tools).bind(DEFAULT_ADDRESS).await {
            Err(McpError::AddressInUse { .. }) => server(&tools).bind(ANYWHERE).await,
            other => other,
        },
    };
    let bound = bound.map_err(|error| CliError::server(&error))?;
    // Whoever reads the address below may ask for the end at once: the signals are listened to before.
    let mut asked = pin!(shutdown_requested());
    let at_once = poll_fn(|cx| Poll::Ready(asked.as_mut().poll(cx).is_ready())).await;
    if at_once {
        return Err(CliError::server(&std::io::Error::other(
            "the signals that end a server cannot be listened to",
        )));
    }
    stage.tell(&Event::Serving { mcp: &bound.url(), shop: shop.base_url(), tools: tools.len() });
    stage.check()?;
    bound.serve_until(async { drop(asked.await) }).await.map_err(|error| CliError::server(&error))?;
    shop.shutdown().await;
    stage.tell(&Event::Closed);
    Ok(stage.check()?)
}

fn server(tools: &ToolSet) -> Server {
    Server::new(tools.clone()).name("opentool-demo").instructions(
        "The tools of a small pet shop: find pets, keep their records, reserve them for customers.",
    )
}

/// The shop at the address that its document names, or anywhere if that is taken.
async fn open_shop() -> Result<PetShop, StartError> {
    match PetShop::start(format!("127.0.0.1:{DEFAULT_PORT}")).await {
        Err(StartError::AddressInUse { .. }) => PetShop::start(ANYWHERE).await,
        other => other,
    }
}
