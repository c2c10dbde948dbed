//! SOURCEs of tools as a person names them: reading the name, recognising the kind, loading, choosing.

mod definitions;
mod error;
mod findings;
mod load;
mod opentool;
mod read;
mod recognise;
mod remote;
mod select;
mod spec;
mod unknown;

pub(crate) use error::SourceError;
pub(crate) use load::{Content, Loading, Source, load_all, one_standard_input, seconds};
pub(crate) use opentool::{OpenTool, Way};
pub(crate) use read::read;
pub(crate) use recognise::recognise;
pub(crate) use select::{Selection, gather, none_left, why_none};
pub(crate) use spec::{DocumentSpec, Kind, Place, SourceSpec};
