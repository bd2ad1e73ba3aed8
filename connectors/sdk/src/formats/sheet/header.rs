//! Finds the wanted columns in the header of a table.

use serde::{Deserialize, Serialize};

use crate::formats::text::fold;

/// The header is searched for in this many first rows: titles and dates precede it.
const HEADER_WITHIN: usize = 30;

/// The texts that a column's header may have. Case, diacritics and punctuation do not matter. A
/// header that equals a text wins over a header that contains it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Headers(pub(super) Vec<String>);

impl Headers {
    /// Headers that match any of these texts.
    #[must_use]
    pub fn of(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| (*text).to_owned()).collect())
    }

    /// The position of the column in a folded header row. Positions in `taken` are skipped.
    fn place(&self, header: &[String], taken: &[Option<usize>]) -> Option<usize> {
        let names: Vec<String> = self.0.iter().map(|text| fold(text)).collect();
        let free = |place: &usize| !taken.contains(&Some(*place));
        let find = |fits: &dyn Fn(&str, &str) -> bool| {
            let fits = |place: &usize| names.iter().any(|name| fits(&header[*place], name));
            (0..header.len()).filter(free).find(fits)
        };
        find(&|header, name| header == name)
            .or_else(|| find(&|header, name| !name.is_empty() && header.contains(name)))
    }
}

/// A column that a reader wants.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The name that the reader and failures use.
    pub name: &'static str,
    /// The texts that the table may use in its header.
    pub headers: &'a Headers,
    /// A table without this column is a different table.
    pub required: bool,
}

/// Position and columns of a table's header.
#[derive(Debug)]
pub(super) struct Header {
    /// Its row, counted from 0.
    pub(super) at: usize,
    /// Number of its cells.
    pub(super) width: usize,
    /// Position of each wanted column, if the table has it.
    pub(super) places: Vec<Option<usize>>,
}

impl Header {
    /// Finds the first row with all required columns. If there is none, reports the columns
    /// missing from the best row.
    pub(super) fn find(
        table: &[Vec<String>],
        columns: &[Column<'_>],
    ) -> Result<Self, Vec<&'static str>> {
        let mut nearest: Option<Vec<&'static str>> = None;
        for (at, row) in table.iter().enumerate().take(HEADER_WITHIN) {
            let header: Vec<String> = row.iter().map(|cell| fold(cell)).collect();
            let mut places = Vec::new();
            for column in columns {
                let place = column.headers.place(&header, &places);
                places.push(place);
            }
            let missing: Vec<&'static str> = columns
                .iter()
                .zip(&places)
                .filter(|(column, place)| column.required && place.is_none())
                .map(|(column, _)| column.name)
                .collect();
            if missing.is_empty() {
                // A header without letters and digits, such as `%` or `#N/A`, is a column too.
                let width = row.iter().rposition(|cell| !cell.trim().is_empty());
                let width = width.map_or(0, |last| last + 1);
                return Ok(Self { at, width, places });
            }
            if nearest
                .as_ref()
                .is_none_or(|best| missing.len() < best.len())
            {
                nearest = Some(missing);
            }
        }
        Err(nearest.unwrap_or_default())
    }
}
