//! What comes of an answer.

use axum::Router;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use axum::routing::get;
use opentool_core::{Content, ToolError, ToolOutput};
use opentool_http::HeaderName;
use opentool_openapi::Sent;
use opentool_openapi::request::Settings;
use serde_json::json;

use super::exchange::{call, chain, serve};
use super::plans::operation;

type Head = &'static [(&'static str, &'static str)];

async fn answer(status: u16, head: Head, body: impl Into<Vec<u8>>) -> Result<ToolOutput, ToolError> {
    let body = body.into();
    let respond = move || async move {
        let mut response = (StatusCode::from_u16(status).unwrap(), body).into_response();
        response.headers_mut().remove(header::CONTENT_TYPE);
        for (name, value) in head {
            response.headers_mut().insert(*name, value.parse().unwrap());
        }
        response
    };
    let url = serve(Router::new().route("/s", get(respond))).await;
    call(&url, operation("GET /s"), json!({}), Settings::new()).await
}

const JSON: Head = &[("content-type", "application/json; charset=utf-8")];
const TEXT: Head = &[("content-type", "text/plain")];

#[tokio::test]
async fn json_is_text_and_value() {
    let text = "{ \"id\": 9007199254740993,\n  \"price\": 1.50, \"big\": 1e3, \"s\": \"1.\\\"00000000000000000001\" }";
    for head in [JSON, &[("content-type", "application/problem+json")], &[]] {
        let output = answer(200, head, text).await.unwrap();
        assert_eq!(output.content, [Content::text(text)]);
        assert_eq!(output.structured.unwrap()["id"], 9_007_199_254_740_993_u64);
    }
}

#[tokio::test]
async fn a_number_that_would_change_is_given_as_text_only() {
    for number in [
        "123456789012345678901234567890",
        "0.1000000000000000055511151231257827",
        "1e400",
        "-9223372036854775809",
    ] {
        let text = format!("[{number}]");
        let output = answer(200, JSON, text.clone()).await.unwrap();
        assert_eq!((output.to_text(), output.structured), (text, None), "{number}");
    }
    for number in [
        "0",
        "-0",
        "-0.0",
        "0.1",
        "1.10",
        "100e-2",
        "1E+2",
        "18446744073709551615",
        "5e-324",
        "0.30000000000000004",
    ] {
        assert!(answer(200, JSON, format!("[{number}]")).await.unwrap().structured.is_some(), "{number}");
    }
}

#[tokio::test]
async fn json_that_is_none_is_an_error_with_what_came() {
    let error = answer(200, JSON, "{\"a\": 1,").await.unwrap_err();
    let ToolError::Upstream(upstream) = &error else { panic!("{error:?}") };
    assert_eq!(upstream.status, Some(200));
    assert_eq!(
        error.for_model(),
        "HTTP 200 OK, but the body is not the JSON that it says it is (EOF while parsing a value at line 1 column 8); \
         the call may have taken effect. It begins: {\"a\": 1,"
    );
    let error = answer(200, JSON, "x".repeat(100_000)).await.unwrap_err();
    assert!(error.for_model().len() < 2_500);
    // What nobody calls JSON is text.
    assert_eq!(answer(200, TEXT, "{\"a\": 1,").await.unwrap().content, [Content::text("{\"a\": 1,")]);
    // Deeper than a value can be, and JSON all the same.
    let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
    assert_eq!(answer(200, JSON, deep.clone()).await.unwrap().to_text(), deep);
}

#[tokio::test]
async fn texts_and_bytes() {
    assert_eq!(answer(200, TEXT, "\u{feff}hé").await.unwrap().content, [Content::text("hé")]);
    let latin: Head = &[("content-type", "text/plain; charset=ISO-8859-1")];
    assert_eq!(answer(200, latin, *b"h\xe9").await.unwrap().content, [Content::text("hé")]);
    assert_eq!(answer(200, &[], "plain").await.unwrap().content, [Content::text("plain")]);

    let output = answer(200, &[("content-type", "image/png; x=y")], *b"\x89PNG").await.unwrap();
    assert_eq!(output.content, [Content::image(b"\x89PNG".to_vec(), "image/png")]);
    let output = answer(200, &[("content-type", "audio/wav")], *b"RIFF").await.unwrap();
    assert_eq!(output.content, [Content::audio(b"RIFF".to_vec(), "audio/wav")]);
    let output = answer(200, &[("content-type", "application/pdf")], *b"%PDF").await.unwrap();
    let [Content::BlobResource { uri, mime, data }] = &output.content[..] else { panic!("{output:?}") };
    assert!(uri.starts_with("http://127.0.0.1:") && uri.ends_with("/s"), "{uri}");
    assert_eq!((mime.as_deref(), &data[..]), (Some("application/pdf"), &b"%PDF"[..]));
    let output = answer(200, &[], *b"\xff\xfe").await.unwrap();
    assert!(matches!(&output.content[..], [Content::BlobResource { mime: None, .. }]), "{output:?}");
}

#[tokio::test]
async fn nothing_is_something_that_happened() {
    for head in [JSON, &[]] {
        assert_eq!(answer(204, head, "").await.unwrap().to_text(), "Done.");
    }
    let created = answer(201, &[("location", "/pet/7")], "").await.unwrap();
    assert_eq!(created.to_text(), "Done. Location: /pet/7");
}

#[tokio::test]
async fn failures_say_what_the_service_said() {
    const PROBLEM: Head = &[("content-type", "application/problem+json")];
    const HTML: Head = &[("content-type", "text/html; charset=utf-8")];
    let cases: [(u16, Head, &str, &str); 12] = [
        (
            500,
            HTML,
            "<!doctype html><head><style>b{}</style></head><body><!-- x --><h1>It broke</h1>\n<script>evil()</script><p>at 1 &lt; 2</p>",
            "HTTP 500 Internal Server Error: It broke at 1 < 2",
        ),
        (500, HTML, "<html><body></body></html>", "HTTP 500 Internal Server Error"),
        (404, JSON, r#"{"message": "no pet 7"}"#, "HTTP 404 Not Found: no pet 7"),
        (500, JSON, r#"{"error": {"message": "boom"}}"#, "HTTP 500 Internal Server Error: boom"),
        (
            422,
            PROBLEM,
            r#"{"type": "about:blank", "title": "Invalid", "status": 422, "detail": "name is empty", "at": "/name"}"#,
            r#"HTTP 422 Unprocessable Entity: Invalid: name is empty {"at":"/name"}"#,
        ),
        (400, JSON, r#"["a", "b"]"#, r#"HTTP 400 Bad Request: ["a","b"]"#),
        (400, JSON, "not json", "HTTP 400 Bad Request: not json"),
        (
            502,
            HTML,
            "<html><head><TITLE>Bad\ngateway</TITLE><body>long",
            "HTTP 502 Bad Gateway: Bad\ngateway",
        ),
        (
            400,
            JSON,
            "{\"error\": \"boom \u{202e}hid\u{200b}den\u{e0041}\"}",
            "HTTP 400 Bad Request: boom hidden",
        ),
        (403, TEXT, "go \u{1b}[31maway\u{1b}[0m\n", "HTTP 403 Forbidden: go [31maway[0m"),
        (500, &[], "", "HTTP 500 Internal Server Error"),
        (503, &[("retry-after", "120")], "", "HTTP 503 Service Unavailable (retry after 120)"),
    ];
    for (status, head, body, expected) in cases {
        let error = answer(status, head, body).await.unwrap_err();
        assert_eq!(error.for_model(), expected);
        let ToolError::Upstream(upstream) = &error else { panic!("{error:?}") };
        assert_eq!(upstream.status, Some(status));
        assert!(chain(&error).contains("the request was GET http://127.0.0.1:"), "{}", chain(&error));
    }
}

#[tokio::test]
async fn a_long_failure_is_cut() {
    let error = answer(500, TEXT, "é".repeat(5_000)).await.unwrap_err();
    let text = error.for_model();
    assert!(text.ends_with("é … (cut)") && text.chars().count() < 2_100, "{text}");
}

#[tokio::test]
async fn a_compressed_answer_that_breaks_off_is_no_result() {
    let head: Head = &[("content-type", "application/json"), ("content-encoding", "gzip")];
    let error = answer(200, head, *b"\x1f\x8b").await.unwrap_err();
    assert!(error.for_model().ends_with("broke off"), "{}", error.for_model());
}

/// `{"name":"Tom"}`, and four mebibytes of spaces.
const GZIP: &str = "H4sIAAAAAAAAA6tWykvMTVWyUgrJz1WqBQCSFOFfDgAAAA==";
const BROTLI: &str = "iwaAeyJuYW1lIjoiVG9tIn0D";
const BOMB: &str = "m///P/glQOKxQCD3/gc=";

async fn packed(coding: &'static str, body: &str, settings: Settings) -> Result<ToolOutput, ToolError> {
    use base64::Engine as _;
    let body = base64::engine::general_purpose::STANDARD.decode(body).unwrap();
    let respond = move |headers: axum::http::HeaderMap| async move {
        let asked = headers.get(header::ACCEPT_ENCODING).map(|value| value.to_str().unwrap().to_owned());
        assert!(asked.is_some_and(|asked| asked.contains("gzip") && asked.contains("br")));
        ([(header::CONTENT_ENCODING, coding), (header::CONTENT_TYPE, "application/json")], body)
    };
    let url = serve(Router::new().route("/s", get(respond))).await;
    call(&url, operation("GET /s"), json!({}), settings).await
}

#[tokio::test]
async fn compressed_answers_are_unpacked_within_the_limit() {
    for (coding, body) in [("gzip", GZIP), ("br", BROTLI)] {
        let output = packed(coding, body, Settings::new()).await.unwrap();
        assert_eq!(output.structured.unwrap(), json!({"name": "Tom"}), "{coding}");
    }
    let mut settings = Settings::new();
    settings.body_limit = Some(1024 * 1024);
    let error = packed("br", BOMB, settings).await.unwrap_err().to_string();
    assert!(error.contains("larger than the limit of 1048576 bytes"), "{error}");
    let error = packed("zstd", BROTLI, Settings::new()).await.unwrap_err().to_string();
    assert!(error.contains("compressed in a way that cannot be read (zstd)"), "{error}");
}

#[tokio::test]
async fn long_results_are_shortened_where_the_host_wants_it() {
    let items: Vec<_> = (0..1_000).map(|id| json!({"id": id})).collect();
    let body = json!({"items": items}).to_string();
    let ask = async |limit| {
        let body = body.clone();
        let respond = async move || ([(header::CONTENT_TYPE, "application/json")], body.clone());
        let url = serve(Router::new().route("/s", get(respond))).await;
        let mut settings = Settings::new();
        settings.result_limit = limit;
        call(&url, operation("GET /s"), json!({}), settings).await.unwrap()
    };
    assert_eq!(ask(None).await.to_text(), body);
    assert_eq!(ask(Settings::new().result_limit).await.to_text(), body);
    let short = ask(Some(500)).await;
    let [Content::Text(text), Content::Text(notice)] = short.content.as_slice() else { panic!("{short:?}") };
    assert!(text.len() <= 500 && serde_json::from_str::<serde_json::Value>(text).is_ok());
    assert!(notice.contains("of 1000 entries"), "{notice}");
    assert_eq!((short.structured, &short.metadata["http.shortened"]["bytes"]), (None, &json!(body.len())));
}

#[tokio::test]
async fn a_result_is_shortened_without_changing_a_number() {
    let items: Vec<String> =
        (0..500).map(|id| format!("{{\"id\":1234567890123456789012345{id:03}}}")).collect();
    let body = format!("[{}]", items.join(","));
    let respond = async move || ([(header::CONTENT_TYPE, "application/json")], body.clone());
    let url = serve(Router::new().route("/s", get(respond))).await;
    let mut settings = Settings::new();
    settings.result_limit = Some(200);
    let output = call(&url, operation("GET /s"), json!({}), settings).await.unwrap();
    let [Content::Text(text), Content::Text(notice)] = &output.content[..] else { panic!("{output:?}") };
    assert!(text.len() <= 200 && text.starts_with(r#"[{"id":1234567890123456789012345000},"#), "{text}");
    assert!(text.ends_with("}]") && notice.contains("of 500 entries"), "{text} {notice}");
}

#[tokio::test]
async fn headers_that_matter_are_kept_for_the_host() {
    let head: Head = &[
        ("content-type", "application/json"),
        ("etag", "\"1\""),
        ("link", "</s?page=2>; rel=next"),
        ("x-other", "no"),
    ];
    let output = answer(200, head, "[]").await.unwrap();
    assert_eq!(output.metadata["http.headers"], json!({"etag": "\"1\"", "link": "</s?page=2>; rel=next"}));
    assert_eq!(output.metadata["http.status"], 200);

    // Of a failure as well, and the host's own choice.
    let head: Head = &[("x-request-id", "r-1"), ("x-other", "yes")];
    let sent = |error: &ToolError| {
        let sent: &Sent = std::error::Error::source(error).unwrap().downcast_ref().unwrap();
        json!(sent.headers())
    };
    assert_eq!(sent(&answer(500, head, "").await.unwrap_err()), json!({"x-request-id": "r-1"}));
    let respond = || async { [("x-other", "yes"), ("etag", "1")] };
    let url = serve(Router::new().route("/s", get(respond))).await;
    let mut settings = Settings::new();
    settings.result_headers = vec![HeaderName::from_static("x-other")];
    let output = call(&url, operation("GET /s"), json!({}), settings).await.unwrap();
    assert_eq!(output.metadata["http.headers"], json!({"x-other": "yes"}));
}

#[tokio::test]
async fn what_has_not_changed_is_no_redirect() {
    let error = answer(304, &[], "").await.unwrap_err().for_model();
    assert_eq!(
        error,
        "HTTP 304 Not Modified: it is as it was when it was asked for before, and was not sent again"
    );
}

#[tokio::test]
async fn the_name_of_a_compression_is_told_in_few_words() {
    let long: &'static str = Box::leak("x".repeat(10_000).into_boxed_str());
    let head: Head = Box::leak(Box::new([("content-encoding", long)]));
    let error = answer(200, head, "?").await.unwrap_err().for_model();
    assert!(error.contains("(xxx") && error.len() < 200, "{error}");
}

#[tokio::test]
async fn bytes_are_limited_as_text_is() {
    let bytes: Head = &[("content-type", "application/octet-stream")];
    let output = answer(200, bytes, vec![0; 80_000]).await.unwrap();
    assert_eq!(
        output.content,
        [Content::text(
            "[Not shown: 80000 bytes of `application/octet-stream`. That is more than is passed on; ask for less, or for \
             a part, or let the operator allow more.]"
        )]
    );
    assert_eq!(output.metadata["http.shortened"]["bytes"], 80_000);
    let output = answer(200, bytes, vec![0; 70_000]).await.unwrap();
    assert!(matches!(&output.content[..], [Content::BlobResource { .. }]));
    for media in ["image/png", "audio/wav", "application/pdf"] {
        let head: Head = match media {
            "image/png" => &[("content-type", "image/png")],
            "audio/wav" => &[("content-type", "audio/wav")],
            _ => &[("content-type", "application/pdf")],
        };
        assert!(!matches!(
            &answer(200, head, vec![0; 3_000_000]).await.unwrap().content[..],
            [Content::Text(_)]
        ));
        let output = answer(200, head, vec![0; 4_000_000]).await.unwrap();
        assert!(output.to_text().starts_with(&format!("[Not shown: 4000000 bytes of `{media}`.")));
    }
}

#[tokio::test]
async fn a_flood_of_values_is_not_taken_apart() {
    let flood = |item: &str| format!("[{}1]", item.repeat(410_000));
    for text in [flood("[],"), flood("{},"), flood("1,")] {
        let size = text.len();
        let output = answer(200, JSON, text).await.unwrap();
        assert_eq!(output.structured, None);
        let notice = format!("[Shortened: the first 100000 of {size} bytes.");
        assert!(output.to_text().contains(&notice), "{:.200}", output.to_text());
        assert_eq!(output.metadata["http.note"], "not read as a value: it has too many");
    }
    // What only looks like it is.
    let text = format!("[\"{}\\\"\"]", "[],".repeat(410_000));
    assert!(answer(200, JSON, text).await.unwrap().to_text().contains("[Shortened: `/0` has"));
    let error = answer(500, JSON, flood("[],")).await.unwrap_err().for_model();
    assert!(error.starts_with("HTTP 500 Internal Server Error: [[],") && error.len() < 3_000);
}
