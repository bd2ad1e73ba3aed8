//! The section `debtor_status`: the answer of every list for one company, and the lists that could not be read.

use lustra_sdk::http::Request;
use lustra_sdk::records::{self, DatasetState, Stored};
use lustra_sdk::text::decode_utf8_or_windows_1250;
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{
    Evidence, Failure, Section, Subject, Verdict, amount, companies, http, ico, malformed, runtime,
};
use serde::Serialize;
use serde_json::{Number, Value};

use crate::debt::{Content, postal_code};
use crate::settings::Settings;
use crate::tax_match::{self, Match, Wanted};
use crate::vszp_page;

/// More entries than a list has under similar names in one postal code.
const ENTRIES: u32 = 100;

/// How many companies of the same name are examined before a match counts as ambiguous.
const CANDIDATES: u32 = 5;

#[derive(Debug, Serialize)]
struct DebtorStatus {
    is_debtor: Option<bool>,
    sources: Vec<Hit>,
    lists: Vec<List>,
    unread: Vec<Unread>,
}

/// A list's entry about the company.
#[derive(Debug, Serialize)]
struct Hit {
    source: &'static str,
    debtor_name: Option<String>,
    debt_amount: Option<Number>,
    /// The periods for which the debtor owes documents, in the list's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing_documents: Option<String>,
    /// The date of the first imported list with the entry. No list states it.
    listed_since: Option<String>,
    currency: &'static str,
    #[serde(rename = "match")]
    matched_by: &'static str,
    confidence: f64,
    as_of: Option<String>,
}

/// The state of a list in the section.
#[derive(Debug, Serialize)]
struct List {
    source: &'static str,
    state: &'static str,
    as_of: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    checked_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
}

/// The answer of a list.
#[derive(Default)]
struct ListAnswer {
    hits: Vec<Hit>,
    as_of: Option<String>,
    imported_at: Option<String>,
    checked_at: Option<String>,
    why: Option<String>,
    /// The list has an entry that may be the company's or another's.
    is_undecided: bool,
    confidence: Option<f64>,
    evidence: Vec<Evidence>,
}

/// Why a list has no answer.
struct NoAnswer(Gap);

impl From<Failure> for NoAnswer {
    fn from(failure: Failure) -> Self {
        Self(Gap::Failed(failure))
    }
}

/// Builds the section of one company.
///
/// # Errors
/// A subject without an IČO. A list that fails does not fail the section.
pub fn debtor_status(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "debtors")?;
    let lists = [
        (
            "socialna_poistovna",
            by_ico("social-insurer", "socialna_poistovna", subject),
        ),
        ("vszp", vszp(subject)),
        ("dovera", by_ico("dovera", "dovera", subject)),
        ("union", by_ico("union", "union", subject)),
        ("financna_sprava", tax_authority(subject)),
    ];
    let mut status = DebtorStatus {
        is_debtor: None,
        sources: Vec::new(),
        lists: Vec::new(),
        unread: Vec::new(),
    };
    let (mut evidence, mut is_debtor) = (Vec::new(), Verdict::default());
    for (source, answer) in lists {
        match answer {
            Ok(answer) => {
                let ListAnswer {
                    mut hits,
                    as_of,
                    imported_at,
                    checked_at,
                    why,
                    is_undecided,
                    confidence,
                    evidence: answers,
                } = answer;
                is_debtor.read(!hits.is_empty());
                if is_undecided {
                    is_debtor.undecided();
                }
                hits.sort_by_cached_key(|hit| {
                    format!(
                        "{:?} {:?} {:?}",
                        hit.debtor_name, hit.debt_amount, hit.as_of
                    )
                });
                status.sources.extend(hits);
                status.lists.push(List {
                    source,
                    state: "read",
                    as_of,
                    imported_at,
                    checked_at,
                    why,
                    confidence,
                });
                evidence.extend(answers);
            }
            Err(NoAnswer(gap)) => {
                is_debtor.unread(&gap);
                let missing = gap.unread(source, subject.previous.as_deref());
                status.lists.push(List {
                    source,
                    state: "unread",
                    as_of: None,
                    imported_at: None,
                    checked_at: None,
                    why: Some(missing.why.to_string()),
                    confidence: None,
                });
                status.unread.push(missing);
            }
        }
    }
    status.is_debtor = is_debtor.get();
    unread::section(&status, &status.unread, evidence)
}

/// The state of a dataset, if the dataset can be read.
fn imported(dataset: &str) -> Result<DatasetState, NoAnswer> {
    let state = records::state(dataset)?;
    match Gap::of_state(&state) {
        None => Ok(state),
        Some(Gap::Off(_)) => Err(NoAnswer(Gap::Off(format!(
            "the dataset {dataset} is switched off"
        )))),
        Some(Gap::NeverImported(_)) if state.failure.is_some() => {
            Err(NoAnswer(Gap::NeverImported(format!(
                "the newest attempt for the dataset {dataset} failed"
            ))))
        }
        Some(Gap::NeverImported(_)) => Err(NoAnswer(Gap::NeverImported(format!(
            "the dataset {dataset}"
        )))),
        Some(gap) => Err(NoAnswer(gap)),
    }
}

/// The answer of a list from its dataset's state, without hits.
fn answer(state: DatasetState) -> ListAnswer {
    ListAnswer {
        as_of: state.list_date,
        imported_at: state.imported_at,
        why: state
            .failure
            .map(|_| "a newer list could not be imported".to_owned()),
        ..ListAnswer::default()
    }
}

/// Reads a list whose entries carry the IČO.
fn by_ico(dataset: &str, source: &'static str, subject: &Subject) -> Result<ListAnswer, NoAnswer> {
    let mut answer = answer(imported(dataset)?);
    for stored in records::all_of_company(dataset, &subject.ico)? {
        answer.hits.push(stored_hit(
            source,
            &stored,
            "ico",
            1.0,
            answer.as_of.as_deref(),
        )?);
    }
    Ok(answer)
}

fn stored_hit(
    source: &'static str,
    stored: &Stored,
    matched_by: &'static str,
    confidence: f64,
    list_date: Option<&str>,
) -> Result<Hit, Failure> {
    let content: Content = records::content(stored)?;
    let number = |decimal: String| {
        let unreadable = || {
            malformed(
                format!("stored record {}", stored.key),
                "a decimal number",
                &decimal,
            )
        };
        amount::to_number(&decimal).ok_or_else(unreadable)
    };
    Ok(Hit {
        source,
        debtor_name: content.name,
        debt_amount: content.amount.map(number).transpose()?,
        missing_documents: content.missing_documents,
        listed_since: content.listed_since,
        currency: "EUR",
        matched_by,
        confidence,
        as_of: content.as_of.or_else(|| list_date.map(str::to_owned)),
    })
}

/// The insurer `VšZP`: its imported list if the operator has one, else its page.
fn vszp(subject: &Subject) -> Result<ListAnswer, NoAnswer> {
    match by_ico("vszp", "vszp", subject) {
        Err(NoAnswer(Gap::Off(_) | Gap::NeverImported(_))) if Settings::read()?.vszp_live => {
            Ok(vszp_live(subject)?)
        }
        answer => answer,
    }
}

fn vszp_live(subject: &Subject) -> Result<ListAnswer, Failure> {
    let settings = Settings::read()?;
    let (page, document) = (settings.vszp_page, settings.vszp_docid);
    let ico = http::encode(&subject.ico);
    let path = format!("{page}?typ=1&nazov={ico}&proceed=true&docid={document}");
    let response = Request::get("vszp", path).fetch()?;
    let bytes = response.body.bytes()?;
    let debts = vszp_page::parse(&decode_utf8_or_windows_1250(&bytes), &subject.ico)?;
    let hit = |debt: crate::debt::Debt| Hit {
        source: "vszp",
        debtor_name: debt.name,
        debt_amount: debt.amount.as_deref().and_then(amount::to_number),
        missing_documents: None,
        listed_since: None,
        currency: "EUR",
        matched_by: "ico",
        confidence: 1.0,
        as_of: None,
    };
    Ok(ListAnswer {
        hits: debts.into_iter().map(hit).collect(),
        checked_at: Some(runtime::now()),
        evidence: vec![response.body.evidence()],
        ..ListAnswer::default()
    })
}

/// The tax authority's list, which identifies debtors only by name and address.
fn tax_authority(subject: &Subject) -> Result<ListAnswer, NoAnswer> {
    const DATASET: &str = "tax-authority";
    let mut answer = answer(imported(DATASET)?);
    let Some(postal_code) = subject.postal_code.as_deref().and_then(postal_code) else {
        return Err(NoAnswer(Gap::Truncated(
            "the list knows debtors by name and postal code alone, and the company has no Slovak postal code".to_owned(),
        )));
    };
    let company: Value = serde_json::from_str(&subject.company).unwrap_or_default();
    let wanted = Wanted {
        ico: &subject.ico,
        name: &subject.name,
        legal_form: company["legal_form"].as_str(),
        city: subject.city.as_deref(),
        postal_code: &postal_code,
    };
    let similar = records::by_name(DATASET, &subject.name, Some(&postal_code), ENTRIES)?;
    let equal = tax_match::equal(&wanted, similar);
    let candidates = if equal.rows.is_empty() {
        Vec::new()
    } else {
        companies::candidates(&subject.name, None, Some(&postal_code), CANDIDATES)?
    };
    match tax_match::decide(&wanted, equal, &candidates) {
        Match::None => {}
        Match::Hits(hits) => {
            for (stored, confidence) in hits {
                answer.hits.push(stored_hit(
                    "financna_sprava",
                    &stored,
                    "name_psc",
                    confidence,
                    answer.as_of.as_deref(),
                )?);
            }
        }
        Match::Ambiguous(companies) => {
            answer.is_undecided = true;
            answer.why = Some(format!(
                "ambiguous: the list has a debtor of this name and postal code, and {companies} companies bear them"
            ));
            answer.confidence = u32::try_from(companies)
                .ok()
                .map(|count| (100.0 / f64::from(count)).round() / 100.0);
        }
        Match::OtherForm => {
            answer.is_undecided = true;
            answer.why = Some(
                "not attached: the list has a debtor of this name and postal code, but with another legal form or \
                 without one"
                    .to_owned(),
            );
        }
        Match::Unverified => {
            answer.is_undecided = true;
            answer.why = Some(
                "not attached: the list has a debtor of this name and postal code, but that no other company bears them \
                 could not be verified"
                    .to_owned(),
            );
        }
    }
    Ok(answer)
}
