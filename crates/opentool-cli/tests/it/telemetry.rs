//! Traces and metrics of commands, as a collector gets them: only where the environment names one.

use serde_json::json;

use crate::support::{Run, Serving, Shop, Upstream, get_document, opentool, send, split};

/// A collector that takes everything.
fn collector() -> Upstream {
    Upstream::answering("200 OK", "application/x-protobuf", "")
}

fn to(run: Run, collector: &Upstream) -> Run {
    run.variable("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.url)
}

/// What went to this path of the collector: names are text in the encoding.
fn sent(collector: &Upstream, path: &str) -> String {
    let line = format!("POST {path} ");
    collector.requests().into_iter().filter(|request| request.starts_with(&line)).collect()
}

#[test]
fn a_call_is_exported_with_its_failure_and_the_service_gets_the_trace() {
    let service = Upstream::answering("500 Internal Server Error", "application/json", "{}");
    let document = get_document(&service.url, "/a", "[]");
    let collector = collector();
    let ran = to(opentool(["call", "api.json", "get"]).file("api.json", &document), &collector)
        .variable("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k-7")
        .variable("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
        .end();
    ran.failure(1, &["500"]);
    let asked = service.requests();
    assert!(asked[0].to_ascii_lowercase().contains("\r\ntraceparent: 00-"), "{asked:?}");
    let traces = sent(&collector, "/v1/traces");
    for text in
        ["execute_tool get", "upstream", "service.name", "opentool", "deployment.environment", "api-key: k-7"]
    {
        assert!(traces.contains(text), "no `{text}` in {traces}");
    }
    assert!(sent(&collector, "/v1/metrics").contains("gen_ai.execute_tool.duration"));

    // Nothing that was not asked for.
    opentool(["call", "api.json", "get"]).file("api.json", &document).end().failure(1, &["500"]);
    assert!(!service.requests().last().unwrap().to_ascii_lowercase().contains("traceparent"));
    assert_eq!(collector.requests().len(), 2);
}

#[test]
fn what_is_said_is_exported_only_where_the_switch_is_on() {
    let shop = Shop::open();
    let answer = json!({"choices": [{"message": {"role": "assistant", "content": "Miso is."}, "finish_reason": "stop"}]});
    let model = Upstream::answering("200 OK", "application/json", &answer.to_string());
    for (switch, is_there) in [("", false), ("false", false), ("true", true)] {
        let collector = collector();
        let words = ["ask", "petstore.yaml", "Which pets are pending?", "--server", &shop.url];
        let run = to(opentool(words), &collector)
            .variable("OPENAI_BASE_URL", &format!("{}/v1", model.url))
            .variable("OPENAI_API_KEY", "")
            .variable("OPENTOOL_MODEL", "gpt-5")
            .variable("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", switch);
        let ran = run.end().success();
        assert_eq!(ran.text(), "Miso is.\n");
        let traces = sent(&collector, "/v1/traces");
        assert!(traces.contains("invoke_agent") && traces.contains("chat gpt-5"), "{traces}");
        let found = (traces.contains("Which pets are pending?"), traces.contains("Miso is."));
        assert_eq!(found, (is_there, is_there), "{switch}: {traces}");
    }
}

#[test]
fn a_server_exports_what_it_served_when_it_ends() {
    let shop = Shop::open();
    let collector = collector();
    let words = ["serve", "petstore.yaml", "--server", &shop.url, "--opentool", "0", "--http", "0", "--json"];
    let server = Serving::start(to(opentool(words), &collector));
    let request =
        json!({"jsonrpc": "2.0", "method": "getPetById", "params": {"petId": 2}, "id": 7}).to_string();
    let (host, base) = split(&server.opentool());
    let head = "content-type: application/json\r\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n";
    let mut answer = String::new();
    std::io::Read::read_to_string(
        &mut send(&host, "POST", &format!("{base}/call"), head, &request),
        &mut answer,
    )
    .unwrap();
    assert!(answer.contains("Miso"), "{answer}");
    assert_eq!(server.terminate(), (Some(0), String::new()));
    assert!(sent(&collector, "/v1/traces").contains("execute_tool getPetById"));
}

#[test]
fn a_collector_that_does_not_answer_is_a_warning_and_a_wrong_variable_an_error() {
    let shop = Shop::open();
    let call = || opentool(["call", "petstore.yaml", "getPetById", "petId=2", "--server", &shop.url]);
    let refuses = Upstream::answering("401 Unauthorized", "text/plain", "");
    let ran = to(call(), &refuses).end().success();
    assert!(ran.text().contains("Miso") && ran.stderr.contains("401"), "\n{ran}");
    assert!(ran.stderr.starts_with("warning: "), "\n{ran}");

    for (variable, value, says) in [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", "write a URL such as `http://localhost:4318`"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "only `http/protobuf` is spoken here"),
        ("OTEL_TRACES_EXPORTER", "jaeger", "write `otlp` or `none`"),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon", "write a number of milliseconds"),
    ] {
        to(call(), &refuses).variable(variable, value).end().failure(2, &[variable, says]);
    }
    // Switched off, nothing is exported, and nothing is wrong.
    let ran = to(call(), &refuses).variable("OTEL_SDK_DISABLED", "true").end().success();
    assert_eq!(ran.stderr, "");
}
