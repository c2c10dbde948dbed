//! The members of every object of the format: the one table that reading, printing and linting share.

/// The members of one kind of object, in the order in which they are printed.
pub(crate) type Names = &'static [&'static str];

pub(crate) const DOCUMENT: Names = &["opentool", "info", "server", "functions", "schemas"];
pub(crate) const INFO: Names = &["title", "description", "version"];
pub(crate) const SERVER: Names = &["url", "description"];
pub(crate) const FUNCTION: Names = &["name", "description", "parameters", "return", "stream"];
pub(crate) const PARAMETER: Names = &["name", "description", "schema", "required"];
pub(crate) const RETURN: Names = &["name", "description", "schema"];
pub(crate) const SCHEMA: Names = &["$ref", "type", "description", "properties", "items", "enum", "required"];
