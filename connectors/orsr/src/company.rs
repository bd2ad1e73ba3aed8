//! The company record of an extract: base fields for hosts without a base register, facts, and details.

use lustra_sdk::{
    Address, Company, CompanyStatus, Failure, Field, date, ico, malformed, text, to_json,
};

use crate::address::Printed;
use crate::details::{self, Details};
use crate::extract::{Entry, Extract};
use crate::labels::Label;

/// Legal forms with a certain code in the list CL000056, folded.
const LEGAL_FORMS: [(&str, &str); 11] = [
    ("verejna obchodna spolocnost", "111"),
    ("spolocnost s rucenim obmedzenym", "112"),
    ("komanditna spolocnost", "113"),
    ("komanditna spolocnost na akcie", "114"),
    ("akciova spolocnost", "121"),
    ("europska spolocnost", "123"),
    ("europske druzstvo", "124"),
    ("jednoducha spolocnost na akcie", "125"),
    ("druzstvo", "205"),
    ("statny podnik", "301"),
    ("europska spolocnost se", "123"),
];

/// Reads the company of an extract. The caller adds the evidence.
///
/// # Errors
/// `malformed` for an extract without the mandatory parts; `other` with `without-ico` for old records without
/// an IČO.
pub fn read(extract: &Extract, orsr_id: &str) -> Result<Company, Failure> {
    let name = extract
        .latest(Label::Name)
        .map(|entry| text::business_name(&entry.text()))
        .filter(|name| !name.is_empty())
        .ok_or_else(|| missing("Obchodné meno", extract))?;
    let established = day(extract, extract.latest(Label::Entered), "Deň zápisu")?;
    let terminated = erased(extract)
        .map(|entry| day(extract, Some(entry), "Deň výmazu"))
        .transpose()?;
    let legal_form = extract
        .latest(Label::LegalForm)
        .and_then(|entry| text::present(&entry.text()));
    let folded_form = legal_form.as_deref().map(text::fold).unwrap_or_default();
    let legal_form_code = LEGAL_FORMS
        .iter()
        .find(|(form, _)| *form == folded_form)
        .map(|(_, code)| (*code).to_owned());
    let details = details::read(extract, orsr_id, &established)?;
    if terminated.is_none() {
        renamed_sections(extract)?;
    }
    let in_liquidation = terminated.is_none() && in_liquidation(extract, &name, &details);
    let details = to_json(&details)?;
    Ok(Company {
        ico: number(extract)?,
        name,
        legal_form,
        legal_form_code,
        address: address(extract),
        established_date: Some(established),
        status: if terminated.is_some() {
            CompanyStatus::Terminated
        } else {
            CompanyStatus::Active
        },
        terminated_date: terminated,
        nace_code: None,
        nace_description: None,
        register_id: Some(orsr_id.to_owned()),
        details,
        facts: vec![
            fact(
                "registration_number",
                format!("{}/{}", extract.section, extract.insert_number),
            ),
            fact("in_liquidation", in_liquidation.to_string()),
        ],
        evidence: Vec::new(),
    })
}

/// True if the record was erased.
#[must_use]
pub fn has_ended(extract: &Extract) -> bool {
    erased(extract).is_some()
}

fn fact(name: &str, value: String) -> Field {
    Field {
        name: name.to_owned(),
        value,
    }
}

fn missing(label: &str, extract: &Extract) -> Failure {
    let found = format!("unknown labels: {}", extract.unknown_labels.join(", "));
    malformed(
        format!("extract: {label}"),
        "the label with its value",
        found,
    )
}

fn day(extract: &Extract, entry: Option<&Entry>, label: &str) -> Result<String, Failure> {
    let printed = entry.ok_or_else(|| missing(label, extract))?.text();
    date::parse(&printed).ok_or_else(|| malformed(format!("extract: {label}"), "a date", printed))
}

fn number(extract: &Extract) -> Result<String, Failure> {
    let Some(entry) = extract.latest(Label::Ico) else {
        // Records that ended before IČO were introduced have none, and the host cannot identify them.
        return Err(match extract.unknown_labels.as_slice() {
            [] => Failure::Other((
                "without-ico".to_owned(),
                "the record carries no IČO".to_owned(),
            )),
            _ => missing("IČO", extract),
        });
    };
    let printed = entry.text();
    ico::parse(&printed).ok_or_else(|| malformed("extract: IČO", "8 digits", printed))
}

/// The valid erasure. A revoked one is history next to sections that are valid.
fn erased(extract: &Extract) -> Option<&Entry> {
    let lives = extract.valid(Label::Name).next().is_some();
    if lives {
        extract.valid(Label::Erased).next()
    } else {
        extract.latest(Label::Erased)
    }
}

fn address(extract: &Extract) -> Address {
    let entry = [Label::Seat, Label::Place, Label::Residence]
        .into_iter()
        .find_map(|label| extract.latest(label));
    let printed = entry.and_then(|entry| Printed::of(&entry.lines.iter().collect::<Vec<_>>()));
    match printed {
        Some(printed) => printed.into_record(),
        None => Address {
            street: None,
            city: None,
            postal_code: None,
            country: None,
            country_code: None,
        },
    }
}

fn in_liquidation(extract: &Extract, name: &str, details: &Details) -> bool {
    let going_on = |entry: &Entry| {
        let folded = text::fold(&entry.text());
        !LIQUIDATION_OVER.iter().any(|words| folded.contains(words))
    };
    text::fold(name).contains("v likvidacii")
        || details.has_liquidator()
        || extract.valid(Label::Liquidation).any(going_on)
}

/// Texts in the liquidation section that mean it has ended, folded.
const LIQUIDATION_OVER: [&str; 5] = [
    "ukoncenie likvidacie",
    "skoncenie likvidacie",
    "zrusenie likvidacie",
    "likvidacia ukoncena",
    "likvidacia skoncena",
];

/// An unknown label alone is harmless. If an active company also lacks a section that every such company has,
/// the label is probably the new name of that section.
fn renamed_sections(extract: &Extract) -> Result<(), Failure> {
    if extract.unknown_labels.is_empty() {
        return Ok(());
    }
    let has_capital = ["Sro", "Sa"].contains(&extract.section.as_str());
    for (label, name, is_due) in [
        (Label::Activities, "Predmet podnikania", true),
        (Label::Statutory, "Štatutárny orgán", has_capital),
        (Label::Capital, "Výška základného imania", has_capital),
    ] {
        if is_due && extract.entries(label).next().is_none() {
            return Err(missing(name, extract));
        }
    }
    Ok(())
}
