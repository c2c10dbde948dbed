//! Bytes from a model: what its schema tells it to write passes the schema, and leaves as bytes.

use opentool_core::{Arguments, ToolCall};
use opentool_openapi::{Api, Credential};
use opentool_schema::ToolSetExt as _;
use serde_json::{Value, json};

fn api() -> Api {
    let text = include_str!("../golden/uploads/document.yaml");
    opentool_openapi::parse(text, "uploads.yaml").unwrap().credential("token", Credential::bearer("t"))
}

/// The request for arguments that were checked as a model's are.
fn sent(tool: &str, arguments: Value) -> Value {
    let api = api();
    let arguments: Arguments = api.tools().unwrap().check(&ToolCall::new("1", tool, arguments)).unwrap();
    api.request(tool, &arguments).unwrap().to_json()
}

const PNG: &str = "data:image/png;base64,AQ==";

#[test]
fn parts_described_by_reference_are_files() {
    let object = json!({"$base64": "Ag==", "filename": "b.txt", "contentType": "text/plain"});
    let request =
        sent("byReference", json!({"file": PNG, "more": [object, PNG], "icon": PNG, "note": {"text": "x"}}));
    let png =
        |name: &str| json!({"name": name, "content_type": "image/png", "filename": name, "base64": "AQ=="});
    assert_eq!(
        request["body"],
        json!([
            png("file"),
            {"name": "more", "content_type": "text/plain", "filename": "b.txt", "base64": "Ag=="},
            png("more"),
            png("icon"),
            {"name": "note", "content_type": "application/json", "json": {"text": "x"}},
        ])
    );
    assert_eq!(sent("inAnEnvelope", json!({"body": {"file": PNG}}))["body"], json!([png("file")]));
    // Null is still allowed where the document allows it, and is no part.
    let without = sent("byReference", json!({"file": PNG, "icon": null, "seal": null}));
    assert_eq!(without["body"], json!([png("file")]));
}

#[test]
fn whole_bodies_are_bytes_or_text() {
    for value in [json!(PNG), json!({"$base64": "AQ=="})] {
        let request = sent("photo", json!({"body": value}));
        assert_eq!((&request["body_kind"], &request["body"]), (&json!("base64"), &json!("AQ==")));
        assert_eq!(request["headers"]["Content-Type"], "image/png");
    }
    assert_eq!(sent("table", json!({"body": "a,b\n"}))["body"], "a,b\n");
    assert_eq!(sent("table", json!({"body": {"$base64": "AQ=="}}))["body_kind"], "base64");
    // In JSON a string is the string that it is.
    assert_eq!(sent("bytesInJsonAreAString", json!({"file": PNG}))["body"], json!({"file": PNG}));
}

#[test]
fn other_objects_are_not_bytes() {
    let tools = api().tools().unwrap();
    for value in
        [json!({"base64": "AQ=="}), json!({"$base64": {}}), json!({"$base64": "AQ==", "path": "/etc"})]
    {
        let call = ToolCall::new("1", "photo", json!({"body": value}));
        let error = tools.check(&call).unwrap_err();
        assert!(error.for_model().contains("/body"), "{value}: {error}");
    }
}

#[test]
fn an_empty_list_of_requirements_means_that_no_credentials_are_sent() {
    let api = api().bearer("general");
    let authorization = |tool: &str, arguments: Value| {
        let arguments: Arguments = serde_json::from_value(arguments).unwrap();
        api.request(tool, &arguments).unwrap().to_json()["headers"].get("Authorization").cloned()
    };
    assert_eq!(authorization("photo", json!({"body": "x"})), None);
    assert_eq!(authorization("table", json!({"body": "x"})), None);
    assert_eq!(authorization("byReference", json!({"file": "x"})), Some(json!("Bearer ***")));
}

/// A directory of the host with a file in it, beside one that is nobody's business.
fn host() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("open/sub")).unwrap();
    std::fs::write(root.path().join("open/sub/a.png"), [1]).unwrap();
    std::fs::write(root.path().join("secret"), "s").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(root.path().join("secret"), root.path().join("open/link")).unwrap();
    root
}

/// The request for arguments that were checked, of a host that allows files of a directory.
fn sent_from(root: &std::path::Path, tool: &str, arguments: Value) -> Result<Value, String> {
    let api = api().uploads(root.join("open"));
    let checked: Arguments = api
        .tools()
        .unwrap()
        .check(&ToolCall::new("1", tool, arguments))
        .map_err(|error| error.for_model())?;
    Ok(api.request(tool, &checked).map_err(|error| error.for_model())?.to_json())
}

#[test]
fn files_below_the_directory_of_the_host_can_be_named() {
    let root = host();
    let part = json!({"name": "file", "content_type": "image/png", "filename": "a.png", "base64": "AQ=="});
    let file = json!({"$file": "sub/a.png"});
    let request = sent_from(root.path(), "byReference", json!({"file": file, "more": [file]})).unwrap();
    assert_eq!(request["body"][0], part);
    assert_eq!(
        (&request["body"][1]["name"], &request["body"][1]["base64"]),
        (&json!("more"), &json!("AQ=="))
    );
    let named = json!({"$file": "sub/a.png", "filename": "b", "contentType": "image/jpeg"});
    let request = sent_from(root.path(), "inAnEnvelope", json!({"body": {"file": named}})).unwrap();
    assert_eq!(
        (&request["body"][0]["filename"], &request["body"][0]["content_type"]),
        (&json!("b"), &json!("image/jpeg"))
    );
    let request = sent_from(root.path(), "photo", json!({"body": file})).unwrap();
    assert_eq!((&request["body_kind"], &request["body"]), (&json!("base64"), &json!("AQ==")));
    // Nobody is told of it where the host does not allow it.
    assert!(
        !api().tools().unwrap().definitions().any(|tool| tool.input_schema.to_string().contains("$file"))
    );
    let refused = api().tools().unwrap().check(&ToolCall::new("1", "byReference", json!({"file": file})));
    assert!(refused.is_err());
}

#[test]
fn nothing_outside_of_the_directory_can_be_named_or_asked_after() {
    let root = host();
    let secret = root.path().join("secret").display().to_string();
    let error =
        |name: &str| sent_from(root.path(), "byReference", json!({"file": {"$file": name}})).unwrap_err();
    let missing = error("nothing.png");
    assert!(missing.contains("/file/$file") && missing.contains("below the directory"), "{missing}");
    let words = |text: &str| text.split(", found").next().unwrap_or_default().to_owned();
    for name in ["link", "sub", "."] {
        assert_eq!(words(&error(name)), words(&missing), "{name}");
    }
    // What is written so that it leads out says nothing of what is there.
    let outside = error("../nothing.png");
    assert!(outside.contains("without `..`") && words(&outside) != words(&missing), "{outside}");
    for name in ["../secret", "sub/../../secret", "/etc/passwd", secret.as_str()] {
        assert_eq!(words(&error(name)), words(&outside), "{name}");
    }
    // In JSON it is an object like any other.
    let request = sent_from(root.path(), "bytesInJsonAreAString", json!({"file": "x"})).unwrap();
    assert_eq!(request["body"], json!({"file": "x"}));
}

/// Opening a pipe waits for somebody who writes into it, which nobody ever does.
#[cfg(unix)]
#[test]
fn a_pipe_is_no_file_and_is_not_opened() {
    let root = host();
    let made = std::process::Command::new("mkfifo").arg(root.path().join("open/pipe")).status();
    assert!(made.unwrap().success());
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let file = json!({"file": {"$file": "pipe"}});
        let _ = send.send(sent_from(root.path(), "byReference", file).unwrap_err());
    });
    let error = receive.recv_timeout(std::time::Duration::from_secs(30)).unwrap();
    assert!(error.contains("/file/$file") && error.contains("below the directory"), "{error}");
}
