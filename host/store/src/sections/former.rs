//! What a section was before it was read again, for the comparison of both.

use time::OffsetDateTime;

use crate::ConnectorId;
use crate::db::MaybeMillis;

/// The columns of [`FormerSection`].
pub(super) const COLUMNS: &str = "content, content_hash, unread, unread_sources, connector, connector_version, \
    fetched_at, baseline, baseline_by, baseline_unread";

/// What a section was when it was last read, for the comparison with a new one.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct FormerSection {
    pub content: Option<String>,
    pub content_hash: Option<String>,
    pub unread: bool,
    /// Same format as [`super::Section::unread_sources`].
    pub unread_sources: Option<String>,
    pub connector: ConnectorId,
    pub connector_version: Option<String>,
    /// `None`: every read has failed so far.
    #[sqlx(try_from = "MaybeMillis")]
    pub fetched_at: Option<OffsetDateTime>,
    /// [`Self::complete`] before `content` was stored, if `content` has other sources that could not be read.
    pub baseline: Option<String>,
    /// The [`super::Section::reader`] of `baseline`. `None`: that of the section.
    pub baseline_by: Option<String>,
    /// The [`super::Section::unread_sources`] of `baseline`.
    pub baseline_unread: Option<String>,
}

/// A section's content that a later one is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Baseline<'a> {
    pub content: &'a str,
    /// The [`super::Section::reader`] of the content.
    pub reader: String,
    /// The [`super::Section::unread_sources`] of the content.
    pub unread_sources: Option<&'a str>,
}

impl FormerSection {
    /// The last content whose unread sources, if any, are off or were never imported.
    #[must_use]
    pub fn complete(&self) -> Option<Baseline<'_>> {
        let own = || {
            let version = self.connector_version.as_deref();
            reader(&self.connector, version.unwrap_or_default())
        };
        if let Some(content) = &self.baseline {
            return Some(Baseline {
                content,
                reader: self.baseline_by.clone().unwrap_or_else(own),
                unread_sources: self.baseline_unread.as_deref(),
            });
        }
        Some(Baseline {
            content: self.content.as_deref().filter(|_| !self.unread)?,
            reader: own(),
            unread_sources: self.unread_sources.as_deref(),
        })
    }
}

pub(super) fn reader(connector: &ConnectorId, version: &str) -> String {
    format!("{connector} {version}")
}
