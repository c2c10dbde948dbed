//! Texts of a document in which something hides from a reader: what a model is told leaves without it, and this says where
//! it was.
//!
//! What is taken out is decided in `opentool_core::visible`, and taken out where definitions are made; here the author is
//! only told. Examples and values are not looked at: they are data.

use opentool_core::Diagnostic;
use opentool_core::visible::{code_points, hidden_texts};

use crate::document::{Opened, place};
use crate::findings::Findings;

/// Adds a finding for each such text.
pub(crate) fn look(opened: &Opened<'_>, findings: &mut Findings) {
    for (index, (part, text)) in opened.document.parts().iter().zip(&opened.texts).enumerate() {
        if !text.may_hide() {
            continue;
        }
        for (pointer, chars) in hidden_texts(part.root()) {
            let message = format!(
                "this text has characters that no reader sees ({}); models are given it without them",
                code_points(&chars)
            );
            let finding = Diagnostic::warning("hidden-characters", place(index, &pointer), message);
            findings.add(finding.help("remove them"));
        }
    }
}
