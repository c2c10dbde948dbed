//! What the compiler says about mistakes: one file each under `tests/ui`, with what it prints.
//!
//! They stand here and not in the facade because each is compiled with the features of this crate's tests: a
//! facade with everything would bring a hundred crates into a check of error messages.
//! `TRYBUILD=overwrite cargo test -p opentool-macros` writes the expectations anew.

use std::path::Path;

#[test]
fn every_mistake_is_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

/// Many read no further than the first line, in an editor or a log: it names what is wrong and what to write.
#[test]
fn every_first_line_says_what_to_write_instead() {
    const ADVICE: [&str; 14] = [
        "write",
        "put ",
        "PutAll",
        "use ",
        "keep",
        "change",
        "swap",
        "leave",
        "take",
        "move",
        "wrap",
        "give ",
        "did you mean",
        "it knows",
    ];
    // What follows our first line where the compiler finds the part of a type that is the reason.
    const OF_THE_COMPILER: &str = "cannot be shared between threads safely";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "stderr") {
            continue;
        }
        seen += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let errors = text.lines().filter(|line| line.starts_with("error"));
        for (i, line) in errors.enumerate().filter(|(i, line)| *i == 0 || !line.ends_with(OF_THE_COMPILER)) {
            let file = path.display();
            assert!(line.contains('`'), "{file}, error {i}, names nothing of the user's: {line}");
            assert!(
                ADVICE.iter().any(|word| line.contains(word)),
                "{file}, error {i}, gives no advice: {line}"
            );
        }
    }
    assert!(seen > 60, "only {seen} messages were found");
}
