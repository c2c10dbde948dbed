//! What the manual of Spring AI promises about tools (S1 to S126), what its code gets wrong (D1 to D12): each as a test
//! under its number. `docs/statements.md` says where every number is kept, and why some have no meaning here.

mod context;
mod defects;
mod direct;
mod errors;
mod execution;
mod request;
mod results;
