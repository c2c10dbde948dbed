//! OpenTool documents: read, checked, printed, converted, and read again as the same document.

use opentool_core::ToolDefinition;
use opentool_doc::{Document, Export, Info, Version, lint, parse};
use opentool_text::Renderer;

/// Functions for which the longer laws are checked.
const MOST: usize = 50;

pub(crate) fn run(input: &[u8]) {
    let text = std::str::from_utf8(input).unwrap_or_default();
    let found = lint(input, "document.json");
    let parsed = match parse(input, "document.json") {
        Ok(parsed) => parsed,
        Err(error) => {
            assert_eq!(found, vec![error.diagnostic().clone()], "both ways of reading say the same");
            Renderer::new(text).render(error.diagnostic());
            return;
        }
    };
    assert_eq!(found, parsed.diagnostics, "both ways of reading say the same");
    let renderer = Renderer::new(text);
    for diagnostic in &parsed.diagnostics {
        renderer.render(diagnostic);
    }
    printed(&parsed.document);
    if parsed.document.functions.len() <= MOST {
        for version in Version::ALL {
            printed(&parsed.document.for_version(version).0);
        }
        converted(&parsed.document);
    }
}

/// What is printed reads as the same document.
fn printed(document: &Document) {
    let printed = document.print();
    let again = parse(&printed, "").unwrap_or_else(|error| panic!("{error}: {printed}")).document;
    assert_eq!(again, *document);
    assert_eq!(again.print(), printed);
}

/// Functions become definitions, and these a document that can hold them.
fn converted(document: &Document) {
    let definitions = document.definitions();
    assert_eq!(definitions.len(), document.definitions().len());
    let export = Export::like(document).document(&definitions);
    printed(&export.document);
    let mut plain: Vec<ToolDefinition> = definitions;
    plain.iter_mut().for_each(|definition| definition.metadata.clear());
    let first = Export::new(Info::new("T", "1.0.0")).document(&plain);
    printed(&first.document);
    // What was written once can be held: it is written the same way again.
    let second = Export::new(Info::new("T", "1.0.0")).document(&first.document.definitions());
    assert_eq!(second.document.functions.len(), first.document.functions.len());
}
