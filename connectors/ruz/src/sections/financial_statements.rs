//! The scope `financial_statements`: every statement of the unit.
//!
//! An old company needs more requests than one call may make. So the section takes over earlier statements by their
//! ids, reads the newest ones first, and names the rest as unread. The next call continues.

use std::collections::{BTreeMap, BTreeSet};

use lustra_sdk::runtime::{self, Level};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, ico};
use serde::{Deserialize, Serialize};

use crate::answers::Unit;
use crate::ask::{Asker, Stopped};
use crate::content::stored;
use crate::reading::{self, Found};
use crate::statement::{self, Data, Statement};
use crate::unread::{of_forms, of_register};

/// The fewest requests for a statement: the statement and its report.
const QUESTIONS: u64 = 2;

#[derive(Debug, Default, Serialize)]
struct FinancialStatements {
    latest: Option<Statement>,
    available_years: BTreeSet<i32>,
    statements: Vec<Statement>,
    /// Ids of statements that the unit lists and the register does not return.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    gone: BTreeSet<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// The stored section of an earlier call.
#[derive(Debug, Default, Deserialize)]
struct Previous {
    statements: Vec<Statement>,
    #[serde(default)]
    gone: BTreeSet<u64>,
}

/// The result of reading a unit's statements.
#[derive(Debug, Default)]
struct Reading {
    statements: Vec<Statement>,
    gone: BTreeSet<u64>,
    /// The number of statements beyond the allowance.
    left: u32,
    /// Failures, each with the number of statements that are missing because of it.
    failed: Vec<(u32, Failure)>,
    /// The number of statements read in this call, including erased ones.
    read: u32,
}

/// Builds the section.
///
/// # Errors
/// The register's failure before anything was read.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let mut asker = Asker::new()?;
    let mut section = FinancialStatements::default();
    // An invalid IČO makes no request, because no unit has it.
    if ico::parse(&subject.ico).as_deref() != Some(subject.ico.as_str()) {
        return unread::section(&section, &[], Vec::new());
    }
    match reading::unit(&mut asker, &subject.ico) {
        Ok(Found::Nothing) => {}
        Ok(Found::Hidden) => {
            let hidden = Gap::Truncated(reading::HIDDEN.to_owned());
            section.unread = of_register(&[], Some(hidden));
        }
        Ok(Found::Unit(unit)) => {
            let previous: Previous = stored(subject.previous.as_deref()).unwrap_or_default();
            let reading = read(&mut asker, &unit, previous);
            section = of_reading(&unit, reading)?;
        }
        Err(Stopped::Failed(failure)) => return Err(failure),
        Err(Stopped::Allowance) => return Err(too_little()),
    }
    let unread = section.unread.clone();
    unread::section(&section, &unread, asker.evidence)
}

/// The failure of a call whose allowance does not even suffice for the unit.
#[must_use]
pub fn too_little() -> Failure {
    Failure::Refused(
        "the allowance of one call does not suffice for the accounting unit".to_owned(),
    )
}

fn of_reading(unit: &Unit, reading: Reading) -> Result<FinancialStatements, Failure> {
    let Reading {
        mut statements,
        gone,
        left,
        failed,
        read,
    } = reading;
    if let Some((_, failure)) = failed.first()
        && read == 0
    {
        return Err(failure.clone());
    }
    let mut missing: Vec<String> = failed
        .iter()
        .map(|(count, failure)| match (count, unread::why(failure)) {
            (0, why) => format!("one statement not read again: {why}"),
            (1, why) => format!("one statement not read: {why}"),
            (count, why) => format!("{count} statements not read: {why}"),
        })
        .collect();
    if left > 0 {
        missing.push(format!("{left} older statements not read yet"));
    }
    let outdated = statements
        .iter()
        .filter(|statement| statement.is_outdated());
    match outdated.count() {
        0 => {}
        count => missing.push(format!(
            "{count} statements not read again for all figures yet"
        )),
    }
    let unknown_forms = of_forms(&statements);
    statement::arrange(&mut statements, unit.size.as_deref());
    let latest = statements
        .iter()
        .find(|statement| statement.is_regular())
        .cloned();
    Ok(FinancialStatements {
        latest,
        available_years: statements.iter().map(|statement| statement.year).collect(),
        statements,
        gone,
        unread: of_register(&missing, unknown_forms),
    })
}

/// Statements of the stored section, and erased ones, for use when no further request is allowed.
struct Known {
    statements: BTreeMap<u64, Statement>,
    gone: BTreeSet<u64>,
}

impl Known {
    fn has(&self, id: u64) -> bool {
        self.statements.contains_key(&id) || self.gone.contains(&id)
    }

    fn forget(&mut self, id: u64) {
        self.statements.remove(&id);
        self.gone.remove(&id);
    }

    /// How many of these statements are not known.
    fn lacks(&self, ids: impl Iterator<Item = u64>) -> u32 {
        u32::try_from(ids.filter(|id| !self.has(*id)).count()).unwrap_or(u32::MAX)
    }
}

/// Reads new statements. Then reads again what may have changed: the newest statement (its reports arrive over time),
/// those with unknown forms, those that were gone, and those read by a version that knew fewer figures.
fn read(asker: &mut Asker, unit: &Unit, previous: Previous) -> Reading {
    let named: BTreeSet<u64> = unit.statements.iter().copied().collect();
    let statements = previous.statements.into_iter();
    let mut known = Known {
        statements: statements
            .filter(|statement| named.contains(&statement.statement_id))
            .map(|statement| (statement.statement_id, statement))
            .collect(),
        gone: previous.gone.intersection(&named).copied().collect(),
    };
    let newest = named.last().copied();
    let may_have_changed = |id: &u64| {
        let statement = known.statements.get(id);
        let is_partial =
            |statement: &Statement| statement.data == Data::Unmapped || statement.is_outdated();
        Some(*id) == newest || statement.is_none_or(is_partial)
    };
    let newest_first = named.iter().rev().copied();
    let (old, new): (Vec<u64>, Vec<u64>) = newest_first.partition(|id| known.has(*id));
    let again: Vec<u64> = old.into_iter().filter(may_have_changed).collect();
    let mut reading = Reading::default();
    let mut rest = new.into_iter().chain(again);
    while let Some(id) = rest.next() {
        match one(asker, unit, id) {
            Ok(statement) => {
                known.forget(id);
                reading.read += 1;
                match statement {
                    Some(statement) => reading.statements.push(statement),
                    None => drop(reading.gone.insert(id)),
                }
            }
            Err(Stopped::Allowance) => {
                reading.left = known.lacks(std::iter::once(id).chain(rest));
                break;
            }
            Err(Stopped::Failed(failure)) => {
                let line = format!("statement {id}: {}", unread::why(&failure));
                runtime::log(Level::Warn, &line);
                if reading::is_of_one_object(&failure) {
                    let missing = known.lacks(std::iter::once(id));
                    reading.failed.push((missing, failure));
                } else {
                    let missing = known.lacks(std::iter::once(id).chain(rest));
                    reading.failed.push((missing, failure));
                    break;
                }
            }
        }
    }
    reading.statements.extend(known.statements.into_values());
    reading.gone.extend(known.gone);
    reading
}

fn one(asker: &mut Asker, unit: &Unit, id: u64) -> Result<Option<Statement>, Stopped> {
    if !asker.may_ask(QUESTIONS) {
        return Err(Stopped::Allowance);
    }
    match reading::detail(asker, unit, id)? {
        Some(detail) => reading::statement(asker, &detail),
        None => Ok(None),
    }
}
