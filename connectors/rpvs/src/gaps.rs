//! The parts of an answer that could not be read, with the reasons.

use std::collections::BTreeMap;

use lustra_sdk::Failure;
use lustra_sdk::unread::{Gap, Unread};

use crate::entry::Entry;

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

/// The parts that could not be read, without repetitions.
#[derive(Debug, Default)]
pub struct Gaps(BTreeMap<Source, Gap>);

impl Gaps {
    /// The operator switched the part off.
    pub fn off(&mut self, source: Source) {
        self.note(
            source,
            Gap::Off("not asked for by the operator's settings".to_owned()),
        );
    }

    /// The service refused the request.
    pub fn refused(&mut self, source: Source) {
        let name = source.name();
        let why = format!("the register refuses the question, see the setting {name}");
        self.misconfigured(source, why);
    }

    /// The service did not return the part.
    pub fn not_given(&mut self, source: Source) {
        let name = source.name();
        let why = format!("not in the register's answer, see the setting {name}");
        self.misconfigured(source, why);
    }

    /// The part has none of the assumed columns.
    pub fn no_column(&mut self, source: Source) {
        let name = source.name();
        let why = format!("its columns have other names, see the setting {name}");
        self.misconfigured(source, why);
    }

    /// A row of the part has another shape and is left out.
    pub fn odd(&mut self, source: Source, failure: &Failure) {
        self.note(source, Gap::Failed(failure.clone()));
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

    /// The parts as the section names them.
    #[must_use]
    pub fn into_unread(self) -> Vec<Unread> {
        let unread = self.0.into_iter().map(|(source, why)| Unread {
            source: source.name().to_owned(),
            since: None,
            why,
        });
        unread.collect()
    }

    fn misconfigured(&mut self, source: Source, why: String) {
        self.note(source, Gap::Failed(Failure::Misconfigured(why)));
    }

    fn note(&mut self, source: Source, why: Gap) {
        self.0.entry(source).or_insert(why);
    }
}
