//! Writing a document for a version of the format, and what that version cannot hold.

use opentool_core::Diagnostic;
use opentool_text::Pointer;

use crate::{Document, Version};

impl Document {
    /// The document as this version has it, and a warning for each member that was left out because the version does
    /// not have it. Schemas that are not used any more stay.
    pub fn for_version(&self, version: Version) -> (Document, Vec<Diagnostic>) {
        let mut document = self.clone();
        let mut left_out = Vec::new();
        // What stands in a field's place but is none of its values goes with it.
        document.extra.remove("opentool");
        version.as_str().clone_into(&mut document.opentool);
        if version < Version::V1_1_0
            && (document.extra.remove("server").is_some() | document.server.take().is_some())
        {
            left_out.push(not_held("/server", "server", Version::V1_1_0, version));
        }
        if version < Version::V2_0_0 {
            let mut at = Pointer::at("/functions");
            for (index, function) in document.functions.iter_mut().enumerate() {
                let stream = std::mem::take(&mut function.stream);
                if function.extra.remove("stream").is_some() | !stream.is_empty() {
                    let mark = at.enter_item(index);
                    at.enter("stream");
                    left_out.push(not_held(at.as_str(), "stream", Version::V2_0_0, version));
                    at.back(mark);
                }
            }
        }
        (document, left_out)
    }
}

fn not_held(pointer: &str, member: &str, since: Version, version: Version) -> Diagnostic {
    let message = format!("version {version} has no `{member}`; it is left out");
    Diagnostic::warning("not-held", pointer, message).help(format!("write version {since} to keep it"))
}
