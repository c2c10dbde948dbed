//! Documents: read, checked, printed, converted.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod convert;
mod golden;
mod hostile;
mod laws;
mod print;
