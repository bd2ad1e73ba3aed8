//! Detects changed register pages early. Once a day, every live source is read for a few companies chosen by
//! the operator; members that a source no longer returns raise an alert.
//!
//! Nothing read here is stored as a section or as details. An unreachable source raises no alert: that is
//! reported elsewhere and says nothing about its pages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use time::OffsetDateTime;

use super::Companies;
use super::reasons::is_of_connector;
use crate::config::Sentinel as Settings;
use crate::connectors::Loaded;
use crate::connectors::bindings::company_source::exports::lustra::connector::company_source::CompanyKey;
use crate::connectors::bindings::types::Company;
use crate::connectors::manifest::{KeyKind, Provides};
use crate::connectors::subject::{facts, subject_of};
use crate::context::Context;
use crate::names;
use crate::store::{ConnectorId, FailureKind, SentinelReading, StoreError, StoredCompany};

/// Interval at which a host looks for due checks.
const POLL: Duration = Duration::from_secs(300);

/// Lease on a round of checks. A round of a few companies is far shorter.
const LEASE: Duration = Duration::from_secs(1_800);

const LEASE_NAME: &str = "sentinel";

/// Checks the operator's sample companies.
#[derive(Clone)]
pub struct Sentinel {
    context: Context,
    companies: Companies,
    settings: Settings,
    host: String,
}

/// Result of one round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Round {
    pub asked: u32,
    /// Requests that found a problem.
    pub problems: u32,
}

/// What a source returned.
enum SourceReply {
    /// Names of the members that have a value.
    Members(BTreeSet<String>),
    /// The source knows no such company.
    Nothing,
    /// The source could not be read. The kind tells whether a changed page may be the cause.
    Failed(FailureKind),
}

impl Sentinel {
    /// Creates a check of the companies in the settings. `host` names this process in leases.
    #[must_use]
    pub fn new(context: Context, companies: Companies, settings: Settings, host: String) -> Self {
        Self {
            context,
            companies,
            settings,
            host,
        }
    }

    /// Reads every due pair of live source and sample company.
    ///
    /// # Errors
    /// The store failed. Unchecked pairs stay due.
    pub async fn step(&self) -> Result<Round, StoreError> {
        if self.settings.companies.is_empty() {
            return Ok(Round::default());
        }
        let leases = self.context.store.leases();
        let now = self.context.now();
        if !leases.acquire(LEASE_NAME, &self.host, LEASE, now).await? {
            return Ok(Round::default());
        }
        let round = self.round().await;
        leases.release(LEASE_NAME, &self.host).await?;
        round
    }

    /// Runs the check until the host stops.
    pub async fn run(self) {
        loop {
            if let Err(error) = self.step().await {
                tracing::warn!(%error, "the check of known companies failed; retrying in {} s", POLL.as_secs());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    async fn round(&self) -> Result<Round, StoreError> {
        let store = &self.context.store;
        let mut readings: BTreeMap<(ConnectorId, String, String), SentinelReading> =
            BTreeMap::new();
        for reading in store.sentinels().all().await? {
            let key = (
                reading.connector.clone(),
                reading.scope.clone(),
                reading.ico.clone(),
            );
            readings.insert(key, reading);
        }
        let mut round = Round::default();
        for ico in &self.settings.companies {
            for (loaded, scope) in self.sources() {
                let key = (loaded.manifest.id.clone(), scope.clone(), ico.clone());
                let before = readings.remove(&key);
                if before.as_ref().is_some_and(|before| !self.is_due(before)) {
                    continue;
                }
                let Some(given) = self.ask(&loaded, &scope, ico).await? else {
                    continue;
                };
                let reading = compared(&loaded, &scope, ico, before, &given, self.context.now());
                round.asked += 1;
                round.problems += u32::from(reading.problem.is_some());
                store.sentinels().put(&reading).await?;
            }
        }
        // The remaining readings belong to companies or scopes that are no longer checked.
        for reading in readings.values() {
            store.sentinels().delete(reading).await?;
        }
        Ok(round)
    }

    fn is_due(&self, reading: &SentinelReading) -> bool {
        let interval = Duration::from_secs(u64::from(self.settings.hours) * 3_600);
        reading.checked_at + interval <= self.context.now()
    }

    /// Every source that is read over the network: a connector and a scope. An empty scope means the company
    /// itself.
    fn sources(&self) -> Vec<(Arc<Loaded>, String)> {
        let catalogue = self.companies.connectors().catalogue();
        let registers = catalogue
            .base_registers()
            .chain(catalogue.details_registers());
        let by_ico = registers.filter(|loaded| {
            let source = loaded.manifest.company_source.as_ref();
            source.is_some_and(|source| source.keys.contains(&KeyKind::Ico))
        });
        let mut sources: Vec<_> = by_ico
            .map(|loaded| (Arc::clone(loaded), String::new()))
            .collect();
        for scope in catalogue.scopes() {
            if let Some((loaded, manifest)) = catalogue.scope(scope.as_str())
                && manifest.live
            {
                sources.push((Arc::clone(loaded), scope.to_string()));
            }
        }
        sources
    }

    /// `None` if the source does not cover such a company, or the company is not stored yet.
    async fn ask(
        &self,
        loaded: &Arc<Loaded>,
        scope: &str,
        ico: &str,
    ) -> Result<Option<SourceReply>, StoreError> {
        let services = &self.companies.connectors().services;
        let stored = self.context.store.companies().find_by_ico(ico).await?;
        if scope.is_empty() {
            let source = loaded.manifest.company_source.as_ref();
            let applies = source.zip(stored.as_ref()).is_none_or(|(source, stored)| {
                let nace = stored.base.nace_code.as_deref();
                source.applies_to.includes(nace, &facts(stored))
            });
            if !applies {
                return Ok(None);
            }
            let key = CompanyKey::Ico(ico.to_owned());
            let given = match loaded.fetch_company(services, &key).await {
                Ok((Some(company), _)) => {
                    self.compare_registers(loaded, stored.as_ref(), &company);
                    SourceReply::Members(members_of(&company))
                }
                Ok((None, _)) => SourceReply::Nothing,
                Err(failure) => SourceReply::Failed(failure.kind()),
            };
            return Ok(Some(given));
        }
        let Some(stored) = stored else {
            return Ok(None);
        };
        let facts = facts(&stored);
        let nace = stored.base.nace_code.as_deref();
        let manifest = loaded.manifest.scope(scope);
        let Some(manifest) = manifest.filter(|scope| scope.applies_to.includes(nace, &facts))
        else {
            return Ok(None);
        };
        let subject = subject_of(&stored, None);
        let given = match loaded.enrich(services, &manifest.scope, &subject).await {
            Ok((section, _)) => SourceReply::Members(members(&section.content)),
            Err(failure) => SourceReply::Failed(failure.kind()),
        };
        Ok(Some(given))
    }

    /// Counts facts that the base record and a details register state differently.
    fn compare_registers(&self, loaded: &Loaded, stored: Option<&StoredCompany>, read: &Company) {
        let source = loaded.manifest.company_source.as_ref();
        let is_details = source.is_some_and(|source| source.provides == Provides::Details);
        let Some(stored) = stored.filter(|_| is_details) else {
            return;
        };
        let cities = stored
            .base
            .city
            .as_deref()
            .zip(read.address.city.as_deref());
        for (fact, differs) in [
            (
                "name",
                names::name_key(&stored.base.name) != names::name_key(&read.name),
            ),
            (
                "city",
                cities.is_some_and(|(one, other)| names::fold(one) != names::fold(other)),
            ),
        ] {
            if differs {
                let connector = &loaded.manifest.id;
                self.companies.contradictions().add(connector, fact);
                tracing::warn!(
                    connector.id = %connector, company.ico = %read.ico, fact,
                    "{connector} and the base register state a different {fact}"
                );
            }
        }
    }
}

/// Names of a company's fields that have a value, including its details.
fn members_of(company: &Company) -> BTreeSet<String> {
    let mut names = members(&company.details);
    let address = &company.address;
    for (name, is_there) in [
        ("legal_form", company.legal_form.is_some()),
        ("city", address.city.is_some()),
        ("street", address.street.is_some()),
        ("postal_code", address.postal_code.is_some()),
        ("established_date", company.established_date.is_some()),
        ("nace_code", company.nace_code.is_some()),
    ] {
        if is_there {
            names.insert(name.to_owned());
        }
    }
    names
}

/// Names of the members of a JSON object that are neither null nor empty. A list counts as one member, `items`,
/// unless it is empty.
fn members(json: &str) -> BTreeSet<String> {
    let has_value = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    };
    match serde_json::from_str(json) {
        Ok(Value::Object(object)) => object
            .into_iter()
            // Sources that could not be read come and go.
            .filter(|(name, value)| name != "unread" && has_value(value))
            .map(|(name, _)| name)
            .collect(),
        Ok(Value::Array(items)) if !items.is_empty() => BTreeSet::from(["items".to_owned()]),
        Ok(_) | Err(_) => BTreeSet::new(),
    }
}

/// The reading to store, compared with earlier readings of the same connector version.
fn compared(
    loaded: &Loaded,
    scope: &str,
    ico: &str,
    before: Option<SentinelReading>,
    given: &SourceReply,
    now: OffsetDateTime,
) -> SentinelReading {
    let version = loaded.manifest.version.clone();
    let before = before.filter(|before| before.version == version);
    let known: BTreeSet<&str> = before
        .iter()
        .flat_map(|before| before.members.lines())
        .collect();
    let problem = problem(&known, given);
    let members = match (given, &problem) {
        (SourceReply::Members(members), None) => {
            let members: Vec<&str> = members.iter().map(String::as_str).collect();
            members.join("\n")
        }
        // Missing members stay expected in the next check.
        _ => known.into_iter().collect::<Vec<_>>().join("\n"),
    };
    let since = before.as_ref().and_then(|before| before.problem_since);
    let is_out_of_reach = problem.is_none() && matches!(given, SourceReply::Failed(_));
    let (problem, problem_since) = match (problem, before) {
        // An unreachable source changes nothing.
        (None, Some(before)) if is_out_of_reach => (before.problem, before.problem_since),
        (None, _) => (None, None),
        (Some(problem), _) => (Some(problem), since.or(Some(now))),
    };
    let connector = &loaded.manifest.id;
    if let Some(problem) = problem.as_ref().filter(|_| problem_since == Some(now)) {
        tracing::error!(
            connector.id = %connector, scope, company.ico = %ico,
            "{connector} may read a changed page: {problem}"
        );
    }
    SentinelReading {
        connector: connector.clone(),
        scope: scope.to_owned(),
        ico: ico.to_owned(),
        version,
        members,
        checked_at: now,
        problem,
        problem_since,
    }
}

/// Describes the problem of a reply, if any, given the expected members.
fn problem(known: &BTreeSet<&str>, given: &SourceReply) -> Option<String> {
    match given {
        SourceReply::Members(members) => {
            let missing: Vec<&str> = known
                .iter()
                .copied()
                .filter(|name| !members.contains(*name))
                .collect();
            (!missing.is_empty()).then(|| format!("missing members: {}", missing.join(", ")))
        }
        SourceReply::Nothing if known.is_empty() => None,
        SourceReply::Nothing => Some("the company is no longer found".to_owned()),
        SourceReply::Failed(FailureKind::Malformed) => {
            Some("malformed: the answer has an unknown form".to_owned())
        }
        SourceReply::Failed(kind) => {
            is_of_connector(*kind).then(|| "the connector failed".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(names: &[&str]) -> SourceReply {
        SourceReply::Members(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn missing_members_and_malformed_answers_are_problems() {
        let known = BTreeSet::from(["officers", "capital"]);
        assert_eq!(
            problem(&known, &given(&["capital", "officers", "new"])),
            None
        );
        let missing = problem(&known, &given(&["capital"]));
        assert_eq!(missing.as_deref(), Some("missing members: officers"));
        assert!(problem(&known, &SourceReply::Nothing).is_some());
        assert!(problem(&BTreeSet::new(), &SourceReply::Nothing).is_none());
        let failed = |kind| problem(&known, &SourceReply::Failed(kind)).is_some();
        assert!(failed(FailureKind::Malformed) && failed(FailureKind::Schema));
        assert!(!failed(FailureKind::Unavailable) && !failed(FailureKind::Off));
    }

    #[test]
    fn members_without_a_value_are_not_counted() {
        let names = members(r#"{"a":null,"b":[],"c":0,"d":false,"e":"","f":[1],"unread":[1]}"#);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        assert_eq!(names, ["c", "d", "f"]);
        assert_eq!(members("[1]").len(), 1);
        assert!(members("[]").is_empty() && members("null").is_empty());
    }
}
