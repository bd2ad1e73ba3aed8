//! All rows of a query as one text, which the database sends as one row.
//!
//! Each row that a database sends costs a change of threads (`SQLite`) or a message, and each of its values an
//! allocation. For what every answer reads, that takes longer than the query.

use serde::de::DeserializeOwned;

use super::StoreError;
use super::db::Db;

/// Separates JSON texts, in which it cannot occur: RFC 7464.
const SEPARATOR: char = '\u{1e}';

impl Db {
    /// SQL expression: a JSON array with an array of these columns for each row. It is read by `serde_json`.
    pub(super) fn rows_of(&self, columns: &str) -> String {
        let row = self.as_json_array(columns);
        format!("'[' || coalesce(string_agg({row}, ','), '') || ']'")
    }

    /// Like [`Self::rows_of`], with a column of large JSON texts that are not parsed. It is read by
    /// [`with_contents`]. Null if there are no rows.
    pub(super) fn rows_with(&self, content: &str, columns: &str) -> String {
        let row = self.as_json_array(columns);
        format!("string_agg({row} || '{SEPARATOR}' || coalesce({content}, ''), '{SEPARATOR}')")
    }

    /// SQL expression: a column of all rows as one value of bytes, without separators. The order is that of
    /// [`Self::rows_of`] in the same query. Null if there are no rows.
    pub(super) fn bytes_of(&self, column: &str) -> String {
        match self {
            // A blob is taken as the text of its bytes, which may be of any values.
            Db::Sqlite(_) => format!("cast(string_agg({column}, '') as blob)"),
            Db::Postgres(_) => format!("convert_to(string_agg({column}, ''), 'UTF8')"),
        }
    }
}

/// The rows of the text of [`Db::rows_with`], each made of its columns and its content. The content is `None` if it was
/// null.
///
/// # Errors
/// [`StoreError::Unreadable`]: a stored content contains the separator, so it is not JSON, a column has an unexpected
/// type, or `make` fails.
pub(super) fn with_contents<C: DeserializeOwned, T, E: ToString>(
    table: &'static str,
    text: Option<&str>,
    make: impl Fn(C, Option<String>) -> Result<T, E>,
) -> Result<Vec<T>, StoreError> {
    let unreadable = |why| StoreError::Unreadable { table, why };
    let mut parts = text.iter().flat_map(|text| text.split(SEPARATOR));
    let mut rows = Vec::new();
    while let Some(columns) = parts.next() {
        let Some(content) = parts.next() else {
            return Err(unreadable("a content contains U+001E".to_owned()));
        };
        let content = (!content.is_empty()).then(|| content.to_owned());
        let columns = serde_json::from_str(columns).map_err(|error| unreadable(error.to_string()));
        rows.push(make(columns?, content).map_err(|error| unreadable(error.to_string()))?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: Option<&str>) -> Result<Vec<(u8, Option<String>)>, StoreError> {
        with_contents("section", text, |[number]: [u8; 1], content| {
            Ok::<_, String>((number, content))
        })
    }

    #[test]
    fn rows_have_their_contents() {
        let content = |text: &str| Some(text.to_owned());
        let rows = read(Some(
            "[1]\u{1e}{\"a\":\"\\u001e\"}\u{1e}[2]\u{1e}\u{1e}[3]\u{1e}[]",
        ));
        let expected = [
            (1, content(r#"{"a":"\u001e"}"#)),
            (2, None),
            (3, content("[]")),
        ];
        assert_eq!(rows.expect("it is of the form"), expected);
        assert_eq!(read(None).expect("there are no rows"), []);
    }

    #[test]
    fn content_with_a_separator_is_unreadable() {
        for text in [
            "[1]\u{1e}{\u{1e}}",
            "[1]\u{1e}{\u{1e}}\u{1e}[2]\u{1e}[]",
            "[1]",
            "",
        ] {
            let refused = read(Some(text));
            assert!(
                matches!(refused, Err(StoreError::Unreadable { .. })),
                "{text:?}"
            );
        }
    }
}
