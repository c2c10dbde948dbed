//! `encoding` objects: how single properties of forms and parts are written.

use opentool_text::{kind, pointer};
use serde_json::{Value, json};

use super::Reader;
use crate::plan::{InOrder, PartHeader};
use crate::request::media::MediaKind;
use crate::schema::Direction;
use crate::version::Version;

/// What decides how a value is written before its media type does.
const STYLES: [&str; 3] = ["style", "explode", "allowReserved"];

impl<'d> Reader<'d> {
    /// The `encoding` object of a media type, without what the document's version says is ignored.
    pub(super) fn encoding(&mut self, encoding: Option<&'d Value>, media_type: &str, at: &str) -> Value {
        let Some(encoding) = encoding.filter(|encoding| !encoding.is_null()) else { return Value::Null };
        let at = pointer::join(at, "encoding");
        if !encoding.is_object() {
            let message = format!("`encoding` is {}, not an object; it is ignored", kind(encoding));
            self.warn(
                "encoding",
                at,
                message,
                "write an object of properties: `photo: {contentType: image/png}`",
            );
            return Value::Null;
        }
        let mut encoding = encoding.clone();
        // "SHALL be ignored if the request body media type is not application/x-www-form-urlencoded", says 3.0; 3.1 and
        // later say "or multipart/form-data".
        let ignores_styles = MediaKind::of(media_type) == MediaKind::Multipart
            && self.document.version_at(&at) == Version::V3_0;
        let properties = encoding.as_object_mut().into_iter().flat_map(|all| all.values_mut());
        for property in properties.filter_map(Value::as_object_mut).filter(|_| ignores_styles) {
            STYLES.iter().for_each(|member| {
                property.shift_remove(*member);
            });
        }
        encoding
    }

    /// What a media type of 3.2 says about parts that have places in place of names.
    pub(super) fn in_order(&mut self, media: &Value, at: &str) -> InOrder {
        let mut in_order = InOrder::default();
        for member in ["prefixEncoding", "itemEncoding"] {
            match (member, media.get(member)) {
                (_, None | Some(Value::Null)) => {}
                ("prefixEncoding", Some(Value::Array(first))) => in_order.first.clone_from(first),
                ("itemEncoding", Some(further @ Value::Object(_))) => in_order.further = further.clone(),
                (_, Some(other)) => {
                    let message = format!("`{member}` is {}; it is ignored", kind(other));
                    let help = "write `itemEncoding: {contentType: image/png}`, and a list of such objects as `prefixEncoding`";
                    self.warn("encoding", pointer::join(at, member), message, help);
                }
            }
        }
        let all = in_order.first.iter().chain([&in_order.further]);
        if all.filter_map(|encoding| encoding.get("headers")?.as_object()).any(|headers| !headers.is_empty())
        {
            let message = "headers of parts that have no names are not sent";
            self.warn(
                "part-header",
                at,
                message,
                "describe the parts by their names, in `multipart/form-data`",
            );
        }
        in_order
    }

    /// The headers of the parts of a multipart body, without those that the specification says are ignored.
    pub(super) fn part_headers(
        &mut self,
        encoding: Option<&'d Value>,
        media_type: &str,
        at: &str,
    ) -> Vec<PartHeader> {
        let mut all = Vec::new();
        if MediaKind::of(media_type) != MediaKind::Multipart {
            return all;
        }
        let at = pointer::join(at, "encoding");
        for (property, encoding) in encoding.and_then(Value::as_object).into_iter().flatten() {
            let at = pointer::join(&pointer::join(&at, property), "headers");
            for (name, header) in encoding.get("headers").and_then(Value::as_object).into_iter().flatten() {
                let at = pointer::join(&at, name);
                if ["content-type", "content-disposition", "content-transfer-encoding"]
                    .iter()
                    .any(|own| name.eq_ignore_ascii_case(own))
                {
                    continue;
                }
                if opentool_http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                    let message = format!("`{name}` is no name of a header; it is left out");
                    self.warn("part-header", at, message, "write letters, digits and `-`");
                    continue;
                }
                let found = match self.document.follow(header, &at) {
                    Ok(found) => found,
                    Err(broken) => {
                        self.findings.add(broken.finding(&at, "the header of the part is not sent"));
                        continue;
                    }
                };
                let schema = match found.value.get("schema") {
                    Some(schema) => {
                        self.schema(schema, &pointer::join(&found.pointer, "schema"), Direction::Input)
                    }
                    None => json!({"type": "string"}),
                };
                all.push(PartHeader {
                    property: property.clone(),
                    name: name.clone(),
                    required: found.value.get("required").and_then(Value::as_bool) == Some(true),
                    schema,
                });
            }
        }
        all
    }
}
