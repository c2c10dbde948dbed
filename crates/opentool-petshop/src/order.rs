//! Orders: what a customer asks for and what the shop makes of it.

use serde::{Deserialize, Serialize};

use crate::Date;
use crate::pet::{Status, check_text};
use crate::problem::Problem;

/// What to reserve.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct NewOrder {
    pub(crate) pet_id: i64,
    pub(crate) pickup_date: Option<Date>,
    pub(crate) note: Option<String>,
}

impl NewOrder {
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.pet_id < 1 {
            return Err(Problem::bad_request("`petId` must be a whole number from 1"));
        }
        self.note.as_ref().map_or(Ok(()), |note| check_text("note", note, 500))
    }
}

/// How far an order is. It follows from the state of the pet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OrderStatus {
    Placed,
    Ready,
    Delivered,
}

impl OrderStatus {
    /// The state of an order for a pet in this state; a pet whose record is gone was delivered.
    pub(crate) fn of(pet: Option<Status>) -> Self {
        match pet {
            Some(Status::Pending) => Self::Placed,
            Some(Status::Available) => Self::Ready,
            Some(Status::Sold) | None => Self::Delivered,
        }
    }
}

/// An order, as every operation answers it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    pub(crate) id: i64,
    pub(crate) pet_id: i64,
    pub(crate) status: OrderStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pickup_date: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
}
