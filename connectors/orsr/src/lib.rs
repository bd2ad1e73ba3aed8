//! The Slovak commercial register (ORSR), read from the extracts of its classic site.
//!
//! A company is found by its IČO through the search page, or directly by the register's own id. All data come
//! from one page, the extract. The site always answers with HTML and status 200, so *no such record* is
//! reported only on the register's own statement, or on its home page, and only if the page repeats the
//! request; see [`search`] and [`site`].

pub mod address;
pub mod company;
pub mod countries;
pub mod details;
pub mod extract;
pub mod labels;
pub mod money;
pub mod officers;
pub mod people;
pub mod record_id;
pub mod roles;
pub mod search;
pub mod settings;
pub mod shareholders;
pub mod site;

use lustra_sdk::http::Request;
use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Company, CompanyKey, CompanySource, Evidence, Failure, failure, ico, malformed};

use crate::extract::Extract;
use crate::labels::Label;
use crate::record_id::{Asked, RecordId, asked};
use crate::settings::Settings;

pub struct Orsr;

lustra_sdk::export!(Orsr: CompanySource);

const UPSTREAM: &str = "orsr";

impl CompanySource for Orsr {
    fn fetch_company(key: CompanyKey) -> Result<Option<Company>, Failure> {
        match key {
            CompanyKey::Ico(key) => match ico::parse(&key).filter(|ico| *ico == key) {
                Some(ico) => by_ico(&ico),
                None => Ok(None),
            },
            CompanyKey::RegisterId(key) => match asked(&key) {
                Some(Asked::Record(record)) => by_record(record),
                Some(Asked::AnyCourt(id)) => in_any_court(id),
                None => Ok(None),
            },
            CompanyKey::Other((kind, _)) => {
                Err(failure::not_offered(&format!("companies by {kind}")))
            }
        }
    }
}

/// The details of a decoded extract as JSON text, without a request.
///
/// # Errors
/// As [`extract::read`] and [`company::read`]; `malformed` for a page without an extract.
pub fn details_of_page(page: &str, orsr_id: &str) -> Result<String, Failure> {
    let extract = extract::read(page)?.ok_or_else(|| malformed("page", "an extract", page))?;
    Ok(company::read(&extract, orsr_id)?.details)
}

/// The quality of a record as an answer, best first. One IČO has several records if a file moved between courts
/// or a company was erased and registered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RecordRank {
    Current,
    /// Its facts mention a move to another court, which may describe how the file arrived here.
    Doubtful,
    Ended,
    Ceded,
}

struct Page {
    text: String,
    evidence: Evidence,
}

/// Requests a page. The site declares windows-1250 in the page itself, so headers are ignored.
fn fetch(path: String) -> Result<Page, Failure> {
    let response = Request::get(UPSTREAM, path).fetch()?;
    let text = response.body.text(Some("windows-1250"))?;
    Ok(Page {
        text,
        evidence: response.body.evidence(),
    })
}

fn by_ico(ico: &str) -> Result<Option<Company>, Failure> {
    let settings = Settings::read()?;
    let phrases = ceded_phrases(&settings);
    let results = fetch(format!("/hladaj_ico.asp?ICO={ico}&SID=0"))?;
    let rows = search::read(&results.text, ico, &phrases)?;
    if rows.is_empty() {
        return Ok(None);
    }
    let mut best: Option<(RecordRank, Company)> = None;
    for row in rows.iter().filter(|row| !row.ceded) {
        let page = fetch(row.record.extract_path(settings.full_extracts))?;
        let extract = extract::read(&page.text)?
            .ok_or_else(|| malformed("extract of a result row", "an extract", &page.text))?;
        let rank = rank(&page.text, &extract, &phrases);
        if rank == RecordRank::Ceded || best.as_ref().is_some_and(|(known, _)| *known <= rank) {
            continue;
        }
        let mut company = company(&extract, row.record)?;
        if company.ico != ico {
            return Err(malformed(
                "extract: IČO",
                format!("{ico}, which the search was for"),
                company.ico,
            ));
        }
        company.evidence = vec![results.evidence.clone(), page.evidence];
        best = Some((rank, company));
        if rank == RecordRank::Current {
            break;
        }
    }
    match best {
        Some((_, company)) => Ok(Some(company)),
        None => Err(Failure::Other((
            "ceded".to_owned(),
            "every record of the company says that its file went to another court".to_owned(),
        ))),
    }
}

fn by_record(record: RecordId) -> Result<Option<Company>, Failure> {
    let page = fetch(record.extract_path(Settings::read()?.full_extracts))?;
    let Some(extract) = extract_of(&page, record)? else {
        return Ok(None);
    };
    let mut company = company(&extract, record)?;
    company.evidence = vec![page.evidence];
    Ok(Some(company))
}

/// A number without its court identifies a company only if exactly one court has such a record.
fn in_any_court(id: u32) -> Result<Option<Company>, Failure> {
    let mut found: Option<(RecordId, Page, Extract)> = None;
    let settings = Settings::read()?;
    for court in settings.courts {
        let record = RecordId { id, court };
        let page = fetch(record.extract_path(settings.full_extracts))?;
        let Some(extract) = extract_of(&page, record)? else {
            continue;
        };
        if let Some((other, ..)) = found {
            let why = format!("several courts have a record {id}: ask for {other} or {record}");
            return Err(Failure::Other(("ambiguous".to_owned(), why)));
        }
        found = Some((record, page, extract));
    }
    let Some((record, page, extract)) = found else {
        return Ok(None);
    };
    let mut company = company(&extract, record)?;
    company.evidence = vec![page.evidence];
    Ok(Some(company))
}

/// The extract of exactly this record. `None` only if the register states that it does not exist.
fn extract_of(page: &Page, record: RecordId) -> Result<Option<Extract>, Failure> {
    let extract = extract::read(&page.text)?;
    match extract {
        Some(_) => site::is_of(&page.text, record)?,
        None => site::answers(&page.text, record)?,
    }
    Ok(extract)
}

fn company(extract: &Extract, record: RecordId) -> Result<Company, Failure> {
    for label in &extract.unknown_labels {
        runtime::log(
            Level::Warn,
            &format!("record {record} has a section that this version does not know: {label}"),
        );
    }
    company::read(extract, &record.to_string())
}

fn rank(page: &str, extract: &Extract, ceded_phrases: &[String]) -> RecordRank {
    let mentions = |text: &str| {
        ceded_phrases
            .iter()
            .map(|phrase| text.matches(phrase.as_str()).count())
            .sum::<usize>()
    };
    let mentioned = mentions(page);
    if mentioned > 0 {
        let in_facts: usize = extract
            .entries(Label::OtherFacts)
            .map(|entry| mentions(&entry.text()))
            .sum();
        return if mentioned > in_facts {
            RecordRank::Ceded
        } else {
            RecordRank::Doubtful
        };
    }
    if company::has_ended(extract) {
        RecordRank::Ended
    } else {
        RecordRank::Current
    }
}

/// Phrases in rows and extracts that mean the file moved to another court.
fn ceded_phrases(settings: &Settings) -> Vec<String> {
    let phrases = settings.ceded_phrases.iter();
    phrases
        .filter(|phrase| !phrase.is_empty())
        .cloned()
        .collect()
}
