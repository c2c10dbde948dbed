//! Where requests go.

use opentool_openapi::plan::{Operation, SecurityScheme, Server, ServerVariable};
use opentool_openapi::request::{Credential, Settings, build};
use serde_json::json;

use super::plans::{arguments, operation, secured, server};

fn at(servers: &[Server]) -> Operation {
    let mut operation = operation("GET /v");
    operation.servers = servers.into();
    operation
}

fn url(operation: &Operation, settings: &Settings) -> Result<String, String> {
    let built = build(operation, &arguments(json!({})), settings);
    built.map(|request| request.url().to_owned()).map_err(|error| error.to_string())
}

#[test]
fn the_path_is_appended_to_the_server() {
    for (address, expected) in [
        ("https://api.test", "https://api.test/v"),
        ("https://api.test/", "https://api.test/v"),
        ("https://api.test/base/", "https://api.test/base/v"),
        ("http://[::1]:8080/a/b", "http://[::1]:8080/a/b/v"),
        ("https://api.test:443/b", "https://api.test/b/v"),
        ("https://api.test/b?key=1", "https://api.test/b/v?key=1"),
        ("https://api.test/b#x", "https://api.test/b/v"),
        ("https://ápi.test", "https://xn--pi-lia.test/v"),
    ] {
        assert_eq!(url(&at(&[server(address)]), &Settings::new()).unwrap(), expected);
    }
}

#[test]
fn the_first_server_is_used_unless_the_host_says_otherwise() {
    let operation = at(&[server("https://one.test"), server("https://two.test")]);
    let mut settings = Settings::new();
    assert_eq!(url(&operation, &settings).unwrap(), "https://one.test/v");
    settings.server = Some("http://localhost:9/mock".parse().unwrap());
    assert_eq!(url(&operation, &settings).unwrap(), "http://localhost:9/mock/v");
}

#[test]
fn variables_have_defaults_and_allowed_values() {
    let variable = |name: &str, default: &str, allowed: &[&str]| ServerVariable {
        name: name.to_owned(),
        default: default.to_owned(),
        allowed: allowed.iter().map(|value| (*value).to_owned()).collect(),
    };
    let operation = at(&[Server {
        url: "https://{user}.test:{port}".to_owned(),
        variables: vec![variable("user", "demo", &[]), variable("port", "8443", &["8443", "444"])],
    }]);
    let mut settings = Settings::new();
    assert_eq!(url(&operation, &settings).unwrap(), "https://demo.test:8443/v");
    settings.server_variables.insert("port".to_owned(), "444".to_owned());
    assert_eq!(url(&operation, &settings).unwrap(), "https://demo.test:444/v");
    settings.server_variables.insert("port".to_owned(), "22".to_owned());
    let error = url(&operation, &settings).unwrap_err();
    assert!(error.contains("its variable `port` cannot be \"22\"; it is one of: 8443, 444"), "{error}");

    let error = url(&at(&[server("https://{region}.test")]), &Settings::new()).unwrap_err();
    assert!(error.contains("its variable `region` has no value"), "{error}");
}

#[test]
fn relative_servers_need_the_address_of_the_document() {
    let mut settings = Settings::new();
    for servers in [&[server("/api/v3")][..], &[]] {
        let error = url(&at(servers), &settings).unwrap_err();
        assert!(error.contains("it is relative") && error.contains("`--server https://…`"), "{error}");
    }
    settings.document_url = Some("file:///specs/openapi.json".parse().unwrap());
    assert!(url(&at(&[server("/api/v3")]), &settings).is_err());
    settings.document_url = Some("https://docs.test/specs/openapi.json".parse().unwrap());
    assert_eq!(url(&at(&[server("/api/v3")]), &settings).unwrap(), "https://docs.test/api/v3/v");
    assert_eq!(url(&at(&[server("./v3")]), &settings).unwrap(), "https://docs.test/specs/v3/v");
    assert_eq!(url(&at(&[server("//other.test/x")]), &settings).unwrap(), "https://other.test/x/v");
    assert_eq!(url(&at(&[]), &settings).unwrap(), "https://docs.test/v");
}

#[test]
fn servers_that_cannot_be_used() {
    for address in ["ftp://files.test", "file:///etc", "https://", "mailto:a@b.test"] {
        assert!(url(&at(&[server(address)]), &Settings::new()).is_err(), "{address}");
    }
    let error = url(&at(&[server("https://user:s3cret@api.test")]), &Settings::new()).unwrap_err();
    assert!(error.contains("give them as credentials") && !error.contains("s3cret"), "{error}");
}

#[test]
fn a_variable_for_the_scheme_is_a_scheme() {
    let variable = |name: &str, default: &str| ServerVariable {
        name: name.to_owned(),
        default: default.to_owned(),
        allowed: Vec::new(),
    };
    let operation = at(&[Server {
        url: "{scheme}://{host}/v1".to_owned(),
        variables: vec![variable("scheme", "https"), variable("host", "api.test")],
    }]);
    let with = |value: &str| {
        let mut settings = Settings::new();
        settings.server_variables.insert("scheme".to_owned(), value.to_owned());
        url(&operation, &settings)
    };
    assert_eq!(with("http").unwrap(), "http://api.test/v1/v");
    for value in ["http://evil.test/", "ftp", "http://evil.test/?", ""] {
        assert!(with(value).unwrap_err().contains("is the scheme, which is `http` or `https`"), "{value}");
    }
}

#[test]
fn a_host_with_an_empty_part_is_no_host() {
    for (value, address) in [
        ("", "https://{h}.a.test"),
        ("", "https://a.{h}.test"),
        ("x.", "https://{h}.a.test"),
        (".x", "https://{h}.a.test"),
    ] {
        let mut settings = Settings::new();
        settings.server_variables.insert("h".to_owned(), value.to_owned());
        let error = url(&at(&[server(address)]), &settings).unwrap_err();
        assert!(error.contains("has an empty part"), "{error}");
    }
    assert_eq!(url(&at(&[server("https://a.test.")]), &Settings::new()).unwrap(), "https://a.test./v");
}

#[test]
fn a_user_without_a_password_is_not_sent_as_both() {
    let operation = secured(operation("GET /v"), &[&[("ba", SecurityScheme::Basic)]]);
    let mut settings = Settings::new();
    settings.credentials.insert("ba".to_owned(), Credential::text("nocolon"));
    let error = url(&operation, &settings).unwrap_err();
    assert!(
        error.contains("user and password for the scheme `ba` (what is set has no `:` between the two)"),
        "{error}"
    );
    assert!(!error.contains("nocolon"), "{error}");
    settings.credentials.insert("ba".to_owned(), Credential::text("user:"));
    assert!(url(&operation, &settings).is_ok());
}
