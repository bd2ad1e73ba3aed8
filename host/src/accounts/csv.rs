//! Tables as CSV (RFC 4180) that are safe to open in a spreadsheet.

/// A cell of a table.
#[derive(Debug, Clone, Copy)]
pub enum Cell<'a> {
    /// A text of any origin.
    Text(&'a str),
    /// A whole number, which is never changed.
    Number(i64),
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
            Cell::Empty => {}
        }
    }
    table.push_str("\r\n");
}

fn append_text(table: &mut String, text: &str) {
    let is_calculated = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let is_quoted = text.contains([',', '"', '\r', '\n']);
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
        append_row(&mut table, [Cell::Number(-5), Cell::Empty, Cell::Text("")]);
        let expected =
            "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",'=1+1,'+421,'-1,'@x,'\tx\r\n-5,,\r\n";
        assert_eq!(table, expected);
    }
}
