//! Providers' messages: calls in, results out.

mod golden;
mod reading;
mod round_trip;
mod writing;
