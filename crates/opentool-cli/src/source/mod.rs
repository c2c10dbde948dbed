//! SOURCEs of tools as a person names them: reading the name, recognising the kind, loading, choosing.

mod definitions;
mod directory;
mod error;
mod findings;
mod following;
mod load;
mod loaded;
mod mcp;
mod opentool;
mod read;
mod recognise;
mod references;
mod remote;
mod select;
mod shape;
mod spec;
mod unknown;

pub(crate) use directory::documents;
pub(crate) use error::{SourceError, trust_help};
pub(crate) use following::Following;
pub(crate) use load::{Loading, load_all, load_holding, load_one, one_standard_input, seconds};
pub(crate) use loaded::{Content, Source};
pub(crate) use opentool::{OpenTool, Way};
pub(crate) use read::read;
pub(crate) use recognise::recognise;
pub(crate) use references::{References, authorities, client, with_option};
pub(crate) use select::{Selection, gather, none_left, why_none};
pub(crate) use shape::{Shape, bytes};
pub(crate) use spec::{DocumentSpec, Kind, Place, SourceSpec};
