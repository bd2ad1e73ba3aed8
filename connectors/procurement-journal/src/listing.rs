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
use crate::names::UPSTREAM;
use crate::settings::Settings;

/// More pages than any search of this journal has.
const MOST_PAGES: usize = 500;

/// An issue in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub issue: IssueNumber,
    /// The file's path and query below the portal's address.
    pub path: String,
}

#[derive(Debug, Deserialize)]
struct Answer {
    items: Vec<Dataset>,
}

#[derive(Debug, Deserialize)]
struct Dataset {
    #[serde(default)]
    name: Option<String>,
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
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else that is not an answer.
pub fn read(json: &str) -> Result<Page, Failure> {
    let answer: Answer = read_json(UPSTREAM, json.trim_start_matches('\u{feff}'))?;
    let mut page = Page {
        datasets: answer.items.len(),
        ..Page::default()
    };
    for dataset in answer.items {
        let name = dataset.name.unwrap_or_default();
        let Some(issue) = issue_of(&name) else {
            page.other.get_or_insert(name);
            continue;
        };
        let urls = dataset.distributions.into_iter();
        let url = urls
            .filter_map(|distribution| distribution.download_url.or(distribution.access_url))
            .find_map(|url| text::present(&url));
        page.issues.push((issue, url));
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

/// The issues from `from` on, in ascending order. `known` is the issue that was read last, if there is one. The search
/// must lead back to it, because otherwise awards would be missed. `parts` requests the files of a series. It is called
/// at most once, and only if the search names no issue, or a wanted issue without a file.
///
/// # Errors
/// As the pages'; [`Failure::Malformed`] if the search does not lead to a journal, or not to the known issue.
pub fn collect(
    hosts: &[String],
    page_size: usize,
    from: IssueNumber,
    known: Option<IssueNumber>,
    mut ask: impl FnMut(usize) -> Result<Page, Failure>,
    parts: impl FnOnce() -> Result<BTreeMap<IssueNumber, String>, Failure>,
) -> Result<Vec<Listed>, Failure> {
    let mut found: BTreeMap<IssueNumber, Option<String>> = BTreeMap::new();
    let mut other = None;
    for number in 1..=MOST_PAGES {
        let page = ask(number)?;
        let before = found.len();
        let is_known = page.issues.iter().any(|(issue, _)| Some(*issue) == known);
        let are_older = page.issues.iter().all(|(issue, _)| *issue < from);
        let has_issues = !page.issues.is_empty();
        let is_last = page.datasets < page_size;
        other = other.or(page.other);
        for (issue, url) in page.issues {
            // Several datasets of one issue come newest first.
            found.entry(issue).or_insert(url);
        }
        if is_known || is_last || (has_issues && are_older) {
            let lacks_files = found.range(from..).any(|(_, url)| url.is_none());
            if found.is_empty() || lacks_files {
                for (issue, url) in parts()? {
                    found.entry(issue).or_default().get_or_insert(url);
                }
            }
            return wanted(hosts, &found, from, known, other);
        }
        if has_issues && found.len() == before {
            return Err(malformed(
                format!("search of {UPSTREAM}: page {number}"),
                "other issues than on the pages before",
                "the same ones",
            ));
        }
    }
    Err(malformed(
        format!("search of {UPSTREAM}"),
        format!("at most {MOST_PAGES} pages"),
        "more",
    ))
}

fn wanted(
    hosts: &[String],
    found: &BTreeMap<IssueNumber, Option<String>>,
    from: IssueNumber,
    known: Option<IssueNumber>,
    other: Option<String>,
) -> Result<Vec<Listed>, Failure> {
    let what = format!("search of {UPSTREAM}");
    if found.is_empty() {
        let names = other.unwrap_or_else(|| "no dataset".to_owned());
        return Err(malformed(what, "datasets named Vestník N/YYYY", names));
    }
    if let Some(known) = known
        && !found.keys().any(|issue| *issue <= known)
    {
        let oldest = found.keys().next().map(ToString::to_string);
        let found = format!("nothing older than {}", oldest.unwrap_or_default());
        return Err(malformed(
            what,
            format!("the issue {known}, which was read before, or an older one"),
            found,
        ));
    }
    if let Some(known) = known
        && found.keys().all(|issue| *issue < known)
    {
        let newest = found.keys().next_back().map(ToString::to_string);
        return Err(malformed(
            what,
            format!("the issue {known}, which was read before"),
            format!("{} as the newest", newest.unwrap_or_default()),
        ));
    }
    let listed = found.range(from..).map(|(issue, url)| {
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
    listed.collect()
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
mod tests {
    use super::*;

    fn issue(year: u32, number: u32) -> IssueNumber {
        IssueNumber { year, number }
    }

    fn page(issues: &[(u32, u32)]) -> Page {
        let issues: Vec<_> = issues
            .iter()
            .map(|(year, number)| {
                let url = format!("https://data.slovensko.sk/download?id={year}-{number}");
                (issue(*year, *number), Some(url))
            })
            .collect();
        Page {
            datasets: issues.len(),
            issues,
            other: None,
        }
    }

    fn collected(
        pages: &[Page],
        from: IssueNumber,
        known: Option<IssueNumber>,
    ) -> Result<(Vec<Listed>, usize), Failure> {
        let mut asked = 0;
        let hosts = ["data.slovensko.sk".to_owned()];
        let ask = |number: usize| {
            asked = number;
            let page = pages.get(number - 1);
            Ok(page.map_or_else(Page::default, |page| Page {
                issues: page.issues.clone(),
                datasets: page.datasets,
                other: page.other.clone(),
            }))
        };
        let listed = collect(&hosts, 2, from, known, ask, || Ok(BTreeMap::new()))?;
        Ok((listed, asked))
    }

    #[test]
    fn pages_are_requested_until_the_known_issue() {
        let pages = [
            page(&[(2026, 3), (2026, 2)]),
            page(&[(2026, 1), (2025, 250)]),
            page(&[(2025, 249), (2025, 248)]),
        ];
        let (listed, asked) = collected(&pages, issue(2025, 251), Some(issue(2025, 250))).unwrap();
        let issues: Vec<String> = listed.iter().map(|one| one.issue.to_string()).collect();
        assert_eq!(issues, ["2026/1", "2026/2", "2026/3"]);
        assert_eq!(asked, 2);
        assert_eq!(listed[0].path, "/download?id=2026-1");
        let (listed, asked) = collected(&pages, issue(2026, 1), None).unwrap();
        assert_eq!((listed.len(), asked), (3, 3));
        let (listed, asked) = collected(&pages, issue(2016, 0), None).unwrap();
        assert_eq!((listed.len(), asked), (6, 4));
        // There is no new issue; the search still leads to the known one.
        let (listed, asked) = collected(&pages, issue(2026, 4), Some(issue(2026, 3))).unwrap();
        assert_eq!((listed.len(), asked), (0, 1));
    }

    #[test]
    fn search_without_the_known_issue_fails() {
        let pages = [page(&[(2026, 3), (2026, 2)]), page(&[(2026, 1)])];
        for known in [issue(2025, 250), issue(2026, 4)] {
            let failed = collected(&pages, issue(2026, 5), Some(known));
            assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
        }
        let same = page(&[(2026, 3), (2026, 2)]);
        let copy = page(&[(2026, 3), (2026, 2)]);
        let failed = collected(&[same, copy], issue(2016, 0), None);
        assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
        let failed = collected(&[], issue(2016, 0), None);
        assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
    }

    #[test]
    fn files_of_a_series_are_followed() {
        let hosts = ["data.slovensko.sk".to_owned()];
        let url = |number: u32| format!("https://data.slovensko.sk/download?id={number}");
        let parts = || {
            Ok((1..=3)
                .map(|number| (issue(2026, number), url(number)))
                .collect())
        };
        let of = |issues: Vec<(IssueNumber, Option<String>)>| {
            let ask = |_: usize| {
                Ok(Page {
                    datasets: 1,
                    issues: issues.clone(),
                    other: Some("Vestník verejného obstarávania".to_owned()),
                })
            };
            let listed = collect(&hosts, 2, issue(2026, 2), None, ask, parts)?;
            let paths = listed.into_iter().map(|one| one.path);
            Ok::<_, Failure>(paths.collect::<Vec<String>>())
        };
        assert_eq!(
            of(Vec::new()).unwrap(),
            ["/download?id=2", "/download?id=3"]
        );
        let own = Some("/download?id=own".to_owned());
        assert_eq!(
            of(vec![(issue(2026, 2), own), (issue(2026, 3), None)]).unwrap(),
            ["/download?id=own", "/download?id=3"]
        );
        let failed = of(vec![(issue(2026, 4), None)]);
        assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
    }

    #[test]
    fn addresses_are_cut_to_paths_on_the_portal() {
        let hosts = ["data.slovensko.sk".to_owned()];
        for (url, expected) in [
            (
                "https://data.slovensko.sk/download?id=1",
                Some("/download?id=1"),
            ),
            ("http://DATA.slovensko.sk/a/b", Some("/a/b")),
            ("/download?id=1", Some("/download?id=1")),
            ("https://data.slovensko.sk.example/download", None),
            ("https://user@data.slovensko.sk/download", None),
            ("//data.example/download", None),
            ("https://data.slovensko.sk/../x", None),
            ("https://data.slovensko.sk", None),
            ("download?id=1", None),
            ("/a b", None),
            ("ftp://data.slovensko.sk/a", None),
        ] {
            assert_eq!(path_of(url, &hosts).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn only_names_of_issues_are_issues() {
        for (name, expected) in [
            ("Vestník 23/2026", Some(issue(2026, 23))),
            ("Vestník č. 7/2016", Some(issue(2016, 7))),
            (
                " VESTNÍK verejného obstarávania 250/2025 ",
                Some(issue(2025, 250)),
            ),
            ("Vestník 23", None),
            ("Register osôb 23/2026", None),
            ("Vestník 0/2026", None),
            ("", None),
        ] {
            assert_eq!(issue_of(name), expected, "{name}");
        }
    }
}
