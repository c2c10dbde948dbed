//! Tools from OpenAPI documents: a lenient reader, a pure plan for every operation, one executor.

pub mod plan;
