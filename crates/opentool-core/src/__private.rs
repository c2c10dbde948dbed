//! What the macros expand to. Not part of the public interface.

pub use schemars;
pub use serde;
pub use serde_json;
