//! Tables as CSV (RFC 4180) that are safe to open in a spreadsheet.

use time::Date;

use crate::clock::iso_date;

/// The first characters of texts that a spreadsheet would calculate.
pub(super) const CALCULATED: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A cell of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A text of any origin.
    Text(&'a str),
    /// A whole number, which is never changed.
    Number(i64),
    /// A number with decimals, never changed either.
    Decimal(f64),
    /// Written as `true` or `false`.
    Truth(bool),
    /// Written in the form `YYYY-MM-DD`.
    Day(Date),
    Empty,
}

/// Appends a row. A text that a spreadsheet would calculate begins with an apostrophe.
pub fn append_row<'a>(table: &mut String, cells: impl IntoIterator<Item = Cell<'a>>) {
    for (at, cell) in cells.into_iter().enumerate() {
        if at > 0 {
            table.push(',');
        }
        match cell {
            Cell::Text(text) => append_text(table, text),
            Cell::Number(number) => table.push_str(&number.to_string()),
            Cell::Decimal(number) => table.push_str(&number.to_string()),
            Cell::Truth(value) => table.push_str(if value { "true" } else { "false" }),
            Cell::Day(day) => table.push_str(&iso_date(day)),
            Cell::Empty => {}
        }
    }
    table.push_str("\r\n");
}

fn append_text(table: &mut String, text: &str) {
    let is_calculated = text.starts_with(CALCULATED);
    // A semicolon is quoted for readers that take the most frequent character for the delimiter.
    let is_quoted = text.contains([',', ';', '"', '\r', '\n', '\t']);
    if is_quoted {
        table.push('"');
    }
    if is_calculated {
        table.push('\'');
    }
    for character in text.chars() {
        if character == '"' {
            table.push('"');
        }
        table.push(character);
    }
    if is_quoted {
        table.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_and_never_calculated() {
        let mut table = String::new();
        let texts = [
            "plain",
            "a,b",
            "say \"x\"",
            "two\nlines",
            "=1+1",
            "+421",
            "-1",
            "@x",
            "\tx",
        ];
        append_row(&mut table, texts.map(Cell::Text));
        let day = time::macros::date!(2026 - 01 - 15);
        append_row(
            &mut table,
            [
                Cell::Number(-5),
                Cell::Empty,
                Cell::Text(""),
                Cell::Decimal(1.5),
                Cell::Truth(true),
                Cell::Day(day),
            ],
        );
        let expected = "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",'=1+1,'+421,'-1,'@x,\"'\tx\"\r\n\
            -5,,,1.5,true,2026-01-15\r\n";
        assert_eq!(table, expected);
    }
}
