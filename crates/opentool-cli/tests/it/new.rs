//! `opentool new`.

use crate::support::opentool;

#[test]
fn the_document_is_right_and_its_tools_can_be_shown() {
    let document = opentool(["new", "opentool"]).end().success();
    let checked = opentool(["check", "-", "--deny", "warnings"]).input(&document.stdout).end().success();
    assert_eq!(checked.text(), "", "not even a note\n{checked}");
    let list = opentool(["list", "-"]).input(&document.stdout).end().success();
    assert!(list.text().contains("get_weather  city, days?, unit?"), "\n{list}");
}

#[test]
fn a_file_is_not_replaced_unless_that_is_wanted() {
    let run = |words: &[&str]| {
        let words = ["new", "opentool", "-o", "weather.json"].iter().chain(words);
        opentool(words).file("weather.json", "mine").end()
    };
    run(&[])
        .failure(7, &["weather.json: there is a file of this name, and it stays", "`--force` replaces it"]);
    let ran = run(&["--force"]).success();
    assert!(ran.stderr.contains("opentool check weather.json"), "\n{ran}");
    opentool(["new", "opentool", "--force"]).end().failure(2, &["--output"]);
    opentool(["new", "opentool", "-o", "no/where.json"])
        .end()
        .failure(7, &["no/where.json: cannot be written"]);
    opentool(["new", "opentool", "-o", "."]).end().failure(7, &["directory"]);
    opentool(["new", "openapi"]).end().failure(2, &["possible values: opentool"]);
}
