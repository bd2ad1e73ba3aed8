//! A permit or confirmation as it is kept.

use lustra_sdk::Failure;
use lustra_sdk::listed::{StatusWords, Term};
use lustra_sdk::sheet::Row;
use lustra_sdk::text::fold;
use serde::{Deserialize, Serialize};

use crate::segment::{Segment, SegmentWords};

/// Whether something was granted or only confirmed.
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

/// What a row says. Names are left in the list: the section does not show them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permit {
    /// The number of the decision.
    pub number: String,
    /// What it is about.
    pub segment: Segment,
    /// What may be done, in the list's words.
    pub activity: Option<String>,
    /// None where the list does not say.
    pub kind: Option<Kind>,
    /// When it was issued: `YYYY-MM-DD`.
    pub issued_on: Option<String>,
    /// How long it is in force.
    #[serde(flatten)]
    pub term: Term,
}

/// Reads rows with the settings that hold: what tells a row from others of its company, and the permit.
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
