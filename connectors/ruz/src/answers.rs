//! Reads the register's answers: lists of ids, units, statements, reports and templates. It makes no requests.

mod members;

use lustra_sdk::{Failure, ico, text};

use crate::content::Object;
use members::{ALWAYS, ATTACHMENT, LIST, REPORT, STATEMENT, UNIT};

/// The state of an object in the register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Public,
    /// Erased. The register publishes little else.
    Deleted,
    /// The register has the object and does not show it.
    NotPublic,
}

/// A page of a list of ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ids {
    pub ids: Vec<u64>,
    pub has_more: bool,
}

/// The number of an accounting unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitNumber {
    /// The company's own number: an IČO, 8 digits.
    Company(String),
    /// The number of a part of the company with this IČO: the IČO and 4 more digits.
    PartOf(String),
}

impl UnitNumber {
    fn parse(raw: &str) -> Option<Self> {
        if let Some(ico) = ico::parse(raw) {
            return Some(Self::Company(ico));
        }
        let digits = text::squeeze(raw).replace(' ', "");
        let is_number = digits.len() == 12 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let company = digits.get(..8).filter(|_| is_number)?;
        ico::parse(company).map(Self::PartOf)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The register's id of the unit.
    pub id: u64,
    /// The unit's state in the register.
    pub visibility: Visibility,
    /// The number. `None` if the register has erased or hides the unit.
    pub number: Option<UnitNumber>,
    /// The code of its size class, by employees.
    pub size: Option<String>,
    /// Ids of its statements, unsorted.
    pub statements: Vec<u64>,
}

/// A statement without its figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The register's id of the statement.
    pub id: u64,
    /// The statement's state in the register.
    pub visibility: Visibility,
    pub unit: Option<u64>,
    /// The first month: year and month.
    pub from: Option<(i32, u32)>,
    /// The last month: year and month.
    pub to: Option<(i32, u32)>,
    /// The day of filing.
    pub submitted: Option<String>,
    /// `riadna`, `mimoriadna`, `priebežná`, `kombinovaná`, or another of the register's words in lower case.
    pub kind: Option<String>,
    /// Whether it covers a group of units.
    pub consolidated: bool,
    /// The fund that the statement covers, if the unit manages one.
    pub fund: Option<String>,
    pub reports: Vec<u64>,
}

/// Who may see a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// The report is public, or at least its attachments are.
    Public,
    NotPublic,
}

/// A table of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: Option<String>,
    /// Its cells, row by row.
    pub cells: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The register's id of the report.
    pub id: u64,
    /// The report's state in the register.
    pub visibility: Visibility,
    /// The id of its statement.
    pub statement: Option<u64>,
    /// The id of its form's template.
    pub template: Option<u64>,
    /// The currency as published.
    pub currency: Option<String>,
    /// Who may see it.
    pub access: Access,
    pub attachments: Vec<u64>,
    /// Its tables. Empty if the report is only a file.
    pub tables: Vec<Table>,
}

/// Reads a page of a list of ids. If no ids match, the register omits the list and returns only the number of remaining
/// ids.
///
/// # Errors
/// [`Failure::Malformed`] for an answer with neither; [`Failure::Unavailable`] for HTML.
pub fn read_ids(what: &str, answer: &str) -> Result<Ids, Failure> {
    let list = Object::read(what, answer, &LIST)?;
    let says_rest = list.has("existujeDalsieId") || list.has("pocetZostavajucichId");
    list.may_lack("id")?;
    if !list.has("id") && !says_rest {
        return Err(list.wrong("id", "a list of whole numbers, or how many remain"));
    }
    let remaining = list.number("pocetZostavajucichId")?.unwrap_or(0);
    let has_more = list.flag("existujeDalsieId")? || remaining > 0;
    if has_more && !list.has("id") {
        return Err(list.wrong("id", "a list of whole numbers, as others remain"));
    }
    Ok(Ids {
        ids: list.numbers("id")?,
        has_more,
    })
}

/// Reads an accounting unit.
///
/// # Errors
/// [`Failure::Malformed`] with the name of the unexpected member; [`Failure::Unavailable`] for HTML.
pub fn read_unit(id: u64, answer: &str) -> Result<Unit, Failure> {
    let unit = object(&format!("unit {id}"), answer, &UNIT, id)?;
    let visibility = visibility(&unit)?;
    let ico = unit.text("ico")?;
    let number = ico.as_deref().and_then(UnitNumber::parse);
    if number.is_none() && (visibility == Visibility::Public || ico.is_some()) {
        return Err(unit.wrong("ico", "8 digits, or 12 of a part"));
    }
    if visibility == Visibility::Public {
        unit.may_lack("idUctovnychZavierok")?;
        unit.may_lack("velkostOrganizacie")?;
    }
    Ok(Unit {
        id,
        visibility,
        number,
        size: unit.text("velkostOrganizacie")?,
        statements: unit.numbers("idUctovnychZavierok")?,
    })
}

/// Reads a statement.
///
/// # Errors
/// As [`read_unit`].
pub fn read_statement(id: u64, answer: &str) -> Result<Detail, Failure> {
    let statement = object(&format!("statement {id}"), answer, &STATEMENT, id)?;
    let visibility = visibility(&statement)?;
    let to = match month(&statement, "obdobieDo")? {
        Some(month) => Some(month),
        // The closing day is the last day of the period.
        None => statement
            .date("datumZostaveniaK")?
            .as_deref()
            .and_then(year_and_month),
    };
    if visibility == Visibility::Public {
        if to.is_none() {
            return Err(statement.wrong("obdobieDo", "a month, YYYY-MM"));
        }
        for name in ["typ", "konsolidovana", "datumPodania", "idUctovnychVykazov"] {
            statement.may_lack(name)?;
        }
    }
    let of_group = [
        "konsolidovana",
        "konsolidovanaZavierkaUstrednejStatnejSpravy",
        "suhrnnaUctovnaZavierkaVerejnejSpravy",
    ];
    let mut consolidated = false;
    for name in of_group {
        consolidated |= statement.flag(name)?;
    }
    let fund = statement.text("nazovFondu")?;
    Ok(Detail {
        id,
        visibility,
        unit: statement.number("idUJ")?,
        from: month(&statement, "obdobieOd")?,
        to,
        submitted: statement.date("datumPodania")?,
        kind: statement
            .text("typ")?
            .map(|kind| text::squeeze(&kind).to_lowercase()),
        consolidated,
        fund,
        reports: statement.numbers("idUctovnychVykazov")?,
    })
}

/// Reads a report.
///
/// # Errors
/// As [`read_unit`].
pub fn read_report(id: u64, answer: &str) -> Result<Report, Failure> {
    let report = object(&format!("report {id}"), answer, &REPORT, id)?;
    let visibility = visibility(&report)?;
    let access = match report
        .text("pristupnostDat")?
        .as_deref()
        .map(text::fold)
        .as_deref()
    {
        None | Some("verejne" | "verejne prilohy") => Access::Public,
        Some("neverejne") => Access::NotPublic,
        Some(_) => {
            return Err(report.wrong("pristupnostDat", "Verejné, Verejné prílohy or Neverejné"));
        }
    };
    report.may_lack("obsah")?;
    let mut tables = Vec::new();
    if let Some(content) = report.inner("obsah", &["titulnaStrana", "tabulky"])? {
        content.may_lack("tabulky")?;
        for table in content.list("tabulky", &["nazov", "data"])? {
            tables.push(Table {
                name: table.words("nazov")?,
                cells: table.cells("data")?,
            });
        }
    }
    let template = report.number("idSablony")?;
    if template.is_none() && !tables.is_empty() {
        return Err(report.wrong("idSablony", "the template of its tables"));
    }
    let files = report.list("prilohy", &ATTACHMENT)?;
    let attachments = files
        .iter()
        .map(|file| file.needed_number("id"))
        .collect::<Result<_, _>>()?;
    Ok(Report {
        id,
        visibility,
        statement: report.number("idUctovnejZavierky")?,
        template,
        currency: report.text("mena")?.map(|currency| currency.to_uppercase()),
        access,
        attachments,
        tables,
    })
}

/// Reads an object of the register, which must be the requested one.
fn object(what: &str, answer: &str, known: &[&str], id: u64) -> Result<Object, Failure> {
    let known: Vec<&str> = known.iter().chain(&ALWAYS).copied().collect();
    let object = Object::read(what, answer, &known)?;
    if object.needed_number("id")? != id {
        return Err(object.wrong("id", "the number that was asked for"));
    }
    Ok(object)
}

fn visibility(object: &Object) -> Result<Visibility, Failure> {
    let state = object.text("stav")?;
    match state.as_deref().map(text::fold).as_deref() {
        None => Ok(Visibility::Public),
        Some("zmazane") => Ok(Visibility::Deleted),
        Some("neverejna" | "neverejny" | "neverejne") => Ok(Visibility::NotPublic),
        Some(_) => Err(object.wrong("stav", "ZMAZANÉ or NEVEREJNÁ")),
    }
}

fn month(object: &Object, name: &str) -> Result<Option<(i32, u32)>, Failure> {
    let Some(text) = object.text(name)? else {
        return Ok(None);
    };
    let month = year_and_month(&text);
    month
        .map(Some)
        .ok_or_else(|| object.wrong(name, "a month, YYYY-MM"))
}

/// Reads the year and month of `2024-12` or `2024-12-31`.
fn year_and_month(text: &str) -> Option<(i32, u32)> {
    let mut parts = text.split('-');
    let (year, month) = (parts.next()?, parts.next()?);
    let digits = |part: &str, count: usize| {
        part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(year, 4) || !digits(month, 2) || parts.next().is_some_and(|day| !digits(day, 2)) {
        return None;
    }
    let (year, month) = (year.parse().ok()?, month.parse().ok()?);
    ((1900..=2200).contains(&year) && (1..=12).contains(&month)).then_some((year, month))
}
