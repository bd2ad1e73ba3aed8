//! The file of one day: requests it and reads its contracts one by one.

use std::io::{BufReader, Read};

use lustra_sdk::http::{Body, BodyReader, Request};
use lustra_sdk::xml::{Element, Elements};
use lustra_sdk::{Failure, malformed};

use crate::calendar::Day;
use crate::contract::{self, Read as Contract, UNEXPLAINED_STATE};
use crate::mend::{Mended, Opened};
use crate::settings::Settings;

/// The upstream of the files.
const UPSTREAM: &str = "crz";
const ROOT: &str = "zmluvy";
const CONTRACT: &str = "zmluva";
/// SHA-256 of an empty file.
const DIGEST_OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// Elements that occur in every file with many contracts. If all contracts of a file lack one, it was renamed.
const USUAL: [&str; 7] = [
    "ico",
    "zs1",
    "nazov",
    "predmet",
    "suma_zmluva",
    "suma_spolu",
    "druh",
];
/// Minimum number of contracts for this check.
const MIN_SAMPLE: u64 = 20;

/// The register's answer for a day.
pub enum Answered<T> {
    /// A file; it may have no contracts.
    File(T),
    /// Status 404: there is no file for the day.
    NoFile,
    NoBytes,
}

/// A file read over the network. The file borrows from the archive and must be dropped first, so keep the order
/// of the fields.
pub struct Fetched {
    pub file: DayFile<BodyReader>,
    _archive: Body,
}

/// Requests the file of a day.
///
/// # Errors
/// [`Failure::Unavailable`] for an HTML page and for any status except 2xx and 404; [`Failure::Malformed`] for
/// any other kind of file; the upstream's failure.
pub fn fetch(day: Day, settings: &Settings) -> Result<Answered<Fetched>, Failure> {
    let date = day.to_string();
    let path = settings.export_path.replace("{date}", &date);
    let response = Request::get(UPSTREAM, path.as_str()).send()?;
    if response.status == 404 {
        return Ok(Answered::NoFile);
    }
    if !(200..300).contains(&response.status) {
        return Err(response.status_failure());
    }
    let page = || Failure::Unavailable(format!("{path} is a page of HTML instead of an archive"));
    let is_page = |kind: &str| kind.trim_start().starts_with("text/html");
    if response.header("content-type").is_some_and(is_page) {
        return Err(page());
    }
    let archive = response.body;
    let names = match archive.unzip() {
        Ok(names) => names,
        Err(Failure::Malformed(_)) if archive.evidence().digest == DIGEST_OF_NOTHING => {
            return Ok(Answered::NoBytes);
        }
        Err(Failure::Malformed(drift)) if drift.found.trim_start().starts_with('<') => {
            return Err(page());
        }
        Err(failure) => return Err(failure),
    };
    let is_wanted = |name: &&String| name.to_ascii_lowercase().ends_with(".xml");
    let [name] = names.iter().filter(is_wanted).collect::<Vec<_>>()[..] else {
        return Err(malformed(
            path,
            "one XML file in the archive",
            names.join(", "),
        ));
    };
    let input = archive.entry(name)?.reader().into_inner();
    Ok(match DayFile::open(&date, input)? {
        Some(file) => Answered::File(Fetched {
            file,
            _archive: archive,
        }),
        None => Answered::NoBytes,
    })
}

/// The contracts of a day's file, from its XML.
pub struct DayFile<R: Read> {
    name: String,
    elements: Elements<BufReader<Mended<R>>>,
    /// Number of contracts read so far.
    read: u64,
    /// Expected elements not seen in any contract so far.
    missing: Vec<&'static str>,
    /// Number of amounts present so far, and how many of them were unreadable.
    amounts: (u64, u64),
    /// Number of contracts so far whose state the settings do not explain.
    unexplained: u64,
}

impl<R: Read> DayFile<R> {
    /// Starts at the head of a file. `None` if the file is empty.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for any other kind of file, [`Failure::Unavailable`] for an HTML page.
    pub fn open(date: &str, input: R) -> Result<Option<Self>, Failure> {
        let name = format!("{date}.xml");
        let Opened::File(mended) = Mended::open(&name, input, ROOT)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            elements: Elements::new(&name, BufReader::new(mended), CONTRACT),
            name,
            read: 0,
            missing: USUAL.to_vec(),
            amounts: (0, 0),
            unexplained: 0,
        }))
    }

    /// The next contract, or `None` at the end of the file.
    ///
    /// # Errors
    /// As [`contract::read`]. [`Failure::Malformed`] for invalid XML, for a truncated file, and for a file in
    /// which an expected element is missing, or more than a tenth of the amounts are unreadable or of the states
    /// unexplained: the element was renamed or its format changed.
    pub fn next_contract(&mut self, settings: &Settings) -> Result<Option<Contract>, Failure> {
        let Some(element) = self.elements.next_element()? else {
            self.check()?;
            return Ok(None);
        };
        self.read += 1;
        self.note(&element);
        let place = format!("{}: contract {}", self.name, self.read);
        let contract = contract::read(&element, &place, settings)?;
        self.amounts.0 += u64::from(contract.amounts.0);
        self.amounts.1 += u64::from(contract.amounts.1);
        self.unexplained += u64::from(contract.oddities.contains(&UNEXPLAINED_STATE));
        Ok(Some(contract))
    }

    /// Skips contracts returned earlier. Returns false if the file has fewer.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for invalid XML.
    pub fn skip(&mut self, count: u64) -> Result<bool, Failure> {
        while self.read < count {
            let Some(element) = self.elements.next_element()? else {
                return Ok(false);
            };
            self.read += 1;
            self.note(&element);
        }
        Ok(true)
    }

    /// Number of contracts read so far.
    pub fn contracts_read(&self) -> u64 {
        self.read
    }

    fn note(&mut self, element: &Element) {
        self.missing.retain(|name| element.child(name).is_none());
    }

    fn check(&self) -> Result<(), Failure> {
        if let Some(missing) = self.missing.first().filter(|_| self.read >= MIN_SAMPLE) {
            return Err(malformed(
                format!("{}: {missing}", self.name),
                "the element in some contract",
                format!("none in {} contracts", self.read),
            ));
        }
        if self.unexplained > 1 && self.unexplained * 10 > self.read {
            return Err(malformed(
                format!("{}: stav", self.name),
                "states of the setting states",
                format!("{} of {} that are none", self.unexplained, self.read),
            ));
        }
        let (given, unreadable) = self.amounts;
        if unreadable > 1 && unreadable * 10 > given {
            return Err(malformed(
                format!("{}: suma_zmluva, suma_spolu", self.name),
                "amounts",
                format!("{unreadable} of {given} that are none"),
            ));
        }
        Ok(())
    }
}
