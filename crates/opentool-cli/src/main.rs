//! The command line of opentool.
fn main() {}
