//! One stored part of a company, its freshness decision, and its form in the profile.

use std::sync::Arc;
use std::time::Duration;

use time::OffsetDateTime;

use crate::companies::assemble::{DetailsPart, Origin, PartState, Placement, SectionPart};
use crate::companies::freshness::{self, Freshness};
use crate::companies::reasons::reason_code;
use crate::connectors::Loaded;
use crate::store::{ScopeName, StoredDetails, StoredSection};

pub(super) struct KnownDetails {
    pub(super) loaded: Arc<Loaded>,
    pub(super) max_age: Duration,
    pub(super) stored: Option<StoredDetails>,
    pub(super) applies: bool,
    pub(super) due: Freshness,
}

pub(super) struct KnownSection {
    pub(super) loaded: Arc<Loaded>,
    pub(super) scope: ScopeName,
    pub(super) placement: Placement,
    pub(super) max_age: Duration,
    pub(super) stored: Option<StoredSection>,
    pub(super) as_of: Option<OffsetDateTime>,
    pub(super) applies: bool,
    pub(super) due: Freshness,
}

impl KnownDetails {
    /// Whether the register knows the company or has not been read yet.
    pub(super) fn may_know(&self) -> bool {
        let stored = self.stored.as_ref();
        let has_none =
            stored.is_some_and(|stored| stored.fetched_at.is_some() && stored.content.is_none());
        self.applies && !has_none
    }

    pub(super) fn part(&self) -> DetailsPart<'_> {
        let stored = self.stored.as_ref();
        let fetched_at = stored.and_then(|stored| stored.fetched_at);
        let failure = stored.and_then(|stored| Some(stored.failure.as_ref()?.kind));
        let state = match (self.applies, fetched_at, self.due.is_stale()) {
            (false, None, _) => PartState::NotApplicable,
            (true, None, _) => PartState::Unread,
            (_, Some(_), true) => PartState::Stale,
            (_, Some(_), false) => PartState::Fresh,
        };
        DetailsPart {
            connector: self.loaded.manifest.id.clone(),
            content: stored.and_then(|stored| stored.content.as_deref()),
            fetched_at,
            origin: Origin {
                register: self.loaded.manifest.register.clone(),
                connector: self.loaded.manifest.id.clone(),
                version: stored.and_then(|stored| stored.connector_version.clone()),
                as_of: fetched_at.map(crate::clock::rfc3339),
                state,
                reason: (state == PartState::Unread).then(|| reason_code(failure)),
                unread: None,
            },
        }
    }
}

impl KnownSection {
    /// When the section is too old: its lists, or what was made of them.
    pub(super) fn fresh_until(&self) -> Option<OffsetDateTime> {
        let made_at = self.stored.as_ref()?.fetched_at?;
        Some(freshness::later(self.as_of?.min(made_at), self.max_age))
    }

    /// When the section is made again at the latest, if nothing is imported.
    pub(super) fn made_again_at(&self) -> Option<OffsetDateTime> {
        if self.due != Freshness::AwaitsImport {
            return self.fresh_until();
        }
        let made_at = self.stored.as_ref()?.fetched_at?;
        Some(freshness::later(
            made_at,
            freshness::UNCHANGED_LISTS_REBUILD_INTERVAL,
        ))
    }

    pub(super) fn part(&self) -> SectionPart<'_> {
        let stored = self.stored.as_ref();
        let content = stored
            .and_then(|stored| stored.content.as_deref())
            .filter(|_| self.applies);
        let unread = stored
            .filter(|_| content.is_some())
            .and_then(|stored| stored.unread_sources.as_deref())
            .and_then(|named| serde_json::from_str(named).ok());
        let failure = stored.and_then(|stored| Some(stored.failure.as_ref()?.kind));
        let state = match (self.applies, content.is_some(), self.due.is_stale()) {
            (false, _, _) => PartState::NotApplicable,
            (true, false, _) => PartState::Unread,
            (true, true, true) => PartState::Stale,
            (true, true, false) => PartState::Fresh,
        };
        SectionPart {
            scope: self.scope.clone(),
            placement: self.placement.clone(),
            content,
            as_of: self.as_of,
            origin: Origin {
                register: self.loaded.manifest.register.clone(),
                connector: self.loaded.manifest.id.clone(),
                version: stored.and_then(|stored| stored.connector_version.clone()),
                as_of: self.as_of.map(crate::clock::rfc3339),
                state,
                reason: (state == PartState::Unread).then(|| reason_code(failure)),
                unread,
            },
        }
    }
}
