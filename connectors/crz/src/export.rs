//! The file of one day: asking for it, and reading its contracts one after the other.

use std::io::{BufReader, Read};

use lustra_sdk::http::{Body, BodyReader, Request};
use lustra_sdk::xml::{Element, Elements};
use lustra_sdk::{Failure, malformed};

use crate::calendar::Day;
use crate::contract::{self, Read as Contract};
use crate::mend::{Mended, Opened};
use crate::settings::Settings;

/// The upstream of the files.
const UPSTREAM: &str = "crz";
const ROOT: &str = "zmluvy";
const CONTRACT: &str = "zmluva";
/// SHA-256 of no bytes at all.
const DIGEST_OF_NOTHING: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/// Elements of which a file of many contracts has some; one that all of them lack was renamed.
const USUAL: [&str; 7] = [
    "ico",
    "zs1",
    "nazov",
    "predmet",
    "suma_zmluva",
    "suma_spolu",
    "druh",
];
/// From how many contracts on that is told.
const TELLING: u64 = 20;

/// What the register has for a day.
pub enum Answered<T> {
    /// A file; it may have no contracts.
    File(T),
    /// Status 404: no file of that day.
    NoFile,
    /// A file without one byte.
    NoBytes,
}

/// A file over the network. The archive must outlive its file, so the fields stay in this order.
pub struct Fetched {
    /// The contracts.
    pub file: DayFile<BodyReader>,
    _archive: Body,
}

/// Asks for the file of a day.
///
/// # Errors
/// [`Failure::Unavailable`] for a page of HTML and any status but 2xx and 404, [`Failure::Malformed`] for what is no
/// such file, and what the upstream failed with.
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
    /// How many contracts were read.
    read: u64,
    /// Usual elements that no contract had so far.
    missing: Vec<&'static str>,
    /// How many amounts were given, and how many of these could not be read.
    amounts: (u64, u64),
}

impl<R: Read> DayFile<R> {
    /// Begins at the head of a file; `None` where there is not one byte in it.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for what is no such file, [`Failure::Unavailable`] for a page of HTML.
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
        }))
    }

    /// The next contract; `None` behind the last one, when the whole file was read.
    ///
    /// # Errors
    /// As [`contract::read`]; [`Failure::Malformed`] for what is not XML, for a file that ends early, and for one in
    /// which an element is gone or more than a tenth of the amounts cannot be read: those were renamed or are
    /// written otherwise.
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
        Ok(Some(contract))
    }

    /// Passes over contracts that were given before; whether there were so many.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for what is not XML.
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

    /// How many contracts were read.
    pub fn contracts_read(&self) -> u64 {
        self.read
    }

    fn note(&mut self, element: &Element) {
        self.missing.retain(|name| element.child(name).is_none());
    }

    fn check(&self) -> Result<(), Failure> {
        if let Some(missing) = self.missing.first().filter(|_| self.read >= TELLING) {
            return Err(malformed(
                format!("{}: {missing}", self.name),
                "the element in some contract",
                format!("none in {} contracts", self.read),
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
