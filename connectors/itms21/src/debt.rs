//! The dataset `irregularities`: irregularities, and receivables that follow from them. Both may be one debt.
//!
//! The register has announced both lists. The names of their members are those of its manual, and equal to those of
//! the preceding system, ITMS2014+, which publishes such lists.

pub mod pairs;

use std::cmp::Reverse;

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::{Failure, Notes, amount, malformed};
use serde::{Deserialize, Serialize};

use self::pairs::Pairs;
use crate::settings::Settings;
use crate::states::is_one_of;
use crate::subject::Party;
use crate::value::{CURRENCY, Moment, Named, day, euros, line, list, members, number, sum};

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Irregularity,
    Receivable,
}

impl Kind {
    /// What the keys of its records begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Irregularity => "irregularity/",
            Self::Receivable => "receivable/",
        }
    }
}

/// The stored form of an irregularity or a receivable. The record's IČO is the debtor's. Amounts are in EUR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debt {
    pub kind: Kind,
    pub id: u64,
    pub code: String,
    pub status: Option<String>,
    pub project_id: Option<u64>,
    pub project_code: Option<String>,
    pub project_name: Option<String>,
    pub irregularity_type: Option<String>,
    pub category: Option<String>,
    pub document_type: Option<String>,
    pub eu_budget_impact: bool,
    pub systemic: bool,
    pub amount: Option<String>,
    pub to_recover: Option<String>,
    pub recovered: Option<String>,
    pub detected_at: Option<String>,
    pub due_at: Option<String>,
    /// The irregularity that a receivable follows from, if the row names it.
    pub irregularity: Option<u64>,
    /// The receivables that follow from an irregularity, if the row names them.
    pub receivables: Vec<u64>,
}

/// A value of a code list: its text, or an object with a name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Coded {
    Text(String),
    Named(Named),
}

#[derive(Debug, Deserialize)]
struct Project {
    id: Option<u64>,
    kod: Option<String>,
    nazov: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Linked {
    id: u64,
}

/// The members of a row of either list that are read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: u64,
    kod: String,
    stav: Option<String>,
    dlznik: Option<Party>,
    projekt: Option<Project>,
    hlavny_typ_nezrovnalosti: Option<Coded>,
    /// Only irregularities have it.
    druh_nezrovnalosti: Option<Coded>,
    /// Only receivables have it.
    druh: Option<Coded>,
    typ: Option<Coded>,
    #[serde(rename = "dopadNaRozpocetEU")]
    dopad: Option<String>,
    je_systemova: Option<bool>,
    celkova_suma_nezrovnalosti: Option<Value>,
    /// Only irregularities have it.
    suma_na_vymahanie: Option<Value>,
    /// Only receivables have it.
    suma_na_vratenie: Option<Value>,
    vratena_suma: Option<Value>,
    /// Only irregularities have it.
    datum_zistenia: Option<Moment>,
    /// Only receivables have it.
    datum_vzniku: Option<Moment>,
    datum_splatnosti: Option<Moment>,
    nezrovnalost: Option<Linked>,
    #[serde(default, deserialize_with = "list")]
    suvisiace_pohladavkove_doklady: Vec<Linked>,
}

/// Reads a row of a list. `None` without a debtor, or for one without an IČO.
///
/// # Errors
/// [`Failure::Malformed`] without a member that every row has, or for a member of another form.
pub fn read(kind: Kind, row: &Value, notes: &mut Notes) -> Result<Option<(String, Debt)>, Failure> {
    let row: Row = members("irregularity", row)?;
    let project = row.projekt.as_ref();
    let (owed, since) = match kind {
        Kind::Irregularity => (
            euros("sumaNaVymahanie", row.suma_na_vymahanie.as_ref())?,
            day("datumZistenia", row.datum_zistenia.as_ref())?,
        ),
        Kind::Receivable => (
            euros("sumaNaVratenie", row.suma_na_vratenie.as_ref())?,
            day("datumVzniku", row.datum_vzniku.as_ref())?,
        ),
    };
    let receivables = row.suvisiace_pohladavkove_doklady.iter();
    let debt = Debt {
        kind,
        id: row.id,
        code: row.kod,
        status: line(row.stav.as_ref()),
        project_id: project.and_then(|project| project.id),
        project_code: project.and_then(|project| line(project.kod.as_ref())),
        project_name: project.and_then(|project| line(project.nazov.as_ref())),
        irregularity_type: coded(row.hlavny_typ_nezrovnalosti.as_ref()),
        category: coded(row.druh_nezrovnalosti.as_ref().or(row.druh.as_ref())),
        document_type: coded(row.typ.as_ref()),
        eu_budget_impact: has_impact(row.dopad.as_deref())?,
        systemic: row.je_systemova == Some(true),
        amount: euros(
            "celkovaSumaNezrovnalosti",
            row.celkova_suma_nezrovnalosti.as_ref(),
        )?,
        to_recover: owed,
        recovered: euros("vratenaSuma", row.vratena_suma.as_ref())?,
        detected_at: since,
        due_at: day("datumSplatnosti", row.datum_splatnosti.as_ref())?,
        irregularity: row.nezrovnalost.map(|linked| linked.id),
        receivables: receivables.map(|linked| linked.id).collect(),
    };
    let Some(debtor) = row.dlznik else {
        notes.count("without_debtor");
        return Ok(None);
    };
    Ok(debtor.ico(notes).map(|ico| (ico, debt)))
}

/// What the state of an entry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Open,
    Settled,
    /// No debt: a suspicion, or an entry that was withdrawn.
    NoDebt,
    /// The settings do not have the state. It counts as open: only a known state says that nothing is owed.
    Unknown,
}

impl Standing {
    /// The register gives states as texts, without a code.
    #[must_use]
    pub fn of(debt: &Debt, settings: &Settings) -> Self {
        let state = debt.status.as_deref().unwrap_or_default();
        [
            (&settings.settled_states, Self::Settled),
            (&settings.no_debt_states, Self::NoDebt),
            (&settings.open_states, Self::Open),
        ]
        .into_iter()
        .find(|(states, _)| is_one_of(state, states))
        .map_or(Self::Unknown, |(_, standing)| standing)
    }

    fn is_owed(self) -> bool {
        matches!(self, Self::Open | Self::Unknown)
    }
}

/// Whether the Union's budget is affected. A row that does not say so has no known impact.
fn has_impact(impact: Option<&str>) -> Result<bool, Failure> {
    match impact {
        None | Some("BEZ_DOPADU_NA_ROZPOCET_EU") => Ok(false),
        Some("S_DOPADOM_NA_ROZPOCET_EU") => Ok(true),
        Some(other) => Err(malformed("dopadNaRozpocetEU", "one of two words", other)),
    }
}

fn coded(value: Option<&Coded>) -> Option<String> {
    match value? {
        Coded::Text(text) => line(Some(text)),
        Coded::Named(named) => named.name(),
    }
}

/// The block `irregularities` of a company.
///
/// # Errors
/// [`Failure::Malformed`] for a stored amount of another form.
pub fn block(mut debts: Vec<Debt>, settings: &Settings) -> Result<Value, Failure> {
    debts.sort_by_cached_key(|debt| Reverse((debt.detected_at.clone(), debt.kind, debt.id)));
    let is_settled = |debt: &&Debt| Standing::of(debt, settings) == Standing::Settled;
    let settled = debts.iter().filter(is_settled).count();
    let Pairs {
        own, of_settled, ..
    } = pairs::of(&debts, settings);
    let of = |member: fn(&Debt) -> Option<&str>| sum(own.iter().filter_map(|debt| member(debt)));
    let outstanding: Vec<String> = own
        .iter()
        .chain(&of_settled)
        .map(|debt| outstanding(debt, settings))
        .collect::<Result<_, _>>()?;
    let entries = debts.iter().map(|debt| shown(debt, settings));
    Ok(json!({
        "count": debts.len(),
        "open": debts.len() - settled,
        "total_amount": of(|debt| debt.amount.as_deref().or(debt.to_recover.as_deref()))?,
        "total_recovered": of(|debt| debt.recovered.as_deref())?,
        "total_outstanding": sum(outstanding.iter().map(String::as_str))?,
        "currency": CURRENCY,
        "entries": entries.collect::<Result<Vec<_>, _>>()?,
    }))
}

/// How many entries have a state that the settings do not have.
#[must_use]
pub fn unknown_states(debts: &[Debt], settings: &Settings) -> usize {
    let is_unknown = |debt: &&Debt| Standing::of(debt, settings) == Standing::Unknown;
    debts.iter().filter(is_unknown).count()
}

/// What is still to be returned, never less than zero.
fn outstanding(debt: &Debt, settings: &Settings) -> Result<String, Failure> {
    let nothing = "0.00".to_owned();
    if !Standing::of(debt, settings).is_owed() {
        return Ok(nothing);
    }
    let owed = debt.to_recover.as_deref().or(debt.amount.as_deref());
    let returned = debt
        .recovered
        .as_ref()
        .map(|amount| match amount.strip_prefix('-') {
            Some(positive) => positive.to_owned(),
            None => format!("-{amount}"),
        });
    let rest = amount::sum(owed.into_iter().chain(returned.as_deref()));
    let rest = rest.ok_or_else(|| malformed("stored amounts", "decimal texts", ""))?;
    Ok(if rest.starts_with('-') { nothing } else { rest })
}

fn shown(debt: &Debt, settings: &Settings) -> Result<Value, Failure> {
    Ok(json!({
        "kind": debt.kind,
        "code": debt.code,
        "status": debt.status,
        "settled": Standing::of(debt, settings) == Standing::Settled,
        "project_code": debt.project_code,
        "project_name": debt.project_name,
        "irregularity_type": debt.irregularity_type,
        "category": debt.category,
        "document_type": debt.document_type,
        "eu_budget_impact": debt.eu_budget_impact,
        "systemic": debt.systemic,
        "amount": number(debt.amount.as_ref())?,
        "to_recover": number(debt.to_recover.as_ref())?,
        "recovered": number(debt.recovered.as_ref())?,
        "outstanding": number(Some(&outstanding(debt, settings)?))?,
        "detected_at": debt.detected_at,
        "due_at": debt.due_at,
    }))
}
