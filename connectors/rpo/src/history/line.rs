//! Reads a record and its history from one line of a dump, in one pass.
//!
//! Nearly every line has the usual form. Any other one is read in two passes, which tolerate more.

use lustra_sdk::Failure;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::History;
use super::published::{
    ActivityRow, DepositRow, EquityRow, PersonRow, RelativeRow, SeatRow, ShareRow, StateRow,
    TextRow, UnitRow, UsualArrays,
};
use crate::dump;
use crate::record::{Code, Place, Record, SourceRegister, StatisticalCodes, Timed};

/// A record whose history is read once its end is known.
pub struct Line<'a> {
    pub record: Record,
    json: &'a str,
    /// The rows of a line in the usual form.
    arrays: Option<UsualArrays<'a>>,
}

impl<'a> Line<'a> {
    /// Reads the JSON text of a record.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if it is not one record.
    pub fn read(json: &'a str) -> Result<Self, Failure> {
        if let Some((record, arrays)) = usual(json) {
            return Ok(Self {
                record,
                json,
                arrays: Some(arrays),
            });
        }
        Ok(Self {
            record: dump::record_of_line(json)?,
            json,
            arrays: None,
        })
    }

    /// The history. `ended` is the day of the company's end.
    #[must_use]
    pub fn history(self, ended: Option<&str>) -> History {
        match self.arrays {
            Some(arrays) => History::of(arrays, ended, 0),
            None => History::read(self.json, ended).unwrap_or_else(|_| History::unreadable()),
        }
    }
}

/// A line in the usual form. Arrays that both the record and the history have are read for each of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usual<'a> {
    id: u64,
    identifiers: Option<Vec<Timed<String>>>,
    establishment: Option<String>,
    termination: Option<String>,
    source_register: Option<SourceRegister>,
    statistical_codes: Option<StatisticalCodes>,
    #[serde(borrow)]
    full_names: Option<&'a RawValue>,
    #[serde(borrow)]
    addresses: Option<&'a RawValue>,
    #[serde(borrow)]
    legal_forms: Option<&'a RawValue>,
    #[serde(borrow)]
    legal_statuses: Option<&'a RawValue>,
    #[serde(borrow)]
    activities: Option<Vec<ActivityRow<'a>>>,
    #[serde(borrow)]
    statutory_bodies: Option<Vec<PersonRow<'a>>>,
    #[serde(borrow)]
    stakeholders: Option<Vec<PersonRow<'a>>>,
    #[serde(borrow)]
    authorizations: Option<Vec<TextRow<'a>>>,
    #[serde(borrow)]
    deposits: Option<Vec<DepositRow<'a>>>,
    #[serde(borrow)]
    equities: Option<Vec<EquityRow<'a>>>,
    #[serde(borrow)]
    shares: Option<Vec<ShareRow<'a>>>,
    #[serde(borrow)]
    predecessors: Option<Vec<RelativeRow<'a>>>,
    #[serde(borrow)]
    successors: Option<Vec<RelativeRow<'a>>>,
    #[serde(borrow)]
    other_legal_facts: Option<Vec<TextRow<'a>>>,
    #[serde(borrow)]
    organization_units: Option<Vec<UnitRow<'a>>>,
}

fn usual(json: &str) -> Option<(Record, UsualArrays<'_>)> {
    let line: Usual<'_> = serde_json::from_str(json).ok()?;
    let record = Record {
        id: line.id,
        identifiers: line.identifiers.unwrap_or_default(),
        full_names: of_record::<Timed<String>>(line.full_names)?,
        addresses: of_record::<Place>(line.addresses)?,
        legal_forms: of_record::<Timed<Code>>(line.legal_forms)?,
        legal_statuses: of_record::<Timed<Code>>(line.legal_statuses)?,
        establishment: line.establishment,
        termination: line.termination,
        source_register: line.source_register,
        statistical_codes: line.statistical_codes,
    };
    let arrays = UsualArrays {
        full_names: of_history::<TextRow<'_>>(line.full_names)?,
        addresses: of_history::<SeatRow<'_>>(line.addresses)?,
        legal_forms: of_history::<StateRow<'_>>(line.legal_forms)?,
        legal_statuses: of_history::<StateRow<'_>>(line.legal_statuses)?,
        activities: line.activities,
        statutory_bodies: line.statutory_bodies,
        stakeholders: line.stakeholders,
        authorizations: line.authorizations,
        deposits: line.deposits,
        equities: line.equities,
        shares: line.shares,
        predecessors: line.predecessors,
        successors: line.successors,
        other_legal_facts: line.other_legal_facts,
        organization_units: line.organization_units,
    };
    Some((record, arrays))
}

/// Reads an array as the record has it. `None` if it has another form.
fn of_record<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<Vec<T>> {
    Some(of_history(raw)?.unwrap_or_default())
}

/// Reads an array as the history has it. `None` if it has another form.
fn of_history<'a, T: Deserialize<'a>>(raw: Option<&'a RawValue>) -> Option<Option<Vec<T>>> {
    match raw {
        None => Some(None),
        Some(raw) => serde_json::from_str(raw.get()).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares one pass with two.
    fn assert_same(json: &str, is_usual: bool) {
        let line = Line::read(json).expect("a record");
        assert_eq!(line.arrays.is_some(), is_usual, "{json}");
        let record = dump::record_of_line(json).expect("a record");
        assert_eq!(format!("{:?}", line.record), format!("{record:?}"));
        let history = History::read(json, Some("2024-02-02")).expect("an object");
        assert_eq!(line.history(Some("2024-02-02")), history);
    }

    #[test]
    fn one_pass_reads_the_same_as_two() {
        assert_same(r#"{"id":1}"#, true);
        assert_same(
            r#"{"id":7,"identifiers":[{"value":"36421928","validFrom":"2010-01-01"}],
                "fullNames":[{"value":"Vzor, s. r. o.","validFrom":"2010-01-01"}],
                "addresses":[{"street":"Nová","regNumber":12,"buildingNumber":"3","postalCodes":["99901"],
                    "municipality":{"value":"Vzorovo"},"country":{"code":"703"},"validFrom":"2010-01-01"}],
                "legalForms":[{"value":{"code":"112","value":"s. r. o."},"validFrom":"2010-01-01"}],
                "legalStatuses":null,"termination":"2024-02-02",
                "activities":[{"economicActivityDescription":"Kúpa tovaru","validFrom":"2010-01-01"}],
                "statutoryBodies":[{"stakeholderType":{"code":"3"},"personName":{"formatedName":"Ján Vzorný"}}],
                "deposits":[{"fullName":"Example Ltd.","amount":5000,"currency":{"code":"EUR"}}]}"#,
            true,
        );
        // Arrays that only the tolerant form reads.
        assert_same(
            r#"{"id":1,"activities":[7,{"validFrom":"2010-01-01"}]}"#,
            false,
        );
        assert_same(r#"{"id":1,"deposits":{"amount":1}}"#, false);
    }

    #[test]
    fn line_that_is_no_record_fails() {
        for bad in [
            "",
            "{}",
            "[]",
            r#"{"id":"x"}"#,
            r#"{"id":1,"fullNames":[{"value":7}]}"#,
        ] {
            assert!(Line::read(bad).is_err(), "{bad}");
        }
    }
}
