//! Tools of sources as one OpenTool document, with what is lost on the way.

use opentool::ToolSet;
use opentool::doc::{Document, Export, Info, Loss, Server, Version};
use url::Url;

use crate::source::{Content, Selection, Source};

/// What a document says where nobody said it.
const TITLE: &str = "Tools";
const VERSION: &str = "1.0.0";

/// What the person wants the document to say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// The version of the format; that of the source if it has one, else 1.1.0.
    pub(crate) version: Option<Version>,
    /// The title; that of the sources if there is none.
    pub(crate) title: Option<String>,
    /// Where the functions are run.
    pub(crate) server: Option<Url>,
}

/// The tools as a document, and what it cannot hold. `tools` are those of the sources that were chosen.
///
/// One OpenTool document of which nothing was taken out or renamed comes back as it was, to the last member.
pub(crate) fn document(
    sources: &[Source],
    tools: &ToolSet,
    selection: &Selection,
    wanted: Wanted,
) -> (Document, Vec<Loss>) {
    let (mut document, losses) = match sources {
        [Source { spec, content: Content::OpenTool(opentool), .. }] => {
            let document = opentool.document();
            let is_whole = spec.name.is_none() && selection.is_everything();
            let version = wanted.version.filter(|version| version.as_str() != document.opentool);
            match version {
                None if is_whole => (document.clone(), Vec::new()),
                version => {
                    let mut base = document.clone();
                    if !selection.is_everything() {
                        // What only the others used would be left over.
                        base.schemas.clear();
                    }
                    let export = Export::like(&base);
                    let export = version.into_iter().fold(export, Export::version);
                    exported(&export, tools)
                }
            }
        }
        _ => {
            let export = Export::new(info(sources));
            exported(&wanted.version.into_iter().fold(export, Export::version), tools)
        }
    };
    if let Some(title) = wanted.title {
        document.info.title = title;
    }
    if let Some(url) = wanted.server {
        document.server = Some(Server::new(String::from(url)));
    }
    (document, losses)
}

/// What a document is, in words.
pub(crate) fn format(document: &Document) -> String {
    format!("an OpenTool document of version {}", document.opentool)
}

/// What an OpenTool server shows as its document.
#[derive(Debug)]
pub(crate) enum Shown {
    /// This one.
    Document(Box<Document>),
    /// One that is made from the tools, and says this about itself.
    Made {
        /// The title.
        title: String,
        /// The version.
        version: String,
    },
}

/// What an OpenTool server of these sources shows: the document of the only source, if nothing is taken out of it.
///
/// Where its functions are really run is not for clients of this server to know.
pub(crate) fn served(sources: &[Source], selection: &Selection) -> Shown {
    if let [Source { spec, content: Content::OpenTool(opentool), .. }] = sources
        && spec.name.is_none()
        && selection.is_everything()
    {
        let mut document = opentool.document().clone();
        document.server = None;
        return Shown::Document(Box::new(document));
    }
    let Info { title, version, .. } = info(sources);
    Shown::Made { title, version }
}

fn exported(export: &Export, tools: &ToolSet) -> (Document, Vec<Loss>) {
    let exported = export.document(tools.definitions());
    (exported.document, exported.losses)
}

/// What the sources say about themselves.
fn info(sources: &[Source]) -> Info {
    let infos: Vec<Info> = sources.iter().filter_map(own_info).collect();
    match infos.as_slice() {
        [info] => info.clone(),
        [] => Info::new(TITLE, VERSION),
        several => {
            let titles: Vec<&str> = several.iter().map(|info| info.title.as_str()).collect();
            Info::new(titles.join(", "), VERSION)
        }
    }
}

fn own_info(source: &Source) -> Option<Info> {
    match &source.content {
        Content::OpenApi(api) => {
            let or = |text: Option<&str>, other: &str| {
                text.filter(|text| !text.trim().is_empty()).unwrap_or(other).to_owned()
            };
            let mut info = Info::new(or(api.title(), TITLE), or(api.version(), VERSION));
            info.description = api.description().filter(|text| !text.trim().is_empty()).map(str::to_owned);
            Some(info)
        }
        Content::OpenTool(opentool) => Some(opentool.document().info.clone()),
        Content::Definitions(_) | Content::Mcp(_) => None,
    }
}
