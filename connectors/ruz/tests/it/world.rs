//! The world of the look-ups: a register of canned answers, and sections that are checked against their schemas.

use lustra_ruz::Ruz;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Section, Subject};

use super::manifest::manifest;

pub const ICO: &str = "99999901";
pub const UNIT: u64 = 7;
pub const UNITS: &str = "/api/uctovne-jednotky?zmenene-od=2000-01-01&ico=99999901";

/// The register's answer that there is no such object.
pub fn gone() -> Answer {
    Answer::status(404, "").with_header("content-type", "application/json; charset=UTF-8")
}

/// A register under construction.
#[derive(Clone)]
pub struct Register {
    pub host: TestHost,
    statements: Vec<u64>,
    unit: Value,
    unit_answer: Option<Answer>,
}

impl Register {
    /// A register with one unit of 5 to 9 employees.
    pub fn new() -> Self {
        let unit = json!({
            "id": UNIT, "ico": ICO, "nazovUJ": "Vzorová firma, s. r. o.", "velkostOrganizacie": "05",
            "konsolidovana": false, "zdrojDat": "SUSR", "datumPoslednejUpravy": "2025-07-01",
        });
        Self {
            host: TestHost::new().answer(
                "ruz",
                UNITS,
                Answer::json(&json!({"id": [UNIT], "existujeDalsieId": false})),
            ),
            statements: Vec::new(),
            unit,
            unit_answer: None,
        }
    }

    pub fn unit(mut self, member: &str, value: Value) -> Self {
        self.unit[member] = value;
        self
    }

    pub fn with(mut self, path: &str, answer: Answer) -> Self {
        if path == unit_path() {
            self.unit_answer = Some(answer);
            return self;
        }
        self.host = self.host.answer("ruz", path, answer);
        self
    }

    /// Lists a statement that the register does not return.
    pub fn named(mut self, id: u64) -> Self {
        self.statements.push(id);
        self
    }

    /// A regular statement of a year with changes, and its only report, whose id is ten times the statement's.
    pub fn statement(self, id: u64, year: i32, changes: &Value, report: &Value) -> Self {
        let mut statement = json!({
            "id": id, "idUJ": UNIT, "obdobieOd": format!("{year}-01"), "obdobieDo": format!("{year}-12"),
            "typ": "Riadna", "datumPodania": format!("{}-06-20", year + 1), "konsolidovana": false,
            "idUctovnychVykazov": [id * 10], "zdrojDat": "FRSR", "datumPoslednejUpravy": "2025-06-21",
        });
        change(&mut statement, changes);
        let mut filed = json!({"id": id * 10, "idUctovnejZavierky": id});
        change(&mut filed, report);
        self.named(id)
            .with(&statement_path(id), Answer::json(&statement))
            .with(&report_path(id * 10), Answer::json(&filed))
    }

    pub fn install(mut self) {
        if !self.statements.is_empty() {
            self.unit["idUctovnychZavierok"] = json!(self.statements);
        }
        let answer = self.unit_answer.take();
        let answer = answer.unwrap_or_else(|| Answer::json(&self.unit));
        self.host.answer("ruz", &unit_path(), answer).install();
    }
}

fn change(object: &mut Value, changes: &Value) {
    for (name, value) in changes.as_object().unwrap() {
        object[name] = value.clone();
    }
}

pub fn unit_path() -> String {
    format!("/api/uctovna-jednotka?id={UNIT}")
}

pub fn statement_path(id: u64) -> String {
    format!("/api/uctovna-zavierka?id={id}")
}

pub fn report_path(id: u64) -> String {
    format!("/api/uctovny-vykaz?id={id}")
}

/// A report of a micro company: assets, equity, liabilities, revenue, profit. An empty text is a blank cell.
pub fn micro([assets, equity, liabilities, revenue, profit]: [&str; 5]) -> Value {
    let mut tables = [vec![""; 46], vec![""; 44], vec![""; 76]];
    for (table, row, cell) in [
        (0, 0, assets),
        (1, 1, equity),
        (1, 10, liabilities),
        (2, 0, revenue),
        (2, 37, profit),
    ] {
        tables[table][row * 2] = cell;
    }
    let [assets, sources, results] = tables;
    json!({
        "idSablony": 687, "mena": "EUR", "pristupnostDat": "Verejné",
        "obsah": {"titulnaStrana": {"ico": ICO}, "tabulky": [
            {"nazov": {"sk": "Strana aktív"}, "data": assets},
            {"nazov": {"sk": "Strana pasív"}, "data": sources},
            {"nazov": {"sk": "Výkaz ziskov a strát"}, "data": results},
        ]},
    })
}

/// Balanced figures of a year.
pub fn of_year(year: i32) -> Value {
    let text = |number: i32| number.to_string();
    micro([
        &text(year * 10),
        &text(year * 4),
        &text(year * 6),
        &text(year * 20),
        &text(year),
    ])
}

pub fn enrich(scope: &str, subject: Subject) -> (Section, Value) {
    let section = Ruz::enrich(scope, subject).unwrap();
    let content = manifest().content(scope, &section);
    (section, content)
}

pub fn section(scope: &str) -> Value {
    enrich(scope, subject(ICO)).1
}

pub fn statements() -> Value {
    section("financial_statements")
}

/// The reason why something is unread. Empty if everything was read.
pub fn why(content: &Value) -> String {
    content["unread"][0]["why"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}
