//! The base company of a record: current values, or the last ones of an ended company.
//!
//! Also computes the preference among several records of one IČO as a sortable text. The live look-up chooses
//! by it, and the host keeps the higher one of an import.

use lustra_rpo_records::preference::preference_of;
use lustra_rpo_records::status::Life;
use lustra_sdk::{Company, CompanyStatus, Failure, Field, date, text};

use crate::address;
use crate::record::{Code, Record, current, current_text};

/// The code of the commercial register in CL010112.
const COMMERCIAL_REGISTER: &str = "1";
/// Records of these source registers are preferred among several records of one IČO.
pub const PREFERRED: &[&str] = &[COMMERCIAL_REGISTER];
/// The code of liquidation in CL010108.
const IN_LIQUIDATION: &str = "2";

/// Most former names of a company. Few have more than three.
const MAX_FORMER_NAMES: usize = 20;
/// Longest former name that is kept.
const MAX_NAME_CHARS: usize = 500;

/// The result of reading a record.
#[derive(Debug, Clone)]
pub enum Reading {
    /// A base company without evidence.
    Company(Box<Company>),
    /// The record has no valid IČO.
    WithoutIco,
    /// The record has an IČO but no name.
    WithoutName,
}

/// Reads the base company of a record.
///
/// # Errors
/// [`Failure::Malformed`] if the end of the company has an unknown format, because its status would be unknown.
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
        ("former_names", former_names(record, name)),
        ("in_liquidation", Some(in_liquidation.to_string())),
        ("legal_statuses", statuses),
        (
            "nace_codelist",
            activity
                .and_then(|activity| activity.codelist_code.as_deref())
                .and_then(text::present),
        ),
        ("preference", Some(preference_of(record, life, PREFERRED))),
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

/// The names that the company had before, newest first, as a JSON list. The host finds companies by this fact. `None`
/// without any.
fn former_names(record: &Record, name: &str) -> Option<String> {
    let mut names: Vec<(&str, String)> = record
        .full_names
        .iter()
        .filter_map(|item| {
            let former = text::business_name(item.value.as_deref()?);
            let ended = item.valid_to.as_deref().unwrap_or_default();
            (!former.is_empty() && former != name).then_some((ended, former))
        })
        .collect();
    // Dates of the register compare like texts.
    names.sort_by(|one, other| other.0.cmp(one.0));
    let mut former: Vec<String> = Vec::new();
    for (_, name) in names {
        if !former.contains(&name) && name.chars().count() <= MAX_NAME_CHARS {
            former.push(name);
        }
    }
    former.truncate(MAX_FORMER_NAMES);
    if former.is_empty() {
        return None;
    }
    serde_json::to_string(&former).ok()
}

/// True for a file number of the commercial register, `Sro/99999/B`: section, insert, letter of the court.
/// Other registers use digits and hyphens.
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

/// Liquidation is often visible only in the name, `…, s. r. o. v likvidácii`.
fn is_named_in_liquidation(name: &str) -> bool {
    // Folding is slower than the rest of the record and rarely needed, so check for the letters first.
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
    fn court_file_numbers_are_recognized() {
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
