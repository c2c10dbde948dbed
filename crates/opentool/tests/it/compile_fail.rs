//! What the compiler says about mistakes: one file each under `tests/ui`, with what it prints.
//!
//! `TRYBUILD=overwrite cargo test -p opentool compile_fail` writes the expectations anew.

#[test]
fn every_mistake_is_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
