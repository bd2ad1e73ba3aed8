//! Requests to the register, within the limits of one call.

use std::collections::BTreeMap;

use lustra_sdk::http::Request;
use lustra_sdk::runtime::{self, Remaining};
use lustra_sdk::{Evidence, Failure, malformed};

use crate::answers::{self, Detail, Ids, Report, Unit};
use crate::content::UPSTREAM;
use crate::forms::{self, Form};
use crate::settings::Settings;

/// Includes statements of every age. Without a date, the register refuses a list, even one by IČO.
const CHANGED_SINCE: &str = "2000-01-01";
/// One IČO has one or a few units. A register that ignores the IČO would return a thousand.
const MAX_UNITS: usize = 10;
/// A call keeps this much time for an answer in progress and for the section.
const RESERVE_MS: u64 = 3_000;

/// Why a request has no answer.
#[derive(Debug, Clone)]
pub enum Stopped {
    /// The call may make no more requests.
    Allowance,
    Failed(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

#[derive(Debug)]
pub struct Asker {
    pub settings: Settings,
    /// Evidence of the answers that were read.
    pub evidence: Vec<Evidence>,
    allowed: u64,
    asked: u64,
    forms: BTreeMap<u64, Form>,
}

impl Asker {
    /// Reads the settings.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] if a setting has another shape.
    pub fn new() -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::read()?,
            evidence: Vec::new(),
            allowed: runtime::left().requests,
            asked: 0,
            forms: BTreeMap::new(),
        })
    }

    /// True if this many further requests are allowed. The host counts retries, this type counts requests.
    #[must_use]
    pub fn may_ask(&self, questions: u64) -> bool {
        let Remaining {
            requests, wall_ms, ..
        } = runtime::left();
        let unasked = self.allowed.saturating_sub(self.asked);
        requests.min(unasked) >= questions && wall_ms >= RESERVE_MS
    }

    /// The answer's text. `None` if the register says that there is no such object: a 404 of its JSON interface without
    /// a body. The 404 of an unknown path is a page.
    fn get(&mut self, path: String) -> Result<Option<String>, Stopped> {
        if !self.may_ask(1) {
            return Err(Stopped::Allowance);
        }
        self.asked += 1;
        let response = Request::get(UPSTREAM, path)
            .header("accept", "application/json")
            .send()?;
        let is_json = response
            .header("content-type")
            .is_some_and(|kind| kind.to_ascii_lowercase().contains("json"));
        let status = response.status;
        let failure = response.status_failure();
        let text = match status {
            200..300 | 404 => response.body.text(None)?,
            _ => return Err(failure.into()),
        };
        if status == 404 && !(is_json && text.trim().is_empty()) {
            return Err(failure.into());
        }
        self.evidence.push(response.body.evidence());
        Ok(Some(text).filter(|_| status != 404))
    }

    /// The ids of an IČO's units.
    ///
    /// # Errors
    /// The register's failure; [`Failure::Malformed`] for far too many.
    pub fn units(&mut self, ico: &str) -> Result<Vec<u64>, Stopped> {
        let path = format!("/api/uctovne-jednotky?zmenene-od={CHANGED_SINCE}&ico={ico}");
        let what = format!("units of {UPSTREAM}");
        let mut all: Vec<u64> = Vec::new();
        loop {
            let page = match all.last() {
                Some(last) => format!("{path}&pokracovat-za-id={last}"),
                None => path.clone(),
            };
            let Some(answer) = self.get(page)? else {
                let why = format!("{UPSTREAM} has no list of units");
                return Err(Failure::Unavailable(why).into());
            };
            let Ids { ids, has_more } = answers::read_ids(&what, &answer)?;
            if all
                .last()
                .zip(ids.first())
                .is_some_and(|(last, next)| next <= last)
            {
                return Err(malformed(what, "ids behind the last one", "others").into());
            }
            all.extend(ids);
            if all.len() > MAX_UNITS {
                let expected = format!("at most {MAX_UNITS} of one IČO");
                return Err(malformed(what, expected, format!("{} ids", all.len())).into());
            }
            if !has_more {
                return Ok(all);
            }
        }
    }

    /// A unit. `None` if the register no longer has it.
    ///
    /// # Errors
    /// The register's failure.
    pub fn unit(&mut self, id: u64) -> Result<Option<Unit>, Stopped> {
        let answer = self.get(format!("/api/uctovna-jednotka?id={id}"))?;
        Ok(answer
            .map(|answer| answers::read_unit(id, &answer))
            .transpose()?)
    }

    /// A statement. `None` if the register no longer has it.
    ///
    /// # Errors
    /// The register's failure.
    pub fn statement(&mut self, id: u64) -> Result<Option<Detail>, Stopped> {
        let answer = self.get(format!("/api/uctovna-zavierka?id={id}"))?;
        Ok(answer
            .map(|answer| answers::read_statement(id, &answer))
            .transpose()?)
    }

    /// A report. `None` if the register no longer has it.
    ///
    /// # Errors
    /// The register's failure.
    pub fn report(&mut self, id: u64) -> Result<Option<Report>, Stopped> {
        let answer = self.get(format!("/api/uctovny-vykaz?id={id}"))?;
        Ok(answer
            .map(|answer| answers::read_report(id, &answer))
            .transpose()?)
    }

    /// The form of a template. A template that is not built in is requested once per call.
    ///
    /// # Errors
    /// The register's failure; [`Failure::Malformed`] if the register does not have the template of a report.
    pub fn form(&mut self, template: u64) -> Result<Form, Stopped> {
        if let Some(form) = forms::known(template).or_else(|| self.forms.get(&template).cloned()) {
            return Ok(form);
        }
        let what = format!("template {template}");
        let Some(answer) = self.get(format!("/api/sablona?id={template}"))? else {
            return Err(malformed(what, "the template of a report", "none").into());
        };
        let template_of = forms::read_template(template, &answer)?;
        let form = forms::of_template(&template_of, &self.settings.labels);
        self.forms.insert(template, form.clone());
        Ok(form)
    }
}
