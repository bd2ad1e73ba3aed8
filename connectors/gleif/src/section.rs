//! The scope `gleif`: the identifiers of a company and its parents, and what could not be read.

use lustra_sdk::unread::Unread;
use lustra_sdk::{Failure, date, malformed, text};
use serde::Serialize;

use crate::answer::{Coded, Record};
use crate::choice::Chosen;
use crate::parent::Parent;
use crate::settings::Settings;

/// ELF codes of the most frequent Slovak legal forms.
const FORMS: [(&str, &str); 4] = [
    ("VSZS", "spoločnosť s ručením obmedzeným"),
    ("2EEG", "akciová spoločnosť"),
    ("D18J", "jednoduchá spoločnosť na akcie"),
    ("C4PZ", "fyzická osoba – podnikateľ"),
];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Content {
    pub lei: String,
    /// The entity's name in the record.
    pub name: Option<String>,
    /// Former names, and names in other languages.
    pub other_names: Vec<OtherName>,
    /// The direct parent's identifier.
    pub parent_lei: Option<String>,
    pub parent_name: Option<String>,
    /// The reason why the parent is not reported.
    pub parent_exception: Option<String>,
    /// The ultimate parent's identifier.
    pub ultimate_parent_lei: Option<String>,
    pub ultimate_parent_name: Option<String>,
    /// The reason why the parent is not reported.
    pub ultimate_parent_exception: Option<String>,
    /// Whether the entity is active.
    pub status: Option<String>,
    /// The state of the identifier.
    pub registration_status: String,
    /// The day of the identifier's first registration.
    pub registered_on: Option<String>,
    /// The day by which the registration must be renewed.
    pub next_renewal: Option<String>,
    pub legal_form_code: Option<String>,
    pub legal_form: Option<String>,
    /// The register that assigned the number.
    pub registration_authority: Option<String>,
    pub bic: Vec<String>,
    /// Other records of the company.
    pub other_leis: Vec<OtherLei>,
    /// The page of the record.
    pub url: String,
    /// Sources that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherName {
    pub name: String,
    /// GLEIF's code for the kind of name.
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OtherLei {
    pub lei: String,
    /// Whether the record's entity is active.
    pub status: Option<String>,
    /// The state of the identifier.
    pub registration_status: String,
}

/// Builds the content for a company with a record.
///
/// # Errors
/// [`Failure::Malformed`] for a date of another shape.
pub fn of(
    chosen: &Chosen,
    direct: Parent,
    ultimate: Parent,
    unread: Vec<Unread>,
    settings: &Settings,
) -> Result<Content, Failure> {
    let attributes = &chosen.record.attributes;
    let (entity, registration) = (&attributes.entity, &attributes.registration);
    let other_names = entity.other_names.iter().filter_map(|other| {
        Some(OtherName {
            name: text::present(&other.name)?,
            kind: other.kind.clone(),
        })
    });
    Ok(Content {
        lei: attributes.lei.clone(),
        name: text::present(&entity.legal_name.name),
        other_names: other_names.collect(),
        parent_lei: direct.lei,
        parent_name: direct.name,
        parent_exception: direct.exception,
        ultimate_parent_lei: ultimate.lei,
        ultimate_parent_name: ultimate.name,
        ultimate_parent_exception: ultimate.exception,
        status: entity.status.clone(),
        registration_status: registration.status.clone(),
        registered_on: Some(day(
            &registration.initial_registration_date,
            "initialRegistrationDate",
        )?),
        next_renewal: registration
            .next_renewal_date
            .as_deref()
            .map(|raw| day(raw, "nextRenewalDate"))
            .transpose()?,
        legal_form_code: entity.legal_form.id.clone(),
        legal_form: in_words(&entity.legal_form),
        registration_authority: entity.registered_at.id.clone(),
        bic: attributes.bic.clone().unwrap_or_default(),
        other_leis: chosen.others.iter().map(other).collect(),
        url: format!("{}{}", settings.record_page, attributes.lei),
        unread,
    })
}

fn other(record: &Record) -> OtherLei {
    OtherLei {
        lei: record.attributes.lei.clone(),
        status: record.attributes.entity.status.clone(),
        registration_status: record.attributes.registration.status.clone(),
    }
}

/// The name of a legal form: its text if it has no code, else the known name of the code.
fn in_words(form: &Coded) -> Option<String> {
    let known = FORMS
        .iter()
        .find(|(code, _)| Some(*code) == form.id.as_deref());
    let other = form.other.as_deref().and_then(text::present);
    other.or_else(|| known.map(|(_, name)| (*name).to_owned()))
}

fn day(raw: &str, name: &str) -> Result<String, Failure> {
    let what = format!("data/attributes/registration/{name}");
    date::parse(raw).ok_or_else(|| malformed(what, "a time such as 2026-01-02T00:00:00Z", raw))
}
