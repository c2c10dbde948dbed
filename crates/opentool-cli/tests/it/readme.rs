//! What the README shows of the command line is what the command line does.

use std::path::Path;
use std::process::Command;

#[test]
fn the_commands_of_the_readme_print_what_it_shows() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!blocks.is_empty());
    for block in blocks {
        for shown in block.split("$ ").skip(1) {
            let (command, expected) = shown.split_once('\n').unwrap();
            let command = command.replacen("opentool", env!("CARGO_BIN_EXE_opentool"), 1);
            let output = Command::new("sh")
                .args(["-c", &format!("{command} 2>&1")])
                .current_dir(&root)
                .env_remove("OPENTOOL_BEARER")
                .env_remove("OPENTOOL_API_KEY")
                .output()
                .unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            assert_eq!(printed, expected, "`{command}`");
        }
    }
}
