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

/// The section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Partner {
    /// Whether a registration holds today; null where that cannot be said.
    pub is_public_sector_partner: Option<bool>,
    /// Registrations that hold first, then the newest.
    pub registrations: Vec<Registration>,
    /// What could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<Unread>,
}

/// A part of the register whose form is assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The day on which a registration was erased.
    Erasure,
    /// Fines.
    Fines,
    /// Verifications of the owners' identity.
    Verifications,
    /// Owners that have ended.
    PastOwners,
}

impl Source {
    /// As `unread` and the settings name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Erasure => "erasure",
            Self::Fines => "fines",
            Self::Verifications => "verifications",
            Self::PastOwners => "past-owners",
        }
    }
}

/// What could not be read, each part once. The reasons begin as the host knows them from lists: asking again soon would
/// not help.
#[derive(Debug, Default)]
pub struct Gaps(BTreeMap<Source, String>);

impl Gaps {
    /// The operator does not want it asked for.
    pub fn off(&mut self, source: Source) {
        self.note(
            source,
            "off: not asked for by the operator's settings".to_owned(),
        );
    }

    /// The service refused the question.
    pub fn refused(&mut self, source: Source) {
        let name = source.name();
        self.note(
            source,
            format!("misconfigured: the register refuses the question, see the setting {name}"),
        );
    }

    /// The service left it out.
    pub fn not_given(&mut self, source: Source) {
        let name = source.name();
        self.note(
            source,
            format!("misconfigured: not in the register's answer, see the setting {name}"),
        );
    }

    /// It is there and has none of the assumed columns.
    pub fn no_column(&mut self, source: Source) {
        let name = source.name();
        self.note(
            source,
            format!("misconfigured: its columns have other names, see the setting {name}"),
        );
    }

    fn note(&mut self, source: Source, why: String) {
        self.0.entry(source).or_insert(why);
    }
}

/// What the register says of a number.
///
/// # Errors
/// [`Failure::Malformed`] for rows of another form, and for rows of others alone: that is not the register's word for
/// a company without a registration.
pub fn read(
    rows: &[Value],
    ico: &str,
    breadth: Breadth,
    settings: &Settings,
    today: &str,
) -> Result<Partner, Failure> {
    let mut gaps = Gaps::default();
    let mut registrations = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let file = Entry::of(row, format!("value/{at}"))?;
        let registration = registration::read(&file, ico, breadth, settings, today, &mut gaps)?;
        registrations.extend(registration);
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
    } else if currents.contains(&None) {
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
    /// Names the owners that have ended as unread, and why.
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
    /// None in fact: texts, numbers and lists are always JSON.
    pub fn section(&self, evidence: Vec<Evidence>) -> Result<Section, Failure> {
        unread::section(self, &self.unread, evidence)
    }
}
