//! Opening and closing, and what lies beside the operations.

use opentool_petshop::{PetShop, StartError};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::client::{get, open, send, send_raw};

#[tokio::test]
async fn a_port_in_use_is_told_as_such() {
    let shop = open().await;
    let address = shop.address().to_string();
    let error = PetShop::start(&address).await.unwrap_err();
    assert!(matches!(&error, StartError::AddressInUse { address: said } if *said == address), "{error:?}");
    assert!(error.to_string().contains("port is in use"), "{error}");
    let error = PetShop::start("not an address").await.unwrap_err();
    assert!(matches!(error, StartError::Bind { .. }), "{error:?}");
}

#[tokio::test]
async fn a_closed_shop_is_closed() {
    let shop = open().await;
    let address = shop.address();
    // A connection on which nothing is asked does not keep it open.
    let mut idle = TcpStream::connect(address).await.unwrap();
    get(&shop, "/pet/2").await;
    shop.shutdown().await;
    assert!(TcpStream::connect(address).await.is_err());
    assert_eq!(idle.read(&mut [0; 1]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_dropped_shop_closes() {
    let shop = open().await;
    let mut idle = TcpStream::connect(shop.address()).await.unwrap();
    drop(shop);
    assert_eq!(idle.read(&mut [0; 1]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn everywhere_is_reached_here() {
    let shop = PetShop::start("0.0.0.0:0").await.unwrap();
    assert_eq!(shop.base_url(), format!("http://127.0.0.1:{}", shop.address().port()));
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_as_well() {
    let shop = open().await;
    let detail = get(&shop, "/admin").await.problem(404);
    assert!(detail.contains("/openapi.yaml"), "{detail}");
    let detail = send(&shop, "PUT", "/pet/2", "", None).await.problem(405);
    assert!(detail.starts_with("PUT is not possible at /pet/2"), "{detail}");
    get(&shop, "/pet/").await.problem(404);
    get(&shop, "/pet/2/").await.problem(404);
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let shop = open().await;
    let one = "GET /pet/2 HTTP/1.1\r\nhost: shop\r\n\r\n";
    let last = "GET /pet/3 HTTP/1.1\r\nhost: shop\r\nconnection: close\r\n\r\n";
    let answer = send_raw(&shop, format!("{one}{last}").as_bytes()).await;
    assert_eq!(answer.body.matches("HTTP/1.1 200 OK").count(), 1, "the second, after the first body");
    assert!(answer.body.contains("Miso") && answer.body.contains("Clover"));
}
