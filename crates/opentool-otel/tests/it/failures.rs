//! A collector that is not there, refuses, or is written wrongly: told, and never the program's end.

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
use opentool_agent::{Agent, chat};
use opentool_core::ToolSet;
use opentool_otel::{Export, OtelError};
use tokio::net::TcpListener;
use tracing_subscriber::Registry;
use tracing_subscriber::layer::SubscriberExt as _;

/// Runs a turn with an export to the address; what the end of the export says.
async fn ended(address: String) -> Result<(), OtelError> {
    let (layer, guard) = Export::new().endpoint(address).layer().unwrap();
    {
        let _subscriber = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
        let agent = Agent::new(chat::script().text("Yes."), ToolSet::new());
        assert_eq!(agent.run("?").await.unwrap().text, "Yes.");
    }
    tokio::task::spawn_blocking(move || guard.shutdown()).await.unwrap()
}

#[tokio::test]
async fn a_collector_that_is_not_there_or_refuses_is_told_of_at_the_end() {
    let nobody = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let told = ended(format!("http://{nobody}")).await.unwrap_err().to_string();
    assert!(told.contains(&nobody.to_string()), "{told}");

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let refuses = Router::new().fallback(post(async || (StatusCode::UNAUTHORIZED, "who are you?")));
    tokio::spawn(async move { axum::serve(listener, refuses).await });
    let told = ended(format!("http://{address}")).await.unwrap_err().to_string();
    assert!(told.contains("401"), "{told}");
}

#[tokio::test]
async fn an_address_that_is_none_is_an_error_that_says_what_to_write() {
    for address in ["localhost:4318", "grpc://127.0.0.1:4317", ""] {
        let Err(error) = Export::new().endpoint(address).layer::<Registry>() else { panic!("{address}") };
        assert!(error.to_string().contains("http://localhost:4318"), "{address}: {error}");
    }
}

#[tokio::test]
async fn a_guard_can_be_dropped_inside_a_runtime() {
    let (layer, guard) = Export::new().endpoint("http://127.0.0.1:9").layer::<Registry>().unwrap();
    drop(layer);
    drop(guard);
}
