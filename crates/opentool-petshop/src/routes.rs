//! The operations of the document as handlers, one for each.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Map, Value};

use crate::extract::{Body, Id, Parameters, Staff};
use crate::order::{NewOrder, Order};
use crate::pet::{NewPet, Pet, PetChange, Status, check_text};
use crate::problem::Problem;
use crate::shelf::{Placement, Shelf};
use crate::{PETSTORE_YAML, seed};

/// The largest body that is read, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

/// The operations of a new shop, for tests that bring their own server.
///
/// [`crate::PetShop::start`] is the same with a server around it.
pub fn router() -> Router {
    router_with(PETSTORE_YAML.to_owned())
}

/// The operations of a new shop that says of itself what `document` says.
pub(crate) fn router_with(document: String) -> Router {
    Router::new()
        .route("/", get(index))
        .route("/openapi.yaml", get(description))
        .route("/pet", axum::routing::post(add_pet))
        .route("/pet/findByStatus", get(find_pets_by_status))
        .route("/pet/findByTags", get(find_pets_by_tags))
        .route("/pet/{petId}", get(get_pet_by_id).patch(update_pet).delete(delete_pet))
        .route("/store/inventory", get(get_inventory))
        .route("/store/order", axum::routing::post(place_order))
        .route("/store/order/{orderId}", get(get_order_by_id).delete(cancel_order))
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .with_state(Shop { shelf: Arc::new(Mutex::new(seed::shelf())), document: document.into() })
}

#[derive(Clone)]
struct Shop {
    shelf: Arc<Mutex<Shelf>>,
    document: Arc<str>,
}

impl Shop {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        // Every operation checks before it changes anything, so a panic leaves no half of one.
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn index() -> &'static str {
    "A pet shop for trying things out. What it can do is described at /openapi.yaml\n"
}

async fn description(State(shop): State<Shop>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/yaml")], shop.document.to_string())
}

async fn find_pets_by_status(
    State(shop): State<Shop>,
    parameters: Parameters,
) -> Result<Json<Vec<Pet>>, Problem> {
    let mut wanted = Vec::new();
    for text in parameters.list("status", "?status=pending&status=available")? {
        wanted.push(Status::parse(&text).ok_or_else(|| {
            Problem::bad_request("`status` must be `available`, `pending` or `sold`; repeat it for several")
        })?);
    }
    Ok(Json(shop.shelf().find(|pet| wanted.contains(&pet.status))))
}

async fn find_pets_by_tags(
    State(shop): State<Shop>,
    parameters: Parameters,
) -> Result<Json<Vec<Pet>>, Problem> {
    let wanted = parameters.list("tags", "?tags=quiet&tags=calm")?;
    Ok(Json(shop.shelf().find(|pet| pet.tags.iter().any(|tag| wanted.contains(tag)))))
}

async fn add_pet(State(shop): State<Shop>, Body(pet): Body<NewPet>) -> Result<Response, Problem> {
    let pet = shop.shelf().add_pet(pet)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, format!("/pet/{}", pet.id))], Json(pet)).into_response())
}

async fn get_pet_by_id(State(shop): State<Shop>, Id(id): Id) -> Result<Json<Pet>, Problem> {
    shop.shelf().pet(id).map(Json)
}

async fn update_pet(
    State(shop): State<Shop>,
    Id(id): Id,
    Body(change): Body<PetChange>,
) -> Result<Json<Pet>, Problem> {
    shop.shelf().change_pet(id, change).map(Json)
}

async fn delete_pet(State(shop): State<Shop>, _: Staff, Id(id): Id) -> Result<StatusCode, Problem> {
    shop.shelf().remove_pet(id).map(|()| StatusCode::NO_CONTENT)
}

async fn get_inventory(State(shop): State<Shop>) -> Json<Map<String, Value>> {
    Json(shop.shelf().inventory().map(|(status, count)| (status.to_owned(), count.into())).collect())
}

async fn place_order(
    State(shop): State<Shop>,
    headers: HeaderMap,
    Body(order): Body<NewOrder>,
) -> Result<Response, Problem> {
    let key = headers.get("idempotency-key").map(|key| String::from_utf8_lossy(key.as_bytes()).into_owned());
    key.as_ref().map_or(Ok(()), |key| check_text("Idempotency-Key", key, 100))?;
    Ok(match shop.shelf().place_order(order, key)? {
        Placement::New(order) => {
            let location = format!("/store/order/{}", order.id);
            (StatusCode::CREATED, [(header::LOCATION, location)], Json(order)).into_response()
        }
        Placement::Known(order) => Json(order).into_response(),
    })
}

async fn get_order_by_id(State(shop): State<Shop>, Id(id): Id) -> Result<Json<Order>, Problem> {
    shop.shelf().order(id).map(Json)
}

async fn cancel_order(State(shop): State<Shop>, Id(id): Id) -> Result<StatusCode, Problem> {
    shop.shelf().cancel_order(id).map(|()| StatusCode::NO_CONTENT)
}

async fn unknown_path(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(200).collect();
    Problem::not_found(format!("there is nothing at {path}; /openapi.yaml describes what is there"))
}

async fn unknown_method(method: Method, uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(200).collect();
    let detail = format!("{method} is not possible at {path}; /openapi.yaml describes what is");
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
}
