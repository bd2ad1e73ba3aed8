//! A dump's file: a header with the date, then one record per line preceded by the separating comma, then `]}`.
//!
//! Lines are read one by one, so memory use is that of the longest line. A file without its last line is
//! truncated, whatever came before.

use std::io::{BufRead, Read};

use lustra_sdk::{Failure, http, malformed};
use serde::Deserialize;

use crate::record::Record;

/// Maximum length of a record's line in bytes. Known lines have a few kilobytes.
const MAX_LINE_BYTES: u64 = 16 << 20;
/// Quoted length of an unreadable line in characters: the record's id and number, but not the person's name
/// after them.
const QUOTED_CHARACTERS: usize = 40;
const END: &str = "]}";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Header {
    export_date: String,
    results: Vec<serde::de::IgnoredAny>,
}

/// A dump being read.
pub struct Dump<R> {
    what: String,
    input: R,
    export_date: String,
    line: Vec<u8>,
    /// True if `line` holds a record that was not returned yet.
    is_ahead: bool,
    is_ended: bool,
    records: u64,
}

impl<R: BufRead> Dump<R> {
    /// Reads the header; `what` names the file in failures.
    ///
    /// # Errors
    /// [`Failure::Malformed`] if the file does not start as a dump, [`Failure::Unavailable`] for an HTML page.
    pub fn begin(what: &str, input: R) -> Result<Self, Failure> {
        let mut dump = Self {
            what: what.to_owned(),
            input,
            export_date: String::new(),
            line: Vec::with_capacity(16 * 1024),
            is_ahead: false,
            is_ended: false,
            records: 0,
        };
        dump.read_line()?;
        let header = dump
            .text()?
            .trim_start_matches('\u{feff}')
            .trim()
            .to_owned();
        if header.starts_with('<') {
            return Err(Failure::Unavailable(format!(
                "{what} is a page of HTML instead of a dump"
            )));
        }
        let is_whole = header.ends_with(END);
        let closed = if is_whole {
            header.clone()
        } else {
            format!("{header}{END}")
        };
        let unknown = |why: &str| {
            let expected = format!("{{\"exportDate\":…,\"results\":[ alone in the first line{why}");
            malformed(format!("{what}: header"), expected, quoted(&header))
        };
        let read: Header =
            serde_json::from_str(&closed).map_err(|error| unknown(&format!(" ({error})")))?;
        if !read.results.is_empty() {
            return Err(unknown(", records behind it"));
        }
        dump.export_date =
            lustra_sdk::date::parse(&read.export_date).ok_or_else(|| unknown(" (no date)"))?;
        if is_whole {
            dump.expect_nothing_more()?;
        }
        Ok(dump)
    }

    /// The dump's own date.
    #[must_use]
    pub fn export_date(&self) -> &str {
        &self.export_date
    }

    /// Number of records returned or skipped.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    #[must_use]
    pub fn input(&self) -> &R {
        &self.input
    }

    /// The next record, or `None` at the end of the dump.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for an invalid record and for a truncated file.
    pub fn next_record(&mut self) -> Result<Option<Record>, Failure> {
        match self.next_line()? {
            None => Ok(None),
            Some(json) => {
                let record = json.and_then(record_of_line);
                record
                    .map(Some)
                    .map_err(|failure| within(&self.place(), failure))
            }
        }
    }

    /// The next record as JSON text, or the reason why it is not text. `None` at the end of the dump.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a truncated file.
    pub fn next_line(&mut self) -> Result<Option<Result<&str, Failure>>, Failure> {
        if self.is_at_end()? {
            return Ok(None);
        }
        self.is_ahead = false;
        self.records += 1;
        // This is not an odd record: the list is closed but more content follows.
        if self.line.trim_ascii_start().starts_with(b"]") {
            return Err(malformed(self.place(), "one record", "the end of the list"));
        }
        let text = self.text().map(without_comma);
        Ok(Some(text))
    }

    /// The place of the record that was returned last.
    #[must_use]
    pub fn place(&self) -> String {
        format!("{}: record {}", self.what, self.records)
    }

    /// Skips records without parsing them. Returns false if the dump has fewer.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a truncated file.
    pub fn skip(&mut self, records: u64) -> Result<bool, Failure> {
        for _ in 0..records {
            if self.is_at_end()? {
                return Ok(false);
            }
            self.is_ahead = false;
            self.records += 1;
        }
        Ok(true)
    }

    /// True if no record is left. Reads the next line.
    ///
    /// # Errors
    /// As [`Dump::next_record`].
    pub fn is_at_end(&mut self) -> Result<bool, Failure> {
        while !self.is_ahead && !self.is_ended {
            self.read_line()?;
            let line = self.line.trim_ascii();
            if line == END.as_bytes() {
                self.expect_nothing_more()?;
            } else if !self.line.ends_with(b"\n") {
                return Err(self.cut_short());
            } else {
                self.is_ahead = !line.is_empty();
            }
        }
        Ok(self.is_ended)
    }

    fn read_line(&mut self) -> Result<(), Failure> {
        self.line.clear();
        let mut limited = self.input.by_ref().take(MAX_LINE_BYTES);
        let count = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|error| http::of_io(&self.what, &error))?;
        if count == 0 {
            return Err(self.cut_short());
        }
        if count as u64 == MAX_LINE_BYTES && !self.line.ends_with(b"\n") {
            let place = format!("{}: behind record {}", self.what, self.records);
            return Err(malformed(
                place,
                "lines of one record",
                format!("a line of more than {MAX_LINE_BYTES} bytes"),
            ));
        }
        Ok(())
    }

    fn expect_nothing_more(&mut self) -> Result<(), Failure> {
        self.is_ended = true;
        let mut rest = Vec::new();
        let mut limited = self.input.by_ref().take(MAX_LINE_BYTES);
        limited
            .read_to_end(&mut rest)
            .map_err(|error| http::of_io(&self.what, &error))?;
        if rest.trim_ascii().is_empty() {
            return Ok(());
        }
        let place = format!("{}: behind the closing line", self.what);
        Err(malformed(
            place,
            "the end of the file",
            format!("{} bytes", rest.len()),
        ))
    }

    fn text(&self) -> Result<&str, Failure> {
        std::str::from_utf8(&self.line)
            .map_err(|error| malformed("line", "text in UTF-8", error.to_string()))
    }

    fn cut_short(&self) -> Failure {
        let place = format!("{}: behind record {}", self.what, self.records);
        malformed(place, "the closing line ]}", "the end of the file")
    }
}

/// Reads one record line, with or without the comma of the line before it.
///
/// # Errors
/// [`Failure::Malformed`] when it is not one record.
pub fn record_of_line(line: &str) -> Result<Record, Failure> {
    let json = without_comma(line);
    serde_json::from_str(json)
        .map_err(|error| malformed("record", format!("one record ({error})"), quoted(json)))
}

fn without_comma(line: &str) -> &str {
    let line = line.trim();
    line.strip_prefix(',').unwrap_or(line)
}

fn quoted(line: &str) -> String {
    line.chars().take(QUOTED_CHARACTERS).collect()
}

/// Adds the position in the file to a failure.
#[must_use]
pub fn within(place: &str, mut failure: Failure) -> Failure {
    if let Failure::Malformed(drift) = &mut failure {
        drift.what = format!("{place}: {}", drift.what);
    }
    failure
}
