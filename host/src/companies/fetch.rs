//! Fetches parts of a profile from connectors and stores them.

use std::slice;
use std::sync::Arc;

use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::Companies;
use super::answered;
use super::assemble::UnreadSource;
use super::base::{base_company, base_hash, evidence, hash};
use super::reasons::may_recover;
use crate::changes;
use crate::connectors::bindings::company_source::exports::lustra::connector::company_source::CompanyKey as WitKey;
use crate::connectors::bindings::types::{Company, Failure};
use crate::connectors::manifest::{KeyKind, Provides};
use crate::connectors::subject::{facts, subject_of};
use crate::connectors::{CallFailure, Loaded};
use crate::store::{
    ChangeSet, CompareCompanies, Details, FormerSection, ListPosition, ScopeName, Section,
    StoreError, StoredCompany, StoredDetails,
};

#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error(transparent)]
    Call(#[from] CallFailure),
    #[error("the store failed")]
    Store(#[from] StoreError),
}

pub struct FetchedBase {
    pub company: StoredCompany,
}

impl Companies {
    /// Asks the base registers for a company, in their order. If none knows it, asks the details registers,
    /// which also return base fields.
    ///
    /// `Ok(None)` only if there is a base register, every one was read and none knows the company.
    pub(super) async fn fetch_base(&self, ico: &str) -> Result<Option<FetchedBase>, FetchError> {
        let catalogue = self.connectors().catalogue();
        let mut unread = match catalogue.base_registers().next() {
            Some(_) => None,
            None => Some(CallFailure::Failed(Failure::Misconfigured(
                "no register of companies is enabled".to_owned(),
            ))),
        };
        let registers = catalogue
            .base_registers()
            .chain(catalogue.details_registers());
        for loaded in registers {
            let Some(source) = &loaded.manifest.company_source else {
                continue;
            };
            if !source.keys.contains(&KeyKind::Ico) {
                continue;
            }
            let is_base = source.provides == Provides::Base;
            let called = self
                .call_company(loaded, &WitKey::Ico(ico.to_owned()))
                .await;
            match called.and_then(|answer| Ok(answered::for_ico(answer, ico)?)) {
                Ok(Some(company)) => {
                    return Ok(Some(FetchedBase {
                        company: self.keep_company(loaded, company).await?,
                    }));
                }
                Ok(None) => {}
                Err(FetchError::Call(failure)) if is_base => unread = Some(failure),
                Err(FetchError::Call(_)) => {}
                Err(error @ FetchError::Store(_)) => return Err(error),
            }
        }
        match unread {
            Some(failure) => Err(failure.into()),
            None => Ok(None),
        }
    }

    /// Looks up a company by a register's own id.
    pub(super) async fn fetch_by_register_id(
        &self,
        register_id: &str,
    ) -> Result<Option<StoredCompany>, FetchError> {
        let catalogue = self.connectors().catalogue();
        for loaded in catalogue.details_registers() {
            let takes_id = loaded
                .manifest
                .company_source
                .as_ref()
                .is_some_and(|source| source.keys.contains(&KeyKind::RegisterId));
            if !takes_id {
                continue;
            }
            let called = self
                .call_company(loaded, &WitKey::RegisterId(register_id.to_owned()))
                .await?;
            if let Some(company) = answered::for_register_id(called, register_id)? {
                return Ok(Some(self.keep_company(loaded, company).await?));
            }
        }
        Ok(None)
    }

    /// Fetches a company's details from one register and stores them, or the failure.
    pub(super) async fn fetch_details(
        &self,
        loaded: &Arc<Loaded>,
        company: &StoredCompany,
    ) -> Result<u64, FetchError> {
        let ico = company.base.ico.as_str();
        let source = loaded.manifest.company_source.as_ref();
        let is_entered = company.base.source_register == loaded.manifest.id
            || source.is_some_and(|source| {
                answered::shows_membership(&facts(company), &source.applies_to)
            });
        let called = self
            .call_company_with_cost(loaded, &WitKey::Ico(ico.to_owned()))
            .await
            .and_then(|(answer, requests)| {
                let answer = answered::for_ico(answer, ico)?;
                Ok((answered::not_contradicted(answer, is_entered)?, requests))
            });
        let now = self.now();
        match called {
            Ok((company, requests)) => {
                self.put_details(loaded, ico, company.as_ref(), now).await?;
                Ok(requests)
            }
            Err(failure) => {
                let details = self.store().details();
                details
                    .put_failure(ico, &loaded.manifest.id, &(&failure).into(), now)
                    .await?;
                Err(failure.into())
            }
        }
    }

    /// Fetches one section of a company and stores it, or the failure.
    pub(super) async fn fetch_section(
        &self,
        loaded: &Arc<Loaded>,
        company: &StoredCompany,
        scope: &ScopeName,
        previous: Option<&str>,
    ) -> Result<u64, FetchError> {
        let extends = loaded
            .manifest
            .scope(scope.as_str())
            .is_some_and(|scope| scope.extends_details);
        let mut subject = subject_of(company, previous);
        let details_before = self.details_of(&company.base.ico, extends).await?;
        if extends {
            subject.company = extended(&subject.company, &details_before);
        }
        let services = &self.connectors().services;
        let lists_before = self.positions(loaded, scope).await?;
        let called = loaded.enrich(services, scope, &subject).await;
        let now = self.now();
        match called {
            Ok((section, cost)) => {
                self.connectors().note_success(&loaded.manifest.id);
                let unread: Vec<UnreadSource> =
                    section.unread.iter().map(UnreadSource::parse).collect();
                let names_them = is_object(&section.content) && !extends;
                let section = Section {
                    ico: company.base.ico.clone(),
                    scope: scope.clone(),
                    content_hash: hash(&section.content),
                    unread_sources: unread_sources(&unread).filter(|_| !names_them),
                    content: Some(section.content),
                    unread: unread.iter().any(|source| may_recover(source.why.kind)),
                    connector: loaded.manifest.id.clone(),
                    connector_version: loaded.manifest.version.clone(),
                    generation: loaded.generation(),
                    evidence: evidence(&section.evidence),
                };
                let manifest = loaded.manifest.scope(scope.as_str());
                let compare = |old: Option<&FormerSection>, new: &Section| {
                    manifest.map_or_else(ChangeSet::default, |scope| {
                        changes::section(old, new, scope, now)
                    })
                };
                let sections = self.store().sections();
                sections.put_compared(&section, &compare, now).await?;
                let is_behind = self.positions(loaded, scope).await? != lists_before
                    || self.details_of(&company.base.ico, extends).await? != details_before;
                if is_behind {
                    // A list or the details were written during the fetch, and storing the section cleared their
                    // stale mark: set the mark again.
                    let sections = self.store().sections();
                    sections
                        .mark_dirty(slice::from_ref(scope), &[&company.base.ico])
                        .await?;
                }
                Ok(cost.requests)
            }
            Err(failure) => {
                self.connectors()
                    .note_failure(&loaded.manifest.id, &failure);
                let sections = self.store().sections();
                let ico = &company.base.ico;
                sections
                    .put_failure(ico, scope, &loaded.manifest.id, &(&failure).into(), now)
                    .await?;
                Err(failure.into())
            }
        }
    }

    /// The content of a company's details, for a section that extends them.
    async fn details_of(&self, ico: &str, extends: bool) -> Result<Vec<String>, StoreError> {
        if !extends {
            return Ok(Vec::new());
        }
        let stored = self.store().details().find(ico).await?;
        let read = stored.into_iter().filter_map(|details| details.content);
        Ok(read.collect())
    }

    /// How far a scope's datasets have been written.
    async fn positions(
        &self,
        loaded: &Loaded,
        scope: &ScopeName,
    ) -> Result<Vec<ListPosition>, StoreError> {
        let scope = loaded.manifest.scope(scope.as_str());
        let datasets = scope.map_or_else(Vec::new, |scope| {
            scope.datasets.iter().map(String::as_str).collect()
        });
        if datasets.is_empty() {
            return Ok(Vec::new());
        }
        let stored = self.store().datasets();
        stored.positions(&loaded.manifest.id, &datasets).await
    }

    async fn call_company(
        &self,
        loaded: &Arc<Loaded>,
        key: &WitKey,
    ) -> Result<Option<Company>, FetchError> {
        Ok(self.call_company_with_cost(loaded, key).await?.0)
    }

    async fn call_company_with_cost(
        &self,
        loaded: &Arc<Loaded>,
        key: &WitKey,
    ) -> Result<(Option<Company>, u64), CallFailure> {
        let called = loaded.fetch_company(&self.connectors().services, key).await;
        match called {
            Ok((company, cost)) => {
                self.connectors().note_success(&loaded.manifest.id);
                Ok((company, cost.requests))
            }
            Err(failure) => {
                self.connectors()
                    .note_failure(&loaded.manifest.id, &failure);
                Err(failure)
            }
        }
    }

    /// Stores a fetched company: its base record and, from a details register, its details too.
    async fn keep_company(
        &self,
        loaded: &Arc<Loaded>,
        company: Company,
    ) -> Result<StoredCompany, FetchError> {
        let now = self.now();
        let ico = company.ico.clone();
        let is_details = loaded
            .manifest
            .company_source
            .as_ref()
            .is_some_and(|source| source.provides == Provides::Details);
        if is_details {
            self.put_details(loaded, &ico, Some(&company), now).await?;
        }
        let mut base = base_company(company, loaded);
        if is_details {
            // Details have their own rows. An empty preference lets any base register's record replace this
            // one.
            "{}".clone_into(&mut base.details);
            base.preference.clear();
            base.content_hash = base_hash(&base);
        }
        let compare: CompareCompanies<'_> =
            &|old, new, revision| changes::company(old, new, revision, now);
        let companies = self.store().companies();
        companies
            .upsert_compared(&[base], true, compare, now)
            .await?;
        let stored = self.store().companies().find_by_ico(&ico).await?;
        stored.ok_or_else(|| {
            let vanished = Failure::Other((
                "vanished".to_owned(),
                format!("the record of {ico} was removed meanwhile"),
            ));
            FetchError::Call(CallFailure::Failed(vanished))
        })
    }

    async fn put_details(
        &self,
        loaded: &Arc<Loaded>,
        ico: &str,
        company: Option<&Company>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let content = company.map(|company| company.details.clone());
        let details = Details {
            ico: ico.to_owned(),
            connector: loaded.manifest.id.clone(),
            register_id: company.and_then(|company| company.register_id.clone()),
            found: company.is_some(),
            content_hash: hash(content.as_deref().unwrap_or_default()),
            content,
            connector_version: loaded.manifest.version.clone(),
            generation: loaded.generation(),
            evidence: evidence(
                company
                    .map(|company| company.evidence.as_slice())
                    .unwrap_or_default(),
            ),
        };
        let source = loaded.manifest.company_source.as_ref();
        let compare = |old: Option<&StoredDetails>, new: &Details| {
            source.map_or_else(ChangeSet::default, |source| {
                changes::details(old, new, source, now)
            })
        };
        let catalogue = self.connectors().catalogue();
        let extending: Vec<ScopeName> = catalogue
            .scopes()
            .filter(|scope| catalogue.extends_details(scope.as_str()))
            .cloned()
            .collect();
        let stored = self.store().details();
        stored
            .put_compared(&details, &compare, &extending, now)
            .await?;
        Ok(())
    }

    /// Asks the source register for a base record again.
    pub(super) async fn refresh_base(&self, company: &StoredCompany) -> Result<(), FetchError> {
        let ico = &company.base.ico;
        self.0.base_tried.insert(ico.clone(), self.now());
        self.fetch_base(ico).await.map(drop)
    }
}

/// The fields of a company with the members of its details.
fn extended(company: &str, details: &[String]) -> String {
    let mut members: Map<String, Value> = serde_json::from_str(company).unwrap_or_default();
    for content in details {
        let own: Map<String, Value> = serde_json::from_str(content).unwrap_or_default();
        members.extend(own);
    }
    Value::Object(members).to_string()
}

/// Whether a section names its unread sources itself.
fn is_object(content: &str) -> bool {
    content.trim_start().starts_with('{')
}

/// JSON list of the sources that a section could not read. `None` if it read all.
fn unread_sources(unread: &[UnreadSource]) -> Option<String> {
    if unread.is_empty() {
        return None;
    }
    serde_json::to_string(unread).ok()
}
