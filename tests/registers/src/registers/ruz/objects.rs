//! Units, statements and reports as JSON.

use serde_json::{Map, Value, json};
use time::Date;

use super::cells::tables;
use super::forms;
use crate::World;
use crate::population::Company;
use crate::population::calendar::{Iso, after};
use crate::population::statements::{self, Shown, Statement, StatementForm, Unit, report_id};

/// An auditor's report, which has no tables.
const AUDITOR: u64 = 365;
const IFRS: u64 = 703;

/// Members in an order that depends on the object, without those that have no value.
fn object(id: u64, members: Vec<(&str, Value)>) -> Value {
    let mut members: Vec<(&str, Value)> = members
        .into_iter()
        .filter(|(_, value)| match value {
            Value::Null => false,
            Value::Array(items) => !items.is_empty(),
            Value::String(text) => !text.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => true,
        })
        .collect();
    let turned = usize::try_from(id % 7).unwrap_or(0).min(members.len());
    members.rotate_left(turned);
    let members = members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(members.collect::<Map<_, _>>())
}

fn company(world: &World, index: Option<u32>) -> Option<Company> {
    let index = index.filter(|index| *index < world.population.len())?;
    Some(world.population.company(index, world.clock.day()))
}

pub(super) fn unit(world: &World, id: u64) -> Option<Value> {
    let company = company(world, statements::company_of_unit(id))?;
    let unit = statements::units(&company)
        .into_iter()
        .find(|unit| unit.id == id)?;
    Some(written_unit(&company, &unit))
}

fn written_unit(company: &Company, unit: &Unit) -> Value {
    let id = unit.id;
    let edited = json!(Iso(company.rpo_modified).to_string());
    if unit.is_erased {
        return object(
            id,
            vec![
                ("id", json!(id)),
                ("stav", json!("ZMAZANÉ")),
                ("datumPoslednejUpravy", edited),
            ],
        );
    }
    let seat = company.seat();
    // Older entries use the former codes, which are not prefixes of each other.
    let (region, district, place) = if company.index.is_multiple_of(3) {
        ("4", "403", "500011")
    } else {
        ("SK023", "SK0233", "SK0233500011")
    };
    let members = vec![
        ("id", json!(id)),
        ("ico", json!(company.ico)),
        ("dic", json!(company.dic)),
        ("nazovUJ", json!(company.name())),
        ("mesto", json!(seat.city)),
        ("ulica", json!(seat.street_line())),
        ("psc", json!(seat.postal_code())),
        (
            "datumZalozenia",
            json!(Iso(company.established).to_string()),
        ),
        (
            "datumZrusenia",
            json!(
                company
                    .ending
                    .as_ref()
                    .map(|ending| Iso(ending.date).to_string())
            ),
        ),
        ("pravnaForma", json!(company.legal_form.code())),
        ("skNace", json!(company.nace.old_class)),
        ("velkostOrganizacie", json!(unit.size)),
        ("druhVlastnictva", json!("2")),
        ("kraj", json!(region)),
        ("okres", json!(district)),
        ("sidlo", json!(place)),
        (
            "konsolidovana",
            json!(
                unit.statements
                    .iter()
                    .any(|statement| statement.consolidated)
            ),
        ),
        (
            "idUctovnychZavierok",
            unit.statements
                .iter()
                .map(|statement| statement.id)
                .collect(),
        ),
        ("zdrojDat", json!("SUSR")),
        ("datumPoslednejUpravy", edited),
    ];
    object(id, members)
}

fn find(world: &World, id: u64) -> Option<(Company, Unit, Statement)> {
    let company = company(world, statements::company_of_statement(id))?;
    let units = statements::units(&company).into_iter();
    let (unit, statement) = units
        .filter_map(|unit| {
            let statement = unit.statements.iter().find(|statement| statement.id == id);
            let statement = statement.cloned()?;
            Some((unit, statement))
        })
        .next()?;
    Some((company, unit, statement))
}

/// The day on which the register last changed a statement.
pub(super) fn changed(statement: &Statement) -> Date {
    after(statement.submitted, 1)
}

pub(super) fn statement(world: &World, id: u64) -> Option<Value> {
    let (company, unit, statement) = find(world, id)?;
    let edited = json!(Iso(changed(&statement)).to_string());
    let state = match statement.shown {
        Shown::Erased => Some("ZMAZANÉ"),
        Shown::Figures | Shown::Blank | Shown::File | Shown::NotPublic => None,
    };
    if state.is_some() {
        return Some(object(
            id,
            vec![
                ("id", json!(id)),
                ("stav", json!(state)),
                ("datumPoslednejUpravy", edited),
            ],
        ));
    }
    let month = |date: Date| format!("{:04}-{:02}", date.year(), u8::from(date.month()));
    let members = vec![
        ("id", json!(id)),
        ("idUJ", json!(unit.id)),
        ("nazovUJ", json!(company.name())),
        ("ico", json!(company.ico)),
        ("dic", json!(company.dic)),
        ("obdobieOd", json!(month(statement.from))),
        ("obdobieDo", json!(month(statement.to))),
        ("datumPodania", json!(Iso(statement.submitted).to_string())),
        ("datumZostaveniaK", json!(Iso(statement.to).to_string())),
        ("typ", json!(statement.kind.text())),
        ("konsolidovana", json!(statement.consolidated)),
        ("idUctovnychVykazov", report_ids(&statement).into()),
        ("zdrojDat", json!("FRSR")),
        ("datumPoslednejUpravy", edited),
    ];
    Some(object(id, members))
}

/// The kinds of a statement's reports, ordered by id.
fn reports(statement: &Statement) -> Vec<u64> {
    let mut templates = match statement.form {
        StatementForm::Company => vec![699],
        StatementForm::Micro => vec![687],
        StatementForm::Old2009 => vec![20, 22],
        StatementForm::Old2011 => vec![21, 22],
        StatementForm::SingleEntry => vec![716],
        StatementForm::NonProfit => vec![385],
        StatementForm::Ifrs => vec![IFRS],
    };
    // In some statements the auditor's report comes first.
    if statement.id % 4 == 1 {
        templates.insert(0, AUDITOR);
    } else if statement.consolidated {
        templates.push(AUDITOR);
    }
    templates
}

pub(super) fn report_ids(statement: &Statement) -> Vec<u64> {
    let places = reports(statement).into_iter().zip(0..);
    places
        .map(|(_, place)| report_id(statement.id, place))
        .collect()
}

pub(super) fn report(world: &World, id: u64) -> Option<Value> {
    let (of, place) = statements::statement_of_report(id);
    let (company, _, statement) = find(world, of)?;
    let template = *reports(&statement).get(usize::try_from(place).ok()?)?;
    if statement.shown == Shown::Erased {
        return None;
    }
    let is_file = template == AUDITOR || template == IFRS;
    let is_public = is_file || statement.shown != Shown::NotPublic;
    let attachments = if is_file {
        json!([{
            "id": id * 10, "meno": "priloha.pdf", "mimeType": "application/pdf", "velkostPrilohy": 123_456,
            "pocetStran": 40, "digest": "00", "jazyk": "sk",
        }])
    } else {
        json!([])
    };
    let title = json!({
        "nazovUctovnejJednotky": company.name(),
        "ico": company.ico,
        "obdobieOd": format!("{:04}-{:02}", statement.from.year(), u8::from(statement.from.month())),
        "obdobieDo": format!("{:04}-{:02}", statement.to.year(), u8::from(statement.to.month())),
    });
    let content = if is_file || !is_public {
        Value::Null
    } else {
        let form = forms::form(template)?;
        json!({ "titulnaStrana": title, "tabulky": tables(form, &statement) })
    };
    let access = match (is_public, is_file) {
        (false, _) => "Neverejné",
        (true, true) => "Verejné prílohy",
        (true, false) => "Verejné",
    };
    let members = vec![
        ("id", json!(id)),
        ("idUctovnejZavierky", json!(statement.id)),
        ("idSablony", json!(template)),
        ("mena", if is_file { Value::Null } else { json!("EUR") }),
        ("pristupnostDat", json!(access)),
        ("prilohy", attachments),
        ("obsah", content),
        ("zdrojDat", json!("FRSR")),
        (
            "datumPoslednejUpravy",
            json!(Iso(changed(&statement)).to_string()),
        ),
    ];
    Some(object(id, members))
}
