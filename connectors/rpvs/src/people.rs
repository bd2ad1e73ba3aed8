//! Owners, verifying persons and public officials: names and validity, but no home address or birth date.

use lustra_sdk::{Failure, ico, text};
use serde::Serialize;

use crate::entry::Entry;
use crate::gaps::{Gaps, Source};
use crate::question::{AUTHORISED, OFFICIALS, OWNERS};
use crate::validity::Validity;

/// A beneficial owner, in one of the versions that the register stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Owner {
    /// With titles. `None` if the register has no name.
    pub name: Option<String>,
    /// The IČO of an owner that is a company.
    pub ico: Option<String>,
    /// As the register states it.
    pub is_public_official: Option<bool>,
    /// The country's name in Slovak.
    pub citizenship: Option<String>,
    pub valid_from: Option<String>,
    /// The day on which it ended.
    pub valid_to: Option<String>,
    /// Whether this version is valid. `None` if the validity of the registration is not known.
    pub current: Option<bool>,
}

/// A person who verifies the owners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuthorisedPerson {
    /// The firm's name, or the person's with titles.
    pub name: Option<String>,
    pub ico: Option<String>,
    pub valid_from: Option<String>,
    /// The day on which it ended.
    pub valid_to: Option<String>,
    pub current: Option<bool>,
}

/// A public official in the partner's structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Official {
    pub name: Option<String>,
    /// The register's text of the function.
    pub function: Option<String>,
    pub valid_from: Option<String>,
    /// The day on which it ended.
    pub valid_to: Option<String>,
    pub current: Option<bool>,
}

/// Decides whether versions of a registration are valid.
#[derive(Debug, Clone, Copy)]
pub struct Holding<'a> {
    /// Whether the registration is valid. `None` if that is not known.
    pub registration: Option<bool>,
    /// The day of the call: `YYYY-MM-DD`.
    pub today: &'a str,
}

impl Holding<'_> {
    /// An ended registration has no current owner, even if the register has not closed the row.
    fn of(self, validity: &Validity) -> Option<bool> {
        if validity.is_open(self.today) {
            self.registration
        } else {
            Some(false)
        }
    }
}

/// The owners, including past ones. Valid ones come first, then the newest. Here and in the other lists, a row of
/// another shape is left out and named as unread.
///
/// # Errors
/// [`Failure::Malformed`] if there is no list.
pub fn owners(
    file: &Entry<'_>,
    holding: Holding<'_>,
    gaps: &mut Gaps,
) -> Result<Vec<Owner>, Failure> {
    let mut owners = gaps.readable(Source::Owners, file.list(OWNERS)?, |row| {
        let validity = Validity::read(row)?;
        Ok(Owner {
            name: person(row)?.or(business_name(row)?),
            ico: number(row)?,
            is_public_official: row.flag("JeVerejnyCinitel")?,
            citizenship: row.text("StatnaPrislusnost")?,
            current: holding.of(&validity),
            valid_from: validity.from,
            valid_to: validity.to,
        })
    })?;
    owners.sort_by(|a, b| {
        let key = |owner: &Owner| {
            (
                owner.name.clone(),
                owner.ico.clone(),
                owner.valid_to.clone(),
            )
        };
        newest_first((a.current, &a.valid_from), (b.current, &b.valid_from))
            .then_with(|| key(a).cmp(&key(b)))
    });
    Ok(owners)
}

/// The verifying persons, in the order of [`owners`].
///
/// # Errors
/// [`Failure::Malformed`] if there is no list.
pub fn authorised(
    file: &Entry<'_>,
    holding: Holding<'_>,
    gaps: &mut Gaps,
) -> Result<Vec<AuthorisedPerson>, Failure> {
    let mut persons = gaps.readable(Source::Authorised, file.list(AUTHORISED)?, |row| {
        let validity = Validity::read(row)?;
        Ok(AuthorisedPerson {
            name: business_name(row)?.or(person(row)?),
            ico: number(row)?,
            current: holding.of(&validity),
            valid_from: validity.from,
            valid_to: validity.to,
        })
    })?;
    persons.sort_by(|a, b| {
        newest_first((a.current, &a.valid_from), (b.current, &b.valid_from))
            .then_with(|| (&a.name, &a.ico, &a.valid_to).cmp(&(&b.name, &b.ico, &b.valid_to)))
    });
    Ok(persons)
}

/// The public officials, in the order of [`owners`].
///
/// # Errors
/// [`Failure::Malformed`] if there is no list.
pub fn officials(
    file: &Entry<'_>,
    holding: Holding<'_>,
    gaps: &mut Gaps,
) -> Result<Vec<Official>, Failure> {
    let mut officials = gaps.readable(Source::Officials, file.list(OFFICIALS)?, |row| {
        let validity = Validity::read(row)?;
        Ok(Official {
            name: person(row)?,
            function: row.text("Funkcia")?,
            current: holding.of(&validity),
            valid_from: validity.from,
            valid_to: validity.to,
        })
    })?;
    officials.sort_by(|a, b| {
        newest_first((a.current, &a.valid_from), (b.current, &b.valid_from)).then_with(|| {
            (&a.name, &a.function, &a.valid_to).cmp(&(&b.name, &b.function, &b.valid_to))
        })
    });
    Ok(officials)
}

/// Sorts valid rows first, then the newest, so that the order does not depend on the register's.
fn newest_first(
    a: (Option<bool>, &Option<String>),
    b: (Option<bool>, &Option<String>),
) -> std::cmp::Ordering {
    (b.0 != Some(false), b.1).cmp(&(a.0 != Some(false), a.1))
}

/// A full name such as `Ing. Eva Skúšobná, PhD.`. `None` without a given and a family name.
///
/// # Errors
/// [`Failure::Malformed`].
pub fn person(row: &Entry<'_>) -> Result<Option<String>, Failure> {
    let (given, family) = (row.text("Meno")?, row.text("Priezvisko")?);
    if given.is_none() && family.is_none() {
        return Ok(None);
    }
    let before = row.text("TitulPred")?;
    let words: Vec<String> = [before, given, family].into_iter().flatten().collect();
    let mut name = words.join(" ");
    if let Some(behind) = row.text("TitulZa")? {
        name.push_str(", ");
        name.push_str(&behind);
    }
    Ok(Some(name))
}

/// The name of a firm.
///
/// # Errors
/// [`Failure::Malformed`].
pub fn business_name(row: &Entry<'_>) -> Result<Option<String>, Failure> {
    let name = row.text("ObchodneMeno")?;
    Ok(name.and_then(|name| text::present(&text::business_name(&name))))
}

/// The number of 8 digits, with or without spaces. `None` if there is no such number.
///
/// # Errors
/// [`Failure::Malformed`].
pub fn number(row: &Entry<'_>) -> Result<Option<String>, Failure> {
    Ok(row.text("Ico")?.and_then(|raw| ico::parse(&raw)))
}
