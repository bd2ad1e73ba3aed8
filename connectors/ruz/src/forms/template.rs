//! Reads templates of the register.

use lustra_sdk::{Failure, malformed};

use crate::content::Object;

const TEMPLATE: [&str; 6] = [
    "id",
    "nazov",
    "nariadenieMF",
    "platneOd",
    "platneDo",
    "tabulky",
];
const TABLE: [&str; 5] = [
    "nazov",
    "pocetStlpcov",
    "pocetDatovychStlpcov",
    "hlavicka",
    "riadky",
];
/// Maximum number of columns; a larger table does not come from the register.
const MAX_COLUMNS: u64 = 100;

/// A cell of a table's head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub text: String,
    /// Its first column, counted from 1.
    pub column: usize,
    /// The number of columns that it spans.
    pub width: usize,
}

/// A table of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateTable {
    pub name: Option<String>,
    /// The number of all columns, including labels.
    pub columns: usize,
    /// The number of columns with cells. They are the last ones.
    pub data_columns: usize,
    pub head: Vec<Head>,
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The number of the line, unique within the table.
    pub number: Option<u32>,
    pub label: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// The register's id of the template.
    pub id: u64,
    pub name: String,
    /// Its tables. Empty for a form that is only a file.
    pub tables: Vec<TemplateTable>,
}

/// Reads a template.
///
/// # Errors
/// [`Failure::Malformed`] with the name of the unexpected member; [`Failure::Unavailable`] for HTML.
pub fn read_template(id: u64, answer: &str) -> Result<Template, Failure> {
    let what = format!("template {id}");
    let template = Object::read(&what, answer, &TEMPLATE)?;
    if template.needed_number("id")? != id {
        return Err(template.wrong("id", "the number that was asked for"));
    }
    let Some(name) = template.words("nazov")? else {
        return Err(template.wrong("nazov", "a name"));
    };
    template.may_lack("tabulky")?;
    let tables = template.list("tabulky", &TABLE)?;
    Ok(Template {
        id,
        name,
        tables: tables.iter().map(table).collect::<Result<_, _>>()?,
    })
}

fn table(table: &Object) -> Result<TemplateTable, Failure> {
    for name in ["hlavicka", "riadky"] {
        table.may_lack(name)?;
    }
    let heads = table.list(
        "hlavicka",
        &["text", "riadok", "stlpec", "sirkaStlpca", "vyskaRiadku"],
    )?;
    let rows = table.list("riadky", &["oznacenie", "text", "cisloRiadku"])?;
    let data_columns = columns(table, "pocetDatovychStlpcov")?;
    Ok(TemplateTable {
        name: table.words("nazov")?,
        columns: columns(table, "pocetStlpcov")?.max(data_columns),
        data_columns,
        head: heads.iter().map(head).collect::<Result<_, _>>()?,
        rows: rows.iter().map(row).collect::<Result<_, _>>()?,
    })
}

fn row(row: &Object) -> Result<Row, Failure> {
    row.may_lack("text")?;
    // A number in another shape leaves the line to its label.
    let number = row.number("cisloRiadku").ok().flatten();
    Ok(Row {
        number: number.and_then(|number| u32::try_from(number).ok()),
        label: row.words("text")?.unwrap_or_default(),
    })
}

fn head(cell: &Object) -> Result<Head, Failure> {
    cell.may_lack("text")?;
    Ok(Head {
        text: cell.words("text")?.unwrap_or_default(),
        column: columns(cell, "stlpec")?,
        width: if cell.has("sirkaStlpca") {
            columns(cell, "sirkaStlpca")?
        } else {
            1
        },
    })
}

fn columns(object: &Object, name: &str) -> Result<usize, Failure> {
    let number = object.needed_number(name)?;
    usize::try_from(number)
        .ok()
        .filter(|_| number <= MAX_COLUMNS)
        .ok_or_else(|| {
            malformed(
                format!("{}: /{name}", object.place()),
                format!("a number up to {MAX_COLUMNS}"),
                number.to_string(),
            )
        })
}
