//! Running the binary, and partners for it to talk to.

mod golden;
mod run;
mod serving;
mod shop;
mod upstream;

pub(crate) use golden::golden;
pub(crate) use run::{Ran, Run, opentool};
pub(crate) use serving::{Serving, send, split};
pub(crate) use shop::Shop;
pub(crate) use upstream::{Upstream, get_document};
