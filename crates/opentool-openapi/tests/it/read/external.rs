//! References to other documents: followed where they may be, refused with a reason where not.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use opentool_openapi::{Address, Api, LoadOptions, References, load};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::loading::server;

/// A directory with these files.
fn files(files: &[(&str, &str)]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = directory.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    directory
}

fn input(api: &Api, tool: &str) -> Value {
    api.tools().unwrap().find(tool).unwrap().definition().input_schema.as_value().clone()
}

/// The findings without the path of the temporary directory.
fn told(api: &Api, directory: &Path) -> String {
    let lines: Vec<String> = api.diagnostics().iter().map(ToString::to_string).collect();
    let real = directory.canonicalize().unwrap();
    lines.join("\n").replace(directory.to_str().unwrap(), "DIR").replace(real.to_str().unwrap(), "DIR")
}

/// A document with one operation that has a parameter of this schema.
fn with_reference(reference: &str) -> String {
    json!({"openapi": "3.1.0", "paths": {"/a": {"get": {
        "operationId": "a",
        "parameters": [{"name": "p", "in": "query", "schema": {"$ref": reference}}]
    }}}})
    .to_string()
}

#[tokio::test]
async fn parts_in_other_files_become_one_api() {
    let directory = files(&[
        (
            "openapi.yaml",
            "openapi: 3.0.3\npaths:\n  /pets: {$ref: paths/pets.yaml}\n  /toys: {$ref: 'paths/all.yaml#/~1toys'}\n",
        ),
        (
            "paths/pets.yaml",
            "get:\n  operationId: listPets\n  parameters: [{$ref: '../common.yaml#/parameters/Limit'}]\n  responses: {200: {content: {application/json: {schema: {$ref: ../schemas/Pet.json}}}}}\n",
        ),
        (
            "paths/all.yaml",
            "/toys:\n  post:\n    requestBody: {content: {application/json: {schema: {$ref: '../schemas/Pet.json'}}}}\n",
        ),
        (
            "common.yaml",
            "parameters:\n  Limit: {name: limit, in: query, schema: {$ref: '#/types/Count'}}\ntypes:\n  Count: {type: integer, maximum: wrong}\n",
        ),
        (
            "schemas/Pet.json",
            r##"{"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "mother": {"$ref": "#"}, "seller": {"$ref": "../openapi.yaml#/components/schemas/Nobody"}}}"##,
        ),
    ]);
    let path = directory.path().join("openapi.yaml");
    let api = load(path.as_path()).await.unwrap();
    super::assert_sound(&api);
    assert_eq!(api.operations().len(), 2);
    let schema = input(&api, "listPets");
    assert_eq!(schema["properties"]["limit"]["$ref"], "#/$defs/common_types_Count__a5d18b36", "{schema:#}");
    let pet = input(&api, "post_toys");
    let definitions = pet["$defs"].as_object().unwrap();
    let (name, definition) = definitions.iter().next().unwrap();
    assert!(definitions.len() == 1 && name.starts_with("Pet__"), "{pet:#}");
    assert_eq!(definition["properties"]["mother"]["$ref"], format!("#/$defs/{name}"), "{pet:#}");
    // A finding is about the file in which the fault is.
    let told = told(&api, directory.path());
    assert!(told.contains("DIR/common.yaml:4:26: warning[schema-keyword]"), "{told}");
    assert!(told.contains("DIR/schemas/Pet.json:1:"), "{told}");
    let pets = api.operation("listPets").unwrap();
    assert_eq!((pets.pointer.as_str(), pets.document.is_some()), ("/get", true));
}

#[tokio::test]
async fn a_pointer_may_lead_through_a_reference() {
    let directory = files(&[
        (
            "api.yaml",
            "swagger: '2.0'\npaths: {/a: {get: {operationId: a, parameters: [{name: p, in: body, schema: {$ref: '#/definitions/Pet'}}]}}}\ndefinitions: {$ref: definitions/index.yaml}\n",
        ),
        ("definitions/index.yaml", "Pet: {$ref: ./Pet.yaml}\nloop: {$ref: '#/loop/x'}\n"),
        (
            "definitions/Pet.yaml",
            "type: object\nproperties: {name: {type: string}, x: {$ref: '../api.yaml#/definitions/loop/y'}}\n",
        ),
    ]);
    let api = load(directory.path().join("api.yaml")).await.unwrap();
    super::assert_sound(&api);
    assert_eq!(input(&api, "a")["properties"]["name"]["type"], "string", "{}", told(&api, directory.path()));
}

#[tokio::test]
async fn names_of_definitions_do_not_depend_on_the_machine() {
    let text = [
        ("api.json", with_reference("types.json#/T")),
        ("types.json", r#"{"T": {"type": "string"}}"#.to_owned()),
    ];
    let text: Vec<(&str, &str)> = text.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let (one, two) = (files(&text), files(&text));
    let schema =
        async |directory: &TempDir| input(&load(directory.path().join("api.json")).await.unwrap(), "a");
    assert_eq!(schema(&one).await, schema(&two).await);
}

#[tokio::test]
async fn files_outside_the_root_are_refused_before_they_are_looked_at() {
    let directory =
        files(&[("specs/api.json", ""), ("secret.json", r#"{"type": "string", "const": "leak"}"#)]);
    let main = directory.path().join("specs/api.json");
    let secret = directory.path().join("secret.json");
    for reference in [
        "../secret.json",
        "../nothing.json",
        "x/../../secret.json",
        "%2e%2e/secret.json",
        secret.to_str().unwrap(),
    ] {
        fs::write(&main, with_reference(reference)).unwrap();
        let api = load(main.as_path()).await.unwrap();
        let told = told(&api, directory.path());
        // What exists and what does not look the same from outside.
        assert!(
            told.contains("error[ref-outside]") && told.contains("it leads out of the directory"),
            "{told}"
        );
        assert!(!input(&api, "a").to_string().contains("leak"));
    }
    fs::write(&main, with_reference("../secret.json")).unwrap();
    let api = LoadOptions::new().root(directory.path()).load(main.as_path()).await.unwrap();
    assert!(input(&api, "a").to_string().contains("leak"));
    fs::write(&main, with_reference("file:///etc/hostname")).unwrap();
    let api = load(main.as_path()).await.unwrap();
    assert!(told(&api, directory.path()).contains("addresses of the scheme `file` are never followed"));
}

#[cfg(unix)]
#[tokio::test]
async fn symbolic_links_do_not_lead_out() {
    let directory =
        files(&[("specs/api.json", &with_reference("link.json")), ("secret.json", r#"{"const": "leak"}"#)]);
    let link = directory.path().join("specs/link.json");
    std::os::unix::fs::symlink(directory.path().join("secret.json"), link).unwrap();
    let api = load(directory.path().join("specs/api.json")).await.unwrap();
    let told = told(&api, directory.path());
    assert!(told.contains("error[ref-outside]"), "{told}");
    assert!(!input(&api, "a").to_string().contains("leak"));
}

#[tokio::test]
async fn what_cannot_be_read_says_why() {
    let directory = files(&[("api.json", ""), ("broken.yaml", "a: [\n"), ("folder/x.json", "{}")]);
    let main = directory.path().join("api.json");
    for (reference, expected) in [
        ("missing.yaml", "`missing.yaml` is not read: there is no such file; anything is allowed here"),
        ("broken.yaml", "error[ref-unreadable]: `broken.yaml` is not read: DIR/broken.yaml:"),
        ("folder", "it is no file"),
        ("folder/x.json#/nothing", "error[ref-not-found]"),
        ("https://example.com/a.json", "it would be fetched from https://example.com, which was not allowed"),
    ] {
        fs::write(&main, with_reference(reference)).unwrap();
        let told = told(&load(main.as_path()).await.unwrap(), directory.path());
        assert!(told.contains(expected), "{reference}\n gives {told}\n not  {expected}");
    }
}

#[tokio::test]
async fn other_documents_are_bounded_in_number_size_and_depth() {
    let next = |index: usize| format!(r#"{{"anyOf": [{{"$ref": "s{}.json"}}]}}"#, index + 1);
    let texts: Vec<(String, String)> = (0..30).map(|index| (format!("s{index}.json"), next(index))).collect();
    let mut all: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let main = with_reference("s0.json");
    all.push(("api.json", &main));
    let directory = files(&all);
    let told_with = async |options: LoadOptions| {
        let api = options.load(directory.path().join("api.json")).await.unwrap();
        super::assert_sound(&api);
        told(&api, directory.path())
    };
    let depth = told_with(LoadOptions::new()).await;
    assert!(
        depth.contains("s19.json:1:13: error[ref-limit]") && depth.contains("more than 20 documents"),
        "{depth}"
    );
    let count = told_with(LoadOptions::new().max_documents(5)).await;
    assert!(
        count.contains("s4.json:1:13: error[ref-limit]") && count.contains("5 other documents were read"),
        "{count}"
    );
    let size = told_with(LoadOptions::new().max_bytes(100)).await;
    assert!(size.contains("error[ref-limit]") && size.contains("more than 100 bytes"), "{size}");
    let none = told_with(LoadOptions::new().references(References::Ignore)).await;
    assert!(none.contains("`s0.json` is in another document, which is not read"), "{none}");
}

#[tokio::test]
async fn addresses_are_asked_only_where_the_host_allows_it() {
    let asked = Arc::new(AtomicUsize::new(0));
    let other = {
        let asked = Arc::clone(&asked);
        let answer = async move || {
            asked.fetch_add(1, Ordering::SeqCst);
            r#"{"const": "far"}"#
        };
        server(Router::new().route("/far.json", get(answer))).await
    };
    let far = format!("{other}/far.json");
    let document = json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a", "parameters": [
        {"name": "near", "in": "query", "schema": {"$ref": "types.json"}},
        {"name": "far", "in": "query", "schema": {"$ref": far}},
        {"name": "moved", "in": "query", "schema": {"$ref": "moved.json"}}
    ]}}}});
    let moved = far.clone();
    let router = Router::new()
        .route("/v1/api.json", get(async move || document.to_string()))
        .route("/v1/types.json", get(async || r#"{"const": "near"}"#))
        .route("/v1/moved.json", get(async move || Redirect::temporary(&moved)));
    let base = server(router).await;
    let address = format!("{base}/v1/api.json");

    let api = load(address.as_str()).await.unwrap();
    assert!(!input(&api, "a").to_string().contains("near\"}"), "nothing is fetched without being allowed");
    assert_eq!(api.diagnostics().len(), 3);

    let near = LoadOptions::new().references(References::SameOrigin);
    let schema = input(&near.clone().load(address.as_str()).await.unwrap(), "a").to_string();
    assert!(schema.contains(r#"{"const":"near"}"#) && !schema.contains(r#"{"const":"far"}"#), "{schema}");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "the other host was asked");

    let host = other.trim_start_matches("http://").to_owned();
    let schema = input(&near.host(host).load(address.as_str()).await.unwrap(), "a").to_string();
    assert!(schema.contains(r#"{"const":"far"}"#), "{schema}");
    // The redirect to the other host is still not followed.
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_text_without_a_place_reads_files_only_below_a_named_root() {
    let directory = files(&[("types.json", r#"{"const": "found"}"#)]);
    let text = with_reference("types.json");
    let named = || Address::Named("standard input".to_owned());
    let api = LoadOptions::new().read(text.as_str(), named()).await.unwrap();
    assert!(api.diagnostics()[0].to_string().contains("no place that it could start from"));
    let api = LoadOptions::new().root(directory.path()).read(text.as_str(), named()).await.unwrap();
    assert!(input(&api, "a").to_string().contains("found"));
}

#[tokio::test]
async fn a_directory_gives_each_document_in_it() {
    let directory = files(&[
        ("b.yaml", "openapi: 3.0.0\npaths: {/b: {$ref: parts/b.yaml}}\n"),
        ("a/api.json", r#"{"swagger": "2.0", "paths": {"/a": {"get": {}}}}"#),
        ("parts/b.yaml", "get: {operationId: b}\n"),
        ("broken.yaml", "openapi: 3.0.0\npaths: [\n"),
        ("package.json", r#"{"name": "x"}"#),
        (".hidden/api.json", r#"{"openapi": "3.0.0", "paths": {"/h": {"get": {}}}}"#),
        ("readme.md", "openapi: 3.0.0"),
    ]);
    let found = LoadOptions::new().load_directory(directory.path()).await.unwrap();
    let names: Vec<String> =
        found.apis.iter().flat_map(|api| api.operations()).map(|o| o.name.clone()).collect();
    assert_eq!(names, ["get_a", "b"]);
    assert_eq!(found.failures.len(), 1);
    assert!(found.failures[0].to_string().contains("broken.yaml:"));
    let empty = files(&[("package.json", "{}")]);
    let error = LoadOptions::new().load_directory(empty.path()).await.unwrap_err();
    assert!(error.to_string().contains("holds no OpenAPI document"), "{error}");
}

#[tokio::test]
async fn a_part_may_mean_the_main_document_by_a_bare_fragment() {
    let directory = files(&[
        (
            "index.yaml",
            "swagger: '2.0'\npaths: {/a: {$ref: a.yaml}}\ndefinitions: {$ref: definitions.yaml}\n",
        ),
        ("definitions.yaml", "User: {type: object, properties: {name: {type: string}}}\n"),
        (
            "a.yaml",
            "post:\n  operationId: a\n  parameters:\n    - {name: b, in: body, schema: {$ref: '#/definitions/User'}}\n    - {name: c, in: query, type: array, items: {$ref: '#/definitions/Nobody'}}\n",
        ),
    ]);
    let api = load(directory.path().join("index.yaml")).await.unwrap();
    super::assert_sound(&api);
    assert_eq!(input(&api, "a")["properties"]["name"]["type"], "string");
    let told = told(&api, directory.path());
    assert!(told.contains("DIR/a.yaml:4:36: warning[ref-base]: `#/definitions/User`"), "{told}");
    assert!(told.contains("ref-not-found") && told.contains("#/definitions/Nobody"), "{told}");
    // A file that is a document itself means itself.
    let directory = files(&[
        (
            "a.json",
            r##"{"openapi": "3.1.0", "paths": {"/a": {"$ref": "b.json#/paths/~1b"}}, "components": {"schemas": {"S": {"type": "string"}}}}"##,
        ),
        (
            "b.json",
            r##"{"openapi": "3.1.0", "paths": {"/b": {"get": {"operationId": "b", "parameters": [{"name": "p", "in": "query", "schema": {"$ref": "#/components/schemas/S"}}]}}}}"##,
        ),
    ]);
    let api = load(directory.path().join("a.json")).await.unwrap();
    assert!(self::told(&api, directory.path()).contains("ref-not-found"));
}

#[tokio::test]
async fn yaml_is_read_from_the_cache_where_it_is_sound() {
    let paths: String = (0..600)
        .map(|i| format!("  /items{i}/{{id}}:\n    get: {{operationId: get{i}, parameters: [{{name: id, in: path, required: true, schema: {{type: number, maximum: 1.1}}}}]}}\n"))
        .collect();
    let directory = files(&[("api.yaml", &format!("openapi: 3.1.0\npaths:\n{paths}"))]);
    let cache = directory.path().join("cache");
    let options = LoadOptions::new().cache(&cache);
    let read = async || options.load(directory.path().join("api.yaml")).await.unwrap();
    let plain = load(directory.path().join("api.yaml")).await.unwrap();
    let definitions = |api: &Api| -> Vec<String> {
        api.tools()
            .unwrap()
            .definitions()
            .map(|tool| format!("{} {}", tool.name, tool.input_schema.as_value()))
            .collect()
    };
    assert_eq!(definitions(&read().await), definitions(&plain));
    let copies = || fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let [copy] = copies().try_into().unwrap();
    let kept = fs::read_to_string(&copy).unwrap();
    let again = read().await;
    assert_eq!((definitions(&again), again.diagnostics()), (definitions(&plain), plain.diagnostics()));
    // Somebody else's text under the right name is not taken for the document's.
    for (bad, said) in [
        (kept.replace("get599", "get999"), "damaged"),
        (kept[..kept.len() / 2].to_owned(), "damaged"),
        (String::new(), "cut off"),
        (kept.replacen("opentool-yaml 1", "opentool-yaml 0", 1), "damaged"),
    ] {
        fs::write(&copy, bad).unwrap();
        let api = read().await;
        assert_eq!(definitions(&api), definitions(&plain));
        let told = told(&api, directory.path());
        assert!(told.contains("note[cache-unusable]") && told.contains(said), "{told}");
        assert_eq!(fs::read_to_string(&copy).unwrap(), kept, "written anew");
    }
    // What is changed is another document.
    fs::write(
        directory.path().join("api.yaml"),
        format!("openapi: 3.1.0\npaths:\n{}", paths.replace("get0,", "first,")),
    )
    .unwrap();
    assert!(read().await.operation("first").is_some());
    assert_eq!(copies().len(), 2);
    // A directory that cannot be written costs nothing but a note.
    fs::write(directory.path().join("file"), "").unwrap();
    let api =
        LoadOptions::new().cache(directory.path().join("file")).load(directory.path().join("api.yaml")).await;
    let told = self::told(&api.unwrap(), directory.path());
    assert!(told.contains("note[cache-unwritable]"), "{told}");
}

#[tokio::test]
async fn parts_that_differ_in_their_query_are_different_parts() {
    use axum::extract::RawQuery;
    let part = async |RawQuery(query): RawQuery| {
        let name = query.unwrap_or_default().replace("key=s3cret&n=", "");
        let schema =
            json!({"type": "object", "properties": {(&name): {"$ref": "#/more"}}, "required": [&name]});
        json!({"get": {"operationId": name, "parameters": [{"name": "p", "in": "query", "schema": {"$ref": "#/more"}}],
                "responses": {"200": {"content": {"application/json": {"schema": schema}}}}},
               "more": {"type": "string", "const": name, "pattern": 1}})
        .to_string()
    };
    let url = server(Router::new().route("/item", get(part))).await;
    let item = |name: &str| json!({"$ref": format!("{url}/item?key=s3cret&n={name}")});
    let main = json!({"openapi": "3.1.0", "paths": {"/a": item("pet"), "/b": item("user")}}).to_string();
    let options = LoadOptions::new().host(url.trim_start_matches("http://"));
    let api = options.read(main.as_str(), Address::Named("main.json".to_owned())).await.unwrap();
    let tools = api.tools().unwrap();
    for name in ["pet", "user"] {
        let definition = tools.find(name).unwrap().definition();
        let output = definition.output_schema.as_ref().unwrap().as_value();
        assert_eq!(output["required"], json!([name]), "{output}");
        for schema in [definition.input_schema.as_value(), output] {
            let of_part = schema["$defs"].as_object().unwrap().values().next().unwrap();
            assert_eq!(of_part["const"], json!(name), "{schema}");
        }
    }
    // Each is told of with a name of its own, without what may be a secret.
    let checked = options.check(main, Address::Named("main.json".to_owned())).await;
    let mut files: Vec<_> = checked.diagnostics.iter().filter_map(|found| found.file.as_deref()).collect();
    files.sort_unstable();
    files.dedup();
    assert_eq!(files, [format!("{url}/item?…"), format!("{url}/item?… (2)")]);
    assert!(!format!("{:?}{:?}", api.operations(), checked.diagnostics).contains("s3cret"));
}

#[tokio::test]
async fn documents_of_a_directory_are_read_in_any_encoding() {
    let text = "{\"openapi\": \"3.1.0\", \"paths\": {\"/a\": {\"get\": {\"operationId\": \"a\"}}}}";
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let yaml: Vec<u8> = "openapi: 3.1.0\npaths: {/b: {get: {operationId: b}}}\n"
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    let directory = files(&[]);
    fs::write(directory.path().join("a.json"), &wide).unwrap();
    fs::write(directory.path().join("b.yaml"), [&b"\xFE\xFF"[..], &yaml].concat()).unwrap();
    // A document that is broken is told of, in this encoding too.
    fs::write(directory.path().join("c.json"), &wide[..wide.len() - 4]).unwrap();
    fs::write(directory.path().join("d.json"), &wide[..2]).unwrap();
    assert_eq!(LoadOptions::new().documents_in(directory.path()).await.unwrap().len(), 3);
    let read = LoadOptions::new().load_directory(directory.path()).await.unwrap();
    let names: Vec<&str> = read.apis.iter().map(|api| api.operations()[0].name.as_str()).collect();
    assert_eq!((names, read.failures.len()), (vec!["a", "b"], 1), "{:?}", read.failures);
}
