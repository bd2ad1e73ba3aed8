//! The stored form of a permit or confirmation.

use lustra_sdk::Failure;
use lustra_sdk::listed::Term;
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

use crate::segment::Segment;
use crate::settings::Settings;

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

/// Reads a row: the text that distinguishes it from the company's other rows, and the permit.
///
/// # Errors
/// [`Failure::Malformed`] for a row that is not understood.
pub fn read(row: &Row<'_>, settings: &Settings) -> Result<(String, Permit), Failure> {
    let permit = Permit {
        number: row.required("number")?,
        segment: settings.segment_words.segment(row)?,
        activity: row.text("activity"),
        kind: row.text("kind").as_deref().and_then(Kind::of),
        issued_on: row.date("issued_on")?,
        term: Term::read(row, &settings.status_words)?,
    };
    let activity = permit.activity.as_deref().unwrap_or_default();
    Ok((format!("{} {activity}", permit.number), permit))
}
