//! Lists of companies: which column has the registration numbers or the names, and what each row says.

use std::collections::HashSet;

use super::{MAX_CELL_CHARS, Row};
use crate::names::{bare_name, fold, form_at_end, name_key};
use crate::store::Ico;

/// The header is searched for in this many first rows, because titles precede it.
const HEADER_WITHIN: usize = 30;

/// Rows from which the columns are chosen if there is no header.
const SAMPLE: usize = 200;

/// Maximum length of a header that contains a word, in characters.
const MAX_HEADER_CHARS: usize = 40;

/// Folded headers of registration numbers.
const ICO_HEADERS: [&str; 12] = [
    "ico",
    "i c o",
    "ic",
    "identifikacne cislo",
    "identifikacne cislo organizacie",
    "company id",
    "companyid",
    "company number",
    "registration number",
    "reg no",
    "business id",
    "org id",
];

/// Folded headers of names.
const NAME_HEADERS: [&str; 19] = [
    "nazov",
    "meno",
    "obchodne meno",
    "obchodny nazov",
    "nazov firmy",
    "nazov spolocnosti",
    "firma",
    "spolocnost",
    "dodavatel",
    "odberatel",
    "partner",
    "klient",
    "name",
    "company",
    "company name",
    "business name",
    "customer",
    "supplier",
    "vendor",
];

/// Folded headers that are no names of companies. Only they may follow a title in a list of one column, where a title
/// and a name look the same.
const CERTAIN_HEADERS: [&str; 10] = [
    "nazov",
    "meno",
    "obchodne meno",
    "obchodny nazov",
    "nazov firmy",
    "nazov spolocnosti",
    "name",
    "company name",
    "business name",
    "customer name",
];

/// Folded words that accompany `IČO`, `názov` or `name` in a header, such as `Názov odberateľa`.
const HEADER_WORDS: [&str; 9] = [
    "ico", "dic", "nazov", "meno", "name", "plny", "cely", "of", "the",
];
/// Beginnings of further ones, which are inflected.
const HEADER_STEMS: [&str; 19] = [
    "odberatel",
    "dodavatel",
    "zakaznik",
    "klient",
    "partner",
    "firm",
    "spolocnost",
    "organizaci",
    "subjekt",
    "podnik",
    "obchodn",
    "cisl",
    "customer",
    "supplier",
    "vendor",
    "client",
    "compan",
    "business",
    "legal",
];

/// What a list is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreferredColumn {
    /// The registration number of each row, and the name where there is no number.
    Ico,
    /// The name of each row, and the registration number where there is no name.
    Name,
}

/// A row of a list of companies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Number of the row in the file, from 1.
    pub number: usize,
    /// The text that was read, at most 500 characters.
    pub read: String,
    pub value: Value,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Ico {
        ico: Ico,
        /// Leading zeros were missing, and the check digit confirms the completed number.
        is_repaired: bool,
    },
    Name(String),
    Rejected(Reason),
}

/// Why a line was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The row has values, but none in the column that is read.
    Empty,
    NotAnIco,
    /// It has fewer than 8 digits, and with leading zeros its check digit is wrong.
    CheckDigit,
}

/// The lines of a list. A header is not a line.
#[must_use]
pub fn lines(rows: &[Row], preferred: PreferredColumn) -> Vec<Line> {
    let columns = Columns::of_header(rows).unwrap_or_else(|| Columns::of_content(rows));
    let data = rows.get(columns.first..).unwrap_or_default();
    data.iter()
        .map(|row| columns.line(row, preferred))
        .collect()
}

/// Where a list has its values.
struct Columns {
    /// Position of the first row of data.
    first: usize,
    ico: Option<usize>,
    name: Option<usize>,
}

impl Columns {
    /// The columns by their headers. `None`: there is no header. Only titles may precede a header, so that no company is
    /// taken for one.
    fn of_header(rows: &[Row]) -> Option<Self> {
        let is_column = rows.iter().take(SAMPLE).all(|row| values(row) <= 1);
        for (at, row) in rows.iter().enumerate().take(HEADER_WITHIN) {
            let mut cells = row.cells.iter();
            if cells.any(|cell| matches!(parse(cell), Parsed::Ico { .. })) {
                return None;
            }
            // The title of a list may be the name of its owner, but no header is the name of a company.
            let has_form = row.cells.iter().any(|cell| has_legal_form(cell));
            let header = (!has_form).then(|| Headers::of(row)).flatten();
            if let Some(header) = header.filter(|header| at == 0 || !is_column || header.is_certain)
            {
                return Some(Self {
                    first: at + 1,
                    ico: header.ico,
                    name: header.name,
                });
            }
            let is_title = values(row) <= 1 && !(is_column && has_form);
            if !is_title {
                return None;
            }
        }
        None
    }

    /// The columns by what their cells look like.
    fn of_content(rows: &[Row]) -> Self {
        let sample = rows.iter().take(SAMPLE);
        let width = sample.clone().map(|row| row.cells.len()).max();
        let count = |column: usize, is: &dyn Fn(&str) -> bool| {
            let cells = sample.clone().filter_map(|row| row.cells.get(column));
            cells.filter(|cell| is(cell)).count()
        };
        let most = |counted: Vec<(usize, usize)>| {
            let best = counted.iter().map(|(_, count)| *count).max();
            let best = best.filter(|best| *best > 0)?;
            let found = counted.iter().find(|(_, count)| *count == best);
            found.map(|(column, _)| *column)
        };
        let columns = 0..width.unwrap_or_default();
        let is_ico = |cell: &str| matches!(parse(cell), Parsed::Ico { .. });
        let icos = columns
            .clone()
            .map(|column| (column, count(column, &is_ico)));
        let ico = most(icos.collect());
        let names = columns.filter(|column| Some(*column) != ico);
        let name = most(
            names
                .map(|column| (column, count(column, &is_name)))
                .collect(),
        );
        Self {
            first: 0,
            // A list without any number or name is rejected line by line.
            ico: ico.or_else(|| name.is_none().then_some(0)),
            name,
        }
    }

    fn line(&self, row: &Row, preferred: PreferredColumn) -> Line {
        let cell = |column: Option<usize>| {
            let cell = column.and_then(|column| row.cells.get(column));
            cell.map(String::as_str).filter(|cell| !cell.is_empty())
        };
        let (ico, name) = (cell(self.ico), cell(self.name));
        let first = match preferred {
            PreferredColumn::Ico => ico.or(name),
            PreferredColumn::Name => name.or(ico),
        };
        let read = first.unwrap_or_default();
        let is_name = first == name
            && name.is_some()
            && (ico.is_none() || preferred == PreferredColumn::Name);
        let value = match first {
            None => Value::Rejected(Reason::Empty),
            Some(_) if is_name && self::is_name(read) => Value::Name(read.to_owned()),
            Some(_) => self.number(read),
        };
        Line {
            number: row.number,
            read: read.chars().take(MAX_CELL_CHARS).collect(),
            value,
        }
    }

    fn number(&self, read: &str) -> Value {
        match parse(read) {
            Parsed::Ico { ico, is_repaired } => Value::Ico { ico, is_repaired },
            Parsed::CheckDigit => Value::Rejected(Reason::CheckDigit),
            // A list with one column may mix numbers and names.
            Parsed::Other if self.name.is_none() && self.first == 0 && is_name(read) => {
                Value::Name(read.to_owned())
            }
            Parsed::Other => Value::Rejected(Reason::NotAnIco),
        }
    }
}

/// The headers of a row.
struct Headers {
    ico: Option<usize>,
    name: Option<usize>,
    /// No company has such a name.
    is_certain: bool,
}

impl Headers {
    /// `None` if no cell is a header of numbers or names.
    fn of(row: &Row) -> Option<Self> {
        let folded: Vec<String> = row.cells.iter().map(|cell| fold(cell)).collect();
        let places = |is: &dyn Fn(&str) -> bool| {
            let mut places = folded.iter();
            places.position(|cell| is(cell))
        };
        // A longer text may be a title or the name of a company.
        let similar = |is: &dyn Fn(&HashSet<&str>) -> bool| {
            let short = |cell: &str| cell.chars().count() <= MAX_HEADER_CHARS;
            (values(row) > 1)
                .then(|| places(&|cell| short(cell) && is(&cell.split(' ').collect())))
                .flatten()
        };
        let similar_ico =
            similar(&|words: &HashSet<&str>| words.contains("ico") && !words.contains("dph"));
        let similar_name =
            similar(&|words: &HashSet<&str>| words.contains("nazov") || words.contains("name"));
        let exact_ico = places(&|cell| ICO_HEADERS.contains(&cell));
        let exact_name = places(&|cell| NAME_HEADERS.contains(&cell));
        let (ico, name) = (exact_ico.or(similar_ico), exact_name.or(similar_name));
        // Two headers beside each other confirm each other; a single one must be nothing but a header.
        let is_pair = ico.is_some() && name.is_some() && ico != name;
        let is_sure = |place: &usize| is_pair || is_qualified(&folded[*place]);
        let ico = ico.filter(|ico| exact_ico.is_some() || is_sure(ico));
        let name = name.filter(|name| exact_name.is_some() || is_sure(name));
        let name = name.filter(|name| ico != Some(*name));
        let is_certain = ico.is_some()
            || name.is_some_and(|name| CERTAIN_HEADERS.contains(&folded[name].as_str()));
        (ico.is_some() || name.is_some()).then_some(Self {
            ico,
            name,
            is_certain,
        })
    }
}

/// Number of the cells of a row that are not empty.
fn values(row: &Row) -> usize {
    row.cells.iter().filter(|cell| !cell.is_empty()).count()
}

/// Whether a folded text has no other words than those of headers.
fn is_qualified(folded: &str) -> bool {
    folded.split(' ').all(|word| {
        let is_letter = word.chars().nth(1).is_none();
        let has_stem = || HEADER_STEMS.iter().any(|stem| word.starts_with(stem));
        is_letter || HEADER_WORDS.contains(&word) || has_stem()
    })
}

/// Whether a text ends with a legal form, as names of companies do. A remark such as `v likvidácii` may follow.
fn has_legal_form(cell: &str) -> bool {
    form_at_end(cell).is_some() || name_key(cell) != bare_name(cell)
}

/// Whether a text may be a name: it has two letters.
fn is_name(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
}

enum Parsed {
    Ico { ico: Ico, is_repaired: bool },
    CheckDigit,
    Other,
}

/// Reads a registration number. Spaces are dropped. A number of 4 to 7 digits has lost its leading zeros in a
/// spreadsheet, if the check digit fits.
fn parse(cell: &str) -> Parsed {
    let digits: String = cell.chars().filter(|c| !c.is_whitespace()).collect();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_zero = digits.bytes().all(|byte| byte == b'0');
    if !is_number || is_zero || !(4..=8).contains(&digits.len()) {
        return Parsed::Other;
    }
    let is_repaired = digits.len() < 8;
    match Ico::parse(&format!("{digits:0>8}")) {
        Ok(ico) if !is_repaired || check_digit_fits(&ico) => Parsed::Ico { ico, is_repaired },
        Ok(_) => Parsed::CheckDigit,
        Err(_) => Parsed::Other,
    }
}

/// Whether the last digit is the check digit of the others: the weighted sum modulo 11.
fn check_digit_fits(ico: &Ico) -> bool {
    let digits = ico.as_str().bytes().map(|byte| u32::from(byte - b'0'));
    let digits: Vec<u32> = digits.collect();
    let weighted = digits.iter().zip((2..=8).rev());
    let sum: u32 = weighted.map(|(digit, weight)| digit * weight).sum();
    digits.last() == Some(&((11 - sum % 11) % 10))
}
