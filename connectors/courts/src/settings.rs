//! The operator's settings. The manifest's schema has the same defaults; a test compares them.

use lustra_sdk::serde::de::DeserializeOwned;
use lustra_sdk::{Failure, runtime};
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// Where the service is asked for decisions, below the upstream.
    pub path: String,
    /// How many decisions a page is asked to have; the service may give fewer.
    pub page_size: u64,
    /// More pages of one company are not asked for.
    pub most_pages: u64,
    /// How many of the newest decisions are shown.
    pub recent: usize,
    /// Where the document of a decision is; `{id}` stands for its id.
    pub document_url: String,
    /// The page of a decision for people; `{id}` stands for its id.
    pub decision_url: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            path: "/pilot/api/ress-isu-service/v1/rozhodnutie".to_owned(),
            page_size: 100,
            most_pages: 5,
            recent: 20,
            document_url: "https://obcan.justice.sk/content/public/item/{id}".to_owned(),
            decision_url: "https://www.justice.gov.sk/sudy-a-rozhodnutia/sudy/rozhodnutia/{id}"
                .to_owned(),
        }
    }
}

impl Settings {
    /// What the operator gave, else the defaults.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn read() -> Result<Self, Failure> {
        let default = Self::default();
        Ok(Self {
            path: or("path", default.path)?,
            page_size: or("page_size", default.page_size)?,
            most_pages: or("most_pages", default.most_pages)?,
            recent: or("recent", default.recent)?,
            document_url: or("document_url", default.document_url)?,
            decision_url: or("decision_url", default.decision_url)?,
        })
    }
}

fn or<T: DeserializeOwned>(name: &str, default: T) -> Result<T, Failure> {
    Ok(runtime::setting(name)?.unwrap_or(default))
}
