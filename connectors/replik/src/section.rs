//! The section `insolvency`: the proceedings of one company.

use std::collections::BTreeMap;

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Evidence, Failure, Section, Subject, ico, malformed};
use serde::Serialize;

use crate::codes::{ProceedingType, readable};
use crate::detail::{self, Party};
use crate::pages;
use crate::proceedings::{Debtor, Row, STATE};
use crate::settings::Settings;

/// Maximum number of details requested for rows without a debtor.
const DETAILS: usize = 8;

/// The content of the section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Insolvency {
    /// True if an insolvency proceeding is active. `None` if that is uncertain.
    pub has_active_proceedings: Option<bool>,
    /// Insolvency proceedings, newest first.
    pub proceedings: Vec<Proceeding>,
    pub liquidations: Vec<Proceeding>,
    /// The sources that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Proceeding {
    proceeding_id: String,
    case_number: Option<String>,
    proceeding_type: Option<String>,
    status: Option<String>,
    active: Option<bool>,
    court: Option<String>,
    administrator: Option<String>,
    administrator_mark: Option<String>,
    administrator_kind: Option<String>,
    started_at: Option<String>,
    process_started_at: Option<String>,
    ended_at: Option<String>,
    end_reason: Option<String>,
    last_event: Option<String>,
    last_event_at: Option<String>,
    url: String,
}

/// Builds the section of one company.
///
/// # Errors
/// A subject without an IČO; as [`pages::all_of`] if the list could not be read.
pub fn insolvency(subject: &Subject) -> Result<Section, Failure> {
    let ico = subject.ico.as_str();
    ico::required(ico, "proceedings")?;
    let settings = Settings::read()?;
    let listed = pages::all_of(ico)?;
    let mut evidence = listed.evidence;
    let (rows, undecided) = about(ico, listed.rows, &mut evidence)?;
    let mut content = content(rows, undecided, &settings);
    for one in &mut content.unread {
        one.since = Some(unread::since(subject.previous.as_deref(), &one.source));
    }
    unread::section(&content, &content.unread, evidence)
}

/// A row whose debtor is unknown, and the reason.
pub type Undecided = (Row, Gap);

/// The rows about a company. The list also has rows in which it is a creditor, and rows without a debtor.
fn about(
    ico: &str,
    rows: Vec<Row>,
    evidence: &mut Vec<Evidence>,
) -> Result<(Vec<Row>, Vec<Undecided>), Failure> {
    let (mut own, mut undecided, mut asked) = (Vec::new(), Vec::new(), 0);
    // Proceedings of others, rows without a debtor, and whether the company filed for one of the former.
    let (mut of_others, mut unasked, mut filed) = (0, Vec::new(), false);
    for row in rows {
        match &row.debtor {
            Debtor::Ico(debtor) if debtor == ico => own.push(row),
            Debtor::Ico(_) => {
                of_others += 1;
                unasked.push(row.id);
            }
            Debtor::Unsaid if asked == DETAILS => {
                let why = format!("its debtor is not named, and {DETAILS} others were asked for");
                undecided.push((row, Gap::partly(why)));
            }
            Debtor::Unsaid => {
                asked += 1;
                match detail::ask(&row.id) {
                    Ok((detail, read)) => {
                        evidence.push(read);
                        match detail.debtor {
                            Party::Ico(debtor) if debtor == ico => own.push(row),
                            Party::Ico(_) | Party::Person => {
                                of_others += 1;
                                filed |= detail.petitioners.iter().any(|one| one == ico);
                            }
                            Party::Unsaid => {
                                undecided.push((row, Gap::partly("its debtor has no IČO")));
                            }
                        }
                    }
                    // A failure that applies to all further requests, not to this proceeding.
                    Err(all @ (Failure::Refused(_) | Failure::Throttled(_))) => return Err(all),
                    Err(one) => undecided.push((row, Gap::Failed(one))),
                }
            }
        }
    }
    // A list with only other debtors belongs to the company only if it filed for one of them.
    let is_of_others = own.is_empty() && undecided.is_empty() && of_others > 0;
    if is_of_others && !filed && !filed_for(ico, &unasked, evidence)? {
        return Err(malformed(
            "getKonaniePodlaICO: DlznikIco",
            format!("proceedings over {ico}, or such that it filed for"),
            format!("{of_others} proceedings of others"),
        ));
    }
    Ok((own, undecided))
}

/// True if a company filed for one of these proceedings. Requests the details of some of them.
fn filed_for(ico: &str, ids: &[String], evidence: &mut Vec<Evidence>) -> Result<bool, Failure> {
    for id in ids.iter().take(DETAILS) {
        let (detail, read) = detail::ask(id)?;
        evidence.push(read);
        if detail
            .petitioners
            .iter()
            .any(|petitioner| petitioner == ico)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Builds the content from rows about the company and rows that may be about it.
#[must_use]
pub fn content(rows: Vec<Row>, undecided: Vec<Undecided>, settings: &Settings) -> Insolvency {
    let (mut proceedings, mut liquidations) = (Vec::new(), Vec::new());
    let mut unread: BTreeMap<String, Gap> = BTreeMap::new();
    // Certainly active, and possibly active.
    let (mut sure, mut possible) = (false, false);
    for row in rows {
        let active = settings.is_active(&row.state);
        let known = row.proceeding_type.as_deref().map(ProceedingType::parse);
        if !row.unreadable.is_empty() {
            let what = format!("{} could not be read", row.unreadable.join(", "));
            unread.insert(format!("proceeding {}", row.id), Gap::OddEntry(what));
        }
        if active.is_none() && !row.unreadable.contains(&STATE) {
            let (source, why) = unknown_state(&row);
            unread.insert(source, Gap::partly(why));
        }
        match known {
            Some(Some(ProceedingType::Liquidation)) => {
                liquidations.push(proceeding(row, active, settings));
                continue;
            }
            Some(Some(_)) => {
                sure |= active == Some(true);
                possible |= active.is_none();
            }
            // An unknown type may be another name for liquidation.
            None | Some(None) => {
                possible |= active != Some(false);
                if active != Some(false) {
                    let (source, why) = unknown_type(&row);
                    unread.insert(source, Gap::partly(why));
                }
            }
        }
        proceedings.push(proceeding(row, active, settings));
    }
    for (row, why) in undecided {
        possible |= settings.is_active(&row.state) != Some(false);
        unread.insert(format!("proceeding {}", row.id), why);
    }
    for list in [&mut proceedings, &mut liquidations] {
        list.sort_by(newest_first);
    }
    Insolvency {
        has_active_proceedings: if sure {
            Some(true)
        } else {
            (!possible).then_some(false)
        },
        proceedings,
        liquidations,
        unread: unread
            .into_iter()
            .map(|(source, why)| Unread {
                source,
                since: None,
                why,
            })
            .collect(),
    }
}

/// An unknown state, which the operator can add to one of the settings.
fn unknown_state(row: &Row) -> (String, String) {
    let why = if row.state.is_empty() {
        format!("proceeding {} has none", row.id)
    } else {
        "the state is not known: it is neither in active_states nor in ended_states".to_owned()
    };
    (format!("state {}", row.state).trim_end().to_owned(), why)
}

fn unknown_type(row: &Row) -> (String, String) {
    match &row.proceeding_type {
        Some(code) => (
            format!("proceeding_type {code}"),
            "it is not known whether it is an insolvency".to_owned(),
        ),
        None => (
            "proceeding_type".to_owned(),
            format!("proceeding {} has none", row.id),
        ),
    }
}

fn proceeding(row: Row, active: Option<bool>, settings: &Settings) -> Proceeding {
    let code = |raw: &str| match ProceedingType::parse(raw) {
        Some(known) => known.code().to_owned(),
        None => readable(raw),
    };
    Proceeding {
        url: format!("{}{}", settings.proceeding_page, row.id),
        administrator_mark: row.administrator_mark(),
        proceeding_type: row.proceeding_type.as_deref().map(code),
        status: Some(readable(&row.state)).filter(|status| !status.is_empty()),
        active,
        end_reason: row.end_reason.as_deref().map(readable),
        administrator_kind: row.administrator_kind.as_deref().map(readable),
        proceeding_id: row.id,
        case_number: row.case_number,
        court: row.court,
        administrator: row.administrator,
        started_at: row.started_at,
        process_started_at: row.process_started_at,
        ended_at: row.ended_at,
        last_event: row.last_event,
        last_event_at: row.last_event_at,
    }
}

/// Sorts by the start day, then by number; rows without a day come last.
fn newest_first(one: &Proceeding, other: &Proceeding) -> std::cmp::Ordering {
    let place = |proceeding: &Proceeding| {
        let id = &proceeding.proceeding_id;
        (proceeding.started_at.clone(), id.len(), id.clone())
    };
    place(other).cmp(&place(one))
}
