//! The scope `financials`: the key figures of the newest regular statement that has any.
//!
//! The unit lists its statements without dates. So the newest ones by id are read, and the one with the latest period
//! wins. If it has no tables (a file, blank tables), one of the two statements before it takes its place.

use lustra_sdk::runtime::{self, Level};
use lustra_sdk::unread::{self, Gap, Unread};
use lustra_sdk::{Failure, Section, Subject, ico};
use serde::Serialize;

use super::financial_statements::too_little;
use crate::answers::{Detail, Unit};
use crate::as_number;
use crate::ask::{Asker, Stopped};
use crate::figure::Named;
use crate::reading::{self, Found};
use crate::sizes;
use crate::statement::{self, Data, RevenueBasis, Statement};
use crate::unread::{of_forms, of_register};

/// How many of the newest statements are examined. Corrections and consolidated statements may lie between.
const LOOKED_AT: usize = 6;
/// How many statements are read until one has figures.
const MAX_READ: usize = 3;
/// How many requests must be left to read the chosen statement.
const QUESTIONS: u64 = 5;

#[derive(Debug, Default, Serialize)]
struct Financials {
    year: Option<i32>,
    /// The same as `year`, under the name that newer clients read.
    latest_year: Option<i32>,
    revenue: Option<String>,
    profit: Option<String>,
    assets: Option<String>,
    /// The same as `assets`.
    #[serde(with = "as_number")]
    total_assets: Option<String>,
    #[serde(with = "as_number")]
    total_equity: Option<String>,
    #[serde(with = "as_number")]
    total_liabilities: Option<String>,
    /// The same as `profit`.
    #[serde(with = "as_number")]
    net_profit: Option<String>,
    #[serde(flatten)]
    named: Named,
    employees_count: Option<u32>,
    /// The same as `employees_count`, under the name that newer clients read.
    employees: Option<u32>,
    employees_band: Option<&'static str>,
    currency: Option<String>,
    revenue_basis: Option<RevenueBasis>,
    data: Option<Data>,
    statement_id: Option<u64>,
    period_from: Option<String>,
    period_to: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// Builds the section.
///
/// # Errors
/// The register's failure before anything was read.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let mut asker = Asker::new()?;
    let mut section = Financials::default();
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
        Ok(Found::Unit(unit)) => section = of_unit(&mut asker, &unit)?,
        Err(Stopped::Failed(failure)) => return Err(failure),
        Err(Stopped::Allowance) => return Err(too_little()),
    }
    let unread = section.unread.clone();
    unread::section(&section, &unread, asker.evidence)
}

fn of_unit(asker: &mut Asker, unit: &Unit) -> Result<Financials, Failure> {
    let mut missing = Vec::new();
    let candidates = candidates(asker, unit, &mut missing)?;
    let (mut chosen, mut read) = (None::<Statement>, Vec::new());
    let mut failed: Option<Failure> = None;
    for detail in candidates.into_iter().take(MAX_READ) {
        match reading::statement(asker, &detail) {
            Ok(statement) => {
                let has_figures = matches!(&statement, Some(read) if read.data == Data::Table);
                read.extend(statement.clone());
                if has_figures {
                    chosen = statement;
                    break;
                }
                chosen = chosen.or(statement);
            }
            Err(stopped) => failed = failed.or(note(detail.id, stopped, &mut missing)?),
        }
    }
    if let Some(failure) = failed.filter(|_| chosen.is_none()) {
        return Err(failure);
    }
    let size = unit.size.as_deref();
    let known = size.and_then(sizes::of_code);
    if known.is_none()
        && let Some(code) = size
    {
        let line = format!("the class of employees {code} is not known");
        runtime::log(Level::Warn, &line);
    }
    let unknown_forms = of_forms(&read);
    let employees = known.and_then(|size| size.fewest);
    let mut section = Financials {
        employees_count: employees,
        employees,
        employees_band: known.and_then(|size| size.band),
        unread: of_register(&missing, unknown_forms),
        ..Financials::default()
    };
    if let Some(statement) = chosen {
        section.year = Some(statement.year);
        section.latest_year = Some(statement.year);
        section.revenue = statement.total_revenue;
        section.profit.clone_from(&statement.net_profit);
        section.assets.clone_from(&statement.total_assets);
        section.total_assets = statement.total_assets;
        section.total_equity = statement.total_equity;
        section.total_liabilities = statement.total_liabilities;
        section.net_profit = statement.net_profit;
        section.named = statement.named;
        section.currency = statement.currency;
        section.revenue_basis = statement.revenue_basis;
        section.data = Some(statement.data);
        section.statement_id = Some(statement.statement_id);
        section.period_from = statement.period_from;
        section.period_to = Some(statement.period_to);
    }
    Ok(section)
}

/// The unit's regular statements among the newest, newest period first, without those that a later one replaced.
fn candidates(
    asker: &mut Asker,
    unit: &Unit,
    missing: &mut Vec<String>,
) -> Result<Vec<Detail>, Failure> {
    let mut ids = unit.statements.clone();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    let mut found: Vec<(Statement, Detail)> = Vec::new();
    let mut failed: Option<Failure> = None;
    let mut looked_at = 0;
    for id in ids {
        if looked_at >= LOOKED_AT && !found.is_empty() {
            break;
        }
        if !asker.may_ask(QUESTIONS) {
            missing.push("no regular statement among the newest, older ones not read".to_owned());
            break;
        }
        match reading::detail(asker, unit, id) {
            Ok(Some(detail)) => {
                looked_at += 1;
                let outline = Statement::of(&detail, &reading::without_reports());
                if let Some(outline) = outline.filter(Statement::is_regular) {
                    found.push((outline, detail));
                }
            }
            Ok(None) => {}
            Err(stopped) => {
                failed = failed.or(note(id, stopped, missing)?);
            }
        }
    }
    if found.is_empty()
        && looked_at == 0
        && let Some(failure) = failed
    {
        return Err(failure);
    }
    let mut outlines: Vec<Statement> = found.iter().map(|(outline, _)| outline.clone()).collect();
    statement::arrange(&mut outlines, None);
    let current = outlines.iter().filter(|outline| !outline.corrected);
    let detail = |outline: &Statement| {
        let mut details = found.iter().map(|(_, detail)| detail);
        details
            .find(|detail| detail.id == outline.statement_id)
            .cloned()
    };
    Ok(current.filter_map(detail).collect())
}

/// Records why a statement is not read. A failure that concerns the whole register ends the call.
fn note(id: u64, stopped: Stopped, missing: &mut Vec<String>) -> Result<Option<Failure>, Failure> {
    match stopped {
        Stopped::Allowance => {
            missing.push(format!("statement {id} not read yet"));
            Ok(None)
        }
        Stopped::Failed(failure) if reading::is_of_one_object(&failure) => {
            missing.push(format!("statement {id}: {}", unread::why(&failure)));
            Ok(Some(failure))
        }
        Stopped::Failed(failure) => Err(failure),
    }
}
