//! Templates and reports of forms under construction.

use lustra_sdk::serde_json::{Value, json};

pub const YEAR: &str = "Bežné účtovné obdobie";
pub const BEFORE: &str = "Bezprostredne predchádzajúce účtovné obdobie";

/// A row of a template. A label may begin with the number of its line, `59: Label`; else it is the row's place.
pub fn row(label: &str, place: usize) -> Value {
    let numbered = label.split_once(": ");
    let numbered = numbered.and_then(|(number, label)| Some((number.parse().ok()?, label)));
    let (number, label): (usize, &str) = numbered.unwrap_or((place, label));
    json!({"text": {"sk": label}, "cisloRiadku": number})
}

/// A template of tables: name, columns, rows.
pub fn template(id: u64, name: &str, tables: &[(&str, usize, &[&str])]) -> Value {
    let tables = tables.iter().map(|(name, columns, rows)| {
        let rows = rows.iter().zip(1..).map(|(label, place)| row(label, place));
        let of_year = columns - 1;
        let mut head = vec![json!({"text": {"sk": YEAR}, "riadok": 1, "stlpec": 4, "sirkaStlpca": of_year.max(1), "vyskaRiadku": 1})];
        if of_year > 0 {
            head.push(json!({"text": {"sk": BEFORE}, "riadok": 1, "stlpec": 4 + of_year, "sirkaStlpca": 1, "vyskaRiadku": 1}));
        }
        json!({
            "nazov": {"sk": name}, "pocetStlpcov": columns + 3, "pocetDatovychStlpcov": columns,
            "hlavicka": head, "riadky": rows.collect::<Vec<_>>(),
        })
    });
    json!({"id": id, "nazov": name, "nariadenieMF": "x", "platneOd": "2009-01-01", "tabulky": tables.collect::<Vec<_>>()})
}

pub fn table(name: &str, cells: &[&str]) -> Value {
    json!({"nazov": {"sk": name}, "data": cells})
}

pub fn report(id: u64, of: u64, template: u64, tables: &[Value]) -> Value {
    json!({"id": id, "idUctovnejZavierky": of, "idSablony": template, "mena": "EUR", "obsah": {"tabulky": tables}})
}

/// A table of single-entry accounting: number and label take two columns, and the previous year stands first.
pub fn single_entry_table(name: &str, head: &[&str], rows: &[&str]) -> Value {
    let head = head.iter().zip(3..).map(|(text, column)| {
        json!({"text": {"sk": text}, "riadok": 1, "stlpec": column, "sirkaStlpca": 1, "vyskaRiadku": 1})
    });
    let head: Vec<Value> = head.collect();
    let rows = rows.iter().zip(1..).map(|(label, place)| row(label, place));
    json!({
        "nazov": {"sk": name}, "pocetStlpcov": head.len() + 2, "pocetDatovychStlpcov": head.len(),
        "hlavicka": head, "riadky": rows.collect::<Vec<_>>(),
    })
}

/// Lines of the four tables: of receipts, of expenditures, of property, of debts.
pub fn single_entry(
    id: u64,
    name: &str,
    receipts: &[&str],
    years: [&str; 2],
    lines: [&[&str]; 4],
) -> Value {
    let [of_receipts, of_expenditures, of_property, of_debts] = lines;
    let tables = [
        single_entry_table("Príjmy", receipts, of_receipts),
        single_entry_table("Výdavky", receipts, of_expenditures),
        single_entry_table("Majetok", &years, of_property),
        single_entry_table("Záväzky", &years, of_debts),
    ];
    json!({"id": id, "nazov": name, "nariadenieMF": "x", "platneOd": "2014-01-01", "tabulky": tables})
}
