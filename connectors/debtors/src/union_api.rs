//! The health insurer Union's list, page by page, from its portal's service.

use lustra_sdk::{Failure, http, malformed};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::debt::{Debt, Notes, Raw};

/// The path of the service below the portal.
pub const PATH: &str = "/ehip-server/rest/debtors";

/// The largest known page size of the service.
pub const PAGE: u64 = 1000;

/// The body of a request: all debtors from one row on, sorted by a property.
#[must_use]
pub fn query(start: u64, order: &str) -> Value {
    json!({
        "order": { "ascending": true, "property": order },
        "count": PAGE,
        "start": start,
        "vyhladavaciRetazec": "",
    })
}

/// One page of the list.
#[derive(Debug, PartialEq, Eq)]
pub struct Page {
    /// How many rows the whole list has.
    pub total: u64,
    /// Number of rows on this page, including those without a name.
    pub rows: u64,
    /// The page's entries, each with its number in the portal.
    pub debts: Vec<(i64, Debt)>,
}

#[derive(Deserialize)]
struct RawPage {
    #[serde(rename = "totalRows")]
    total_rows: u64,
    #[serde(alias = "data")]
    rows: Vec<Value>,
}

#[derive(Deserialize)]
struct RawRow {
    #[serde(rename = "dlznikId")]
    id: i64,
    // The essential members. If one of these is missing, the format has changed.
    #[serde(rename = "rplNazov")]
    name: Value,
    #[serde(rename = "rplIco", default)]
    ico: Value,
    #[serde(rename = "suma")]
    amount: Value,
    #[serde(rename = "obec", default)]
    city: Value,
    #[serde(rename = "pscCislo", default)]
    postal_code: Value,
    #[serde(rename = "ulicaCislo", default)]
    street: Value,
}

/// Reads a page. Skips a row of another shape as an odd row.
///
/// # Errors
/// [`Failure::Malformed`] for JSON of another shape and for a page without a readable row, [`Failure::Unavailable`] for
/// an HTML page.
pub fn parse(text: &str, notes: &mut Notes) -> Result<Page, Failure> {
    let raw: RawPage = http::read_json("union", text)?;
    let mut debts = Vec::with_capacity(raw.rows.len());
    let mut first_wrong = None;
    let mut readable = 0_usize;
    for row in &raw.rows {
        notes.row();
        match debt(row, notes) {
            Ok(debt) => {
                readable += 1;
                debts.extend(debt);
            }
            Err(wrong) => {
                notes.odd_row("rows-of-another-form", &wrong);
                first_wrong.get_or_insert(wrong);
            }
        }
    }
    match first_wrong {
        Some(wrong) if readable == 0 => Err(wrong),
        Some(_) | None => Ok(Page {
            total: raw.total_rows,
            rows: raw.rows.len() as u64,
            debts,
        }),
    }
}

/// The entry of a row. `None` if it names no debtor.
fn debt(row: &Value, notes: &mut Notes) -> Result<Option<(i64, Debt)>, Failure> {
    let row = RawRow::deserialize(row).map_err(|error| {
        malformed(
            "answer of union: row",
            "the known members",
            error.to_string(),
        )
    })?;
    let cell = |name: &str, value: &Value| match value {
        Value::Null => Ok(String::new()),
        Value::String(text) => Ok(text.clone()),
        // A JSON number has lost the IČO's leading zeros.
        Value::Number(number) if name == "rplIco" => Ok(format!("{:0>8}", number.to_string())),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(malformed(
            format!("answer of union: row {}: {name}", row.id),
            "text or a number",
            value.to_string(),
        )),
    };
    let raw = Raw {
        name: &cell("rplNazov", &row.name)?,
        ico: &cell("rplIco", &row.ico)?,
        street: &cell("ulicaCislo", &row.street)?,
        city: &cell("obec", &row.city)?,
        postal_code: &cell("pscCislo", &row.postal_code)?,
        amount: &cell("suma", &row.amount)?,
        ..Raw::default()
    };
    Ok(Debt::read(&raw, notes).map(|debt| (row.id, debt)))
}

/// The header of HTTP Basic for a user and a password.
#[must_use]
pub fn basic(user: &str, password: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut header = "Basic ".to_owned();
    for three in format!("{user}:{password}").as_bytes().chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            header.push(if place > three.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_encoded_as_http_basic() {
        assert_eq!(
            basic("Aladdin", "open sesame"),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
        );
        assert_eq!(basic("a", "b"), "Basic YTpi");
        assert_eq!(basic("ab", "c"), "Basic YWI6Yw==");
        assert_eq!(basic("ab", "cd"), "Basic YWI6Y2Q=");
    }
}
