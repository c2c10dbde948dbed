//! Pets: finding, adding, changing, removing.

use serde_json::{Value, json};

use crate::client::{get, open, send, send_json};

fn ids(pets: &Value) -> Vec<i64> {
    pets.as_array().unwrap().iter().map(|pet| pet["id"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn pets_are_found_by_one_or_more_states() {
    let shop = open().await;
    let pending = get(&shop, "/pet/findByStatus?status=pending").await.json();
    assert_eq!(ids(&pending), [2, 5]);
    assert_eq!(pending[0]["name"], "Miso");
    let both = get(&shop, "/pet/findByStatus?status=sold&status=pending").await.json();
    assert_eq!(ids(&both), [2, 4, 5, 8], "by number, whatever the order of the question");
}

#[tokio::test]
async fn an_unknown_state_or_none_is_told_what_would_be_accepted() {
    let shop = open().await;
    let detail = get(&shop, "/pet/findByStatus?status=lost").await.problem(400);
    assert!(detail.contains("`available`, `pending` or `sold`"), "{detail}");
    let detail = get(&shop, "/pet/findByStatus?status=pending,sold").await.problem(400);
    assert!(detail.contains("repeat it"), "{detail}");
    for target in ["/pet/findByStatus", "/pet/findByStatus?status=", "/pet/findByStatus?tags=quiet"] {
        let detail = get(&shop, target).await.problem(400);
        assert!(detail.contains("?status=pending"), "{detail}");
    }
}

#[tokio::test]
async fn pets_are_found_by_any_of_the_tags() {
    let shop = open().await;
    let calm = get(&shop, "/pet/findByTags?tags=calm&tags=talkative").await.json();
    assert_eq!(ids(&calm), [4, 5, 6, 8]);
    assert_eq!(get(&shop, "/pet/findByTags?tags=spotted").await.json(), json!([]));
    get(&shop, "/pet/findByTags").await.problem(400);
    get(&shop, "/pet/findByTags?tags=calm&tags=").await.problem(400);
}

#[tokio::test]
async fn a_pet_is_found_by_its_number() {
    let shop = open().await;
    let miso = get(&shop, "/pet/2").await.json();
    assert_eq!(
        miso,
        json!({
            "id": 2, "name": "Miso", "species": "cat", "status": "pending", "reserved": false,
            "born": "2025-03-14", "tags": ["quiet", "good-with-children"],
            "photoUrls": ["https://photos.pet-shop.example/2.jpg"],
        })
    );
    let detail = get(&shop, "/pet/99").await.problem(404);
    assert_eq!(detail, "there is no pet 99; findPetsByStatus lists those that are there");
}

#[tokio::test]
async fn what_is_no_number_is_refused_before_the_shelf_is_searched() {
    let shop = open().await;
    for id in ["abc", "0", "-1", "+2", "02", "2.0", "1e0", "99999999999999999999", "%32%20", "2%00"] {
        let detail = get(&shop, &format!("/pet/{id}")).await.problem(400);
        assert!(detail.starts_with("`petId` must be a whole number from 1"), "{id}: {detail}");
    }
    // An encoded digit is a digit.
    assert_eq!(get(&shop, "/pet/%32").await.status, 200);
    get(&shop, "/pet/..%2fstore").await.problem(400);
    get(&shop, "/pet/%ff").await.problem(400);
}

#[tokio::test]
async fn a_new_pet_gets_the_next_number_and_is_there() {
    let shop = open().await;
    let added = send_json(&shop, "POST", "/pet", r#"{"name":"Nori","species":"cat"}"#).await;
    assert_eq!((added.status, added.header("location")), (201, Some("/pet/9")));
    assert_eq!(added.json()["status"], "pending", "the default of the document");
    assert_eq!(get(&shop, "/pet/9").await.json(), added.json());
    assert_eq!(get(&shop, "/store/inventory").await.json()["pending"], 3);
}

#[tokio::test]
async fn a_bad_pet_is_told_what_is_wrong_with_it() {
    let shop = open().await;
    let long = format!(r#"{{"name":"{}","species":"cat"}}"#, "x".repeat(61));
    let many = format!(r#"{{"name":"x","species":"cat","tags":{}}}"#, json!(vec!["t"; 21]));
    for (body, part) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("[]", "invalid"),
        (r#"{"species":"cat"}"#, "missing field `name`"),
        (r#"{"name":"x","species":"cow"}"#, "unknown variant `cow`"),
        (r#"{"name":"x","species":"cat","colour":"red"}"#, "unknown field `colour`"),
        (r#"{"name":7,"species":"cat"}"#, "name: invalid type"),
        (r#"{"name":"  ","species":"cat"}"#, "`name` must not be empty"),
        (r#"{"name":"a\nb","species":"cat"}"#, "line breaks"),
        (r#"{"name":"x","species":"cat","born":"2025-02-30"}"#, "YYYY-MM-DD"),
        (r#"{"name":"x","species":"cat","tags":[""]}"#, "`tags` must not be empty"),
        (r#"{"name":"x","species":"cat","photoUrls":["javascript:alert(1)"]}"#, "begin with http"),
        (long.as_str(), "at most 60 characters"),
        (many.as_str(), "at most 20 items"),
    ] {
        let detail = send_json(&shop, "POST", "/pet", body).await.problem(400);
        assert!(detail.contains(part), "{body}: {detail}");
    }
    let all = get(&shop, "/pet/findByStatus?status=available&status=pending&status=sold").await.json();
    assert_eq!(ids(&all).len(), 8, "nothing was half added");
}

#[tokio::test]
async fn a_body_that_is_not_json_or_too_large_is_refused() {
    let shop = open().await;
    let body = r#"{"name":"x","species":"cat"}"#;
    send(&shop, "POST", "/pet", "content-type: text/plain\r\n", Some(body)).await.problem(415);
    send(&shop, "POST", "/pet", "", Some(body)).await.problem(415);
    let large = format!(r#"{{"name":"{}","species":"cat"}}"#, "x".repeat(64 * 1024));
    send_json(&shop, "POST", "/pet", &large).await.problem(413);
}

#[tokio::test]
async fn a_change_changes_only_what_it_names() {
    let shop = open().await;
    let before = get(&shop, "/pet/2").await.json();
    let after = send_json(&shop, "PATCH", "/pet/2", r#"{"status":"available","tags":["sleepy"]}"#).await;
    let mut expected = before;
    expected["status"] = json!("available");
    expected["tags"] = json!(["sleepy"]);
    assert_eq!(after.json(), expected);
    assert_eq!(get(&shop, "/pet/2").await.json(), expected);
    assert_eq!(send_json(&shop, "PATCH", "/pet/2", "{}").await.json(), expected);
    send_json(&shop, "PATCH", "/pet/99", "{}").await.problem(404);
    send_json(&shop, "PATCH", "/pet/2", r#"{"id":7}"#).await.problem(400);
    send_json(&shop, "PATCH", "/pet/2", r#"{"name":""}"#).await.problem(400);
    assert_eq!(get(&shop, "/pet/2").await.json(), expected, "a refused change changes nothing");
}

#[tokio::test]
async fn only_the_staff_removes_pets() {
    let shop = open().await;
    for header in ["", "api_key: wrong\r\n", "authorization: Bearer open-sesame\r\n"] {
        let detail = send(&shop, "DELETE", "/pet/4", header, None).await.problem(401);
        assert!(detail.contains("`api_key`") && !detail.contains("open-sesame"), "{detail}");
    }
    let key = format!("api_key: {}\r\n", opentool_petshop::API_KEY);
    let removed = send(&shop, "DELETE", "/pet/4", &key, None).await;
    assert_eq!((removed.status, removed.body.as_str()), (204, ""));
    send(&shop, "DELETE", "/pet/4", &key, None).await.problem(404);
    get(&shop, "/pet/4").await.problem(404);
    // Its number is not given again.
    send_json(&shop, "POST", "/pet", r#"{"name":"Nori","species":"cat"}"#).await;
    get(&shop, "/pet/4").await.problem(404);
}

#[tokio::test]
async fn the_inventory_counts_every_state() {
    let shop = open().await;
    let counts = get(&shop, "/store/inventory").await.json();
    assert_eq!(counts, json!({"available": 4, "pending": 2, "sold": 2}));
}

#[tokio::test]
async fn two_shops_have_nothing_in_common() {
    let (one, other) = (open().await, open().await);
    send_json(&one, "PATCH", "/pet/1", r#"{"name":"Changed"}"#).await;
    assert_eq!(get(&other, "/pet/1").await.json()["name"], "Biscuit");
}
