//! HTTPS by certificate files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use opentool_core::ToolSet;
use opentool_server::server::{Bound, Server};
use opentool_server::{ServerError, client};
use rcgen::CertifiedKey;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::raw::Ask;
use super::support::Served;

/// A certificate and its key as files.
struct Files {
    directory: TempDir,
    made: CertifiedKey<rcgen::KeyPair>,
}

impl Files {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("cert.pem"), made.cert.pem()).unwrap();
        std::fs::write(directory.path().join("key.pem"), made.signing_key.serialize_pem()).unwrap();
        Self { directory, made }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    fn client(&self) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(self.made.cert.der().clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        TlsConnector::from(Arc::new(config))
    }
}

async fn bind(certificates: &Path, key: &Path) -> Result<Bound, ServerError> {
    Server::new(ToolSet::new()).tls(certificates, key).bind("127.0.0.1:0").await
}

#[tokio::test]
async fn a_server_with_certificates_speaks_https_and_nothing_else() {
    let files = Files::new();
    let bound = bind(&files.path("cert.pem"), &files.path("key.pem")).await.unwrap();
    assert!(bound.url().starts_with("https://127.0.0.1:"), "{}", bound.url());
    let server = Served::start(bound);
    let socket = TcpStream::connect(server.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let socket = files.client().connect(name.clone(), socket).await.unwrap();
    assert_eq!(Ask::get("/opentool/version").over(socket).await.json(), json!({"version": "1.0.0"}));

    let plain = Ask::get("/opentool/version").send(server.address).await;
    assert_eq!(plain.status, 0, "{plain:?}");
    let stranger = Files::new().client();
    let socket = TcpStream::connect(server.address).await.unwrap();
    assert!(stranger.connect(name, socket).await.is_err(), "the certificate is the one of the file");
}

#[tokio::test]
async fn our_client_says_what_is_wrong_about_tls() {
    let files = Files::new();
    let secure = Served::start(bind(&files.path("cert.pem"), &files.path("key.pem")).await.unwrap());
    let plain = Served::start(Server::new(ToolSet::new()).bind("127.0.0.1:0").await.unwrap());
    for (scheme, server, expected) in [
        ("https", &secure, "SSL_CERT_FILE"),
        ("http", &secure, "write https://"),
        ("https", &plain, "write http://"),
    ] {
        let error = client::connect(format!("{scheme}://{}", server.address)).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{scheme} {expected}: {error:?}");
    }
}

#[tokio::test]
async fn a_file_that_is_not_usable_is_named_with_what_is_wrong() {
    let (files, others) = (Files::new(), Files::new());
    let (certificate, key) = (files.path("cert.pem"), files.path("key.pem"));
    let swapped = files.write("swapped.pem", "not PEM at all");
    let broken = files.write("broken.pem", "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n");
    for (certificates, key, culprit, problem) in [
        (&files.path("missing.pem"), &key, "missing.pem", "cannot read"),
        (&certificate, &files.path("missing.pem"), "missing.pem", "cannot read"),
        (&swapped, &key, "swapped.pem", "holds no certificate"),
        (&key, &key, "key.pem", "holds no certificate"),
        (&certificate, &certificate, "cert.pem", "holds no private key"),
        (&broken, &key, "broken.pem", "not PEM"),
        (&certificate, &others.path("key.pem"), "key.pem", "does not belong to"),
    ] {
        let error = bind(certificates, key).await.unwrap_err().to_string();
        assert!(error.contains(culprit) && error.contains(problem), "{error}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_regular_file_is_refused_and_not_read() {
    let files = Files::new();
    let (certificate, key, pipe) = (files.path("cert.pem"), files.path("key.pem"), files.path("pipe.pem"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for strange in [pipe.as_path(), Path::new("/dev/zero"), files.directory.path()] {
        for (certificates, key) in [(strange, key.as_path()), (certificate.as_path(), strange)] {
            let error = bind(certificates, key).await.unwrap_err().to_string();
            assert!(error.contains("it is not a regular file"), "{error}");
        }
    }
}
