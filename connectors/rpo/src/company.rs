//! The base company of a record: what stands now, or stood last where the company has ended.
//!
//! Also which of several records of one IČO is preferred, as a text that sorts: the live look-up chooses by it, and
//! the host keeps the higher one of an import.

use lustra_sdk::{Company, CompanyStatus, Failure, Field, date, malformed, text};

use crate::address;
use crate::record::{Code, Dated, Record, Timed, current, current_text};

/// The code of the commercial register in CL010112.
const COMMERCIAL_REGISTER: &str = "1";
/// Codes of CL010108.
const IN_LIQUIDATION: &str = "2";
const ERASED_AS_ERROR: &str = "19";

/// What a record gives.
#[derive(Debug, Clone)]
pub enum Reading {
    /// A base company, still without evidence.
    Company(Box<Company>),
    /// The record has no number that could be an IČO.
    WithoutIco,
    /// The record has an IČO but no name.
    WithoutName,
}

/// Reads the base company of a record.
///
/// # Errors
/// [`Failure::Malformed`] when the end of the company is given in an unknown form, since nothing may then be said
/// about whether it lives.
pub fn read(record: &Record) -> Result<Reading, Failure> {
    let life = Life::of(record)?;
    let Some((ico, _)) = record.ico() else {
        return Ok(Reading::WithoutIco);
    };
    let name = text::business_name(current_text(&record.full_names).unwrap_or_default());
    if name.is_empty() {
        return Ok(Reading::WithoutName);
    }
    let legal_form = current(&record.legal_forms).and_then(|item| item.value.as_ref());
    let activity = record
        .statistical_codes
        .as_ref()
        .and_then(|codes| codes.main_activity.as_ref());
    Ok(Reading::Company(Box::new(Company {
        legal_form: label(legal_form),
        legal_form_code: code(legal_form),
        address: address::read(current(&record.addresses)),
        established_date: record.establishment.as_deref().and_then(date::parse),
        nace_code: code(activity),
        nace_description: label(activity),
        register_id: Some(record.id.to_string()),
        details: "{}".to_owned(),
        facts: facts(record, &life, &name, activity),
        evidence: Vec::new(),
        terminated_date: life.ended_on,
        status: life.status,
        ico,
        name,
    })))
}

/// How high the record stands among those of its IČO, by the register's habits: an open IČO, not ended, from the
/// commercial register, the newest; the id decides what is left, so that no two records stand equal.
///
/// # Errors
/// As [`read`].
pub fn preference(record: &Record) -> Result<String, Failure> {
    Ok(preference_of(record, &Life::of(record)?))
}

fn preference_of(record: &Record, life: &Life<'_>) -> String {
    let item = record.ico().map(|(_, item)| item);
    let since = item
        .and_then(|item| date::parse(item.valid_from()))
        .or_else(|| record.establishment.as_deref().and_then(date::parse))
        .unwrap_or_else(|| "0000-00-00".to_owned())
        .replace('-', "");
    let open = u8::from(item.is_some_and(|item| item.valid_to().is_none()));
    let alive = u8::from(life.status == CompanyStatus::Active);
    let commercial = u8::from(record.source_code() == Some(COMMERCIAL_REGISTER));
    format!("{open}-{alive}-{commercial}-{since}-{:020}", record.id)
}

/// Whether the company lives, and the legal statuses that say so.
struct Life<'a> {
    status: CompanyStatus,
    ended_on: Option<String>,
    /// The open ones; of an ended company without open ones those that were closed last.
    statuses: Vec<&'a str>,
}

impl<'a> Life<'a> {
    fn of(record: &'a Record) -> Result<Self, Failure> {
        let termination = termination(record)?;
        let closed = record.is_all_closed();
        let ended = termination.is_some() || closed;
        let mut statuses = codes(&record.legal_statuses, None);
        if statuses.is_empty() && ended {
            statuses = codes(
                &record.legal_statuses,
                current(&record.legal_statuses).and_then(Dated::valid_to),
            );
        }
        let status = if statuses.contains(&ERASED_AS_ERROR) {
            CompanyStatus::Deleted
        } else if ended {
            CompanyStatus::Terminated
        } else {
            CompanyStatus::Active
        };
        let closed_on = || {
            record
                .ico()
                .filter(|_| closed)
                .and_then(|(_, item)| item.valid_to().and_then(date::parse))
        };
        Ok(Self {
            status,
            ended_on: termination.or_else(closed_on),
            statuses,
        })
    }
}

/// The codes of the items with this end, in numeric order.
fn codes<'a>(items: &'a [Timed<Code>], valid_to: Option<&str>) -> Vec<&'a str> {
    let mut codes: Vec<&str> = items
        .iter()
        .filter(|item| item.valid_to() == valid_to)
        .filter_map(|item| item.value.as_ref()?.code.as_deref())
        .collect();
    codes.sort_unstable_by_key(|code| (code.len(), *code));
    codes.dedup();
    codes
}

/// The day of the end. The registers' sentinels count as none, a text that is no date must not pass for a living
/// company.
fn termination(record: &Record) -> Result<Option<String>, Failure> {
    let Some(raw) = record
        .termination
        .as_deref()
        .map(str::trim)
        .filter(|raw| !raw.is_empty())
    else {
        return Ok(None);
    };
    let is_sentinel = || {
        ["1800-", "0001-", "0000-"]
            .iter()
            .any(|year| raw.starts_with(year))
    };
    match date::parse(raw) {
        Some(day) => Ok(Some(day)),
        None if is_sentinel() => Ok(None),
        None => Err(malformed(
            format!("record {}: /termination", record.id),
            "a date",
            raw,
        )),
    }
}

fn facts(record: &Record, life: &Life<'_>, name: &str, activity: Option<&Code>) -> Vec<Field> {
    let source = record.source_register.as_ref();
    let number = source
        .and_then(|source| current_text(&source.registration_numbers))
        .and_then(text::present);
    let office = source
        .and_then(|source| current_text(&source.registration_offices))
        .and_then(text::present);
    let is_commercial = record.source_code() == Some(COMMERCIAL_REGISTER)
        || number.as_deref().is_some_and(is_court_file);
    let in_liquidation = life.status == CompanyStatus::Active
        && (life.statuses.contains(&IN_LIQUIDATION) || is_named_in_liquidation(name));
    let statuses = Some(life.statuses.join(",")).filter(|codes| !codes.is_empty());
    [
        ("commercial_register", Some(is_commercial.to_string())),
        ("in_liquidation", Some(in_liquidation.to_string())),
        ("legal_statuses", statuses),
        (
            "nace_codelist",
            activity
                .and_then(|activity| activity.codelist_code.as_deref())
                .and_then(text::present),
        ),
        ("preference", Some(preference_of(record, life))),
        ("registration_number", number),
        ("registration_office", office),
        ("rpo_id", Some(record.id.to_string())),
        (
            "source_register_code",
            record.source_code().and_then(text::present),
        ),
    ]
    .into_iter()
    .filter_map(|(name, value)| {
        Some(Field {
            name: name.to_owned(),
            value: value?,
        })
    })
    .collect()
}

/// A file of the commercial register, `Sro/99999/B`: section, insert, letter of the court. Other registers count
/// with digits and hyphens.
fn is_court_file(number: &str) -> bool {
    let parts: Vec<&str> = number.split('/').map(str::trim).collect();
    let [section, insert, court] = parts.as_slice() else {
        return false;
    };
    (1..=5).contains(&section.chars().count())
        && section.chars().all(char::is_alphabetic)
        && !insert.is_empty()
        && insert.bytes().all(|b| b.is_ascii_digit())
        && (1..=2).contains(&court.len())
        && court.bytes().all(|b| b.is_ascii_uppercase())
}

/// Liquidation is often seen in the name alone, `…, s. r. o. v likvidácii`.
fn is_named_in_liquidation(name: &str) -> bool {
    // Folding costs more than the rest of the record, and nearly no name needs it.
    (name.contains("ikvid") || name.contains("IKVID")) && text::fold(name).contains(" v likvidaci")
}

fn label(code: Option<&Code>) -> Option<String> {
    code.and_then(|code| code.value.as_deref())
        .and_then(text::present)
}

fn code(code: Option<&Code>) -> Option<String> {
    code.and_then(|code| code.code.as_deref())
        .and_then(text::present)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn court_files_are_told_from_other_numbers() {
        for good in ["Sro/99999/B", "Sa/1/L", "Pš/12/T", "Firm/7/V"] {
            assert!(is_court_file(good), "{good}");
        }
        for bad in [
            "140-30477",
            "701000000",
            "",
            "Sro/99999",
            "Sro//B",
            "VVS/1-900/90-99999",
            "OVVS/9/2012",
            "1/2/3",
        ] {
            assert!(!is_court_file(bad), "{bad}");
        }
    }

    #[test]
    fn liquidation_is_seen_in_the_name() {
        for good in [
            "Vzorová, s. r. o. v likvidácii",
            "VZOROVÁ A.S. \"V LIKVIDÁCII\"",
            "Vzorová - v likvidácii, v konkurze",
        ] {
            assert!(is_named_in_liquidation(good), "{good}");
        }
        for bad in ["Likvidácia odpadu, s. r. o.", "Vzorová, s. r. o."] {
            assert!(!is_named_in_liquidation(bad), "{bad}");
        }
    }
}
