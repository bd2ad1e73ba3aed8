//! A host for native tests: canned answers, settings, records and a clock, for one thread.
//!
//! It decodes and unpacks as the real host does but keeps no limits; what a connector does with a limit is tested
//! against the real host.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::bindings::base::lustra::connector::{
    companies as host_companies, records as host_records,
};
use crate::{Failure, Item};

thread_local! {
    static HOST: RefCell<TestHost> = RefCell::new(TestHost::default());
}

/// One answer of an upstream.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Headers with lower-case names.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub body: Vec<u8>,
}

impl Answer {
    /// A 200 with a body.
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self {
            status: 200,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// Another status with a body.
    #[must_use]
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// With a header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers
            .push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }
}

/// What the connector under test sees. Built, then [`TestHost::install`]ed for the running thread.
#[derive(Debug, Default, Clone)]
pub struct TestHost {
    answers: BTreeMap<(String, String), Result<Answer, Failure>>,
    /// Answers to bodies: upstream, path, a part of the body, and what is answered in turn.
    answers_to: Vec<(String, String, String, Vec<Answer>)>,
    settings: BTreeMap<String, String>,
    records: BTreeMap<String, Vec<Item>>,
    states: BTreeMap<String, host_records::DatasetState>,
    companies: Vec<host_companies::Candidate>,
    now: Option<String>,
    requests: Vec<String>,
    bodies: Vec<String>,
    log: Vec<String>,
}

impl TestHost {
    /// An empty host: every request fails and says which it was.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a path (with its query) of an upstream.
    #[must_use]
    pub fn answer(mut self, upstream: &str, path: &str, answer: Answer) -> Self {
        self.answers
            .insert((upstream.to_owned(), path.to_owned()), Ok(answer));
        self
    }

    /// Fails a path of an upstream.
    #[must_use]
    pub fn fail(mut self, upstream: &str, path: &str, failure: Failure) -> Self {
        self.answers
            .insert((upstream.to_owned(), path.to_owned()), Err(failure));
        self
    }

    /// Answers requests of a path whose body contains a text, before [`TestHost::answer`] is looked at. Several answers
    /// to one text are given in turn, the last of them again and again.
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

    /// Sets a setting to JSON.
    #[must_use]
    pub fn setting(mut self, name: &str, value: &serde_json::Value) -> Self {
        self.settings.insert(name.to_owned(), value.to_string());
        self
    }

    /// Stands the clock at an RFC 3339 time.
    #[must_use]
    pub fn now(mut self, now: &str) -> Self {
        self.now = Some(now.to_owned());
        self
    }

    /// Holds records of a dataset, imported at the given time.
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

    /// Gives a dataset another state.
    #[must_use]
    pub fn dataset_state(mut self, dataset: &str, state: host_records::DatasetState) -> Self {
        self.states.insert(dataset.to_owned(), state);
        self
    }

    /// Knows a company as a candidate.
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

    /// Makes this the host of the running thread.
    pub fn install(self) {
        HOST.with(|host| *host.borrow_mut() = self);
    }

    /// The requests made since the last [`TestHost::install`], as `upstream path`.
    #[must_use]
    pub fn requests() -> Vec<String> {
        HOST.with(|host| host.borrow().requests.clone())
    }

    /// The bodies of the requests made since the last [`TestHost::install`]; empty where there was none.
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

/// What an import gave: all items, all companies, and the cursors between the batches.
pub type Imported = (Vec<Item>, Vec<crate::Company>, Vec<String>);

/// Runs an import to its end.
///
/// # Errors
/// What the run failed with.
pub fn run_import<I: crate::Importer>(
    dataset: &str,
    cursor: Option<String>,
) -> Result<Imported, Failure> {
    let mut run = I::open(dataset, cursor)?;
    let (mut items, mut companies, mut cursors) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(batch) = run.next()? {
        items.extend(batch.items);
        companies.extend(batch.companies);
        cursors.push(batch.cursor);
    }
    Ok((items, companies, cursors))
}

pub(crate) mod runtime {
    use super::HOST;
    use crate::runtime::{Level, Remaining};

    pub fn log(level: Level, message: &str) {
        HOST.with(|host| host.borrow_mut().log.push(format!("{level:?} {message}")));
    }

    pub fn setting(name: &str) -> Option<String> {
        HOST.with(|host| host.borrow().settings.get(name).cloned())
    }

    pub fn now() -> String {
        HOST.with(|host| host.borrow().now.clone())
            .unwrap_or_else(|| "2026-01-15T08:00:00Z".to_owned())
    }

    pub fn left() -> Remaining {
        Remaining {
            wall_ms: 15_000,
            cpu_ms: 2_000,
            requests: 20,
            bytes: 20 << 20,
            details: Vec::new(),
        }
    }
}

pub(crate) mod companies {
    use super::{HOST, similarity};
    use crate::Failure;
    use crate::companies::Candidate;

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn candidates(
        name: &str,
        city: Option<&str>,
        postal_code: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Candidate>, Failure> {
        let mut found: Vec<Candidate> = HOST.with(|host| host.borrow().companies.clone());
        found.retain(|candidate| {
            (city.is_none() || candidate.city.as_deref() == city)
                && (postal_code.is_none() || candidate.postal_code.as_deref() == postal_code)
        });
        for candidate in &mut found {
            candidate.similarity = similarity(&candidate.name, name);
        }
        found.retain(|candidate| candidate.similarity > 0.0);
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        found.truncate(limit as usize);
        Ok(found)
    }
}

pub(crate) mod records {
    use super::{HOST, similarity};
    use crate::records::{DatasetState, Similar, Stored};
    use crate::{Failure, Item};

    fn stored(item: &Item) -> Stored {
        Stored {
            key: item.key.clone(),
            ico: item.ico.clone(),
            name: item.name.clone(),
            city: item.city.clone(),
            postal_code: item.postal_code.clone(),
            content: item.content.clone(),
        }
    }

    fn select(dataset: &str, limit: u32, keep: impl Fn(&Item) -> bool) -> Vec<Stored> {
        HOST.with(|host| {
            let host = host.borrow();
            let items = host
                .records
                .get(dataset)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let mut found: Vec<Stored> =
                items.iter().filter(|item| keep(item)).map(stored).collect();
            found.sort_by(|a, b| a.key.cmp(&b.key));
            found.truncate(limit as usize);
            found
        })
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn by_company(dataset: &str, ico: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
        Ok(select(dataset, limit, |item| {
            item.ico.as_deref() == Some(ico)
        }))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn by_key(dataset: &str, key: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
        Ok(select(dataset, limit, |item| item.key.starts_with(key)))
    }

    pub fn by_company_after(
        dataset: &str,
        ico: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<Stored>, Failure> {
        behind(by_company(dataset, ico, u32::MAX)?, after, limit)
    }

    pub fn by_key_after(
        dataset: &str,
        key: &str,
        after: &str,
        limit: u32,
    ) -> Result<Vec<Stored>, Failure> {
        behind(by_key(dataset, key, u32::MAX)?, after, limit)
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    fn behind(records: Vec<Stored>, after: &str, limit: u32) -> Result<Vec<Stored>, Failure> {
        let behind = records
            .into_iter()
            .filter(|record| record.key.as_str() > after);
        Ok(behind.take(limit as usize).collect())
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn by_name(
        dataset: &str,
        name: &str,
        postal_code: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Similar>, Failure> {
        let found = select(dataset, u32::MAX, |item| {
            postal_code.is_none() || item.postal_code.as_deref() == postal_code
        });
        let mut similar: Vec<Similar> = found
            .into_iter()
            .map(|stored| Similar {
                similarity: similarity(stored.name.as_deref().unwrap_or_default(), name),
                found: stored,
            })
            .filter(|similar| similar.similarity > 0.0)
            .collect();
        similar.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        similar.truncate(limit as usize);
        Ok(similar)
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "the shape of the real host's function"
    )]
    pub fn state(dataset: &str) -> Result<DatasetState, Failure> {
        let never = DatasetState {
            imported_at: None,
            list_date: None,
            records: 0,
            failure: None,
            off: false,
            details: Vec::new(),
        };
        Ok(HOST
            .with(|host| host.borrow().states.get(dataset).cloned())
            .unwrap_or(never))
    }
}

/// 1.0 for names equal after folding, 0.5 for a shared first word: enough to tell equal from alike in tests.
fn similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (crate::text::fold(a), crate::text::fold(b));
    if a == b {
        1.0
    } else if a.split(' ').next() == b.split(' ').next() {
        0.5
    } else {
        0.0
    }
}

pub(crate) mod http {
    use std::cell::RefCell;
    use std::io::Read;

    use sha2::{Digest, Sha256};

    use super::{Answer, HOST};
    use crate::bindings::base::lustra::connector::http::Request;
    use crate::{Evidence, Failure, Field, malformed};

    pub struct Response {
        pub status: u16,
        pub headers: Vec<Field>,
        pub body: Body,
    }

    pub struct Body {
        name: String,
        wire: Vec<u8>,
        content_type: Option<String>,
        rest: RefCell<Vec<u8>>,
    }

    pub fn send(request: &Request) -> Result<Response, Failure> {
        let answer = HOST.with(|host| {
            let mut host = host.borrow_mut();
            host.requests
                .push(format!("{} {}", request.upstream, request.path));
            let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
            host.bodies.push(body.clone().into_owned());
            let to_body = host
                .answers_to
                .iter_mut()
                .find(|(upstream, path, part, _)| {
                    *upstream == request.upstream
                        && *path == request.path
                        && body.contains(part.as_str())
                });
            if let Some((_, _, _, answers)) = to_body {
                let is_last = answers.len() == 1;
                return Ok(if is_last {
                    answers[0].clone()
                } else {
                    answers.remove(0)
                });
            }
            let key = (request.upstream.clone(), request.path.clone());
            host.answers.get(&key).cloned().unwrap_or_else(|| {
                Err(Failure::Unavailable(format!(
                    "no answer is canned for {} {}",
                    request.upstream, request.path
                )))
            })
        })?;
        Ok(response(request, answer))
    }

    fn response(request: &Request, answer: Answer) -> Response {
        let content_type = answer
            .headers
            .iter()
            .find(|(name, _)| name == "content-type")
            .map(|(_, value)| value.clone());
        Response {
            status: answer.status,
            headers: answer
                .headers
                .into_iter()
                .map(|(name, value)| Field { name, value })
                .collect(),
            body: Body {
                name: format!("{} {}", request.upstream, request.path),
                rest: RefCell::new(answer.body.clone()),
                wire: answer.body,
                content_type,
            },
        }
    }

    impl Body {
        #[expect(
            clippy::unnecessary_wraps,
            reason = "the shape of the real host's function"
        )]
        pub fn read(&self, max: u32) -> Result<Vec<u8>, Failure> {
            let mut rest = self.rest.borrow_mut();
            let count = rest.len().min(max as usize);
            Ok(rest.drain(..count).collect())
        }

        #[expect(
            clippy::unnecessary_wraps,
            reason = "the shape of the real host's function"
        )]
        pub fn read_all(&self) -> Result<Vec<u8>, Failure> {
            Ok(std::mem::take(&mut self.rest.borrow_mut()))
        }

        pub fn text(&self, charset: Option<&str>) -> Result<String, Failure> {
            self.decode(charset)?;
            let bytes = self.read_all()?;
            String::from_utf8(bytes)
                .map_err(|error| malformed(&self.name, "text in UTF-8", error.to_string()))
        }

        pub fn decode(&self, charset: Option<&str>) -> Result<(), Failure> {
            let bytes = std::mem::take(&mut *self.rest.borrow_mut());
            let declared = self
                .content_type
                .as_deref()
                .and_then(|value| value.split("charset=").nth(1))
                .map(|value| value.trim_matches(['"', ' ', ';']).to_owned());
            let label = charset
                .map(str::to_owned)
                .or(declared)
                .unwrap_or_else(|| "utf-8".to_owned());
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes())
                .ok_or_else(|| Failure::Refused(format!("unknown charset {label}")))?;
            let (text, _, broken) = encoding.decode(&bytes);
            if broken {
                return Err(malformed(
                    &self.name,
                    format!("text in {label}"),
                    String::from_utf8_lossy(&bytes),
                ));
            }
            *self.rest.borrow_mut() = text.into_owned().into_bytes();
            Ok(())
        }

        pub fn gunzip(&self) -> Result<(), Failure> {
            let packed = std::mem::take(&mut *self.rest.borrow_mut());
            let mut unpacked = Vec::new();
            flate2::read::MultiGzDecoder::new(packed.as_slice())
                .read_to_end(&mut unpacked)
                .map_err(|error| malformed(&self.name, "a gzip stream", error.to_string()))?;
            *self.rest.borrow_mut() = unpacked;
            Ok(())
        }

        pub fn unzip(&self) -> Result<Vec<String>, Failure> {
            let archive = zip::ZipArchive::new(std::io::Cursor::new(self.rest.borrow().clone()))
                .map_err(|error| malformed(&self.name, "a zip archive", error.to_string()))?;
            archive
                .file_names()
                .map(|name| name.map(std::borrow::Cow::into_owned))
                .collect::<Result<_, _>>()
                .map_err(|error| malformed(&self.name, "names in a zip archive", error.to_string()))
        }

        pub fn entry(&self, name: &str) -> Result<Self, Failure> {
            let broken = |error: &dyn std::error::Error| {
                malformed(
                    format!("{} {name}", self.name),
                    "a file in the archive",
                    error.to_string(),
                )
            };
            let mut archive =
                zip::ZipArchive::new(std::io::Cursor::new(self.rest.borrow().clone()))
                    .map_err(|error| broken(&error))?;
            let mut contents = Vec::new();
            archive
                .by_name(name)
                .map_err(|error| broken(&error))?
                .read_to_end(&mut contents)
                .map_err(|error| broken(&error))?;
            Ok(Self {
                name: name.to_owned(),
                wire: self.wire.clone(),
                content_type: None,
                rest: RefCell::new(contents),
            })
        }

        pub fn evidence(&self) -> Evidence {
            let digest: String = Sha256::digest(&self.wire)
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            Evidence {
                id: format!("test:{}", self.name),
                digest,
                fetched_at: crate::runtime::now(),
                details: Vec::new(),
            }
        }
    }
}
