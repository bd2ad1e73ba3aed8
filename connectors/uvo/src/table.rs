//! Tables whose columns are known by their headers.

use std::collections::BTreeMap;

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::text::{fold, present};
use lustra_sdk::{Failure, date, ico, malformed};

/// A column that a reader wants.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
    /// What the reader calls it; failures name it so.
    pub name: &'static str,
    /// What its header may be.
    pub headers: &'a [String],
    /// Without it the table is another one.
    pub required: bool,
}

/// A row.
#[derive(Debug)]
pub struct Row {
    place: String,
    cells: BTreeMap<&'static str, String>,
    /// Where its links lead, and what stands in its `onclick`.
    links: Vec<String>,
}

/// Whether a text is one of those that a header or label may be, whatever its case, diacritics and punctuation.
#[must_use]
pub fn is_one_of(text: &str, names: &[String]) -> bool {
    let folded = fold(text);
    !folded.is_empty() && names.iter().any(|name| fold(name) == folded)
}

/// The rows of the table on a page that has the wanted columns. `what` names the list in failures.
///
/// # Errors
/// [`Failure::Malformed`] where no table has them, or several do, and for a row that is no such row.
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

/// Whether some table on a page has all required columns and this one.
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
        // Rows of the site have led to their details by a script.
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

    /// The failure that a cell is something else than expected. What it is may be a name, so it is not quoted.
    #[must_use]
    pub fn wrong(&self, name: &str, expected: &str) -> Failure {
        let found = match self.text(name) {
            None => "nothing".to_owned(),
            Some(text) => format!("another text of {} characters", text.chars().count()),
        };
        malformed(self.at(name), expected, found)
    }

    /// A cell on one line; none where there is none, or nothing in it.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<String> {
        self.cells.get(name).and_then(|cell| present(cell))
    }

    /// A cell that must have a text.
    ///
    /// # Errors
    /// [`Failure::Malformed`] where it has none.
    pub fn required(&self, name: &str) -> Result<String, Failure> {
        self.text(name).ok_or_else(|| self.wrong(name, "a text"))
    }

    /// An IČO of 8 digits; none for whoever has another kind of number, or none.
    #[must_use]
    pub fn ico(&self, name: &str) -> Option<String> {
        self.text(name).as_deref().and_then(ico::parse)
    }

    /// A day as `YYYY-MM-DD`.
    ///
    /// # Errors
    /// [`Failure::Malformed`] where there is none.
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

/// The rows about one company, whose number is in a column. A search for a number that gives rows of others alone did
/// not search for it.
///
/// # Errors
/// [`Failure::Malformed`] for rows of others alone.
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
