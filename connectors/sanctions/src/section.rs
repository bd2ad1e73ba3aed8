//! The scope `sanctions`: entries of the lists that may denote a company.

use lustra_sdk::legal_form::is_natural_person;
use lustra_sdk::records;
use lustra_sdk::unread::{Gap, Sources, Unread};
use lustra_sdk::{Failure, Section, Subject, ico};
use serde::Serialize;

use crate::dataset::Dataset;
use crate::entry::{Entry, Kind};
use crate::index::{FORM, FORM_KEY, Head};
use crate::matching::judge::Company;
use crate::matching::reasons::Reason;
use crate::search::{self, Shelf};
use crate::settings::Settings;

/// From this score on, a hit is a strong candidate.
const STRONG: f64 = 0.92;

/// The most records of one company in a list. No list has more.
const NUMBERED: u32 = 50;

#[derive(Debug, Serialize)]
struct Sanctions {
    /// Null if the list was not read.
    eu_fsf_hits: Option<Vec<ShownHit>>,
    /// Null if a list was not read and the other has no hits.
    ofac_hits: Option<Vec<ShownHit>>,
    /// Null if a list was not read and the others have no hits.
    total_hits: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

#[derive(Debug, Serialize)]
struct ShownHit {
    list: &'static str,
    entry_id: String,
    listed_name: String,
    matched_name: String,
    score: f64,
    strength: Strength,
    why: Vec<Reason>,
    entry_type: Kind,
    programmes: Vec<String>,
    countries: Vec<String>,
    listed_on: Option<String>,
    url: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Strength {
    Strong,
    Review,
}

/// The records of an imported list.
struct Records(Dataset);

impl Shelf for Records {
    fn content(&self, key: &str) -> Result<Option<String>, Failure> {
        let found = records::by_key(self.0.id(), key, 1)?;
        Ok(found
            .into_iter()
            .find(|stored| stored.key == key)
            .map(|stored| stored.content))
    }
}

/// Builds the section.
///
/// # Errors
/// [`Failure::Unavailable`] if no list was ever imported; a subject without an IČO; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "hits")?;
    let company = Company::of(
        &subject.ico,
        &subject.name,
        subject.city.as_deref(),
        is_natural_person(&subject.company).unwrap_or(false),
    );
    let settings = Settings::read()?;
    let mut sources = Sources::default();
    let mut of_lists = Vec::new();
    let mut is_waiting = false;
    for dataset in Dataset::ALL {
        let state = records::state(dataset.id())?;
        if let Some(gap) = Gap::of_state(&state) {
            is_waiting |= matches!(gap, Gap::NeverImported(_));
            let missing = gap.unread_dataset(dataset.id(), &state);
            sources.unread.push(missing);
            of_lists.push(None);
        } else if is_of_this_form(dataset)? {
            of_lists.push(Some(of_list(dataset, &company, settings.threshold)?));
        } else {
            let gap = Gap::partly(
                "kept in another form than this version reads; the next import mends it",
            );
            sources.unread.push(gap.unread(dataset.id(), None));
            of_lists.push(None);
        }
    }
    // If the operator switched all lists off, the section says so. If none was imported yet, there is no section.
    if sources.unread.len() == Dataset::ALL.len() && is_waiting {
        let lists: Vec<String> = sources.unread.iter().map(Unread::of_its_dataset).collect();
        return Err(Failure::Unavailable(lists.join("; ")));
    }
    let mut of_lists = of_lists.into_iter();
    let mut of_next = |lists: usize| together(of_lists.by_ref().take(lists).collect());
    let (eu, ofac) = (of_next(1), of_next(2));
    let is_complete = sources.unread.is_empty();
    let total = [&eu, &ofac].into_iter().flatten().map(Vec::len).sum();
    let most = |hits: Option<Vec<ShownHit>>| {
        hits.map(|mut hits| {
            hits.truncate(settings.most_hits);
            hits
        })
    };
    let content = Sanctions {
        eu_fsf_hits: most(eu),
        ofac_hits: most(ofac),
        total_hits: (is_complete || total > 0).then_some(total),
        unread: sources.unread.clone(),
    };
    sources.section(&content)
}

/// The hits of several lists, the highest score first. `None` if a list was not read and the others have no hits.
fn together(lists: Vec<Option<Vec<ShownHit>>>) -> Option<Vec<ShownHit>> {
    let is_complete = lists.iter().all(Option::is_some);
    let mut hits: Vec<ShownHit> = lists.into_iter().flatten().flatten().collect();
    hits.sort_by(|a, b| b.score.total_cmp(&a.score));
    (is_complete || !hits.is_empty()).then_some(hits)
}

/// Whether the index of a list's records has this version's format. In another format, words would not be found, and no
/// entry would seem to match.
fn is_of_this_form(dataset: Dataset) -> Result<bool, Failure> {
    let head = Records(dataset).content(FORM_KEY)?.unwrap_or_default();
    Ok(serde_json::from_str::<Head>(&head).is_ok_and(|head| head.form == FORM))
}

fn of_list(dataset: Dataset, company: &Company, threshold: f64) -> Result<Vec<ShownHit>, Failure> {
    let shelf = Records(dataset);
    let numbered = records::by_company(dataset.id(), &company.ico, NUMBERED)?;
    let numbered = numbered.iter().map(|stored| {
        let entry = records::content::<Entry>(stored)?;
        Ok(entry.key().to_owned())
    });
    let numbered = numbered.collect::<Result<Vec<String>, Failure>>()?;
    let hits = search::hits(&shelf, company, &numbered, threshold)?;
    let shown = hits.into_iter().map(|hit| ShownHit {
        list: dataset.id(),
        listed_name: hit.entry.name().to_owned(),
        matched_name: hit.verdict.matched,
        score: hit.verdict.score,
        strength: if hit.verdict.score >= STRONG {
            Strength::Strong
        } else {
            Strength::Review
        },
        why: hit.verdict.reasons,
        entry_type: hit.entry.kind,
        entry_id: hit.entry.id,
        programmes: hit.entry.programmes,
        countries: hit.entry.countries,
        listed_on: hit.entry.listed_on,
        url: hit.entry.url,
    });
    Ok(shown.collect())
}
