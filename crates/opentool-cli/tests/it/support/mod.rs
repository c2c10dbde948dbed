//! Running the binary, and partners for it to talk to.

mod golden;
mod run;
mod shop;
mod upstream;

pub(crate) use golden::golden;
pub(crate) use run::{Ran, Run, opentool};
pub(crate) use shop::Shop;
pub(crate) use upstream::{Upstream, get_document};
