//! Addresses of collections.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::CollectionManifest;
use crate::sandbox_companies::Sandbox;
use crate::store::ConnectorId;

/// The collection that a request is for.
#[derive(Debug, Clone)]
pub(in crate::api) struct CollectionRoute {
    pub(super) connector: ConnectorId,
    pub(super) collection: String,
    pub(super) is_sandbox: bool,
    pub(super) target: CollectionTarget,
    template: String,
}

/// The part of a collection that is requested.
#[derive(Debug, Clone)]
pub(in crate::api) enum CollectionTarget {
    List,
    Item(String),
    /// The items of a company, by the listing's path and the text of the number.
    OfCompany {
        path: String,
        ico: String,
    },
}

impl CollectionTarget {
    /// The name of the endpoint in the usage.
    pub(super) fn usage(&self) -> &'static str {
        match self {
            Self::List => "collection",
            Self::Item(_) => "collection/id",
            Self::OfCompany { .. } => "company/collection",
        }
    }
}

impl CollectionRoute {
    /// Its address with placeholders.
    pub(in crate::api) fn template(&self) -> &str {
        &self.template
    }

    /// The collection at a path, if a serving connector or the sandbox has one there.
    pub(super) fn of_path(path: &str, catalogue: &Catalogue, sandbox: &Sandbox) -> Option<Self> {
        let path = path.strip_prefix("/v1/")?;
        if let Some(path) = path.strip_prefix("sandbox/") {
            let offered = sandbox.collections();
            let offered = offered.map(|(connector, fixed)| (connector, &fixed.manifest));
            return Self::among(path, offered, true);
        }
        let offered = catalogue.collections();
        let offered = offered.map(|(loaded, manifest)| (&loaded.manifest.id, manifest));
        Self::among(path, offered, false)
    }

    fn among<'a>(
        path: &str,
        mut offered: impl Iterator<Item = (&'a ConnectorId, &'a CollectionManifest)>,
        is_sandbox: bool,
    ) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').collect();
        let prefix = if is_sandbox { "/v1/sandbox" } else { "/v1" };
        let (found, target, template) = match parts[..] {
            ["company", "ico", ico, path] => {
                let has_path = |manifest: &CollectionManifest| {
                    let mut listings = manifest.of_company.iter();
                    listings.any(|listing| listing.path == path)
                };
                let found = offered.find(|(_, manifest)| has_path(manifest))?;
                let (path, ico) = (path.to_owned(), decoded(ico)?);
                let template = format!("{prefix}/company/ico/{{ico}}/{path}");
                (found, CollectionTarget::OfCompany { path, ico }, template)
            }
            [connector, collection, ref rest @ ..] if rest.len() < 2 => {
                let is_it = |(id, manifest): &(&ConnectorId, &CollectionManifest)| {
                    **id == *connector && manifest.collection == collection
                };
                let found = offered.find(is_it)?;
                let template = format!("{prefix}/{connector}/{collection}");
                match rest {
                    [] => (found, CollectionTarget::List, template),
                    [id, ..] => {
                        let id = decoded(id).filter(|id| !id.is_empty())?;
                        (
                            found,
                            CollectionTarget::Item(id),
                            format!("{template}/{{id}}"),
                        )
                    }
                }
            }
            _ => return None,
        };
        let (connector, manifest) = found;
        Some(Self {
            connector: connector.clone(),
            collection: manifest.collection.clone(),
            is_sandbox,
            target,
            template,
        })
    }
}

/// A part of a path; `None` if it is not UTF-8.
fn decoded(part: &str) -> Option<String> {
    let decoded = percent_decode_str(part).decode_utf8();
    decoded.ok().map(Cow::into_owned)
}
