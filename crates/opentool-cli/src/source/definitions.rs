//! Reading a list of tool definitions: JSON, with the places of what is wrong in it.

use opentool::schema::parse_definitions;
use opentool::{Diagnostic, ToolSet};
use opentool_text::{Expected, Notation, Spot, locate, parse};

use crate::source::SourceError;

/// How the text of a fault begins that is said in front anyway.
const NOT_JSON: &str = "this is not valid JSON: ";

/// The tools of a text, and what there is to say about it.
///
/// # Errors
/// [`SourceError::NotJson`], [`SourceError::Definitions`].
pub(crate) fn read(text: &str, place: &str) -> Result<(ToolSet, Vec<Diagnostic>), Box<SourceError>> {
    let text = text.trim_start_matches('\u{feff}');
    let not_json = |line: usize, column: usize, reason: &str| {
        let (place, reason) = (place.to_owned(), reason.trim_start_matches(NOT_JSON).to_owned());
        Box::new(SourceError::NotJson { place, line, column, reason })
    };
    if !text.trim_start().starts_with(['{', '[']) {
        return Err(not_json(1, 1, "expected a list or an object"));
    }
    let expected =
        Expected::new("a list of tool definitions", "[{\"name\": …").notation(Some(Notation::Json));
    let parsed = parse(text, &expected).map_err(|fault| {
        let (line, column) = fault.location.map_or((1, 1), |place| (place.line, place.column));
        not_json(line, column, &fault.message)
    })?;
    let definitions = parse_definitions(&parsed.value)
        .map_err(|error| Box::new(SourceError::Definitions { place: place.to_owned(), error }))?;
    let mut found = definitions.diagnostics;
    found.extend(parsed.findings);
    let places = locate(text, parsed.notation, found.iter().map(|found| Spot::Value(&found.pointer)));
    for (found, at) in found.iter_mut().zip(places) {
        found.location = found.location.or(at);
        found.file = Some(place.to_owned());
    }
    Ok((definitions.tools, found))
}
