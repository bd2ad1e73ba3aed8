//! The status of a record: whether the company exists today, and when it ended.

use lustra_sdk::{CompanyStatus, Failure, date, malformed};

use crate::record::{Code, Dated, Record, Timed, current};

/// The code of erasure as an error in CL010108.
const ERASED_AS_ERROR: &str = "19";
/// Placeholders of the registers for no date.
const SENTINEL_YEARS: [&str; 3] = ["1800-", "0001-", "0000-"];

/// Whether the company exists today, and the legal statuses that show it.
#[derive(Debug)]
pub struct Life<'a> {
    /// The status that follows from the record.
    pub status: CompanyStatus,
    /// The day of the end, `YYYY-MM-DD`.
    pub ended_on: Option<String>,
    /// The open statuses. For an ended company without open ones, those that were closed last.
    pub statuses: Vec<&'a str>,
}

impl<'a> Life<'a> {
    /// Finds out whether the company of a record exists.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the end of the company has an unknown form, because its status is then not known.
    pub fn of(record: &'a Record) -> Result<Self, Failure> {
        let place = format!("record {}: /termination", record.id);
        let termination = day(record.termination.as_deref(), &place)?;
        let closed = record.is_all_closed();
        let ended = termination.is_some() || closed;
        let mut statuses = codes(&record.legal_statuses, None);
        if statuses.is_empty() && ended {
            statuses = codes(
                &record.legal_statuses,
                current(&record.legal_statuses).and_then(Dated::valid_to),
            );
        }
        let status = if statuses.contains(&ERASED_AS_ERROR) {
            CompanyStatus::Deleted
        } else if ended {
            CompanyStatus::Terminated
        } else {
            CompanyStatus::Active
        };
        let closed_on = || {
            record
                .ico()
                .filter(|_| closed)
                .and_then(|(_, item)| item.valid_to().and_then(date::parse))
        };
        Ok(Self {
            status,
            ended_on: termination.or_else(closed_on),
            statuses,
        })
    }
}

/// A day, `YYYY-MM-DD`. `None` if it is absent, and for the registers' placeholders. Failures name it as `place`.
///
/// # Errors
/// [`Failure::Malformed`] for a text that is not a date: it must not count as none.
pub fn day(raw: Option<&str>, place: &str) -> Result<Option<String>, Failure> {
    let Some(raw) = raw.map(str::trim).filter(|raw| !raw.is_empty()) else {
        return Ok(None);
    };
    match date::parse(raw) {
        Some(day) => Ok(Some(day)),
        None if SENTINEL_YEARS.iter().any(|year| raw.starts_with(year)) => Ok(None),
        None => Err(malformed(place, "a date", raw)),
    }
}

/// The codes of the items with this end, in numeric order.
fn codes<'a>(items: &'a [Timed<Code>], valid_to: Option<&str>) -> Vec<&'a str> {
    let mut codes: Vec<&str> = items
        .iter()
        .filter(|item| item.valid_to() == valid_to)
        .filter_map(|item| item.value.as_ref()?.code.as_deref())
        .collect();
    codes.sort_unstable_by_key(|code| (code.len(), *code));
    codes.dedup();
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_is_no_day_and_other_text_is_refused() {
        for none in [
            None,
            Some(" "),
            Some("1800-01-01"),
            Some("0001-01-01T00:00"),
        ] {
            assert_eq!(day(none, "x").ok(), Some(None), "{none:?}");
        }
        assert_eq!(
            day(Some("2020-02-03"), "x").ok().flatten().as_deref(),
            Some("2020-02-03")
        );
        assert!(day(Some("soon"), "x").is_err());
    }
}
