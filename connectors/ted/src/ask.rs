//! Queries the search page by page.

use lustra_sdk::http::Request;
use lustra_sdk::unread;
use lustra_sdk::{Evidence, Failure, Section, Subject, ico, malformed};
use serde_json::json;

use crate::notice::Notice;
use crate::page::Page;
use crate::section::{self, Found};
use crate::settings::Settings;
use crate::{buyer, notice, page};

/// The upstream in the manifest, and the path of the search.
const UPSTREAM: &str = "ted";
const SEARCH: &str = "/notices/search";

/// Builds the section of a company.
///
/// # Errors
/// The search is out of order, rejects the query, or its format changed.
pub fn about(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "procurement notices")?;
    let settings = Settings::read()?;
    let mut evidence = Vec::new();
    let found = search(&subject.ico, &settings, &mut evidence)?;
    let content = section::of(found, subject.previous.as_deref(), &settings)?;
    unread::section(&content, &content.unread, evidence)
}

/// The notices for a number, up to the operator's maximum number of pages.
fn search(
    number: &str,
    settings: &Settings,
    evidence: &mut Vec<Evidence>,
) -> Result<Found, Failure> {
    let mut gathered = Gathered::default();
    let mut token = None;
    for _ in 0..settings.pages {
        let page = ask(number, token.as_deref(), gathered.read, settings, evidence)?;
        let total = page.total;
        gathered.add(&page, number, settings)?;
        token = page.token;
        if gathered.read >= total {
            return gathered.whole(number, total);
        }
        if token.is_none() {
            let read = format!("{} and no token", gathered.read);
            return Err(malformed(
                "iterationNextToken",
                format!("{total} notices"),
                read,
            ));
        }
        gathered.total = total;
    }
    Ok(Found {
        notices: gathered.notices,
        unread: Some(gathered.total),
    })
}

fn ask(
    number: &str,
    token: Option<&str>,
    read_before: u64,
    settings: &Settings,
    evidence: &mut Vec<Evidence>,
) -> Result<Page, Failure> {
    let mut body = json!({
        "query": settings.query.replace("{ico}", number),
        "fields": settings.fields(),
        "limit": settings.page_size,
        "scope": "ALL",
        "paginationMode": "ITERATION",
        "onlyLatestVersions": settings.only_latest_versions,
        "checkQuerySyntax": false,
    });
    if let Some(token) = token {
        body["iterationNextToken"] = json!(token);
    }
    let answer = Request::post_json(UPSTREAM, SEARCH, &body)
        .header("accept", "application/json")
        .idempotent()
        .send()?;
    if answer.status == 400 {
        return Err(Failure::Misconfigured(
            "ted refused the query: check the settings query, values and estimate".to_owned(),
        ));
    }
    if !(200..300).contains(&answer.status) {
        return Err(answer.status_failure());
    }
    let text = answer.body.text(None)?;
    evidence.push(answer.body.evidence());
    page::read(&text, read_before)
}

/// The notices read so far.
#[derive(Default)]
struct Gathered {
    numbers: std::collections::BTreeSet<String>,
    notices: Vec<Notice>,
    read: u64,
    total: u64,
}

impl Gathered {
    /// Adds the notices of a page, each once: pages read while the journal grows repeat some.
    fn add(&mut self, page: &Page, number: &str, settings: &Settings) -> Result<(), Failure> {
        let (count, before) = (page.notices.len(), self.numbers.len());
        let mut has_own = false;
        for members in &page.notices {
            let is_new = self.numbers.insert(notice::number(members)?);
            let is_own = buyer::is_buyer(members, number)?;
            has_own |= is_own;
            if is_new && is_own {
                self.notices.push(notice::read(members, settings)?);
            }
        }
        // Only notices of others: the page answers another query.
        if count > 0 && !has_own {
            return Err(malformed(
                "notices/buyer-identifier",
                number,
                format!("{count} notices of others"),
            ));
        }
        if count > 0 && self.numbers.len() == before {
            return Err(malformed(
                "notices",
                "a page that leads on",
                "the same notices again",
            ));
        }
        self.read += count as u64;
        Ok(())
    }

    /// The complete result. A list with only notices of others does not mean *no notices*.
    fn whole(self, number: &str, total: u64) -> Result<Found, Failure> {
        if self.notices.is_empty() && total > 0 {
            let what = "notices/buyer-identifier";
            return Err(malformed(
                what,
                number,
                format!("{total} notices of others"),
            ));
        }
        Ok(Found {
            notices: self.notices,
            unread: None,
        })
    }
}
