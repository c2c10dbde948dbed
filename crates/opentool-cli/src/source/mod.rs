//! SOURCEs of tools as a person names them: reading the name, recognising the kind, loading, choosing.

mod error;
mod load;
mod recognise;
mod select;
mod spec;

pub(crate) use error::SourceError;
pub(crate) use load::{Content, Loading, Source, load_all};
pub(crate) use select::{Selection, gather, none_left, why_none};
pub(crate) use spec::{Place, SourceSpec};
