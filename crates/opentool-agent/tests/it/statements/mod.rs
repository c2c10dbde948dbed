//! What the manual of Spring AI promises about tools (S1 to S126), what its code gets wrong (D1 to D12): each as a test
//! under its number. `docs/statements.md` says where every number is kept, and why some have no meaning here.

mod context;
mod defects;
mod direct;
mod errors;
mod execution;
mod own;
mod request;
mod results;

/// The table and every file of tests that it names tests of.
const TABLE: &str = include_str!("../../../docs/statements.md");
const TESTS: [&str; 18] = [
    include_str!("../approvals.rs"),
    include_str!("../spans.rs"),
    include_str!("context.rs"),
    include_str!("defects.rs"),
    include_str!("direct.rs"),
    include_str!("errors.rs"),
    include_str!("execution.rs"),
    include_str!("own.rs"),
    include_str!("request.rs"),
    include_str!("results.rs"),
    include_str!("../../../../opentool/tests/it/calls.rs"),
    include_str!("../../../../opentool/tests/it/statements.rs"),
    include_str!("../../../../opentool/tests/it/tool2schema/registered.rs"),
    include_str!("../../../../opentool-mcp/tests/it/structured.rs"),
    include_str!("../../../../../examples/tests/it/alarm.rs"),
    include_str!("../../../../../examples/tests/it/memory.rs"),
    include_str!("../../../../../examples/tests/it/return_direct.rs"),
    include_str!("../../../../../examples/tests/it/tenant.rs"),
];

#[test]
fn the_table_has_every_number_and_names_only_tests_that_exist() {
    let tests: String = TESTS.concat();
    for number in 1..=126 {
        let row = format!("\n| S{number} | ");
        assert_eq!(TABLE.matches(&row).count(), 1, "S{number}");
    }
    // A row names tests, or programs that do not compile, one of which bears its number; or says that it has no meaning.
    let programs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../opentool-macros/tests");
    for row in TABLE.lines().filter(|line| line.starts_with("| S")) {
        let number: u32 =
            row[3..].split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
        let column = row.trim_end_matches(" |").rsplit(" | ").next().unwrap_or_default();
        let bears =
            tests.lines().any(|line| line.contains("fn s") && line.contains(&format!("s{number:03}_")));
        let mut named = column.split('`').skip(1).step_by(2).filter(|name| name.starts_with("ui/"));
        assert!(
            named.clone().all(|name| programs.join(name).is_file()),
            "a file of S{number} is missing: {column}"
        );
        let is_program = named.any(|name| name.starts_with(&format!("ui/s{number:03}_")));
        assert!(bears || is_program || column == "—", "no test bears S{number}: {column}");
    }
    let named = TABLE.split('`').skip(1).step_by(2).filter(|word| {
        let mut chars = word.chars();
        matches!(chars.next(), Some('s' | 'd')) && chars.next().is_some_and(|c| c.is_ascii_digit())
    });
    for name in named {
        let begin = name.trim_end_matches('…');
        assert!(tests.contains(&format!("fn {begin}")), "no test begins with `{begin}`");
    }
}
