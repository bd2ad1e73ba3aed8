//! What the table compares: sections, imports, sources and webhooks.

use lustra_tests::lustra::connectors::call_failure::unread_kind;
use lustra_tests::lustra::store::{DatasetState, FailureKind};
use lustra_tests::register_simulator::Fault;
use lustra_tests::{Answer, Received, Receiver, World};
use serde_json::Value;

use super::rows::{Outcome, import_failure};
use super::{Answers, DETAILS, Scope};
use crate::faults_support::DATASETS;
use crate::outages::register_state;
use crate::outages_each_scope::without;

/// Members that describe the reading and not the company: of one section, or of all.
const OF_READING: [(Option<&str>, &str); 4] = [
    (None, "unread"),
    (None, "until"),
    (Some("fs"), "sources"),
    (Some("debtor_status"), "lists"),
];

/// The wrong results of all rows, so that one run shows all of them.
#[derive(Debug, Default)]
pub struct Mistakes(Vec<String>);

impl Mistakes {
    pub fn add(&mut self, mistake: &str) {
        self.0.push(mistake.to_owned());
    }

    pub fn assert_none(mut self) {
        let all = std::mem::take(&mut self.0);
        assert!(all.is_empty(), "{}", all.join("\n"));
    }
}

impl Drop for Mistakes {
    #[expect(
        clippy::print_stderr,
        reason = "another failure must not hide these mistakes"
    )]
    fn drop(&mut self) {
        if std::thread::panicking() && !self.0.is_empty() {
            eprintln!("{}", self.0.join("\n"));
        }
    }
}

/// What a response has of a scope.
#[derive(Debug, PartialEq)]
pub enum Found<'a> {
    Unread(FailureKind),
    Fresh(Vec<(&'a str, FailureKind)>),
    Stale(Vec<(&'a str, FailureKind)>),
    /// A combination that no row can expect.
    Odd(String),
}

impl Found<'_> {
    pub fn is(&self, expected: Outcome) -> bool {
        match (self, expected) {
            (Self::Unread(found), Outcome::Unread(expected)) => *found == expected,
            (Self::Fresh(found), Outcome::Fresh(expected))
            | (Self::Stale(found), Outcome::Stale(expected)) => found == expected,
            _ => false,
        }
    }
}

/// The sources that a section names as unread, in it or beside it. Sources that are off, or that one call left for the
/// next, are no failures.
fn gaps<'a>(answer: &'a Answer, scope: &Scope) -> Vec<(&'a str, FailureKind)> {
    let inside = &answer.at("/data")[&scope.key]["unread"];
    let beside = &answer.at("/meta/scopes")[&scope.name]["unread"];
    let named = [inside, beside].into_iter().filter_map(Value::as_array);
    named
        .flatten()
        .filter_map(|one| Some((one["source"].as_str()?, unread_kind(one["why"].as_str()?))))
        .filter(|(_, kind)| !matches!(kind, FailureKind::Off | FailureKind::Other))
        .collect()
}

fn of_state<'a>(state: &Value, gaps: Vec<(&'a str, FailureKind)>) -> Found<'a> {
    let kind = state["reason"].as_str().map(str::to_owned);
    let kind = kind.and_then(|reason| FailureKind::try_from(reason).ok());
    match (state["state"].as_str(), kind) {
        (Some("unread"), Some(kind)) => Found::Unread(kind),
        (Some("fresh"), None) => Found::Fresh(gaps),
        (Some("stale"), None) => Found::Stale(gaps),
        _ => Found::Odd(state.to_string()),
    }
}

pub fn section<'a>(answer: &'a Answer, scope: &Scope) -> Found<'a> {
    let state = &answer.at("/meta/scopes")[&scope.name];
    let has_section = answer.at("/data").get(&scope.key).is_some();
    if !scope.extends_details && has_section == (state["state"] == "unread") {
        return Found::Odd(format!("{state}, section: {has_section}"));
    }
    of_state(state, gaps(answer, scope))
}

/// The commercial register's details.
pub fn details(answer: &Answer) -> Found<'_> {
    of_state(register_state(answer, "orsr"), Vec::new())
}

/// A section that could not be read answers no question with yes or no.
pub fn nothing_is_claimed(
    fault: Fault,
    scopes: &[Scope],
    answers: &Answers,
    mistakes: &mut Mistakes,
) {
    for scope in scopes {
        let section = answers.of(scope).at("/data").get(&scope.key);
        let members = section.and_then(Value::as_object).into_iter().flatten();
        for (name, value) in members.filter(|(_, value)| value.is_boolean()) {
            let scope = &scope.name;
            mistakes.add(&format!("{fault:?}, {scope}, First: {name} is {value}"));
        }
    }
    if !answers.all.at("/data/statutory_body").is_null() {
        mistakes.add(&format!("{fault:?}, {DETAILS}, First: there are officers"));
    }
}

/// The states of all imported lists.
pub struct Imported(Vec<DatasetState>);

impl Imported {
    pub fn nothing() -> Self {
        Self(Vec::new())
    }

    pub async fn now(world: &World) -> Self {
        let states = world.store.datasets().states().await;
        Self(states.expect("the store is there"))
    }

    fn of(&self, connector: &str, dataset: &str) -> Option<&DatasetState> {
        let mut all = self.0.iter();
        all.find(|state| state.connector == *connector && state.dataset == dataset)
    }

    /// Every import has failed for the expected reason, and the lists of before stay.
    pub async fn compare(&self, world: &World, fault: Fault, mistakes: &mut Mistakes) {
        let now = Self::now(world).await;
        for (connector, dataset) in DATASETS {
            let place = format!("{fault:?}, {connector}/{dataset}");
            let state = now.of(connector, dataset).expect("it was due");
            let found = state.failure.as_ref().map(|failure| failure.kind);
            let expected = import_failure(connector, dataset, fault);
            if found != Some(expected) {
                mistakes.add(&format!("{place}: expected {expected:?}, found {found:?}"));
            }
            let kept = |state: &DatasetState| {
                let date = state.list_date.clone();
                (state.generation, state.imported_at, state.records, date)
            };
            let before = self.of(connector, dataset).map(kept);
            let nothing = (None, None, 0, None);
            if kept(state) != before.clone().unwrap_or(nothing) {
                mistakes.add(&format!("{place}: {before:?} became {state:?}"));
            }
        }
    }
}

async fn sources(world: &World) -> Vec<Value> {
    let status = world.get("/v1/status").await;
    let sources = status.at("/sources").as_array().cloned();
    let sources = sources.unwrap_or_else(|| panic!("no sources: {status:?}"));
    assert!(sources.len() > 25, "{status:?}");
    sources
}

/// The status page shows each source and each list as failing, with a reason.
pub async fn failing_sources(world: &World, fault: Fault, mistakes: &mut Mistakes) {
    for source in sources(world).await {
        let is_failing = ["degraded", "circuit_open"]
            .iter()
            .any(|word| source["state"] == *word);
        let lists = source["datasets"].as_array().into_iter().flatten();
        let mut lists = lists.filter(|list| list["state"] != "off");
        let has_reason = |one: &Value| one["reason"].as_str().is_some_and(|why| !why.is_empty());
        let all_fail = lists.all(|list| list["state"] == "failed" && has_reason(list));
        if !is_failing || !has_reason(&source) || !all_fail {
            mistakes.add(&format!("{fault:?}: status {source}"));
        }
    }
}

pub async fn assert_operational(world: &World) {
    for source in sources(world).await {
        assert_eq!(source["state"], "operational", "{source}");
        let lists = source["datasets"].as_array().into_iter().flatten();
        for list in lists.filter(|list| list["state"] != "off") {
            assert_eq!(list["state"], "imported", "{source}");
        }
    }
}

/// A member of a response without what describes the reading.
fn facts(answer: &Answer, key: &str) -> Value {
    let mut facts = answer.at("/data")[key].clone();
    for (section, member) in OF_READING {
        if section.is_none_or(|section| section == key) {
            without(&mut facts, member);
        }
    }
    facts
}

fn members(answer: &Answer) -> Vec<&String> {
    let data = answer.at("/data").as_object();
    data.into_iter().flat_map(serde_json::Map::keys).collect()
}

pub fn facts_stay(fault: Fault, before: &Answer, kept: &Answer, mistakes: &mut Mistakes) {
    if members(before) != members(kept) {
        mistakes.add(&format!("{fault:?}, Stored: members {:?}", members(kept)));
    }
    for key in members(before) {
        let (mut before, kept) = (facts(before, key), facts(kept, key));
        // The verdict of VIES is left out when it could not be renewed. The rows say when.
        if key == "tax" && kept.get("vies_valid").is_none() {
            without(&mut before, "vies_valid");
            without(&mut before, "vies_verified_at");
        }
        // One of its lists is asked about each company, so it is built again: a debtor stays one, and who was none is
        // unknown.
        let stays = if key == "debtor_status" {
            let was = before["is_debtor"] == true;
            kept["is_debtor"] == if was { Value::Bool(true) } else { Value::Null }
        } else {
            before == kept
        };
        if !stays {
            mistakes.add(&format!("{fault:?}, {key}, Stored: {before} became {kept}"));
        }
    }
}

pub fn nothing_is_notified(fault: Fault, receiver: &Receiver, mistakes: &mut Mistakes) {
    for notice in receiver.take().iter().map(Received::json) {
        let scope = notice["data"]["scope"].as_str().unwrap_or(DETAILS);
        mistakes.add(&format!("{fault:?}, {scope}, Notified: {notice}"));
    }
}

/// After an outage, events are raised only for sections that changed.
pub fn only_changes_are_notified(
    scopes: &[Scope],
    fault: Fault,
    receiver: &Receiver,
    (before, after): (&[Answer], &[Answer]),
    mistakes: &mut Mistakes,
) {
    for notice in receiver.take().iter().map(Received::json) {
        let (ico, scope) = (&notice["data"]["ico"], &notice["data"]["scope"]);
        let Some(scope) = scopes.iter().find(|known| *scope == *known.name) else {
            continue;
        };
        let place = before
            .iter()
            .position(|answer| answer.at("/data/ico") == ico);
        let place = place.unwrap_or_else(|| panic!("a company is watched: {notice}"));
        if facts(&before[place], &scope.key) == facts(&after[place], &scope.key) {
            let scope = &scope.name;
            mistakes.add(&format!("after {fault:?}, {scope}, Notified: {notice}"));
        }
    }
}
