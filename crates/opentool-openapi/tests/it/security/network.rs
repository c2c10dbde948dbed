//! Where a call may lead, and how much may come back.

use std::future::Future;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use opentool_core::{Content, Tool as _, ToolContext};
use opentool_http::{Addresses, Client, Options, Resolve, Url};
use opentool_openapi::{Address, Credential, OAuth};
use serde_json::json;

use super::wire::{Wire, call, document, given};

#[tokio::test]
async fn redirect_to_another_origin_with_credentials() {
    let thief = Wire::open().await;
    for status in
        ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let answer = format!(
            "HTTP/1.1 {status}\r\nlocation: {}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            thief.url
        );
        let wire = Wire::answering(answer.into_bytes()).await;
        for method in ["get", "post"] {
            let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {method: {
                "security": [{"token": [], "key": [], "sid": []}]}}}, "components": {"securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "key": {"type": "apiKey", "in": "query", "name": "key"},
                "sid": {"type": "apiKey", "in": "cookie", "name": "sid"}}}}));
            let api = api.server(&wire.url).bearer("s3cret-token");
            let api = api.credential("key", Credential::text("s3cret-key"));
            let api = api.credential("sid", Credential::text("s3cret-sid"));
            let error = call(&api, json!({})).await.unwrap_err();
            assert!(error.for_model().contains("which is not followed"), "{error}");
            assert!(wire.head().contains("s3cret-token"));
            assert_eq!(thief.heads(), [""; 0], "{status} {method}");
        }
    }
}

/// A name that is public when it is looked at, and leads into the own network when it is used.
#[derive(Debug, Default, Clone)]
struct Turning(Arc<AtomicUsize>);

impl Resolve for Turning {
    fn resolve(&self, _: &str) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        let asked = self.0.fetch_add(1, Ordering::Relaxed);
        // Nobody looks a name up twice for one connection: what comes first is what is used. So both come at once, too.
        let public = IpAddr::from([0x2606, 0x4700, 0, 0, 0, 0, 0, 1]);
        let addresses = if asked == 0 { vec![Ipv4Addr::LOCALHOST.into()] } else { vec![public] };
        Box::pin(async { Ok(addresses) })
    }
}

/// Every name leads to one address.
#[derive(Debug, Clone)]
struct To(IpAddr);

impl Resolve for To {
    fn resolve(&self, _: &str) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        let to = self.0;
        Box::pin(async move { Ok(vec![to]) })
    }
}

/// The document's own origin is no exception: its name led to a public machine, and leads into the own network now.
#[tokio::test]
async fn the_own_origin_of_a_document_that_turns_to_a_private_address() {
    let wire = Wire::open().await;
    let port = wire.url.port().unwrap();
    let place: Url = format!("http://docs.example.test:{port}/openapi.json").parse().unwrap();
    let text = json!({"openapi": "3.1.0", "paths": {"/s": {"get": {"operationId": "s"}}}}).to_string();
    let client = Client::new(Options::new().resolver(To(Ipv4Addr::LOCALHOST.into())));
    let ask = async |peer: Option<IpAddr>, addresses: Option<Addresses>| {
        let mut api = opentool_openapi::parse(text.as_str(), Address::Url(place.clone())).unwrap();
        api = api.document_peer(peer);
        if let Some(addresses) = addresses {
            api = api.addresses(addresses);
        }
        let tools = api.tools_with(&client).unwrap();
        tools.get("s").unwrap().call(&ToolContext::new(), given(json!({}))).await
    };
    let public = Some(Ipv4Addr::new(93, 184, 216, 34).into());
    let error = ask(public, None).await.unwrap_err();
    assert!(error.for_model().contains("leads to a loopback address"), "{error}");
    assert_eq!(wire.heads(), [""; 0]);
    // What was in the own network is called there, and what the host allows.
    assert!(ask(Some(Ipv4Addr::LOCALHOST.into()), None).await.is_ok());
    assert!(ask(public, Some(Addresses::Any)).await.is_ok());
}

/// A document of the host's own may name machines of the host's network, but none that gives out the host's keys.
#[tokio::test]
async fn no_document_names_a_metadata_service() {
    let client = Client::new(Options::new().resolver(To([169, 254, 169, 254].into())));
    for server in ["http://169.254.169.254:1", "http://[fd00:ec2::254]:1", "http://metadata.example.test:1"] {
        let text = json!({"openapi": "3.1.0", "servers": [{"url": server}],
                          "paths": {"/latest/meta-data": {"get": {"operationId": "s"}}}});
        let api = opentool_openapi::parse(text.to_string(), "openapi.json").unwrap();
        let tools = api.tools_with(&client).unwrap();
        let error = tools.get("s").unwrap().call(&ToolContext::new(), given(json!({}))).await.unwrap_err();
        assert!(error.for_model().contains("where neither a document nor a redirect may lead"), "{error}");
    }
}

#[tokio::test]
async fn dns_name_that_turns_to_a_private_address() {
    let wire = Wire::open().await;
    let port = wire.url.port().unwrap();
    let server = format!("http://api.example.test:{port}");
    let text = json!({"openapi": "3.1.0", "servers": [{"url": server}], "paths": {"/s": {"get": {}}}});
    let fetched: Url = "https://docs.example.test/openapi.json".parse().unwrap();
    let api = opentool_openapi::parse(text.to_string(), Address::Url(fetched)).unwrap();
    let names = Turning::default();
    let client = Client::new(Options::new().resolver(names.clone()));
    let tools = api.tools_with(&client).unwrap();
    let tool = tools.iter().next().unwrap();
    let error = tool.call(&ToolContext::new(), given(json!({}))).await.unwrap_err();
    assert!(error.for_model().contains("leads to a loopback address"), "{error}");
    assert_eq!((wire.heads(), names.0.load(Ordering::Relaxed)), (Vec::new(), 1));
}

#[tokio::test]
async fn xml_entities() {
    let bomb =
        "<!DOCTYPE a [<!ENTITY b \"bbbbbbbb\"><!ENTITY c SYSTEM \"file:///etc/passwd\">]><a>&b;&b;&c;</a>";
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/xml\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{bomb}",
        bomb.len()
    );
    let wire = Wire::answering(answer.into_bytes()).await;
    let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"get": {}}}})).server(&wire.url);
    let output = call(&api, json!({})).await.unwrap();
    // Nothing of it is looked up or put in its place.
    assert_eq!(output.content, [Content::text(bomb)]);
}

/// A gzip stream of zeros: one literal, and then copies of 258 bytes in 13 bits each.
fn zip_bomb(mebibytes: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The last block, with fixed codes.
    bits.push(0b011, 3);
    bits.push(0b0000_1100, 8);
    for _ in 0..mebibytes * 1024 * 1024 / 258 {
        // Length 258 (code 285, most significant bit first), distance 1.
        bits.push(0b1010_0011, 8);
        bits.push(0, 5);
    }
    bits.push(0, 7);
    [b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec(), bits.bytes].concat()
}

/// Bits, the least significant of a byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    free: u32,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.free == 0 {
                self.bytes.push(0);
                self.free = 8;
            }
            *self.bytes.last_mut().unwrap() |= u8::try_from((value >> bit) & 1).unwrap() << (8 - self.free);
            self.free -= 1;
        }
    }
}

#[tokio::test]
async fn zip_bomb_responses() {
    let body = zip_bomb(64);
    assert!(body.len() < 500_000);
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\nconnection: \
         close\r\n\r\n",
        body.len()
    );
    let wire = Wire::answering([head.into_bytes(), body].concat()).await;
    let api = document(&json!({"openapi": "3.1.0", "paths": {"/s": {"get": {}}}})).server(&wire.url);
    let error = call(&api, json!({})).await.unwrap_err();
    assert!(error.for_model().contains("is larger than the limit of 10485760 bytes"), "{error}");
}

/// A part that was fetched may have servers of its own; who may know the credentials is not its to say.
#[tokio::test]
async fn credentials_and_the_servers_of_a_part_that_was_fetched() {
    let thief = Wire::open().await;
    let part = json!({"get": {"operationId": "s", "servers": [{"url": thief.url.as_str()}]}}).to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", part.len());
    let parts = Wire::answering(format!("{head}{part}").into_bytes()).await;
    let own = Wire::open().await;
    let main = json!({"openapi": "3.1.0", "servers": [{"url": own.url.as_str()}],
        "security": [{"token": []}, {}], "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "paths": {"/s": {"$ref": parts.url.join("part.json").unwrap().as_str()}}});
    let host = format!("127.0.0.1:{}", parts.url.port().unwrap());
    let options = opentool_openapi::LoadOptions::new().host(host);
    let named = Address::Named("main.json".to_owned());
    let api = options.read(main.to_string(), named).await.unwrap();

    let error = call(&api.clone().bearer("s3cret-token"), json!({})).await.unwrap_err();
    assert!(
        error.for_model().contains("credentials go to servers that the document itself names"),
        "{error}"
    );
    assert_eq!(thief.heads(), [""; 0]);
    // Without any it is asked; and with them where the operator names it.
    call(&api, json!({})).await.unwrap();
    assert!(!thief.head().contains("s3cret"));
    call(&api.bearer("s3cret-token").server(&thief.url), json!({})).await.unwrap();
    assert!(thief.head().contains("s3cret-token"));
}

/// What several texts say together, each of them has to be allowed to say: a public document gets no further by naming the
/// place of a part that is not public.
#[tokio::test]
async fn a_public_document_with_a_part_that_is_not_public() {
    let public: IpAddr = Ipv4Addr::new(93, 184, 216, 34).into();
    let place = Address::Url("https://docs.example.test/openapi.json".parse().unwrap());
    let part = json!({"get": {"operationId": "s"}}).to_string();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", part.len());
    let parts = Wire::answering(format!("{head}{part}").into_bytes()).await;
    let main = json!({"openapi": "3.1.0", "servers": [{"url": parts.url.as_str()}],
        "paths": {"/s": {"$ref": parts.url.join("part.json").unwrap().as_str()}}})
    .to_string();
    let host = format!("127.0.0.1:{}", parts.url.port().unwrap());
    let options = opentool_openapi::LoadOptions::new().host(host);
    for peer in [Some(public), None] {
        let api = options.clone().document_peer(peer).read(main.as_str(), place.clone()).await.unwrap();
        assert_eq!((api.settings().document_peer, parts.heads().len()), (peer, 1));
        let error = call(&api, json!({})).await.unwrap_err();
        assert!(error.for_model().contains("leads to a loopback address"), "{error}");
        assert_eq!(parts.heads(), [""; 0]);
    }
    // The host's own document may name it.
    let own = options.read(main, Address::Named("main.json".to_owned())).await.unwrap();
    parts.heads();
    call(&own, json!({})).await.unwrap();
    assert_eq!(parts.heads().len(), 1);
}

/// The name of a public document's origin leads into the own network the second time: for a part, too.
#[tokio::test]
async fn parts_of_a_public_document_are_public() {
    let wire = Wire::open().await;
    let port = wire.url.port().unwrap();
    let place: Url = format!("http://docs.example.test:{port}/openapi.json").parse().unwrap();
    let client = Client::new(Options::new().resolver(To(Ipv4Addr::LOCALHOST.into())));
    let options = opentool_openapi::LoadOptions::new()
        .references(opentool_openapi::References::SameOrigin)
        .client(client);
    let text =
        json!({"openapi": "3.1.0", "paths": {"/s": {"get": {}}, "/t": {"$ref": "part.json"}}}).to_string();
    let public: IpAddr = Ipv4Addr::new(93, 184, 216, 34).into();
    for (peer, reached) in [(Some(public), 0), (None, 1)] {
        let options = options.clone().document_peer(peer);
        options.read(text.as_str(), Address::Url(place.clone())).await.unwrap();
        assert_eq!(wire.heads().len(), reached, "{peer:?}");
    }
}

/// Where tokens are is said by the text in which the scheme stands. A part that was fetched can neither have the client's secret
/// sent where the document does not say, nor send the host into its own network.
#[tokio::test]
async fn the_endpoints_of_a_scheme_in_a_part_that_was_fetched() {
    let thief = Wire::open().await;
    let at = |path: &str| thief.url.join(path).unwrap().to_string();
    let flows = json!({"clientCredentials": {"tokenUrl": at("steal"), "scopes": {}}});
    let oauth = json!({"type": "oauth2", "flows": flows});
    let discovery = json!({"type": "openIdConnect", "openIdConnectUrl": at("meta-data")});
    for scheme in [oauth, discovery] {
        let part = json!({"scheme": scheme}).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", part.len());
        let parts = Wire::answering(format!("{head}{part}").into_bytes()).await;
        let own = Wire::open().await;
        let host = format!("parts.example.test:{}", parts.url.port().unwrap());
        let main = json!({"openapi": "3.1.0", "servers": [{"url": own.url.as_str()}],
            "components": {"securitySchemes": {"oa": {"$ref": format!("http://{host}/part.json#/scheme")}}},
            "paths": {"/s": {"get": {"operationId": "s", "security": [{"oa": []}]}}}})
        .to_string();
        let client = Client::new(Options::new().resolver(To(Ipv4Addr::LOCALHOST.into())));
        let robot = || Credential::OAuth(OAuth::client_credentials("me", "s3cret"));
        let options = opentool_openapi::LoadOptions::new().host(&host).client(client);
        let api = options.read(main.as_str(), Address::Named("main.json".to_owned())).await.unwrap();
        let error = call(&api.credential("oa", robot()), json!({})).await.unwrap_err();
        assert!(
            error.for_model().contains("credentials go to endpoints that the document itself names"),
            "{error}"
        );
        // The document's own place may say it, as far as it may name anything.
        let place = Address::Url(format!("http://{host}/openapi.json").parse().unwrap());
        let api = options.read(main.as_str(), place).await.unwrap();
        let error = call(&api.credential("oa", robot()), json!({})).await.unwrap_err();
        assert!(error.for_model().contains("leads to a loopback address"), "{error}");
        assert_eq!((thief.heads(), own.heads()), (Vec::new(), Vec::new()));
    }
}
