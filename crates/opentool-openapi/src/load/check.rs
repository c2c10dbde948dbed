//! Reading a document for what is wrong with it.

use std::collections::BTreeMap;

use opentool_core::{Diagnostic, Severity};
use opentool_text::decode;

use super::options::LoadOptions;
use crate::outcome::Outcome;
use crate::{Address, Api, OpenApiError};

/// A document that was looked at.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The tools that it gives, or why it gives none.
    pub api: Result<Api, OpenApiError>,
    /// All that was found, in the order in which it was found; at least one error where there are no tools.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the findings are in, by [`Diagnostic::file`].
    pub texts: BTreeMap<String, String>,
    /// The names of all documents that were read: the first is the document itself, the others those that it refers to.
    pub documents: Vec<String>,
}

impl LoadOptions {
    /// Reads a text as [`LoadOptions::read`] does, and gives all that was found, with the texts to show it in, also where
    /// the document is of no use.
    pub async fn check(&self, text: impl Into<Vec<u8>>, address: impl Into<Address>) -> Checked {
        let (text, address) = (text.into(), address.into());
        let name = address.to_string();
        // Needed where nothing can be opened; a copy of a broken text is not what costs.
        let own = match decode(&text) {
            Ok(decoded) => decoded.text.into_owned(),
            Err(_) => String::from_utf8_lossy(&text).into_owned(),
        };
        let opened = match self.open(text, address).await {
            Ok(opened) => opened,
            Err(error) => return Checked::unopened(error, name, own),
        };
        let shown = name.clone();
        let checking = move || {
            let Outcome { api, mut diagnostics, texts } = Outcome::of(opened);
            if let Err(error) = &api
                && !diagnostics.iter().any(|found| found.severity == Severity::Error)
            {
                diagnostics.push(Diagnostic::error("not-usable", "", error.to_string()).file(name));
            }
            let documents = texts.iter().map(|(name, _)| name.clone()).collect();
            let is_meant = |name: &str| diagnostics.iter().any(|found| found.file.as_deref() == Some(name));
            let texts = texts.into_iter().filter(|(name, _)| is_meant(name));
            let texts = texts.map(|(name, text)| (name, text.into_string())).collect();
            Checked { api, diagnostics, texts, documents }
        };
        match super::aside(checking, &shown).await {
            Ok(checked) => checked,
            Err(error) => Checked::unopened(error, shown, own),
        }
    }
}

impl Checked {
    /// A text in which there is nothing to look at.
    fn unopened(error: OpenApiError, name: String, text: String) -> Self {
        let found = match &error {
            OpenApiError::Syntax(found) | OpenApiError::NotOpenApi(found) => (**found).clone(),
            other => Diagnostic::error("not-usable", "", other.to_string()).file(name.as_str()),
        };
        let texts = BTreeMap::from([(name.clone(), text)]);
        Self { api: Err(error), diagnostics: vec![found], texts, documents: vec![name] }
    }
}
