//! Golden files: `tests/golden/<name>.txt`.

use std::path::Path;

/// Compares the text with the golden file of this name, or writes it with `UPDATE=1`.
#[track_caller]
pub(crate) fn golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, actual).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        expected == actual,
        "tests/golden/{name}.txt differs; UPDATE=1 rewrites it.\n--- expected\n{expected}\n--- actual\n{actual}"
    );
}
