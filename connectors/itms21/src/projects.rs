//! The dataset `projects`: the list, and the detail of each project.
//!
//! A detail is requested if the project is new, has changed, or was read long ago. Otherwise the last import's detail
//! is kept. A run limits the time for details, so that the first import takes some runs; the list is always read whole.

use lustra_sdk::http::{Request, Response};
use lustra_sdk::runtime::{self, Remaining};
use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Notes, calendar, records};

use crate::gaps;
use crate::names::{BASE, PROJECTS, UPSTREAM};
use crate::project::{self, Detail, Project, Role};
use crate::settings::Settings;
use crate::sweep::{self, List, Rows, Step, Time};

/// So many failed requests for details in succession end the run.
const MAX_FAILURES: u32 = 10;
/// Details leave this fraction (one part in `SPARE`) of the run's limits for the list.
const SPARE: u64 = 8;

/// Reads the list of projects.
pub struct Projects {
    settings: Settings,
    today: String,
    began: String,
    allowance: Remaining,
    /// Failed requests for details in succession.
    failures: u32,
}

impl Projects {
    /// Starts with the limits of the current run.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn open() -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::read()?,
            today: runtime::today(),
            began: runtime::now(),
            allowance: runtime::left(),
            failures: 0,
        })
    }

    /// The detail of a project: that of the last import if it is still good, else from the register. Without an answer
    /// the older one is kept.
    fn detail(&mut self, of: &Project, notes: &mut Notes) -> Result<Option<Detail>, Failure> {
        let known = known(of.id)?;
        if known.as_ref().is_some_and(|known| self.is_good(known, of)) {
            return Ok(known);
        }
        if !self.has_room() {
            notes.count("details_postponed");
            if known.is_none() {
                notes.count(gaps::NOTE);
            }
            return Ok(known);
        }
        let asked = self.ask(of, notes)?;
        Ok(asked.or(known))
    }

    fn is_good(&self, known: &Detail, of: &Project) -> bool {
        let age = calendar::days_between(&known.read_on, &self.today);
        let is_young = age.is_some_and(|days| days < i64::from(self.settings.reread_days));
        is_young && known.of == of.updated_at
    }

    /// Whether the run may request another detail.
    fn has_room(&self) -> bool {
        let seconds = calendar::seconds_between(&self.began, &runtime::now());
        let is_long = seconds.is_none_or(|seconds| seconds >= self.settings.run_minutes * 60);
        let left = runtime::left();
        let has = |left: u64, begun: u64| left > begun / SPARE;
        !is_long
            && has(left.requests, self.allowance.requests)
            && has(left.bytes, self.allowance.bytes)
            && has(left.cpu_ms, self.allowance.cpu_ms)
    }

    /// Requests a detail. `None` if the register did not give it: the facts of the list are stored without it.
    fn ask(&mut self, of: &Project, notes: &mut Notes) -> Result<Option<Detail>, Failure> {
        let response = Request::get(UPSTREAM, format!("{BASE}/projekt/id/{}", of.id))
            .header("accept", "application/json")
            .send()?;
        let detail = match response.status {
            200..=299 => self.read(response, of, notes),
            404 | 410 => {
                notes.count("details_gone");
                return Ok(None);
            }
            // A firewall in front of the API blocks single details for good.
            403 => {
                notes.count("details_blocked");
                Ok(None)
            }
            429 => return Err(response.status_failure()),
            _ => Err(response.status_failure()),
        };
        match detail {
            Ok(Some(detail)) => {
                self.failures = 0;
                Ok(Some(detail))
            }
            Ok(None) => self.failed(Failure::Unavailable(format!(
                "{UPSTREAM} blocks the details of projects"
            ))),
            Err(failure) => {
                notes.count("details_failed");
                self.failed(failure)
            }
        }
    }

    fn read(
        &self,
        response: Response,
        of: &Project,
        notes: &mut Notes,
    ) -> Result<Option<Detail>, Failure> {
        let detail: Value = response.json()?;
        project::read_detail(&detail, of, &self.today, notes).map(Some)
    }

    /// Counts a failed request. Too many in succession are a failure of the register.
    fn failed(&mut self, failure: Failure) -> Result<Option<Detail>, Failure> {
        self.failures += 1;
        if self.failures < MAX_FAILURES {
            return Ok(None);
        }
        // A malformed detail would count as an odd row.
        if let Failure::Malformed(drift) = &failure {
            return Err(Failure::Unavailable(format!(
                "{UPSTREAM}: {MAX_FAILURES} details in succession have another form: {}",
                drift.what
            )));
        }
        Err(failure)
    }
}

/// The detail in the last import.
fn known(id: u64) -> Result<Option<Detail>, Failure> {
    let stored = records::by_key(PROJECTS, &sweep::keys_of("", id), 1)?;
    let readable = stored
        .first()
        .and_then(|stored| records::content::<Project>(stored).ok());
    Ok(readable.and_then(|project| project.detail))
}

impl Rows for Projects {
    fn lists(&self) -> Vec<List> {
        vec![List {
            path: "projekt".to_owned(),
            subjects: &["prijimatel", "partner"],
            prefix: "",
        }]
    }

    fn records(
        &mut self,
        _list: usize,
        row: &Value,
        _time: Time,
        notes: &mut Notes,
    ) -> Result<Step, Failure> {
        let (mut project, partners) = project::read(row, notes)?;
        project.detail = self.detail(&project, notes)?;
        let suppliers = suppliers(project.detail.as_ref());
        let suppliers = suppliers.into_iter().map(|ico| (ico, Role::Supplier));
        let partners = partners.into_iter().map(|ico| (ico, Role::Partner));
        let recipient = project.recipient_ico.clone();
        let recipient = recipient.map(|ico| (ico, Role::Recipient));
        let own = |role| Project {
            role,
            ..project.clone()
        };
        let roles = suppliers.chain(partners).chain(recipient);
        sweep::records_by_role(project.id, roles, own).map(Step::Done)
    }

    /// The suppliers of the last import: only the detail names them.
    fn others_of(&self, id: u64) -> Result<Vec<String>, Failure> {
        Ok(suppliers(known(id)?.as_ref()))
    }
}

fn suppliers(detail: Option<&Detail>) -> Vec<String> {
    detail.map_or_else(Vec::new, |detail| detail.suppliers.clone())
}
