//! The arguments of a call as a person writes them: JSON, or `key=value` typed by the tool's input schema.

mod arguments;
mod by_location;
mod dry_run;
mod events;
mod typed;

pub(crate) use arguments::{read, standard_input};
pub(crate) use by_location::ByLocation;
pub(crate) use dry_run::DryRun;
pub(crate) use events::Events;
