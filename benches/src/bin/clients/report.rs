//! The table of all comparisons: printed, and kept as a page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::compare::{Reason, Verdict};

/// The least number of operations that have to be compared.
const LEAST: usize = 200;

#[derive(Default)]
pub(crate) struct Report {
    rows: Vec<String>,
    operations: usize,
    total: usize,
    same: usize,
    unexplained: Vec<String>,
    reasons: BTreeMap<Reason, usize>,
}

impl Report {
    /// Adds what was found for a document; the verdicts are by operation and way of making arguments.
    pub(crate) fn add(&mut self, document: &str, verdicts: Vec<(String, Verdict)>) -> String {
        let operations: BTreeSet<&str> =
            verdicts.iter().map(|(name, _)| name.split(" (").next().unwrap_or(name)).collect();
        let (operations, total) = (operations.len(), verdicts.len());
        let (mut same, mut explained, mut other) = (0, 0, 0);
        for (name, verdict) in verdicts {
            match verdict {
                Verdict::Same => same += 1,
                Verdict::Explained(reasons) => {
                    explained += 1;
                    for reason in reasons {
                        *self.reasons.entry(reason).or_default() += 1;
                    }
                }
                Verdict::Unexplained(what) => {
                    other += 1;
                    self.unexplained.push(format!("{document} {name}: {what}"));
                }
            }
        }
        self.operations += operations;
        self.total += total;
        self.same += same;
        let name = document.trim_start_matches("dir-").trim_end_matches(".json");
        let row = format!("| {name} | {operations} | {total} | {same} | {explained} | {other} |");
        self.rows.push(row.clone());
        row
    }

    pub(crate) fn summary(&self) -> String {
        let mut text = format!("{}\n", self.sum());
        for (reason, times) in &self.reasons {
            let _ = writeln!(text, "{times:>6} {reason:?}: {}", reason.told().0);
        }
        for what in &self.unexplained {
            let _ = writeln!(text, "{what}");
        }
        text
    }

    fn sum(&self) -> String {
        format!(
            "{} operations, {} requests: {} the same, {} different for a reason that is known, {} without one",
            self.operations,
            self.total,
            self.same,
            self.total - self.same - self.unexplained.len(),
            self.unexplained.len()
        )
    }

    /// The page that keeps it.
    pub(crate) fn page(&self) -> String {
        let mut page = String::from(
            "# Requests compared with another client's\n\nWritten by `cargo xtask openapi-clients`. For every operation of these \
             documents, arguments are made from the tool's schema in\nthree ways: likely ones, odd ones (texts with `&`, `%`, \
             quotes, letters of other scripts; numbers at the ends of their\nranges), and the least that is required. Our request and \
             that of `swagger-client` 3.39.0 from npm, which is what Swagger UI\nsends, are compared: method, address, query, headers \
             but `Accept`, body.\n\n",
        );
        let _ = write!(page, "{}.\n\n", self.sum());
        page.push_str("| document | operations | requests | same | explained | unexplained |\n|---|---|---|---|---|---|\n");
        let _ = write!(page, "{}\n\n## What is different, and why\n\n", self.rows.join("\n"));
        page.push_str("| requests | what | why |\n|---|---|---|\n");
        for (reason, times) in &self.reasons {
            let (what, why) = reason.told();
            let _ = writeln!(page, "| {times} | {what} | {why} |");
        }
        page
    }

    /// Whether all is explained, and enough was compared.
    pub(crate) fn passes(&self) -> bool {
        self.unexplained.is_empty() && self.operations >= LEAST
    }
}

impl Reason {
    /// What is different, and why.
    fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Order => (
                "the order of query parameters",
                "We write those of the path before those of the operation, as the document has them; the peer the other way round. The \
                 values of one name keep their order on both sides. No specification gives the order of names a meaning.",
            ),
            Self::Numbers => (
                "`1.0` here, `1` there",
                "A number is sent as the caller wrote it. JavaScript has one kind of number and cannot keep the difference.",
            ),
            Self::Escapes => (
                "`'`, `(`, `)`, `!`, `*` escaped here, raw there, in forms",
                "The same after decoding. The peer uses `encodeURIComponent`, which is older than RFC 3986; all that is not unreserved \
                 there is escaped by us (OpenAPI 3.0.4 and 3.1.1, Appendix E).",
            ),
            Self::FormList => (
                "a list in a form without `encoding`",
                "The name is repeated for each item: `style` is `form` and `explode` is true by default. The peer joins the items by \
                 commas.",
            ),
            Self::Fragment => (
                "a path that ends in a fragment: `/files/{id}#copy`",
                "Documents tell operations of one path apart by it; it is no part of a request. The peer writes it into the address, \
                 and the query behind it, and does not fill in the rest of such a path.",
            ),
            Self::Label => (
                "`label` without `explode`: `.a,b` here, `.a.b` there",
                "OpenAPI 3.0.4 and 3.1.1 corrected their examples to RFC 6570 (`{.list}` is `.a,b`); the peer follows the examples \
                 before that.",
            ),
            Self::Delimited => (
                "`spaceDelimited` and `pipeDelimited`: objects, and the `|`",
                "Objects are delimited like lists (`R%20100%20G%20200`) by the specification's table, the peer writes commas. A raw \
                 `|` is no character of a URL (RFC 3986); we escape it.",
            ),
            Self::Cookies => (
                "several cookie parameters",
                "All of them go into one `Cookie` header here; the peer keeps only the last, escapes the `=` and `,` of lists \
                 and objects, and takes `explode` for false where the specification says true.",
            ),
            Self::PartStyle => (
                "`encoding` with `style` or `explode` in `multipart/form-data`",
                "OpenAPI 3.0 says that both are ignored there: an object is a part of JSON. The peer applies them.",
            ),
            Self::PartList => (
                "a list in `multipart/form-data`",
                "One part for each item by the specification, which servers read as a list. The peer joins the items by commas in one \
                 part.",
            ),
            Self::PartFile => (
                "a text for a binary property in `multipart/form-data`",
                "The same bytes. Here the schema decides that it is a file, so it has a file name and a media type; the peer sends \
                 a plain field unless it is given a `File` object.",
            ),
            Self::EmptyInPath => (
                "an empty value in a path",
                "Not sent here: the segment would vanish, and another operation would be called. The peer sends `//` or less.",
            ),
            Self::NoBytes => (
                "bytes whose base64 is none",
                "Made that way by the least examples. Not sent here; the peer reads what it can of it.",
            ),
            Self::ObjectInDisguise => (
                "an object for a media type that is not one of objects (`message/rfc822`)",
                "The document gives mail the schema of a JSON object. Both send JSON; the peer calls it mail, and we call it \
                 `application/json`, which is what the service reads.",
            ),
            Self::PeerRefuses => (
                "the peer refuses the argument",
                "The document's own example for a list or an object is a text. We send that text; the peer takes texts for JSON where \
                 the schema is a list or an object, and fails.",
            ),
        }
    }
}
