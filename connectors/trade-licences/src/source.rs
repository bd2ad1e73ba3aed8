//! The source register of an RPO record, as far as it matters for trades.

use lustra_rpo_records::record::{Record, current_text};
use lustra_sdk::{Failure, malformed, text};
use serde::Serialize;

/// Codes of CL010112. Among several records of one company with equal rank, the first of these registers wins.
pub const PREFERRED: &[&str] = &[TRADES, COMMERCIAL];
const TRADES: &str = "2";
const COMMERCIAL: &str = "1";

/// A register whose activities are or may be trades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The trade register: every activity is a trade.
    TradeRegister,
    /// The commercial register: trades and other lines of business in one list, without a distinction.
    CommercialRegister,
}

/// Where the activities of a record were entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub source: Source,
    /// The district office or the court.
    pub office: Option<String>,
    /// The number of the entry in that office.
    pub registration_number: Option<String>,
}

/// The entry of a record. `None` if the source register enters no trades.
///
/// # Errors
/// [`Failure::Malformed`] for a record without a source register, because the meaning of its activities is not known.
pub fn entry(record: &Record) -> Result<Option<Entry>, Failure> {
    let source = match record.source_code().map(str::trim) {
        None | Some("") => {
            return Err(malformed(
                format!(
                    "entity of rpo: record {}: /sourceRegister/value/code",
                    record.id
                ),
                "the code of a register",
                "none",
            ));
        }
        Some(TRADES) => Source::TradeRegister,
        Some(COMMERCIAL) => Source::CommercialRegister,
        Some(_) => return Ok(None),
    };
    let register = record.source_register.as_ref();
    let office = register.and_then(|register| current_text(&register.registration_offices));
    let number = register.and_then(|register| current_text(&register.registration_numbers));
    Ok(Some(Entry {
        source,
        office: office.and_then(text::present),
        registration_number: number.and_then(text::present),
    }))
}
