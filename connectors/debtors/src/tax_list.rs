//! The tax authority's list `ds_dsdd`: flat items in XML, without a number that identifies the debtor.

use std::io::BufRead;

use lustra_sdk::{Failure, date, malformed, xml};

use crate::debt::{Debt, DebtRows, Notes, Raw};

const WHAT: &str = "fs-reports: ds_dsdd.xml";
/// The elements that are read.
const COLUMNS: [&str; 5] = ["NAZOV_SUBJEKTU", "ULICA_CISLO", "OBEC", "PSC", "CIASTKA"];

/// The name of the list's file in the archive. The archive may also contain its schema.
///
/// # Errors
/// [`Failure::Malformed`] unless exactly one file is XML.
pub fn file_name(files: &[String]) -> Result<&str, Failure> {
    let mut lists = files
        .iter()
        .filter(|name| name.to_ascii_lowercase().ends_with(".xml"));
    match (lists.next(), lists.next()) {
        (Some(list), None) => Ok(list),
        _ => Err(malformed(
            "fs-reports: ds_dsdd.zip",
            "exactly one .xml",
            files.join(", "),
        )),
    }
}

pub struct Rows<R: BufRead> {
    items: xml::Rows<R>,
    list_date: Option<String>,
    begun: bool,
}

impl<R: BufRead> Rows<R> {
    /// Reads a list that is encoded in UTF-8.
    pub fn new(input: R) -> Self {
        Self {
            items: xml::Rows::new(WHAT, input, "ITEM"),
            list_date: None,
            begun: false,
        }
    }

    /// Reads the list's date. It stands before the items, so it is known with the first of them.
    fn read_date(&mut self) -> Result<(), Failure> {
        if let Some(raw) = self.items.outside.get("DatumAktualizacieZoznamu") {
            let place = || malformed(format!("{WHAT}: DatumAktualizacieZoznamu"), "a date", raw);
            self.list_date = Some(date::parse(raw).ok_or_else(place)?);
        }
        Ok(())
    }
}

impl<R: BufRead> DebtRows for Rows<R> {
    fn next_debt(&mut self, notes: &mut Notes) -> Result<Option<Debt>, Failure> {
        while let Some(item) = self
            .items
            .next_readable(|name| COLUMNS.contains(&name), notes)?
        {
            if !self.begun {
                self.begun = true;
                self.read_date()?;
            }
            let value = |name: &str| item.get(name).map(String::as_str).unwrap_or_default();
            let raw = Raw {
                name: value("NAZOV_SUBJEKTU"),
                street: value("ULICA_CISLO"),
                city: value("OBEC"),
                postal_code: value("PSC"),
                amount: value("CIASTKA"),
                ..Raw::default()
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
