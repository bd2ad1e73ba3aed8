//! Requests to the service: every page of register files, and every list of them to its end.

use std::collections::BTreeSet;

use lustra_sdk::http::Request;
use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Evidence, Failure, malformed};
use serde_json::Value;

use crate::page::{self, Page};
use crate::question::{self, Breadth, FILES, OWNERS};
use crate::settings::Settings;

/// The upstream of the manifest.
const UPSTREAM: &str = "rpvs";

/// The service's answers about a number.
pub struct Answered {
    /// Register files with all their lists, without repetitions.
    pub rows: Vec<Value>,
    /// The breadth of the final request.
    pub breadth: Breadth,
    /// The evidence of every answer that was read.
    pub evidence: Vec<Evidence>,
    /// Why ended owners may be missing.
    pub past_owners: Option<Failure>,
}

/// Requests the register files of a number, with complete lists.
///
/// # Errors
/// The service is out of order, does not answer like an `OData` service, or links elsewhere.
pub fn about(ico: &str, settings: &Settings) -> Result<Answered, Failure> {
    let mut asking = Asking {
        settings,
        breadth: Breadth::Wide,
        asked: BTreeSet::new(),
        evidence: Vec::new(),
        past_owners: None,
    };
    let mut page = asking.first(ico)?;
    let mut rows: Vec<Value> = Vec::new();
    loop {
        for row in page.rows {
            let whole = asking.whole(row, page.root.as_deref())?;
            push_new(&mut rows, whole);
        }
        match page.next {
            Some(next) => page = asking.page(next, &[FILES.to_owned()])?,
            None => break,
        }
    }
    Ok(Answered {
        rows,
        breadth: asking.breadth,
        evidence: asking.evidence,
        past_owners: asking.past_owners,
    })
}

struct Asking<'a> {
    settings: &'a Settings,
    breadth: Breadth,
    asked: BTreeSet<String>,
    evidence: Vec<Evidence>,
    past_owners: Option<Failure>,
}

impl Asking<'_> {
    /// Requests the first page. If the service refuses unconfirmed parts, requests only the confirmed ones.
    fn first(&mut self, ico: &str) -> Result<Page, Failure> {
        let path = question::search(ico, Breadth::Wide, self.settings);
        let confirmed = question::search(ico, Breadth::Confirmed, self.settings);
        let response = Request::get(UPSTREAM, path.clone()).send()?;
        if response.status == 400 && path != confirmed {
            self.breadth = Breadth::Confirmed;
            runtime::log(
                Level::Warn,
                "rpvs refused the request; repeating it with confirmed parts only",
            );
            return self.page(confirmed, &[FILES.to_owned()]);
        }
        if !(200..300).contains(&response.status) {
            return Err(response.status_failure());
        }
        let text = response.body.text(None)?;
        self.evidence.push(response.body.evidence());
        self.asked.insert(path);
        page::read(&text, &[FILES.to_owned()])
    }

    fn page(&mut self, path: String, allowed: &[String]) -> Result<Page, Failure> {
        let text = self.text(path)?;
        page::read(&text, allowed)
    }

    /// Completes every list of the register file. If the page truncates a list, the file is read by its id, and links
    /// of lists that are still truncated are followed. If the link of the owners cannot be followed, owners without an
    /// end are requested separately, so that only ended ones are missing.
    fn whole(&mut self, row: Value, root: Option<&str>) -> Result<Value, Failure> {
        if !page::is_cut(&row) {
            return Ok(row);
        }
        let Some(id) = row.get("Id").and_then(Value::as_i64) else {
            return Err(malformed("value/Id", "a whole number", "none"));
        };
        let text = self.text(question::file(id, self.breadth, self.settings))?;
        let (mut file, own_root) = page::read_file(&text, id)?;
        let root = own_root.as_deref().or(root);
        for (list, first) in page::rests(&file, id, root) {
            let paths = page::list_paths(id, &list);
            let rest = match first.and_then(|first| self.rest(first, &paths)) {
                Ok(rest) => rest,
                Err(failure) if list == OWNERS && is_of_one_list(&failure) => {
                    self.past_owners = Some(failure);
                    self.rest(question::current_owners(id), &[OWNERS.to_owned()])?
                }
                Err(failure) => return Err(failure),
            };
            let Some(Value::Array(items)) = file.get_mut(&list) else {
                return Err(malformed(
                    format!("{FILES}({id})/{list}"),
                    "a list",
                    "another form",
                ));
            };
            for item in rest {
                push_new(items, item);
            }
        }
        Ok(file)
    }

    fn rest(&mut self, first: String, allowed: &[String]) -> Result<Vec<Value>, Failure> {
        let (mut rows, mut next) = (Vec::new(), Some(first));
        while let Some(path) = next {
            let page = self.page(path, allowed)?;
            rows.extend(page.rows);
            next = page.next;
        }
        Ok(rows)
    }

    /// An answer's text. No path is requested twice, because a circular link would cause an endless loop.
    fn text(&mut self, path: String) -> Result<String, Failure> {
        if self.asked.contains(&path) {
            return Err(malformed("@odata.nextLink", "a link that leads on", path));
        }
        let response = Request::get(UPSTREAM, path.clone()).fetch()?;
        let text = response.body.text(None)?;
        self.evidence.push(response.body.evidence());
        self.asked.insert(path);
        Ok(text)
    }
}

/// Whether a failure concerns only the requested list. Other failures concern the whole service.
fn is_of_one_list(failure: &Failure) -> bool {
    match failure {
        Failure::Malformed(_) | Failure::Unavailable(_) => true,
        Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => false,
    }
}

/// Adds a row unless it is known. Pages repeat rows if the register grows meanwhile.
fn push_new(rows: &mut Vec<Value>, row: Value) {
    let id = row.get("Id").filter(|id| id.is_number());
    let is_known = id.is_some() && rows.iter().any(|known| known.get("Id") == id);
    if !is_known {
        rows.push(row);
    }
}
