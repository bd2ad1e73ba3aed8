//! The scope `rpvs`: whether the company is a public sector partner, its registrations, and what could not be read.

use std::collections::BTreeMap;

use lustra_sdk::unread::{self, Unread};
use lustra_sdk::{Evidence, Failure, Section, malformed};
use serde::Serialize;
use serde_json::Value;

use crate::entry::Entry;
use crate::question::{Breadth, VERSIONS};
use crate::registration::{self, Registration};
use crate::settings::Settings;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Partner {
    /// Whether a registration is valid today. Null if that is not known.
    pub is_public_sector_partner: Option<bool>,
    /// Valid registrations first, then the newest.
    pub registrations: Vec<Registration>,
    /// Sources that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// A part of the register that may be unread: rows of its lists, and parts whose format is assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Registrations,
    /// Identity versions of a partner.
    Versions,
    Owners,
    /// Persons who verify the owners.
    Authorised,
    /// Public officials in the structure.
    Officials,
    Complaints,
    /// The day on which a registration was erased.
    Erasure,
    Fines,
    /// Verifications of the owners' identity.
    Verifications,
    /// Owners whose ownership has ended.
    PastOwners,
}

impl Source {
    /// The name in `unread` and in the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Registrations => "registrations",
            Self::Versions => "versions",
            Self::Owners => "beneficial-owners",
            Self::Authorised => "authorised-persons",
            Self::Officials => "public-officials",
            Self::Complaints => "qualified-complaints",
            Self::Erasure => "erasure",
            Self::Fines => "fines",
            Self::Verifications => "verifications",
            Self::PastOwners => "past-owners",
        }
    }
}

/// The parts that could not be read, without repetitions. Reasons begin with `off` or `misconfigured`, as for lists, if
/// a retry would not help.
#[derive(Debug, Default)]
pub struct Gaps(BTreeMap<Source, String>);

impl Gaps {
    /// The operator switched the part off.
    pub fn off(&mut self, source: Source) {
        self.note(
            source,
            "off: not asked for by the operator's settings".to_owned(),
        );
    }

    /// The service refused the request.
    pub fn refused(&mut self, source: Source) {
        let name = source.name();
        self.note(
            source,
            format!("misconfigured: the register refuses the question, see the setting {name}"),
        );
    }

    /// The service did not return the part.
    pub fn not_given(&mut self, source: Source) {
        let name = source.name();
        self.note(
            source,
            format!("misconfigured: not in the register's answer, see the setting {name}"),
        );
    }

    /// The part has none of the assumed columns.
    pub fn no_column(&mut self, source: Source) {
        let name = source.name();
        self.note(
            source,
            format!("misconfigured: its columns have other names, see the setting {name}"),
        );
    }

    /// A row of the part has another shape and is left out.
    pub fn odd(&mut self, source: Source, failure: &Failure) {
        self.note(source, unread::why(failure));
    }

    /// Whether something of the part could not be read.
    #[must_use]
    pub fn has(&self, source: Source) -> bool {
        self.0.contains_key(&source)
    }

    /// Reads the rows of a list. A row of another shape is left out, and the source is named as unread.
    ///
    /// # Errors
    /// The failure of `read`, unless it is [`Failure::Malformed`].
    pub fn readable<'a, T>(
        &mut self,
        source: Source,
        rows: impl IntoIterator<Item = Result<Entry<'a>, Failure>>,
        read: impl Fn(&Entry<'a>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        for row in rows {
            match row.and_then(|row| read(&row)) {
                Ok(one) => all.push(one),
                Err(failure @ Failure::Malformed(_)) => self.odd(source, &failure),
                Err(failure) => return Err(failure),
            }
        }
        Ok(all)
    }

    fn note(&mut self, source: Source, why: String) {
        self.0.entry(source).or_insert(why);
    }
}

/// Builds the content from the register's answers about a number. A row of another shape is left out and named as
/// unread. Without a valid registration, it is then not known whether the company is a partner.
///
/// # Errors
/// [`Failure::Malformed`] if no row about the number could be read, and if all rows are about others: such an answer
/// does not show that the company has no registration.
pub fn read(
    rows: &[Value],
    ico: &str,
    breadth: Breadth,
    settings: &Settings,
    today: &str,
) -> Result<Partner, Failure> {
    let mut gaps = Gaps::default();
    let (mut registrations, mut odd) = (Vec::new(), None);
    for (at, row) in rows.iter().enumerate() {
        let file = Entry::of(row, format!("value/{at}"));
        let read = file
            .and_then(|file| registration::read(&file, ico, breadth, settings, today, &mut gaps));
        match read {
            Ok(registration) => registrations.extend(registration),
            Err(failure @ Failure::Malformed(_)) => {
                gaps.odd(Source::Registrations, &failure);
                odd.get_or_insert(failure);
            }
            Err(failure) => return Err(failure),
        }
    }
    if registrations.is_empty()
        && let Some(failure) = odd
    {
        return Err(failure);
    }
    if registrations.is_empty() && !rows.is_empty() {
        return Err(malformed(
            format!("value/*/{VERSIONS}/*/Ico"),
            ico,
            format!("{} register files of others", rows.len()),
        ));
    }
    registrations.sort_by(|a, b| {
        let key = |one: &Registration| {
            (
                one.current != Some(false),
                one.valid_from.clone(),
                one.file_number,
            )
        };
        key(b).cmp(&key(a))
    });
    let currents: Vec<Option<bool>> = registrations.iter().map(|one| one.current).collect();
    let is_public_sector_partner = if currents.contains(&Some(true)) {
        Some(true)
    } else if currents.contains(&None) || gaps.has(Source::Registrations) {
        None
    } else {
        Some(false)
    };
    let unread = gaps.0.into_iter().map(|(source, why)| Unread {
        source: source.name().to_owned(),
        since: None,
        why,
    });
    Ok(Partner {
        is_public_sector_partner,
        registrations,
        unread: unread.collect(),
    })
}

impl Partner {
    /// Names ended owners as unread, with the reason.
    pub fn without_past_owners(&mut self, failure: &Failure) {
        self.unread.push(Unread {
            source: Source::PastOwners.name().to_owned(),
            since: None,
            why: unread::why(failure),
        });
    }

    /// The section for the host.
    ///
    /// # Errors
    /// Never: texts, numbers and lists are always valid JSON.
    pub fn section(&self, evidence: Vec<Evidence>) -> Result<Section, Failure> {
        unread::section(self, &self.unread, evidence)
    }
}
