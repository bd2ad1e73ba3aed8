//! A registration: one register file (vložka) with its identity versions and related persons.

use lustra_sdk::{Failure, malformed};
use serde::Serialize;

use crate::entry::Entry;
use crate::further::{self, Complaint, Erased, Fine, Verification};
use crate::gaps::{Gaps, Source};
use crate::people::{self, AuthorisedPerson, Holding, Official, Owner};
use crate::question::{Breadth, VERSIONS};
use crate::settings::Settings;
use crate::validity::Validity;

/// One registration in the section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registration {
    /// The number of the register file (číslo vložky).
    pub file_number: i64,
    /// The name of the newest version: the firm, else the person with titles.
    pub business_name: String,
    /// The register's code for the kind of person, such as `PravnickaOsoba`.
    pub person_type: Option<String>,
    pub ico: Option<String>,
    /// The first day of the oldest version.
    pub valid_from: Option<String>,
    /// The day on which the last version ended. `None` while one is valid without an end.
    pub valid_to: Option<String>,
    /// True if a version is valid today; null if the register reports an erasure on an unknown day.
    pub current: Option<bool>,
    /// The day of the erasure.
    pub erased_at: Option<String>,
    /// The register's text of the reason.
    pub erasure_reason: Option<String>,
    /// The company's owners, including past ones.
    pub beneficial_owners: Vec<Owner>,
    pub authorised_persons: Vec<AuthorisedPerson>,
    /// Officials in the company's structure.
    pub public_officials: Vec<Official>,
    /// Verifications. `None` if they could not be read.
    pub verifications: Option<Vec<Verification>>,
    pub qualified_complaints: Vec<Complaint>,
    /// Fines. `None` if they could not be read.
    pub fines: Option<Vec<Fine>>,
    /// The register's page for people.
    pub url: String,
}

struct Version {
    business_name: Option<String>,
    person_type: Option<String>,
    ico: Option<String>,
    validity: Validity,
}

impl Version {
    fn read(row: &Entry<'_>) -> Result<Self, Failure> {
        row.must_have("Ico")?;
        Ok(Self {
            business_name: people::business_name(row)?.or(people::person(row)?),
            person_type: row.text("FormaOsoby")?,
            ico: people::number(row)?,
            validity: Validity::read(row)?,
        })
    }
}

/// The registration in a row of `Partneri`. `None` if none of its versions has the number. Rows of its lists of another
/// shape are left out and named as unread.
///
/// # Errors
/// [`Failure::Malformed`] for a row of another shape, and if a version of another shape may have the number.
pub fn read(
    file: &Entry<'_>,
    ico: &str,
    breadth: Breadth,
    settings: &Settings,
    today: &str,
    gaps: &mut Gaps,
) -> Result<Option<Registration>, Failure> {
    let mut versions = Vec::new();
    let mut odd = None;
    for row in file.list(VERSIONS)? {
        match row.and_then(|row| Version::read(&row)) {
            Ok(version) => versions.push(version),
            Err(failure) => odd = odd.or(Some(failure)),
        }
    }
    if !versions.iter().any(|one| one.ico.as_deref() == Some(ico)) {
        return odd.map_or(Ok(None), Err);
    }
    if let Some(failure) = &odd {
        gaps.odd(Source::Versions, failure);
    }
    // A file belongs to one partner. A version without any number is still that partner's; one with another number is
    // not.
    versions.retain(|one| one.ico.as_deref().is_none_or(|own| own == ico));
    let erased = further::erasure(file, breadth, settings, gaps)?;
    let (erased_at, erasure_reason) = match &erased {
        Erased::On { day, reason } => (Some(day.clone()), reason.clone()),
        Erased::Unknown | Erased::No | Erased::Sometime => (None, None),
    };
    let ends = |one: &Version| one.validity.until(erased_at.as_deref());
    let current = is_current(&versions, ends, &erased, today);
    // The version that could not be read may be the valid one.
    let current = current.filter(|is_current| *is_current || odd.is_none());
    versions.sort_by_key(|one| {
        let end = ends(one).unwrap_or_else(|| "9999-12-31".to_owned());
        std::cmp::Reverse((end, one.validity.from.clone()))
    });
    let business_name = versions.iter().find_map(|one| one.business_name.clone());
    let holding = Holding {
        registration: current,
        today,
    };
    let id = file.number("Id")?;
    Ok(Some(Registration {
        file_number: file.number("CisloVlozky")?,
        business_name: business_name
            .ok_or_else(|| malformed(file.place(VERSIONS), "a name of the partner", "none"))?,
        person_type: versions.iter().find_map(|one| one.person_type.clone()),
        ico: versions.iter().find_map(|one| one.ico.clone()),
        valid_from: versions
            .iter()
            .filter_map(|one| one.validity.from.clone())
            .min(),
        valid_to: versions.first().and_then(ends),
        current,
        erased_at,
        erasure_reason,
        beneficial_owners: people::owners(file, holding, gaps)?,
        authorised_persons: people::authorised(file, holding, gaps)?,
        public_officials: people::officials(file, holding, gaps)?,
        verifications: further::verifications(file, breadth, settings, gaps)?,
        qualified_complaints: further::complaints(file, gaps)?,
        fines: further::fines(file, breadth, settings, gaps)?,
        url: format!("{}{id}", settings.detail_page),
    }))
}

/// Whether a version is valid. An erasure without its day may have ended the open versions.
fn is_current(
    versions: &[Version],
    ends: impl Fn(&Version) -> Option<String>,
    erased: &Erased,
    today: &str,
) -> Option<bool> {
    let is_open = versions
        .iter()
        .any(|one| ends(one).is_none_or(|end| end.as_str() > today));
    match erased {
        Erased::Sometime if is_open => None,
        Erased::Sometime | Erased::Unknown | Erased::No | Erased::On { .. } => Some(is_open),
    }
}
