//! From an IČO to its statements: the unit, its statements newest first, their reports.
//!
//! Ids grow with the filings, so the highest ids are the newest statements. The unit lists no dates.

use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Failure, malformed};

use crate::answers::{Access, Detail, Report, Unit, UnitNumber, Visibility};
use crate::ask::{Asker, Stopped};
use crate::content::UPSTREAM;
use crate::figure::Family;
use crate::figures::{self, Figures};
use crate::forms::IFRS;
use crate::statement::{Data, Reported, Statement};

/// The most reports of one statement, so that no statement can use up every call.
const MAX_REPORTS: usize = 12;
/// What is missing of a hidden unit.
pub const HIDDEN: &str = "the register does not show the accounting unit";

/// The result of the search for an IČO's unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// The register says that there is no unit, or has only erased ones.
    Nothing,
    /// The register has units and does not show them.
    Hidden,
    /// The public unit with the most statements.
    Unit(Unit),
}

/// Finds the accounting unit of an IČO.
///
/// # Errors
/// The register's failure. [`Failure::Unavailable`] if it finds a unit that it does not return, and no other.
pub fn unit(asker: &mut Asker, ico: &str) -> Result<Found, Stopped> {
    let mut chosen: Option<Unit> = None;
    let (mut is_hidden, mut missing) = (false, None);
    for id in asker.units(ico)? {
        let Some(unit) = asker.unit(id)? else {
            missing = Some(id);
            continue;
        };
        match &unit.number {
            Some(UnitNumber::Company(own)) if own == ico => {}
            // A part files statements of its own, which are not the company's.
            Some(UnitNumber::PartOf(company)) if company == ico => {
                let line = format!("unit {id} is a part of the company; it is left out");
                runtime::log(Level::Info, &line);
                continue;
            }
            // Only a public unit always has its number.
            None if unit.visibility != Visibility::Public => {}
            Some(UnitNumber::Company(_) | UnitNumber::PartOf(_)) | None => {
                let what = format!("unit {id}: /ico");
                let expected = "the IČO that was asked for";
                return Err(malformed(what, expected, "another one").into());
            }
        }
        match unit.visibility {
            Visibility::Deleted => continue,
            Visibility::NotPublic => is_hidden = true,
            Visibility::Public => {
                let most = chosen.as_ref().map(|unit| unit.statements.len());
                if most.is_none_or(|most| unit.statements.len() >= most) {
                    chosen = Some(unit);
                }
            }
        }
    }
    match (chosen, missing) {
        (Some(unit), _) => Ok(Found::Unit(unit)),
        (None, _) if is_hidden => Ok(Found::Hidden),
        // The search names a unit that may be the company's, so the register has not said that there is none.
        (None, Some(id)) => {
            let why = format!("{UPSTREAM} finds the unit {id} but does not return it");
            Err(Failure::Unavailable(why).into())
        }
        (None, None) => Ok(Found::Nothing),
    }
}

/// A statement without its figures. `None` if the register has erased it.
///
/// # Errors
/// The register's failure.
pub fn detail(asker: &mut Asker, unit: &Unit, id: u64) -> Result<Option<Detail>, Stopped> {
    let Some(detail) = asker.statement(id)? else {
        return Ok(None);
    };
    if detail.unit.is_some_and(|of| of != unit.id) {
        let what = format!("statement {id}: /idUJ");
        return Err(malformed(what, "the unit that names it", "another").into());
    }
    Ok(Some(detail).filter(|detail| detail.visibility != Visibility::Deleted))
}

/// A statement with its figures. `None` if its period is not known, as for one that the register does not show.
///
/// # Errors
/// The register's failure.
pub fn statement(asker: &mut Asker, detail: &Detail) -> Result<Option<Statement>, Stopped> {
    let reported = match detail.visibility {
        Visibility::NotPublic | Visibility::Deleted => Reported {
            data: Data::NotPublic,
            ..without_reports()
        },
        Visibility::Public => reports(asker, detail)?,
    };
    Ok(Statement::of(detail, &reported))
}

/// The data of a statement before its reports are read.
#[must_use]
pub fn without_reports() -> Reported {
    Reported {
        data: Data::None,
        figures: Figures::default(),
        form: None,
        family: None,
        is_mapped: true,
        currency: None,
        url: None,
    }
}

/// Reads the reports of a statement until both the balance sheet and the profit and loss account are known.
fn reports(asker: &mut Asker, detail: &Detail) -> Result<Reported, Stopped> {
    let mut all = without_reports();
    if detail.reports.len() > MAX_REPORTS {
        let line = format!(
            "statement {} has {} reports",
            detail.id,
            detail.reports.len()
        );
        runtime::log(Level::Warn, &line);
    }
    for id in detail.reports.iter().take(MAX_REPORTS) {
        let Some(report) = asker.report(*id)? else {
            continue;
        };
        if report.statement.is_some_and(|of| of != detail.id) {
            let what = format!("report {id}: /idUctovnejZavierky");
            return Err(malformed(what, "the statement that names it", "another").into());
        }
        let data = add(asker, &report, &mut all)?;
        let is_better = rank(data) > rank(all.data);
        if is_better {
            all.data = data;
            all.url = url(&asker.settings.site, &report, data);
        }
        if all.figures.is_whole(all.family) {
            break;
        }
    }
    Ok(all)
}

/// Adds a report to the data of its statement. Returns what the report contains.
fn add(asker: &mut Asker, report: &Report, all: &mut Reported) -> Result<Data, Stopped> {
    match report.visibility {
        Visibility::Deleted => return Ok(Data::None),
        Visibility::NotPublic => return Ok(Data::NotPublic),
        Visibility::Public => {}
    }
    let Some(template) = report.template.filter(|_| !report.tables.is_empty()) else {
        let is_ifrs = report
            .template
            .is_some_and(|template| IFRS.contains(&template));
        if is_ifrs && all.form.is_none() {
            all.form = Some("IFRS účtovná závierka".to_owned());
            all.family = Some(Family::Ifrs);
        }
        return Ok(match report.access {
            Access::NotPublic => Data::NotPublic,
            // Forms with tables may also be filed without them. Without a file, such a report is empty.
            Access::Public if report.attachments.is_empty() && !is_ifrs => Data::None,
            Access::Public => Data::PdfOnly,
        });
    };
    let form = asker.form(template)?;
    let filled = figures::read(report, &form)?;
    if rank(all.data) < rank(Data::Unmapped) {
        // The form with figures takes precedence over the form of a file.
        all.form = Some(form.name.clone());
        all.family = form.family;
        all.currency.clone_from(&report.currency);
    }
    all.is_mapped &= form.family.is_some();
    all.figures.add(filled.figures);
    Ok(if filled.is_blank {
        Data::Blank
    } else if form.is_mapped() {
        if form.family.is_none() {
            log_unmapped(template, &form.name);
        }
        Data::Table
    } else {
        log_unmapped(template, &form.name);
        Data::Unmapped
    })
}

fn log_unmapped(template: u64, name: &str) {
    let line = format!("the lines of template {template} ({name}) are not known");
    runtime::log(Level::Warn, &line);
}

/// How much a report contains. The report with the most decides for its statement.
fn rank(data: Data) -> u8 {
    match data {
        Data::None => 0,
        Data::PdfOnly => 1,
        // A file beside a hidden report, such as an auditor's report, contains no figures.
        Data::NotPublic => 2,
        Data::Unmapped => 3,
        Data::Blank => 4,
        Data::Table => 5,
    }
}

/// The address of a report for people: its file if it is one, else the register's own print.
fn url(site: &str, report: &Report, data: Data) -> Option<String> {
    let pages = format!("{site}/domain/financialreport");
    match data {
        Data::Table | Data::Blank | Data::Unmapped => Some(format!("{pages}/pdf/{}", report.id)),
        Data::PdfOnly => {
            let file = report.attachments.first()?;
            Some(format!("{pages}/attachment/{file}"))
        }
        Data::NotPublic | Data::None => None,
    }
}

/// Whether a failure concerns only the requested object, so that other requests still make sense.
#[must_use]
pub fn is_of_one_object(failure: &Failure) -> bool {
    match failure {
        Failure::Malformed(_) => true,
        Failure::Unavailable(_)
        | Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => false,
    }
}
