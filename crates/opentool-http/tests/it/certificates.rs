//! TLS with certificates that the host brings: authorities of its own, and a client certificate.

use std::sync::Arc;

use opentool_http::{Authorities, Client, HttpError, Identity, Options, Redirects, Request, Trust, Url};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::RootCertStore;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// An authority of the test's own.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate and its key, as PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    fn identity(&self) -> Identity {
        let (certificate, key) = self.issue("client.test");
        Identity::from_pem(certificate, key).unwrap()
    }

    fn client(&self) -> Client {
        Client::new(Options::new().authorities(Authorities::from_pem(self.pem()).unwrap()))
    }
}

/// Whether a server insists on a client certificate.
#[derive(Clone, Copy, PartialEq)]
enum Asks {
    Insists,
    Takes,
}

/// Serves `https://localhost`; answers with how many certificates the client showed, or a redirect.
async fn serve(authority: &Authority, asks: Asks, redirect: Option<Url>) -> Url {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem().as_bytes()).unwrap()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
    let verifier = if asks == Asks::Takes { verifier.allow_unauthenticated() } else { verifier };
    let (certificate, key) = authority.issue("localhost");
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier.build().unwrap())
        .with_single_cert(
            vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
            PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
        )
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port()).parse().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, redirect) = (acceptor.clone(), redirect.clone());
            tokio::spawn(async move {
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let shown = stream.get_ref().1.peer_certificates().map_or(0, <[_]>::len);
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let head = match redirect {
                    Some(to) => format!("307 Temporary Redirect\r\nlocation: {to}"),
                    None => "200 OK".to_owned(),
                };
                let body = format!("{shown} shown");
                let answer = format!(
                    "HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                let _ = stream.write_all(answer.as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    url
}

#[tokio::test]
async fn an_authority_of_the_host_is_trusted_besides_the_others() {
    let authority = Authority::new();
    let url = serve(&authority, Asks::Takes, None).await;
    let answer = authority.client().send(Request::get(url.clone())).await.unwrap();
    assert_eq!(answer.text(), "0 shown");
    let stranger = Authority::new().client().send(Request::get(url)).await.unwrap_err();
    assert!(matches!(stranger, HttpError::Connect { .. }), "{stranger:?}");
    assert_eq!(stranger.trust(), Some(Trust::UnknownIssuer));
}

#[tokio::test]
async fn an_error_says_what_is_wrong_with_a_certificate() {
    let authority = Authority::new();
    let mut url = serve(&authority, Asks::Takes, None).await;
    url.set_host(Some("127.0.0.1")).unwrap();
    let other_name = authority.client().send(Request::get(url)).await.unwrap_err();
    assert_eq!(other_name.trust(), Some(Trust::Name), "{other_name:?}");
    // Nothing listens there: no certificate is at fault.
    let nobody =
        authority.client().send(Request::get("https://localhost:1/".parse().unwrap())).await.unwrap_err();
    assert_eq!(nobody.trust(), None, "{nobody:?}");
}

#[tokio::test]
async fn a_client_certificate_is_shown_to_a_server_that_asks() {
    let authority = Authority::new();
    let url = serve(&authority, Asks::Insists, None).await;
    let client = authority.client();
    let without = client.send(Request::get(url.clone())).await.unwrap_err();
    assert!(matches!(without, HttpError::Connect { .. } | HttpError::Broken { .. }), "{without:?}");
    let identity = authority.identity();
    let answer = client.send(Request::get(url.clone()).identity(identity.clone())).await.unwrap();
    assert_eq!(answer.text(), "1 shown");
    // The connection of one who said who it is serves nobody else.
    assert!(client.send(Request::get(url.clone())).await.is_err());
    let unknown = Authority::new().identity();
    assert!(client.send(Request::get(url.clone()).identity(unknown)).await.is_err());
    assert!(client.send(Request::get(url).identity(identity)).await.is_ok());
}

#[tokio::test]
async fn a_client_certificate_stays_behind_when_the_origin_changes() {
    let authority = Authority::new();
    let other = serve(&authority, Asks::Takes, None).await;
    let url = serve(&authority, Asks::Takes, Some(other)).await;
    let request = Request::get(url).redirects(Redirects::Any).identity(authority.identity());
    assert_eq!(authority.client().send(request).await.unwrap().text(), "0 shown");
}

#[tokio::test]
async fn a_client_certificate_goes_over_https_only() {
    let url = crate::server::serve(axum::Router::new()).await;
    let request = Request::get(url).identity(Authority::new().identity());
    let error = Client::default().send(request).await.unwrap_err();
    assert!(error.to_string().contains("a client certificate is shown over https only"), "{error}");
}

#[test]
fn what_cannot_be_used_is_said_without_what_it_holds() {
    let authority = Authority::new();
    let ((certificate, key), (_, other_key)) = (authority.issue("a.test"), authority.issue("b.test"));
    let body: String = key.lines().skip(1).take(1).collect();
    let encrypted = key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let legacy = key.replacen("-\n", "-\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n", 1);
    let broken = key.replace("-----END", "---END");
    for (certificate, key, expected) in [
        ("", &key, "the client certificate cannot be used: there is no certificate in it"),
        (&key, &key, "the client certificate cannot be used: there is no certificate in it"),
        (&certificate, &certificate, "there is no private key in it"),
        (&certificate, &other_key, "it does not belong to the first certificate of the client certificate"),
        (&certificate, &encrypted, "it is encrypted; `openssl pkey`"),
        (&certificate, &legacy, "it is encrypted; `openssl pkey`"),
        (&certificate, &broken, "it cannot be read as PEM"),
    ] {
        let error = Identity::from_pem(certificate, key).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!format!("{error:?}{error}").contains(&body), "{error:?}");
    }
    assert!(Authorities::from_pem("").unwrap_err().to_string().contains("there is no certificate in it"));
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(Authorities::from_pem(garbage).is_err() && Identity::from_pem(garbage, &key).is_err());
    assert_eq!(
        format!("{:?}", Identity::from_pem(certificate, key).unwrap()),
        "Identity { certificates: 1, .. }"
    );
}

#[test]
fn files_are_named_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (certificate, key) = Authority::new().issue("client.test");
    std::fs::write(path("both.pem"), format!("{key}{certificate}")).unwrap();
    std::fs::File::create(path("large.pem")).unwrap().set_len(5 * 1024 * 1024).unwrap();
    assert!(Identity::load(path("both.pem"), path("both.pem")).is_ok());
    for (name, expected) in
        [("missing.pem", "No such file"), ("large.pem", "far too large"), (".", "not a regular file")]
    {
        let error = Identity::load(path("both.pem"), path(name)).unwrap_err();
        let HttpError::Certificate { file, reason } = &error else { panic!("{error:?}") };
        assert!(file.ends_with(name) && reason.contains(expected), "{error}");
    }
    // A pipe that nobody writes into is not waited for.
    let pipe = path("pipe");
    if std::process::Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        assert!(Authorities::load(&pipe).unwrap_err().to_string().contains("not a regular file"));
    }
}
