//! Every input that is kept, through the target that it was found for.

use std::path::Path;

use opentool_fuzz::TARGETS;

#[test]
fn every_kept_input_passes() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for target in TARGETS {
        let folder = corpus.join(target.name);
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|entry| entry.expect("a file").path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        for file in files {
            let input = std::fs::read(&file).expect("a file can be read");
            // A panic would not say which.
            if std::panic::catch_unwind(|| (target.run)(&input)).is_err() {
                panic!("{} breaks a law: see above", file.display());
            }
        }
    }
}
