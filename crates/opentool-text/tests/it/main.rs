//! Texts: reading them, finding places in them, showing them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod places;
mod reading;
mod showing;
