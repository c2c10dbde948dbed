//! An HTTP client that sends exactly the bytes it is told to, and keeps the answer as it came.

use opentool_petshop::PetShop;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("not JSON ({e}): {}", self.body))
    }

    /// The detail of a problem; fails if the answer is none with this status, or is not as the document says.
    pub(crate) fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let body = self.json();
        assert_eq!(body["status"], status);
        assert!(body["title"].as_str().is_some_and(|title| !title.is_empty()), "{body}");
        let detail = body["detail"].as_str().unwrap_or_default().to_owned();
        assert!(!detail.is_empty(), "{body}");
        detail
    }
}

/// Sends a request of these bytes and reads the answer to the end of the connection.
pub(crate) async fn send_raw(shop: &PetShop, request: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(shop.address()).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Answer { status, headers, body: body.to_owned() }
}

/// Sends a request and holds the answer against the document.
pub(crate) async fn send(
    shop: &PetShop,
    method: &str,
    target: &str,
    extra: &str,
    body: Option<&str>,
) -> Answer {
    let body = body.unwrap_or_default();
    let length = body.len();
    let request = format!(
        "{method} {target} HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-length: {length}\r\n{extra}\r\n{body}"
    );
    let answer = send_raw(shop, request.as_bytes()).await;
    crate::document::check(method, target, &answer);
    answer
}

/// A GET.
pub(crate) async fn get(shop: &PetShop, target: &str) -> Answer {
    send(shop, "GET", target, "", None).await
}

/// A request with a JSON body.
pub(crate) async fn send_json(shop: &PetShop, method: &str, target: &str, body: &str) -> Answer {
    send(shop, method, target, "content-type: application/json\r\n", Some(body)).await
}

/// A shop of its own for one test.
pub(crate) async fn open() -> PetShop {
    PetShop::start("127.0.0.1:0").await.unwrap()
}
