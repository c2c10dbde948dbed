//! `opentool completions`.

use crate::support::opentool;

#[test]
fn every_shell_has_a_script_that_knows_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = opentool(["completions", shell]).end().success();
        for word in ["list", "export", "dry-run"] {
            assert!(ran.text().contains(word), "{shell} without {word}");
        }
        for hidden in ["toolPort", "apiKeys"] {
            assert!(!ran.text().contains(hidden), "{shell} with {hidden}");
        }
        let json = opentool(["completions", shell, "--json"]).end().success().json();
        assert_eq!(json["script"], ran.text());
    }
    opentool(["completions", "csh"]).end().failure(2, &["bash, elvish, fish, powershell, zsh"]);
}
