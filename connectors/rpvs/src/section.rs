//! The scope `rpvs`: whether the company is a public sector partner, its registrations, and what could not be read.

use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Evidence, Failure, Section, malformed};
use serde::Serialize;
use serde_json::Value;

use crate::entry::Entry;
use crate::gaps::{Gaps, Source};
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
    Ok(Partner {
        is_public_sector_partner,
        registrations,
        unread: gaps.into_unread(),
    })
}

impl Partner {
    /// Names ended owners as unread, with the reason.
    pub fn without_past_owners(&mut self, failure: &Failure) {
        self.unread.push(Unread {
            source: Source::PastOwners.name().to_owned(),
            since: None,
            why: Gap::Failed(failure.clone()),
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
