//! Tables read by the headers of their columns.

use std::collections::BTreeMap;

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::text::{fold, present};
use lustra_sdk::{Failure, date, ico, malformed};

/// A column that a reader wants.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// The name that the reader and failures use.
    pub name: &'static str,
    /// The texts that its header may have.
    pub headers: &'a [String],
    /// A table without this column is a different table.
    pub required: bool,
}

#[derive(Debug)]
pub struct Row {
    place: String,
    cells: BTreeMap<&'static str, String>,
    /// The targets of its links, and the texts of its `onclick` attributes.
    links: Vec<String>,
    /// The failure of a row with another number of cells, whose cells cannot be told apart, and its whole text.
    odd: Option<(Failure, String)>,
}

/// True if a text equals one of the names, ignoring case, diacritics and punctuation.
#[must_use]
pub fn is_one_of(text: &str, names: &[String]) -> bool {
    let folded = fold(text);
    !folded.is_empty() && names.iter().any(|name| fold(name) == folded)
}

/// The rows of the page's table with the wanted columns, including odd ones; see [`sift`]. `what` names the list in
/// failures.
///
/// # Errors
/// [`Failure::Malformed`] if no table has them, or several do.
pub fn rows(document: &Html, what: &str, columns: &[Column<'_>]) -> Result<Vec<Row>, Failure> {
    let (tables, rows) = (html::selector("table"), html::selector("tr"));
    let mut found = Vec::new();
    let mut nearest: Option<Vec<&'static str>> = None;
    for table in document.select(&tables) {
        let mut rows = table.select(&rows);
        let Some(header) = rows.next() else {
            continue;
        };
        let header: Vec<String> = cells(header).into_iter().map(html::text).collect();
        let place = |column: &Column<'_>| {
            header
                .iter()
                .position(|text| is_one_of(text, column.headers))
        };
        let places: Vec<Option<usize>> = columns.iter().map(place).collect();
        let missing: Vec<&'static str> = columns
            .iter()
            .zip(&places)
            .filter(|(column, place)| column.required && place.is_none())
            .map(|(column, _)| column.name)
            .collect();
        if missing.is_empty() {
            found.push((header.len(), places, rows));
        } else if nearest
            .as_ref()
            .is_none_or(|best| missing.len() < best.len())
        {
            nearest = Some(missing);
        }
    }
    let several = found.len() > 1;
    let Some((width, places, rows)) = found.pop().filter(|_| !several) else {
        let expected = "one table with the columns of the settings";
        let why = match nearest {
            Some(missing) if !several => format!("none for {}", missing.join(", ")),
            Some(_) | None => format!("{} tables", if several { "several" } else { "no" }),
        };
        return Err(malformed(format!("{what}: header"), expected, why));
    };
    let read = |(at, row)| Row::read(what, at, row, width, columns, &places);
    Ok((1..).zip(rows).map(read).collect())
}

/// The readable rows of a list, and how many odd ones were left out.
///
/// # Errors
/// [`Failure::Malformed`] if most rows are odd: then the table has another form.
pub fn sift(rows: Vec<Row>) -> Result<(Vec<Row>, usize), Failure> {
    let count = rows.len();
    let (odd, readable): (Vec<Row>, Vec<Row>) = rows.into_iter().partition(|row| row.odd.is_some());
    let left_out = odd.len();
    let first = odd.into_iter().find_map(|row| row.odd);
    match first.filter(|_| left_out * 2 > count) {
        Some((failure, _)) => Err(failure),
        None => Ok((readable, left_out)),
    }
}

/// True if a table on the page has all required columns and this one.
#[must_use]
pub fn has(document: &Html, columns: &[Column<'_>], name: &str) -> bool {
    let wanted = columns
        .iter()
        .filter(|column| column.required || column.name == name);
    let wanted: Vec<Column<'_>> = wanted
        .map(|column| Column {
            required: true,
            ..*column
        })
        .collect();
    rows(document, name, &wanted).is_ok()
}

fn cells(row: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    let children = row.children().filter_map(ElementRef::wrap);
    children
        .filter(|cell| ["th", "td"].contains(&cell.value().name()))
        .collect()
}

impl Row {
    fn read(
        what: &str,
        number: usize,
        row: ElementRef<'_>,
        width: usize,
        columns: &[Column<'_>],
        places: &[Option<usize>],
    ) -> Self {
        let place = format!("{what}: row {number}");
        let own = cells(row);
        if own.len() != width {
            let (expected, found) = (format!("{width} cells"), format!("{} cells", own.len()));
            return Self {
                odd: Some((malformed(&place, expected, found), html::text(row))),
                place,
                cells: BTreeMap::new(),
                links: Vec::new(),
            };
        }
        let named = columns.iter().zip(places).filter_map(|(column, place)| {
            let cell = own.get((*place)?)?;
            Some((column.name, html::text(*cell)))
        });
        let anchors = html::selector("a[href]");
        let mut links: Vec<String> = row
            .select(&anchors)
            .filter_map(|anchor| anchor.attr("href"))
            .map(str::to_owned)
            .collect();
        // Some rows of the site open their details by a script.
        let quoted = row
            .attr("onclick")
            .and_then(|script| script.split('\'').nth(1));
        links.extend(quoted.map(str::to_owned));
        Self {
            place,
            cells: named.collect(),
            links,
            odd: None,
        }
    }

    /// What tells this row from others: the text of a cell, or the whole text of an odd row.
    #[must_use]
    pub fn key(&self, name: &str) -> String {
        match &self.odd {
            Some((_, text)) => text.clone(),
            None => self.text(name).unwrap_or_default(),
        }
    }

    /// The place of a cell, for failures.
    #[must_use]
    pub fn at(&self, name: &str) -> String {
        format!("{}: {name}", self.place)
    }

    /// The failure for a cell with an unexpected value. The value may be a name, so it is not quoted.
    #[must_use]
    pub fn wrong(&self, name: &str, expected: &str) -> Failure {
        let found = match self.text(name) {
            None => "nothing".to_owned(),
            Some(text) => format!("another text of {} characters", text.chars().count()),
        };
        malformed(self.at(name), expected, found)
    }

    /// A cell on one line. `None` if it is missing or empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.cells.get(name).and_then(|cell| present(cell))
    }

    /// A required text.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the cell is empty.
    pub fn required(&self, name: &str) -> Result<String, Failure> {
        self.text(name).ok_or_else(|| self.wrong(name, "a text"))
    }

    /// An IČO of 8 digits. `None` for another kind of number, or an empty cell.
    #[must_use]
    pub fn ico(&self, name: &str) -> Option<String> {
        self.text(name).as_deref().and_then(ico::parse)
    }

    /// A day as `YYYY-MM-DD`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if there is none.
    pub fn day(&self, name: &str) -> Result<String, Failure> {
        let day = self.text(name).as_deref().and_then(date::parse);
        day.ok_or_else(|| self.wrong(name, "a date"))
    }

    /// The first link that contains a text.
    #[must_use]
    pub fn link(&self, containing: &str) -> Option<&str> {
        let mut links = self.links.iter().map(String::as_str);
        links.find(|link| link.contains(containing))
    }
}

/// The rows about one company, by the column with its number. If all rows are about others, the search ignored
/// the number.
///
/// # Errors
/// [`Failure::Malformed`] if all rows are about others.
pub fn of_company(
    what: &str,
    rows: Vec<Row>,
    column: &str,
    ico: &str,
) -> Result<Vec<Row>, Failure> {
    let count = rows.len();
    let own: Vec<Row> = rows
        .into_iter()
        .filter(|row| row.ico(column).as_deref() == Some(ico))
        .collect();
    if own.is_empty() && count > 0 {
        return Err(malformed(
            format!("{what}: {column}"),
            "rows about the company that was asked for",
            format!("{count} rows about others"),
        ));
    }
    Ok(own)
}
