//! Providers' messages: calls in, results out.

mod decoded;
mod golden;
mod reading;
mod round_trip;
mod writing;
