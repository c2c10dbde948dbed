//! Tools from OpenAPI documents: a lenient reader, a pure plan for every operation, one executor.

pub mod execute;
pub mod plan;
pub mod request;
mod response;
