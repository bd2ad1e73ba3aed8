//! The catalogue's search: the issues that exist, and the addresses of their files.
//!
//! Answers come newest first, page by page, so that a later run reads few pages. Issues are returned in the order in
//! which they are read.

use std::collections::BTreeMap;

use lustra_sdk::http::{Request, read_json};
use lustra_sdk::{Failure, malformed, text};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cursor::IssueNumber;
use crate::cursor::missing::Missing;
use crate::names::UPSTREAM;
use crate::settings::Settings;

/// More pages than any search of this journal has.
const MAX_PAGES: usize = 500;

/// An issue in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub issue: IssueNumber,
    /// The file's path and query below the portal's address.
    pub path: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    items: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Dataset {
    name: String,
    #[serde(default)]
    distributions: Vec<Distribution>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Distribution {
    #[serde(default)]
    download_url: Option<String>,
    #[serde(default)]
    access_url: Option<String>,
}

/// One page of the search's answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The page's issues with the addresses of their files.
    pub issues: Vec<(IssueNumber, Option<String>)>,
    /// The number of all datasets on it, whatever their names.
    pub datasets: usize,
    /// The first name that is not an issue's, for failures.
    pub other: Option<String>,
    /// The number of entries of another form, which may be issues.
    pub odd: u64,
}

/// Requests one page, counted from 1.
///
/// # Errors
/// The portal is unreachable or answers in another format.
pub fn ask(settings: &Settings, page: usize) -> Result<Page, Failure> {
    let response = Request::post_json(UPSTREAM, "/datasets/search", &question(settings, page))
        .idempotent()
        .fetch()?;
    read(&response.body.text(Some("utf-8"))?)
}

fn question(settings: &Settings, page: usize) -> Value {
    json!({
        "language": "sk",
        "page": page,
        "pageSize": settings.page_size,
        "query": settings.query,
        "orderBy": "created",
        "filters": { "publishers": [settings.publisher] },
        "requiredFacets": [],
    })
}

/// Reads a page.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else that is not an answer, and if
/// no entry is a dataset.
pub fn read(json: &str) -> Result<Page, Failure> {
    let answer: Answer = read_json(UPSTREAM, json.trim_start_matches('\u{feff}'))?;
    let mut page = Page {
        datasets: answer.items.len(),
        ..Page::default()
    };
    for item in answer.items {
        let Ok(dataset) = serde_json::from_value::<Dataset>(item) else {
            page.odd += 1;
            continue;
        };
        let Some(issue) = issue_of(&dataset.name) else {
            page.other.get_or_insert(dataset.name);
            continue;
        };
        let urls = dataset.distributions.into_iter();
        let url = urls
            .filter_map(|distribution| distribution.download_url.or(distribution.access_url))
            .find_map(|url| text::present(&url));
        page.issues.push((issue, url));
    }
    if page.datasets > 0 && page.odd == page.datasets as u64 {
        let what = format!("search of {UPSTREAM}: items");
        return Err(malformed(what, "a dataset with a name", "none"));
    }
    Ok(page)
}

/// The issue in a name such as `Vestník 23/2026`, with words between. The publisher has other datasets too.
#[must_use]
pub fn issue_of(name: &str) -> Option<IssueNumber> {
    let folded = text::fold(name);
    let words: Vec<&str> = folded.split(' ').collect();
    let [first, .., number, year] = words.as_slice() else {
        return None;
    };
    let (number, year): (u32, u32) = (number.parse().ok()?, year.parse().ok()?);
    let is_issue = first.starts_with("vestnik") && number > 0 && (2000..2200).contains(&year);
    is_issue.then_some(IssueNumber { year, number })
}

/// The issues that a run wants.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// The first new issue.
    pub from: IssueNumber,
    /// The issue that was read last, if there is one. The search must lead back to it, because otherwise awards would
    /// be missed.
    pub known: Option<IssueNumber>,
    /// Older issues that are read too if they are listed by now.
    pub missing: &'a Missing,
}

impl Wanted<'_> {
    fn is_late(&self, issue: IssueNumber) -> bool {
        issue < self.from && self.missing.has(issue)
    }
}

/// The wanted issues, in ascending order. `parts` requests the files of a series. It is called at most once, and only
/// if the search names no issue, or a new issue without a file.
///
/// # Errors
/// As the pages'; [`Failure::Malformed`] if the search does not lead to a journal, or not to the known issue.
pub fn collect(
    hosts: &[String],
    page_size: usize,
    wanted: &Wanted<'_>,
    mut ask: impl FnMut(usize) -> Result<Page, Failure>,
    parts: impl FnOnce() -> Result<BTreeMap<IssueNumber, String>, Failure>,
) -> Result<Vec<Listed>, Failure> {
    let Wanted { from, known, .. } = *wanted;
    let mut found: BTreeMap<IssueNumber, Option<String>> = BTreeMap::new();
    let mut other = None;
    let oldest = wanted.missing.oldest();
    let (mut is_back, mut is_past_missing) = (false, oldest.is_none());
    for number in 1..=MAX_PAGES {
        let page = ask(number)?;
        let before = found.len();
        let has_issues = !page.issues.is_empty();
        let all_before =
            |limit: IssueNumber| has_issues && page.issues.iter().all(|(issue, _)| *issue < limit);
        is_back |= page.issues.iter().any(|(issue, _)| Some(*issue) == known) || all_before(from);
        is_past_missing |= oldest.is_some_and(all_before);
        let is_last = page.datasets < page_size;
        other = other.or(page.other);
        for (issue, url) in page.issues {
            // Several datasets of one issue come newest first.
            found.entry(issue).or_insert(url);
        }
        let is_repeated = has_issues && found.len() == before;
        if is_last || (is_back && (is_past_missing || is_repeated)) {
            let lacks_files = found.range(from..).any(|(_, url)| url.is_none());
            if found.is_empty() || lacks_files {
                for (issue, url) in parts()? {
                    found.entry(issue).or_default().get_or_insert(url);
                }
            }
            return listed(hosts, &found, wanted, other);
        }
        if is_repeated {
            return Err(malformed(
                format!("search of {UPSTREAM}: page {number}"),
                "other issues than on the pages before",
                "the same ones",
            ));
        }
    }
    Err(malformed(
        format!("search of {UPSTREAM}"),
        format!("at most {MAX_PAGES} pages"),
        "more",
    ))
}

fn listed(
    hosts: &[String],
    found: &BTreeMap<IssueNumber, Option<String>>,
    wanted: &Wanted<'_>,
    other: Option<String>,
) -> Result<Vec<Listed>, Failure> {
    let what = format!("search of {UPSTREAM}");
    if found.is_empty() {
        let names = other.unwrap_or_else(|| "no dataset".to_owned());
        return Err(malformed(what, "datasets named Vestník N/YYYY", names));
    }
    if let Some(known) = wanted.known {
        leads_to(known, found, &what)?;
    }
    // A late issue without a usable file stays missing, so that it does not keep newer ones from being read.
    let late = found.iter().filter_map(|(issue, url)| {
        let path = path_of(url.as_deref()?, hosts)?;
        wanted.is_late(*issue).then_some(Ok(Listed {
            issue: *issue,
            path,
        }))
    });
    let new = found.range(wanted.from..).map(|(issue, url)| {
        let place = format!("{what}: distribution of {issue}");
        let Some(url) = url else {
            let expected = "downloadUrl or accessUrl, or a part of a series";
            return Err(malformed(place, expected, "neither"));
        };
        match path_of(url, hosts) {
            Some(path) => Ok(Listed {
                issue: *issue,
                path,
            }),
            None => Err(malformed(
                place,
                format!("an address on {}", hosts.join(" or ")),
                url,
            )),
        }
    });
    late.chain(new).collect()
}

/// Checks that the search leads back to the known issue, and that it names one at least as new.
fn leads_to(
    known: IssueNumber,
    found: &BTreeMap<IssueNumber, Option<String>>,
    what: &str,
) -> Result<(), Failure> {
    if !found.keys().any(|issue| *issue <= known) {
        let oldest = found.keys().next().map(ToString::to_string);
        let found = format!("nothing older than {}", oldest.unwrap_or_default());
        return Err(malformed(
            what,
            format!("the issue {known}, which was read before, or an older one"),
            found,
        ));
    }
    if found.keys().all(|issue| *issue < known) {
        let newest = found.keys().next_back().map(ToString::to_string);
        return Err(malformed(
            what,
            format!("the issue {known}, which was read before"),
            format!("{} as the newest", newest.unwrap_or_default()),
        ));
    }
    Ok(())
}

/// The path and query of an address on one of the hosts, or of a text that is a path already.
fn path_of(url: &str, hosts: &[String]) -> Option<String> {
    let path = if url.starts_with('/') && !url.starts_with("//") {
        url
    } else {
        let rest = url
            .strip_prefix("https://")
            .or_else(|| url.strip_prefix("http://"))?;
        let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(at);
        let host = host.to_ascii_lowercase();
        if !hosts.contains(&host) {
            return None;
        }
        path
    };
    let is_plain = path.starts_with('/')
        && path.bytes().all(|byte| byte.is_ascii_graphic())
        && !path.contains(['#', '\\'])
        && !path.split(['/', '?']).any(|part| part == "..");
    is_plain.then(|| path.to_owned())
}

#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, as it should"
)]
mod tests;
