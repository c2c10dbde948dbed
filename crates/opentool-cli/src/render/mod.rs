//! Turning tools and results into text for people. Nothing here writes anywhere.

mod finding;
mod json;
mod losses;
mod output;
mod schema;
mod table;
mod text;
mod tool;

pub(crate) use finding::finding;
pub(crate) use json::indent;
pub(crate) use losses::losses;
pub(crate) use output::{Answer, answer};
pub(crate) use schema::{limits, reference, type_words};
pub(crate) use table::{Column, fitting, table};
pub(crate) use text::shorten;
pub(crate) use tool::{tool, tools};
