//! Native test support for connectors.
//!
//! [`TestHost`] replaces the host for one thread: canned answers, settings, records and a clock. It decodes and unpacks
//! as the real host does, and refuses the paths, headers, upstreams and datasets that it refuses. Of its limits it
//! enforces only those of records in one answer; test the behaviour at another limit against the real host. [`fixtures`] runs the fixture cases of a connector, [`Manifest`] checks the connector
//! against its manifest (with the feature `testing`, for `[dev-dependencies]`), and [`samples`] finds recorded answers.

mod answer;
pub(crate) mod companies;
mod company;
pub mod fixtures;
pub(crate) mod http;
#[cfg(all(feature = "testing", feature = "sheet"))]
pub mod listed;
#[cfg(feature = "testing")]
mod manifest;
pub(crate) mod records;
mod rules;
pub(crate) mod runtime;
mod samples;
mod subject;

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::bindings::base::lustra::connector::{
    companies as host_companies, records as host_records,
};
use crate::{Batch, Failure, Item};

pub use answer::{Answer, archive};
pub use company::company_json;
#[cfg(feature = "testing")]
pub use manifest::Manifest;
pub use samples::{sample, samples};
pub use subject::{ico, subject, subject_with_previous};

/// Most bytes of the records in one answer: the real host's default for a look-up.
const PIECE: usize = 16 << 20;

thread_local! {
    static HOST: RefCell<TestHost> = RefCell::new(TestHost::default());
}

/// The environment of the connector under test. Build it, then [`TestHost::install`] it for the
/// running thread.
#[derive(Debug, Default, Clone)]
pub struct TestHost {
    answers: BTreeMap<(String, String), Result<Answer, Failure>>,
    /// Answers by request body: upstream, path, a part of the body, and the answers in sequence.
    answers_to: Vec<(String, String, String, Vec<Answer>)>,
    settings: BTreeMap<String, String>,
    records: BTreeMap<String, Vec<Item>>,
    states: BTreeMap<String, host_records::DatasetState>,
    companies: Vec<host_companies::Candidate>,
    /// Most bytes of the records in one answer, unless it is [`PIECE`].
    piece: Option<usize>,
    now: Option<String>,
    requests: Vec<String>,
    bodies: Vec<String>,
    log: Vec<String>,
}

impl TestHost {
    /// An empty host: every request fails with a message that names the request.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the answer for a path (including its query) of an upstream.
    #[must_use]
    pub fn answer(mut self, upstream: &str, path: &str, answer: Answer) -> Self {
        self.answers
            .insert((upstream.to_owned(), path.to_owned()), Ok(answer));
        self
    }

    /// Sets the failure for a path of an upstream.
    #[must_use]
    pub fn fail(mut self, upstream: &str, path: &str, failure: Failure) -> Self {
        self.answers
            .insert((upstream.to_owned(), path.to_owned()), Err(failure));
        self
    }

    /// Answers requests to a path whose body contains a text. Takes precedence over
    /// [`TestHost::answer`]. Several answers for one text are returned in sequence; the last one
    /// repeats.
    #[must_use]
    pub fn answer_to(
        mut self,
        upstream: &str,
        path: &str,
        containing: &str,
        answer: Answer,
    ) -> Self {
        let known = self
            .answers_to
            .iter_mut()
            .find(|(u, p, part, _)| u == upstream && p == path && part == containing);
        match known {
            Some((_, _, _, answers)) => answers.push(answer),
            None => self.answers_to.push((
                upstream.to_owned(),
                path.to_owned(),
                containing.to_owned(),
                vec![answer],
            )),
        }
        self
    }

    /// Sets a setting to a JSON value.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &serde_json::Value) -> Self {
        self.settings.insert(name.to_owned(), value.to_string());
        self
    }

    /// Sets the clock to an RFC 3339 time.
    #[must_use]
    pub fn now(mut self, now: &str) -> Self {
        self.now = Some(now.to_owned());
        self
    }

    /// Adds records of a dataset, imported at the given time.
    #[must_use]
    pub fn dataset(
        mut self,
        dataset: &str,
        imported_at: &str,
        list_date: Option<&str>,
        items: Vec<Item>,
    ) -> Self {
        let state = host_records::DatasetState {
            imported_at: Some(imported_at.to_owned()),
            list_date: list_date.map(str::to_owned),
            records: items.len() as u64,
            failure: None,
            off: false,
            details: Vec::new(),
        };
        self.states.insert(dataset.to_owned(), state);
        self.records.insert(dataset.to_owned(), items);
        self
    }

    /// Sets the most bytes that records in one answer have together, as the setting `piece_mib` of
    /// the real host.
    #[must_use]
    pub fn piece(mut self, bytes: usize) -> Self {
        self.piece = Some(bytes);
        self
    }

    /// Replaces the state of a dataset.
    #[must_use]
    pub fn dataset_state(mut self, dataset: &str, state: host_records::DatasetState) -> Self {
        self.states.insert(dataset.to_owned(), state);
        self
    }

    /// Marks a dataset as switched off by the operator, whatever records it has.
    #[must_use]
    pub fn off(self, dataset: &str) -> Self {
        let state = host_records::DatasetState {
            off: true,
            ..self.state_of(dataset)
        };
        self.dataset_state(dataset, state)
    }

    /// Marks the newest import of a dataset as failed for this reason.
    #[must_use]
    pub fn failed(self, dataset: &str, failure: &str) -> Self {
        let state = host_records::DatasetState {
            failure: Some(failure.to_owned()),
            ..self.state_of(dataset)
        };
        self.dataset_state(dataset, state)
    }

    /// The state of a dataset; empty if it was never imported.
    fn state_of(&self, dataset: &str) -> host_records::DatasetState {
        let never = || host_records::DatasetState {
            imported_at: None,
            list_date: None,
            records: 0,
            failure: None,
            off: false,
            details: Vec::new(),
        };
        self.states.get(dataset).cloned().unwrap_or_else(never)
    }

    /// Adds a company that the host returns as a candidate.
    #[must_use]
    pub fn company(mut self, ico: &str, name: &str, city: &str, postal_code: &str) -> Self {
        self.companies.push(host_companies::Candidate {
            ico: ico.to_owned(),
            name: name.to_owned(),
            city: Some(city.to_owned()),
            postal_code: Some(postal_code.to_owned()),
            similarity: 0.0,
        });
        self
    }

    /// Installs this host for the running thread.
    pub fn install(self) {
        HOST.with(|host| *host.borrow_mut() = self);
    }

    /// The requests made since the last [`TestHost::install`], as `upstream path`.
    #[must_use]
    pub fn requests() -> Vec<String> {
        HOST.with(|host| host.borrow().requests.clone())
    }

    /// The bodies of the requests made since the last [`TestHost::install`]; empty for requests
    /// without one.
    #[must_use]
    pub fn bodies() -> Vec<String> {
        HOST.with(|host| host.borrow().bodies.clone())
    }

    /// The log lines written since the last [`TestHost::install`].
    #[must_use]
    pub fn log() -> Vec<String> {
        HOST.with(|host| host.borrow().log.clone())
    }
}

/// The result of an import: all items, all companies, and the cursors between the batches.
pub type Imported = (Vec<Item>, Vec<crate::Company>, Vec<String>);

/// Runs an import to its end and collects the content of all batches.
///
/// # Errors
/// The failure of the run.
pub fn run_import<I: crate::Importer>(
    dataset: &str,
    cursor: Option<String>,
) -> Result<Imported, Failure> {
    let (mut items, mut companies, mut cursors) = (Vec::new(), Vec::new(), Vec::new());
    for batch in run_to_its_end::<I>(dataset, cursor)? {
        items.extend(batch.items);
        companies.extend(batch.companies);
        cursors.push(batch.cursor);
    }
    Ok((items, companies, cursors))
}

/// Runs an import to its end, from the start or from a cursor, and returns its batches.
///
/// # Errors
/// The failure of the run.
pub fn batches<I: crate::Importer>(
    dataset: &str,
    cursor: Option<&str>,
) -> Result<Vec<Batch>, Failure> {
    run_to_its_end::<I>(dataset, cursor.map(str::to_owned))
}

fn run_to_its_end<I: crate::Importer>(
    dataset: &str,
    cursor: Option<String>,
) -> Result<Vec<Batch>, Failure> {
    let mut run = I::open(dataset, cursor)?;
    let mut batches = Vec::new();
    while let Some(batch) = run.next()? {
        batches.push(batch);
    }
    Ok(batches)
}
