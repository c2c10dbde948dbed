//! Orders: reserving, looking, cancelling, and what they do to pets.

use serde_json::json;

use crate::client::{get, open, send, send_json};

#[tokio::test]
async fn an_order_reserves_a_pet_until_it_is_cancelled() {
    let shop = open().await;
    let body = r#"{"petId":2,"pickupDate":"2027-01-15","note":"I come by bike"}"#;
    let placed = send_json(&shop, "POST", "/store/order", body).await;
    assert_eq!((placed.status, placed.header("location")), (201, Some("/store/order/1")));
    assert_eq!(
        placed.json(),
        json!({"id":1,"petId":2,"status":"placed","pickupDate":"2027-01-15","note":"I come by bike"})
    );
    assert_eq!(get(&shop, "/store/order/1").await.json(), placed.json());
    assert_eq!(get(&shop, "/pet/2").await.json()["reserved"], true);
    assert_eq!(get(&shop, "/pet/findByStatus?status=pending").await.json()[0]["reserved"], true);

    let detail = send_json(&shop, "POST", "/store/order", r#"{"petId":2}"#).await.problem(409);
    assert_eq!(detail, "pet 2 (Miso) is reserved already: choose another");

    assert_eq!(send(&shop, "DELETE", "/store/order/1", "", None).await.status, 204);
    assert_eq!(get(&shop, "/pet/2").await.json()["reserved"], false);
    get(&shop, "/store/order/1").await.problem(404);
    send(&shop, "DELETE", "/store/order/1", "", None).await.problem(404);
    assert_eq!(send_json(&shop, "POST", "/store/order", r#"{"petId":2}"#).await.json()["id"], 2);
}

#[tokio::test]
async fn an_order_follows_its_pet() {
    let shop = open().await;
    send_json(&shop, "POST", "/store/order", r#"{"petId":5}"#).await;
    for (status, order) in [("available", "ready"), ("pending", "placed"), ("sold", "delivered")] {
        send_json(&shop, "PATCH", "/pet/5", &json!({"status": status}).to_string()).await;
        assert_eq!(get(&shop, "/store/order/1").await.json()["status"], order);
    }
    assert_eq!(get(&shop, "/pet/5").await.json()["reserved"], false, "it has a home");
    let detail = send(&shop, "DELETE", "/store/order/1", "", None).await.problem(409);
    assert!(detail.contains("delivered"), "{detail}");
}

#[tokio::test]
async fn a_reserved_pet_cannot_be_removed() {
    let shop = open().await;
    send_json(&shop, "POST", "/store/order", r#"{"petId":2}"#).await;
    let detail = send(&shop, "DELETE", "/pet/2", "api_key: open-sesame\r\n", None).await.problem(409);
    assert!(detail.contains("cancelOrder"), "{detail}");
    assert_eq!(get(&shop, "/pet/2").await.status, 200);
}

#[tokio::test]
async fn a_pet_that_is_sold_or_unknown_cannot_be_reserved() {
    let shop = open().await;
    send_json(&shop, "POST", "/store/order", r#"{"petId":4}"#).await.problem(409);
    send_json(&shop, "POST", "/store/order", r#"{"petId":99}"#).await.problem(404);
    for body in [
        "{}",
        r#"{"petId":0}"#,
        r#"{"petId":"2"}"#,
        r#"{"petId":2,"pickupDate":"soon"}"#,
        r#"{"petId":2,"quantity":1}"#,
        r#"{"petId":2,"note":"a\u0000b"}"#,
    ] {
        send_json(&shop, "POST", "/store/order", body).await.problem(400);
    }
    get(&shop, "/store/order/1").await.problem(404);
    let detail = get(&shop, "/store/order/first").await.problem(400);
    assert!(detail.starts_with("`orderId`"), "{detail}");
}

#[tokio::test]
async fn the_same_key_places_one_order() {
    let shop = open().await;
    let headers = "content-type: application/json\r\nidempotency-key: k-1\r\n";
    let place = async |body: &str| send(&shop, "POST", "/store/order", headers, Some(body)).await;
    let first = place(r#"{"petId":2}"#).await;
    let again = place(r#"{"petId":2}"#).await;
    assert_eq!((first.status, again.status), (201, 200));
    assert_eq!(first.json(), again.json());
    let detail = place(r#"{"petId":3}"#).await.problem(409);
    assert!(detail.contains("new key"), "{detail}");
    assert_eq!(get(&shop, "/pet/3").await.json()["reserved"], false);
}
