//! Complaints, and the parts that the register's description names without columns: verifications, erasure, fines.
//! Their columns are settings. A part that cannot be read is named as unread, and the others stay.

use lustra_sdk::{Failure, date};
use serde::Serialize;

use crate::entry::Entry;
use crate::gaps::{Gaps, Source};
use crate::question::{Breadth, COMPLAINTS};
use crate::settings::Settings;

/// A qualified complaint (kvalifikovaný podnet) against an entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Complaint {
    /// The day on which proceedings began.
    pub started_at: Option<String>,
    pub case_number: Option<String>,
    /// The day on which they ended.
    pub ended_at: Option<String>,
    /// The day on which the decision became final.
    pub final_at: Option<String>,
    /// The register's text of the result.
    pub result: Option<String>,
}

/// A verification of the owners' identity.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Verification {
    /// The day of the verification.
    pub verified_on: Option<String>,
    /// The first day of its validity.
    pub valid_from: Option<String>,
    pub valid_to: Option<String>,
    /// The register's text about it.
    pub statement: Option<String>,
}

/// A fine. The register does not state the amount.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Fine {
    /// The day on which the register recorded it.
    pub recorded_on: Option<String>,
    pub note: Option<String>,
}

/// Whether a registration was erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Erased {
    /// The register was not asked, or its answer could not be read. `unread` names the gap.
    Unknown,
    /// The register says that the registration was not erased.
    No,
    On {
        /// The day of the erasure: `YYYY-MM-DD`.
        day: String,
        /// The register's text of the reason.
        reason: Option<String>,
    },
    /// The registration was erased, but the day could not be read. `unread` names the gap.
    Sometime,
}

/// The complaints, newest first. A row of another shape is left out and named as unread.
///
/// # Errors
/// [`Failure::Malformed`] if there is no list.
pub fn complaints(file: &Entry<'_>, gaps: &mut Gaps) -> Result<Vec<Complaint>, Failure> {
    let rows = file.list(COMPLAINTS)?;
    let mut complaints = gaps.readable(Source::Complaints, rows, |row| {
        Ok(Complaint {
            started_at: row.day("DatumZacatiaKonania")?,
            case_number: row.text("SpisovaZnackaKonania")?,
            ended_at: row.day("DatumSkonceniaKonania")?,
            final_at: row.day("DatumPravoplatnostiRozhodnutia")?,
            result: row.text("SposobRozhodnutiaKP")?,
        })
    })?;
    complaints.sort_by(|a, b| b.cmp(a));
    Ok(complaints)
}

/// The erasure. One of another shape is an erasure on an unknown day.
///
/// # Errors
/// Never.
pub fn erasure(
    file: &Entry<'_>,
    breadth: Breadth,
    settings: &Settings,
    gaps: &mut Gaps,
) -> Result<Erased, Failure> {
    let columns = &settings.erasure;
    let rows = match rows(file, Source::Erasure, &columns.expand, breadth, gaps) {
        Err(failure @ Failure::Malformed(_)) => {
            gaps.odd(Source::Erasure, &failure);
            return Ok(Erased::Sometime);
        }
        rows => rows?,
    };
    let Some(rows) = rows else {
        return Ok(Erased::Unknown);
    };
    let Some(row) = rows.last() else {
        return Ok(Erased::No);
    };
    let Some(day) = assumed_day(row, &columns.erased_on) else {
        gaps.no_column(Source::Erasure);
        return Ok(Erased::Sometime);
    };
    Ok(Erased::On {
        day,
        reason: assumed_text(row, &columns.reason),
    })
}

/// The verifications, newest first. `None` if they could not be read.
///
/// # Errors
/// Never.
pub fn verifications(
    file: &Entry<'_>,
    breadth: Breadth,
    settings: &Settings,
    gaps: &mut Gaps,
) -> Result<Option<Vec<Verification>>, Failure> {
    let columns = &settings.verifications;
    let expand = &columns.expand;
    let Some(rows) = rows_or_gap(file, Source::Verifications, expand, breadth, gaps)? else {
        return Ok(None);
    };
    let mut verifications: Vec<Verification> = rows
        .iter()
        .map(|row| Verification {
            verified_on: assumed_day(row, &columns.verified_on),
            valid_from: assumed_day(row, &columns.valid_from),
            valid_to: assumed_day(row, &columns.valid_to),
            statement: assumed_text(row, &columns.statement),
        })
        .collect();
    let says_nothing = |one: &Verification| {
        one.verified_on.is_none() && one.valid_from.is_none() && one.statement.is_none()
    };
    if verifications.iter().any(says_nothing) {
        gaps.no_column(Source::Verifications);
        return Ok(None);
    }
    verifications.sort_by(|a, b| b.cmp(a));
    Ok(Some(verifications))
}

/// The fines, newest first. `None` if they could not be read.
///
/// # Errors
/// Never.
pub fn fines(
    file: &Entry<'_>,
    breadth: Breadth,
    settings: &Settings,
    gaps: &mut Gaps,
) -> Result<Option<Vec<Fine>>, Failure> {
    let columns = &settings.fines;
    let Some(rows) = rows_or_gap(file, Source::Fines, &columns.expand, breadth, gaps)? else {
        return Ok(None);
    };
    let mut fines: Vec<Fine> = rows
        .iter()
        .map(|row| Fine {
            recorded_on: assumed_day(row, &columns.recorded_on),
            note: assumed_text(row, &columns.note),
        })
        .collect();
    // A fine counts even if nothing else is known of it.
    if fines
        .iter()
        .any(|fine| fine.recorded_on.is_none() && fine.note.is_none())
    {
        gaps.no_column(Source::Fines);
    }
    fines.sort_by(|a, b| b.cmp(a));
    Ok(Some(fines))
}

/// Like [`rows`], but an expansion of another shape is a gap too.
fn rows_or_gap<'a>(
    file: &Entry<'a>,
    source: Source,
    name: &str,
    breadth: Breadth,
    gaps: &mut Gaps,
) -> Result<Option<Vec<Entry<'a>>>, Failure> {
    match rows(file, source, name, breadth, gaps) {
        Err(failure @ Failure::Malformed(_)) => {
            gaps.odd(source, &failure);
            Ok(None)
        }
        rows => rows,
    }
}

/// The objects of an expansion. `None` and a gap if it was not requested or not returned.
fn rows<'a>(
    file: &Entry<'a>,
    source: Source,
    name: &str,
    breadth: Breadth,
    gaps: &mut Gaps,
) -> Result<Option<Vec<Entry<'a>>>, Failure> {
    if name.is_empty() {
        gaps.off(source);
        return Ok(None);
    }
    match breadth {
        Breadth::Confirmed => {
            gaps.refused(source);
            Ok(None)
        }
        Breadth::Wide => {
            let rows = file.one_or_several(name)?;
            if rows.is_none() {
                gaps.not_given(source);
            }
            Ok(rows)
        }
    }
}

/// A day in an assumed column. `None` if the column is missing or holds something else.
fn assumed_day(row: &Entry<'_>, column: &str) -> Option<String> {
    let text = row.text(column).ok().flatten()?;
    date::parse(&text)
}

fn assumed_text(row: &Entry<'_>, column: &str) -> Option<String> {
    row.text(column).ok().flatten()
}
