//! Files of the publisher that belong to a data set series (`dcat:DatasetSeries`) by `dct:hasPart`.
//!
//! The search returns such a data set without a file, though its parts have files. The parts are requested from the
//! catalogue's SPARQL service, which identifies a publisher by its IRI alone.

use std::collections::BTreeMap;

use lustra_sdk::http::{Request, encode, read_json};
use lustra_sdk::{Failure, malformed};
use serde::Deserialize;
use serde_json::Value;

use crate::cursor::IssueNumber;
use crate::listing::issue_of;
use crate::names::UPSTREAM;
use crate::settings::Settings;

/// The path of the catalogue's service below the upstream's address.
pub const PATH: &str = "/api/sparql";
/// The number of parts in one answer.
const PAGE: usize = 200;
/// More answers than any series of a journal has.
const MAX_PAGES: usize = 50;

#[derive(Debug, Deserialize)]
struct Answer {
    results: Results,
}

#[derive(Debug, Deserialize)]
struct Results {
    bindings: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Binding {
    #[serde(default)]
    series: Option<Text>,
    #[serde(default)]
    part: Option<Text>,
    url: Text,
}

#[derive(Debug, Deserialize)]
struct Text {
    value: String,
}

/// The files of a publisher's series.
#[derive(Debug, Default)]
pub struct Files {
    /// The files' addresses by issue.
    pub urls: BTreeMap<IssueNumber, String>,
    /// The number of rows of another form, which may be issues.
    pub odd: u64,
}

/// The files of issues that belong to a series of the publisher.
///
/// # Errors
/// The catalogue is unreachable or answers in another format; [`Failure::Malformed`] for more parts than a series can
/// have.
pub fn ask(settings: &Settings) -> Result<Files, Failure> {
    let mut files = Files::default();
    for page in 0..MAX_PAGES {
        let body = format!("query={}", encode(&question(settings, page)));
        let answer = Request::post_text(UPSTREAM, PATH, "application/x-www-form-urlencoded", body)
            .header("accept", "application/sparql-results+json")
            .idempotent()
            .fetch()?;
        if read(&answer.body.text(Some("utf-8"))?, &mut files)? < PAGE {
            return Ok(files);
        }
    }
    Err(malformed(
        format!("series of {UPSTREAM}"),
        format!("at most {MAX_PAGES} pages"),
        "more",
    ))
}

/// Builds the query. Removes characters that would end the IRI, so that the setting cannot change the query.
fn question(settings: &Settings, page: usize) -> String {
    let publisher = settings.publisher.replace(['<', '>', '"', ' ', '\\'], "");
    format!(
        "PREFIX dcat: <http://www.w3.org/ns/dcat#> PREFIX dct: <http://purl.org/dc/terms/> \
         SELECT ?series ?part ?url WHERE {{ ?s a dcat:DatasetSeries ; dct:publisher <{publisher}> ; dct:title ?series ; \
         dct:hasPart ?p . ?p dct:title ?part ; dcat:distribution ?file . \
         {{ ?file dcat:downloadURL ?url }} UNION {{ ?file dcat:accessURL ?url }} }} \
         ORDER BY ?p ?url LIMIT {PAGE} OFFSET {}",
        page * PAGE
    )
}

/// Adds the files of an answer to the known ones, and returns the number of rows. A part's issue is named by its own
/// title, else by that of its series.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page, [`Failure::Malformed`] for anything else that is not an answer, and if
/// all rows are odd.
pub fn read(json: &str, files: &mut Files) -> Result<usize, Failure> {
    let answer: Answer = read_json(UPSTREAM, json.trim_start_matches('\u{feff}'))?;
    let rows = answer.results.bindings;
    let count = rows.len();
    let mut odd = 0;
    for row in rows {
        let Ok(row) = serde_json::from_value::<Binding>(row) else {
            odd += 1;
            continue;
        };
        let titles = [row.part, row.series].into_iter().flatten();
        let issue = titles.filter_map(|title| issue_of(&title.value)).next();
        if let Some(issue) = issue {
            files.urls.entry(issue).or_insert(row.url.value);
        }
    }
    if count > 0 && odd == count {
        let what = format!("series of {UPSTREAM}: bindings");
        return Err(malformed(what, "a part with an address", "none"));
    }
    files.odd += odd as u64;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_issues_by_their_titles() {
        let answer = r#"{"head":{"vars":["series","part","url"]},"results":{"bindings":[
            {"series":{"type":"literal","value":"Vestník verejného obstarávania"},
             "part":{"type":"literal","xml:lang":"sk","value":"Vestník 3/2026"},
             "url":{"type":"uri","value":"https://data.slovensko.sk/download?id=3"}},
            {"series":{"value":"Vestník 4/2026"},"part":{"value":"JSON"},"url":{"value":"/download?id=4"}},
            {"series":{"value":"Register"},"part":{"value":"Osoby"},"url":{"value":"/download?id=5"}},
            {"series":{"value":"Vestník 6/2026"},"url":6}
        ]}}"#;
        let mut files = Files::default();
        assert_eq!(read(answer, &mut files).ok(), Some(4));
        assert_eq!(files.odd, 1);
        let told: Vec<String> = files
            .urls
            .iter()
            .map(|(issue, url)| format!("{issue} {url}"))
            .collect();
        assert_eq!(
            told,
            [
                "2026/3 https://data.slovensko.sk/download?id=3",
                "2026/4 /download?id=4"
            ]
        );
        for other in [
            "[]",
            "{}",
            "<html></html>",
            r#"{"results":{"bindings":[{}]}}"#,
        ] {
            assert!(read(other, &mut files).is_err(), "{other}");
        }
    }
}
