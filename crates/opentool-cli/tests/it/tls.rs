//! Servers whose certificates this machine does not trust, and those that `--ca-file` vouches for.

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::support::{Serving, opentool};

/// The certificate of an authority, and the certificate and the key of a server, as PEM.
fn certificates() -> (String, String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    (authority.pem(), params.signed_by(&key, &authority).unwrap().pem(), key.serialize_pem())
}

const WEATHER: &str = include_str!("../../templates/opentool.json");

#[test]
fn a_source_whose_server_nobody_vouches_for_says_what_to_do() {
    let (authority, certificate, key) = certificates();
    let words = ["serve", "weather.json", "--mock", "--json", "--opentool", "localhost:0"];
    let words = words.into_iter().chain(["--opentool-tls-cert", "c.pem", "--opentool-tls-key", "c.key"]);
    let run = opentool(words).file("weather.json", WEATHER).file("c.pem", certificate).file("c.key", key);
    let serving = Serving::start(run);
    let port = url::Url::parse(&serving.opentool()).unwrap().port().unwrap();
    let ask = |host: &str, words: &[&str]| {
        let url = format!("https://{host}:{port}/opentool");
        opentool([&["list", url.as_str()], words].concat()).file("ca.pem", &authority).end()
    };
    ask("localhost", &[]).failure(3, &["nobody whom this machine trusts", "`--ca-file FILE`"]);
    ask("127.0.0.1", &["--ca-file", "ca.pem"]).failure(3, &["the certificate is for another name"]);
    // Trusted where the document is fetched, and for the source of this name only where there is a name.
    ask("localhost", &["--ca-file", "ca.pem"]).success();
    ask("localhost", &["--ca-file", "nowhere.pem"]).failure(2, &["nowhere.pem"]);
    let url = format!("a=https://localhost:{port}/opentool");
    let named = |word: &str| {
        opentool(["list", &url, "b=petstore.yaml", "--ca-file", word]).file("ca.pem", &authority).end()
    };
    named("a=ca.pem").success();
    named("b=ca.pem").failure(3, &["`--ca-file FILE`"]);
}
