//! The stored form of a permit or confirmation.

use lustra_sdk::Failure;
use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

use crate::segment::{Segment, SegmentWords};

/// Whether the regulator granted a permit or confirmed a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A permit (povolenie) that the regulator granted.
    Permit,
    /// A confirmation that the duty to notify was met (potvrdenie o splnení oznamovacej povinnosti).
    Confirmation,
}

impl Kind {
    fn of(text: &str) -> Option<Self> {
        let text = fold(text);
        if text.contains("potvrden") {
            Some(Self::Confirmation)
        } else if text.contains("povolen") {
            Some(Self::Permit)
        } else {
            None
        }
    }
}

/// The stored part of a row. Names are not stored: the section does not show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permit {
    /// The number of the decision.
    pub number: String,
    /// The segment of the permit.
    pub segment: Segment,
    /// The permitted activity, in the list's words.
    pub activity: Option<String>,
    /// `None` if the list does not state it.
    pub kind: Option<Kind>,
    /// The day of issue: `YYYY-MM-DD`.
    pub issued_on: Option<String>,
    /// The validity of the permit.
    #[serde(flatten)]
    pub term: Term,
}

/// Makes the reader of rows with the current settings. It returns a key that distinguishes a row from others of its
/// company, and the permit.
///
/// # Errors
/// [`Failure::Misconfigured`] for settings of another shape.
pub fn reader() -> Result<impl Fn(&Row<'_>) -> Result<(String, Permit), Failure>, Failure> {
    let words = StatusWords::of_settings(StatusWords::default())?;
    let segments = SegmentWords::of_settings()?;
    Ok(move |row: &Row<'_>| {
        let permit = Permit {
            number: row.required("number")?,
            segment: segments.segment(row)?,
            activity: row.text("activity"),
            kind: row.text("kind").as_deref().and_then(Kind::of),
            issued_on: row.date("issued_on")?,
            term: Term::read(row, &words)?,
        };
        let activity = permit.activity.as_deref().unwrap_or_default();
        Ok((format!("{} {activity}", permit.number), permit))
    })
}
