//! What the compiler says about mistakes: one file each under `tests/ui`, with what it prints.
//!
//! They stand here and not in the facade because each is compiled with the features of this crate's tests: a
//! facade with everything would bring a hundred crates into a check of error messages.
//! `TRYBUILD=overwrite cargo test -p opentool-macros` writes the expectations anew.

#[test]
fn every_mistake_is_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
