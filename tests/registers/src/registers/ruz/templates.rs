//! The templates of the register.

use serde_json::{Value, json};

use super::forms::{Columns, FORMS, Form, Table, form};

const YEAR: &str = "Bežné účtovné obdobie";
const BEFORE: &str = "Bezprostredne predchádzajúce účtovné obdobie";
/// The label of the year in single entry.
const YEAR_SINGLE: &str = "Za bežné účtovné obdobie";
const BEFORE_SINGLE: &str = "Za bezprostredne predchádzajúce účtovné obdobie";

pub(super) fn template(id: u64) -> Option<Value> {
    form(id).map(written)
}

pub(super) fn all() -> Value {
    let all: Vec<Value> = FORMS.iter().map(written).collect();
    json!({ "sablony": all })
}

fn written(form: &Form) -> Value {
    let mut template = json!({
        "id": form.id,
        "nazov": form.name,
        "nariadenieMF": "MF/00000/0000-00",
        "platneOd": form.valid_from,
    });
    if !form.tables.is_empty() {
        template["tabulky"] = form.tables.iter().map(table).collect();
    }
    template
}

fn table(table: &Table) -> Value {
    let rows = (table.first..=table.last).map(|number| {
        let label = match table.line(number) {
            Some((_, _, label)) => (*label).to_owned(),
            None => format!("Vymyslená položka {number} (účet {number:03})"),
        };
        let mut row = json!({ "text": { "sk": label, "en": format!("Line {number}") }, "cisloRiadku": number });
        if number > table.first && table.columns.leading() > 2 {
            row["oznacenie"] = json!(format!("{}.", number - table.first));
        }
        row
    });
    json!({
        "nazov": { "sk": table.name, "en": table.english },
        "pocetStlpcov": table.columns.leading() + table.columns.count(),
        "pocetDatovychStlpcov": table.columns.count(),
        "hlavicka": head(table.columns),
        "riadky": rows.collect::<Vec<_>>(),
    })
}

fn head(columns: Columns) -> Value {
    let cell = |text: &str, row: usize, column: usize, width: usize| {
        json!({
            "text": { "sk": text }, "riadok": row, "stlpec": columns.leading() + column, "sirkaStlpca": width,
            "vyskaRiadku": 1,
        })
    };
    let parts = |names: [&str; 3]| {
        let parts = names.iter().zip(1..);
        let parts = parts.map(|(name, column)| cell(name, 2, column, 1));
        let mut head = vec![cell(YEAR, 1, 1, 3), cell(BEFORE, 1, 4, 1)];
        head.extend(parts);
        head
    };
    match columns {
        Columns::Gross => parts(["Brutto - časť 1", "Korekcia - časť 2", "Netto 2"]),
        Columns::Activities => parts(["Hlavná nezdaňovaná činnosť", "Zdaňovaná činnosť", "Spolu"]),
        Columns::Years => vec![
            cell(YEAR, 1, 1, 1),
            cell(BEFORE, 1, 2, 1),
            cell("1", 2, 1, 1),
            cell("2", 2, 2, 1),
        ],
        Columns::YearsTurned => vec![cell(BEFORE_SINGLE, 1, 1, 1), cell(YEAR_SINGLE, 1, 2, 1)],
        Columns::Year => vec![cell(YEAR_SINGLE, 1, 1, 1)],
    }
    .into()
}
