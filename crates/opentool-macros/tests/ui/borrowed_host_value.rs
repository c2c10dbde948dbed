use opentool::tool;

struct Database;

/// Reads.
#[tool]
fn read(database: &Database) -> u8 {
    let _ = database;
    1
}

fn main() {}
