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
}

/// True if a text equals one of the names, ignoring case, diacritics and punctuation.
#[must_use]
pub fn is_one_of(text: &str, names: &[String]) -> bool {
    let folded = fold(text);
    !folded.is_empty() && names.iter().any(|name| fold(name) == folded)
}

/// The rows of the page's table with the wanted columns. `what` names the list in failures.
///
/// # Errors
/// [`Failure::Malformed`] if no table has them, or several do, and for an invalid row.
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
    (1..).zip(rows).map(read).collect()
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
    ) -> Result<Self, Failure> {
        let place = format!("{what}: row {number}");
        let own = cells(row);
        if own.len() != width {
            return Err(malformed(
                place,
                format!("{width} cells"),
                format!("{} cells", own.len()),
            ));
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
        Ok(Self {
            place,
            cells: named.collect(),
            links,
        })
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
