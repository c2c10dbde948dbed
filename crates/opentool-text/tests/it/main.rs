//! Texts: reading them, finding places in them, showing them; and event streams.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod event_stream;
mod places;
mod reading;
mod showing;
