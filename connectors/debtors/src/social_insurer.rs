//! The social insurer's list: the link on its page, the file in the archive, the table.

use std::io::BufRead;

use lustra_sdk::calendar::time::{Date, Weekday};
use lustra_sdk::csv::{Column, Table};
use lustra_sdk::{Failure, malformed};

use crate::debt::{Debt, DebtRows, Notes, Raw};

/// The beginning of every download address. A UUID follows that changes over time.
const DOWNLOAD: &str = "/api/idsp/download/";

const UUID_LENGTH: usize = 36;

/// Columns are found by words, since their meaning is confirmed but their order is not.
const COLUMNS: [Column; 7] = [
    Column {
        names: &["nazov", "meno"],
        required: true,
    },
    Column {
        names: &["ico"],
        required: true,
    },
    Column {
        names: &["adresa", "ulica"],
        required: false,
    },
    Column {
        names: &["mesto", "obec"],
        required: false,
    },
    Column {
        names: &["psc"],
        required: false,
    },
    Column {
        names: &["suma"],
        required: true,
    },
    Column {
        names: &["chybajuce podklady", "obdobie"],
        required: false,
    },
];

/// The path of the newest list, from the landing page.
///
/// # Errors
/// [`Failure::Malformed`] if the page has no such link.
pub fn download_path(page: &str) -> Result<String, Failure> {
    // Pages that scripts build hold their links in JSON, with escaped slashes.
    let page = page.replace("\\/", "/");
    page.match_indices(DOWNLOAD)
        .filter_map(|(at, _)| page[at + DOWNLOAD.len()..].get(..UUID_LENGTH))
        .find(|uuid| {
            uuid.bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        })
        .map(|uuid| format!("{DOWNLOAD}{uuid}"))
        .ok_or_else(|| {
            malformed(
                "socpoist: page of the list",
                format!("a link to {DOWNLOAD}<uuid>"),
                &page,
            )
        })
}

/// The table among the archive's files.
///
/// # Errors
/// [`Failure::Malformed`] unless exactly one file is a CSV.
pub fn table_name(files: &[String]) -> Result<&str, Failure> {
    let mut tables = files
        .iter()
        .filter(|name| name.to_ascii_lowercase().ends_with(".csv"));
    match (tables.next(), tables.next()) {
        (Some(table), None) => Ok(table),
        _ => Err(malformed(
            "socpoist: archive",
            "exactly one .csv",
            files.join(", "),
        )),
    }
}

/// The date in a name such as `dlznici_02_2026.csv`: the Monday of the week, if the number is an ISO week.
#[must_use]
pub fn list_date(file: &str) -> Option<String> {
    let name = file.rsplit('/').next()?.to_ascii_lowercase();
    let mut parts = name
        .strip_suffix(".csv")?
        .strip_prefix("dlznici_")?
        .split('_');
    let (week, year) = (parts.next()?, parts.next()?);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if parts.next().is_some() || week.len() > 2 || year.len() != 4 || !digits(week) || !digits(year)
    {
        return None;
    }
    monday(year.parse().ok()?, week.parse().ok()?)
}

/// The Monday of an ISO week.
fn monday(year: i32, week: u8) -> Option<String> {
    let monday = Date::from_iso_week_date(year, week, Weekday::Monday).ok()?;
    Some(monday.to_string())
}

pub struct Rows<R> {
    table: Table<R>,
    list_date: Option<String>,
}

impl<R: BufRead> Rows<R> {
    /// Reads the header of a table in UTF-8; `file` is its name in the archive.
    ///
    /// # Errors
    /// As [`Table::open`].
    pub fn open(file: &str, input: R) -> Result<Self, Failure> {
        Ok(Self {
            table: Table::open(&format!("socpoist: {file}"), input, &COLUMNS)?,
            list_date: list_date(file),
        })
    }
}

impl<R: BufRead> DebtRows for Rows<R> {
    fn next_debt(&mut self, notes: &mut Notes) -> Result<Option<Debt>, Failure> {
        while let Some(row) = self.table.next_readable(notes)? {
            let [
                name,
                ico,
                street,
                city,
                postal_code,
                amount,
                missing_documents,
            ] = row.as_slice()
            else {
                continue;
            };
            let raw = Raw {
                name,
                ico,
                street,
                city,
                postal_code,
                amount,
                missing_documents,
                as_of: "",
            };
            if let Some(debt) = Debt::read(&raw, notes) {
                return Ok(Some(debt));
            }
        }
        Ok(None)
    }

    fn list_date(&self) -> Option<String> {
        self.list_date.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_week_in_the_name_is_a_date() {
        for (file, expected) in [
            ("dlznici_1_2026.csv", Some("2025-12-29")),
            ("dlznici_02_2026.csv", Some("2026-01-05")),
            ("out/DLZNICI_53_2026.CSV", Some("2026-12-28")),
            ("dlznici_10_2024.csv", Some("2024-03-04")),
            ("dlznici_53_2025.csv", None),
            ("dlznici_0_2026.csv", None),
            ("dlznici_2026.csv", None),
            ("zoznam.csv", None),
        ] {
            assert_eq!(list_date(file).as_deref(), expected, "{file}");
        }
    }

    #[test]
    fn the_first_link_with_a_whole_uuid_is_the_list() {
        let uuid = "0123abcd-0000-4000-8000-00000000abcd";
        let page = format!(
            "<a href='/api/idsp/download/short'>x</a> \"\\/api\\/idsp\\/download\\/{uuid}\""
        );
        assert_eq!(
            download_path(&page).expect("it has a link"),
            format!("/api/idsp/download/{uuid}")
        );
        assert!(matches!(
            download_path("/api/idsp/download/ž").err(),
            Some(Failure::Malformed(_))
        ));
    }

    #[test]
    fn archive_with_two_tables_is_malformed() {
        let files = |names: &[&str]| {
            names
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            table_name(&files(&["a.txt", "A.CSV"])).expect("there is one"),
            "A.CSV"
        );
        assert!(table_name(&files(&["a.csv", "b.csv"])).is_err());
        assert!(table_name(&files(&["a.txt"])).is_err());
    }
}
