//! Reads XML lists. Flat records stream one by one from input of any size; nested records are
//! [`Element`]s.

mod element;

use std::collections::BTreeMap;
use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::entities::of_reference;
use crate::{Failure, Notes, http, malformed};

pub use element::{Element, Elements, parse};
pub use quick_xml;

/// The direct children of one record: element name to text. A missing child is an absent value.
pub type Row = BTreeMap<String, String>;

/// The note for records with a reference to an unknown entity.
const UNKNOWN_ENTITIES: &str = "rows_with_unknown_entities";

/// Reads the elements with one name, at any place, as flat records, and the texts of chosen
/// elements before them.
///
/// The names of the root and the container do not matter, since registers change them. A document
/// that ends before its root is closed is `malformed`: a truncated list must not look complete.
pub struct Rows<R: BufRead> {
    what: String,
    reader: Reader<R>,
    element: String,
    buffer: Vec<u8>,
    depth: usize,
    begun: bool,
    read: u64,
    /// Texts of the leaf elements outside the records read so far, by element name.
    pub outside: BTreeMap<String, String>,
}

impl<R: BufRead> Rows<R> {
    /// Reads from UTF-8 input; `what` names the file in failures.
    pub fn new(what: &str, input: R, element: &str) -> Self {
        let mut reader = Reader::from_reader(input);
        reader.config_mut().check_end_names = true;
        Self {
            what: what.to_owned(),
            reader,
            element: element.to_owned(),
            buffer: Vec::with_capacity(4096),
            depth: 0,
            begun: false,
            read: 0,
            outside: BTreeMap::new(),
        }
    }

    /// The next record, or `None` after the root is closed.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for invalid or truncated XML, [`Failure::Unavailable`] for an HTML
    /// page.
    pub fn next_row(&mut self) -> Result<Option<Row>, Failure> {
        match self.next_raw()? {
            Some((_, Some(reference))) => Err(self.unknown_entity(&reference)),
            Some((row, None)) => Ok(Some(row)),
            None => Ok(None),
        }
    }

    /// The next readable record, for lists that tolerate odd rows. Records with an unknown entity
    /// or with undecodable bytes in a wanted element are skipped and counted as
    /// `rows_with_unknown_entities` and [`Notes::UNREADABLE_BYTES`]; in other elements each stands
    /// for one `\u{fffd}`. Starts the record in `notes`; call [`Notes::check_odd_rows`] at the end
    /// of the list.
    ///
    /// # Errors
    /// As [`Rows::next_row`]. A document that is not well-formed has no further rows.
    pub fn next_readable(
        &mut self,
        is_wanted: impl Fn(&str) -> bool,
        notes: &mut Notes,
    ) -> Result<Option<Row>, Failure> {
        while let Some((row, unknown)) = self.next_raw()? {
            notes.row();
            let mut cells = row.iter();
            if !cells.any(|(name, text)| text.contains('\u{fffd}') && is_wanted(name)) {
                return Ok(Some(row));
            }
            notes.odd(match unknown {
                Some(_) => UNKNOWN_ENTITIES,
                None => Notes::UNREADABLE_BYTES,
            });
        }
        Ok(None)
    }

    /// The next record, and its first unknown reference.
    fn next_raw(&mut self) -> Result<Option<(Row, Option<String>)>, Failure> {
        let mut unknown: Option<String> = None;
        let mut row: Option<Row> = None;
        let mut row_depth = 0;
        let mut field: Option<String> = None;
        let mut text = String::new();
        loop {
            self.buffer.clear();
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(error) => return Err(of_xml(&self.what, self.read, &error)),
            };
            match event {
                Event::Start(start) => {
                    let name = start.local_name().as_ref().to_owned();
                    if !self.begun && name.eq_ignore_ascii_case("html") {
                        return Err(Failure::Unavailable(format!(
                            "{} is a page of HTML instead of XML",
                            self.what
                        )));
                    }
                    self.begun = true;
                    self.depth += 1;
                    text.clear();
                    if row.is_none() && name == self.element {
                        row = Some(Row::new());
                        row_depth = self.depth;
                    } else {
                        field = Some(name);
                    }
                }
                Event::Empty(_) => {
                    self.begun = true;
                }
                Event::Text(piece) => text.push_str(&piece),
                Event::CData(piece) => text.push_str(&piece),
                Event::GeneralRef(reference) => match of_reference(&reference) {
                    Some(resolved) => text.push_str(&resolved),
                    None if row.is_some() => {
                        text.push('\u{fffd}');
                        unknown.get_or_insert_with(|| reference.to_string());
                    }
                    None => {
                        let reference = reference.to_string();
                        return Err(self.unknown_entity(&reference));
                    }
                },
                Event::End(_) => {
                    if row.is_some() && self.depth == row_depth {
                        self.depth -= 1;
                        self.read += 1;
                        return Ok(row.map(|row| (row, unknown)));
                    }
                    self.depth = self.depth.saturating_sub(1);
                    if let Some(name) = field.take() {
                        let value = text.trim();
                        if !value.is_empty() {
                            let into = row.as_mut().unwrap_or(&mut self.outside);
                            into.insert(name, value.to_owned());
                        }
                    }
                    text.clear();
                }
                Event::Eof => {
                    if !self.begun || self.depth > 0 {
                        return Err(malformed(
                            self.place(),
                            "the end of the list",
                            "the end of the file",
                        ));
                    }
                    return Ok(None);
                }
                Event::Decl(_) | Event::PI(_) | Event::DocType(_) | Event::Comment(_) => {}
            }
        }
    }

    /// Number of records read so far.
    pub fn rows_read(&self) -> u64 {
        self.read
    }

    fn unknown_entity(&self, reference: &str) -> Failure {
        malformed(self.place(), "a known entity", reference)
    }

    fn place(&self) -> String {
        format!("{}: behind {} {}", self.what, self.element, self.read)
    }
}

fn of_xml(what: &str, read: u64, error: &quick_xml::Error) -> Failure {
    if let quick_xml::Error::Io(io) = error {
        return http::of_io(what, io);
    }
    malformed(
        format!("{what}: record {}", read + 1),
        "well-formed XML",
        error.to_string(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> (Vec<Row>, BTreeMap<String, String>, Option<Failure>) {
        let mut reader = Rows::new("list", text.as_bytes(), "ITEM");
        let mut rows = Vec::new();
        let failure = loop {
            match reader.next_row() {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => break None,
                Err(failure) => break Some(failure),
            }
        };
        (rows, reader.outside, failure)
    }

    #[test]
    fn items_are_found_wherever_they_are() {
        let text = "<?xml version=\"1.0\"?><Root><Date>15012026</Date><L><ITEM><A>&quot;x&quot; &amp; y</A><B/></ITEM><ITEM><A>2</A></ITEM></L></Root>";
        let (rows, outside, failure) = rows(text);
        assert!(failure.is_none());
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].get("A").map(String::as_str), Some("\"x\" & y"));
        assert_eq!(rows[0].get("B"), None);
        assert_eq!(outside.get("Date").map(String::as_str), Some("15012026"));
    }

    #[test]
    fn an_empty_list_is_no_failure() {
        let (rows, _, failure) = rows("<Root><L></L></Root>");
        assert!(rows.is_empty() && failure.is_none());
    }

    #[test]
    fn a_list_cut_short_is_malformed() {
        let (rows, _, failure) = rows("<Root><L><ITEM><A>1</A></ITEM><ITEM><A>2");
        assert_eq!(rows.len(), 1);
        assert!(matches!(failure, Some(Failure::Malformed(_))));
    }

    #[test]
    fn odd_records_are_skipped_and_counted() {
        let text = "<L><ITEM><A>1&nicht;</A></ITEM><ITEM><A>2\u{fffd}</A></ITEM><ITEM><A>3</A></ITEM>\
            <ITEM><A>4</A><B>&nicht;\u{fffd}</B></ITEM></L>";
        let mut reader = Rows::new("list", text.as_bytes(), "ITEM");
        let mut notes = Notes::default();
        let mut next = || reader.next_readable(|name| name == "A", &mut notes);
        for expected in ["3", "4"] {
            let row = next().expect("a row");
            assert_eq!(row.expect("a readable one")["A"], expected);
        }
        assert!(next().expect("the end").is_none());
        assert_eq!((notes.rows(), notes.odd_rows()), (4, 2));
        assert_eq!(notes.of(UNKNOWN_ENTITIES), 1);
        assert_eq!(notes.of(Notes::UNREADABLE_BYTES), 1);
        assert!(
            matches!(rows(text).2, Some(Failure::Malformed(_))),
            "strictly"
        );
    }

    #[test]
    fn pages_and_garbage_are_distinguished() {
        assert!(matches!(
            rows("<!DOCTYPE html><html><body>Údržba</body></html>").2,
            Some(Failure::Unavailable(_))
        ));
        assert!(matches!(rows("garbage").2, Some(Failure::Malformed(_))));
        assert!(matches!(rows("").2, Some(Failure::Malformed(_))));
    }
}
