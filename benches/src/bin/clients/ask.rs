//! The questions: an operation, arguments for it by place, and our request.

use std::path::Path;
use std::sync::Arc;

use opentool::openapi::plan::Operation;
use opentool::openapi::request::{Located, build_located};
use opentool::openapi::{Api, MissingCredentials, Settings};
use opentool::schema::{Examples, Look, Optional};
use serde_json::{Map, Value, json};

/// Documents that the peer can read, of many hands: made to show features, written by hand, generated.
pub(crate) const DOCUMENTS: &[&str] = &[
    "sample-3.0_json_parameters-style.json",
    "sample-3.0_json_schema-encoding-style.json",
    "sample-3.0_json_file-uploads.json",
    "sample-3.0_json_server-variables.json",
    "sample-3.0_json_star-trek.json",
    "sample-3.1_json_train-travel.json",
    "dir-adyen.com_CheckoutService.json",
    "dir-asana.com.json",
    "dir-box.com.json",
    "dir-discourse.local.json",
    "dir-googleapis.com_gmail.json",
    "dir-openai.com.json",
    "dir-spotify.com.json",
    "dir-twilio.com_api.json",
    "doppler.json",
    "notion.json",
    "scalar-galaxy.json",
];

/// Where relative servers begin, on both sides.
pub(crate) const DOCUMENT_URL: &str = "https://docs.example.test/openapi.json";

/// One question.
pub(crate) struct Question {
    pub(crate) name: String,
    pub(crate) operation: Arc<Operation>,
    /// For the peer.
    pub(crate) asked: Value,
    /// Our request as [`opentool::openapi::request::Request::to_json`] gives it, or why there is none.
    pub(crate) ours: Value,
}

/// Three questions for every operation of a document.
pub(crate) fn questions(file: &Path) -> Result<Vec<Question>, String> {
    let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let api = opentool::openapi::parse(&text, file).map_err(|error| error.to_string())?;
    let mut settings = Settings::new();
    settings.missing_credentials = MissingCredentials::SendWithout;
    settings.document_url = DOCUMENT_URL.parse().ok();
    let ways = [
        ("likely", Examples::new()),
        ("odd", Examples::new().look(Look::Odd)),
        ("least", Examples::new().optional(Optional::LeftOut).seed(1)),
    ];
    let mut questions = Vec::new();
    for operation in api.operations() {
        for (way, examples) in &ways {
            questions.extend(question(&api, operation, way, examples, &settings));
        }
    }
    Ok(questions)
}

/// `None` where the example does not fit the tool: then there is nothing to compare.
fn question(
    api: &Api,
    operation: &Arc<Operation>,
    way: &str,
    examples: &Examples,
    settings: &Settings,
) -> Option<Question> {
    let arguments = examples.value(api.definition(operation).input_schema.as_value());
    let arguments = arguments.as_object()?.clone().into();
    let located = Located::from_arguments(operation, &arguments).ok()?;
    let ours = match build_located(operation, &located, settings) {
        Ok(request) => request.to_json(),
        Err(error) => json!({"refused": error.for_model()}),
    };
    let mut parameters = Map::new();
    for (place, values) in [
        ("path", &located.path),
        ("query", &located.query),
        ("header", &located.header),
        ("cookie", &located.cookie),
    ] {
        for (name, value) in values {
            parameters.insert(format!("{place}.{name}"), value.clone());
        }
    }
    let content_type =
        operation.body.as_ref().and_then(|body| body.preferred()).map(|media| &media.media_type);
    let asked = json!({
        "path": key(operation),
        "method": operation.method.as_str().to_lowercase(),
        "parameters": parameters,
        "body": located.body,
        "hasBody": located.body.is_some(),
        "contentType": content_type,
        "contextUrl": DOCUMENT_URL,
    });
    let name = format!("{} {} ({way})", operation.method, key(operation));
    Some(Question { name, operation: Arc::clone(operation), asked, ours })
}

/// The path as the document has it, with the fragment by which some tell operations apart.
fn key(operation: &Operation) -> String {
    let segment = operation.pointer.split('/').nth(2).unwrap_or_default();
    segment.replace("~1", "/").replace("~0", "~")
}
