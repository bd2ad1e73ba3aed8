//! The dataset `irregularities`: irregularities, and receivables that follow from them. Both may be one debt.
//!
//! The register has announced both lists. The names of their members are those of its manual, and equal to those of
//! the preceding system, ITMS2014+, which publishes such lists.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::text::fold;
use lustra_sdk::{Failure, Notes, amount, malformed, records};
use serde::{Deserialize, Serialize};

use crate::settings::Settings;
use crate::subject::Party;
use crate::sweep::{self, List, Rows, Step};
use crate::value::{CURRENCY, Moment, day, euros, line, number, sum};

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Irregularity,
    Receivable,
}

impl Kind {
    /// What the keys of its records begin with.
    fn prefix(self) -> &'static str {
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
    /// The irregularity that a receivable follows from.
    pub irregularity: Option<u64>,
}

/// A value of a code list: its text, or an object with a name.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Coded {
    Text(String),
    Named {
        #[serde(rename = "nazovSk", alias = "nazov")]
        name: Option<String>,
    },
}

#[derive(Debug, Deserialize)]
struct Project {
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
    dlznik: Party,
    projekt: Option<Project>,
    hlavny_typ_nezrovnalosti: Option<Coded>,
    #[serde(alias = "druh")]
    druh_nezrovnalosti: Option<Coded>,
    typ: Option<Coded>,
    #[serde(rename = "dopadNaRozpocetEU")]
    dopad: Option<String>,
    je_systemova: Option<bool>,
    celkova_suma_nezrovnalosti: Option<Value>,
    #[serde(alias = "sumaNaVratenie")]
    suma_na_vymahanie: Option<Value>,
    vratena_suma: Option<Value>,
    #[serde(alias = "datumVzniku")]
    datum_zistenia: Option<Moment>,
    datum_splatnosti: Option<Moment>,
    nezrovnalost: Option<Linked>,
}

/// Reads a row of a list. `None` for a debtor without an IČO.
///
/// # Errors
/// [`Failure::Malformed`] without a member that every row has, or for a member of another form.
pub fn read(kind: Kind, row: &Value, notes: &mut Notes) -> Result<Option<(String, Debt)>, Failure> {
    let row = Row::deserialize(row)
        .map_err(|error| malformed("irregularity", "its members", error.to_string()))?;
    let project = row.projekt.as_ref();
    let debt = Debt {
        kind,
        id: row.id,
        code: row.kod,
        status: line(row.stav.as_ref()),
        project_code: project.and_then(|project| line(project.kod.as_ref())),
        project_name: project.and_then(|project| line(project.nazov.as_ref())),
        irregularity_type: coded(row.hlavny_typ_nezrovnalosti.as_ref()),
        category: coded(row.druh_nezrovnalosti.as_ref()),
        document_type: coded(row.typ.as_ref()),
        eu_budget_impact: has_impact(row.dopad.as_deref())?,
        systemic: row.je_systemova == Some(true),
        amount: euros(
            "celkovaSumaNezrovnalosti",
            row.celkova_suma_nezrovnalosti.as_ref(),
        )?,
        to_recover: euros("sumaNaVymahanie", row.suma_na_vymahanie.as_ref())?,
        recovered: euros("vratenaSuma", row.vratena_suma.as_ref())?,
        detected_at: day("datumZistenia", row.datum_zistenia.as_ref())?,
        due_at: day("datumSplatnosti", row.datum_splatnosti.as_ref())?,
        irregularity: row.nezrovnalost.map(|linked| linked.id),
    };
    Ok(row.dlznik.ico(notes).map(|ico| (ico, debt)))
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
        Coded::Named { name } => line(name.as_ref()),
    }
}

/// Reads the lists of irregularities and of receivables.
pub struct Debts {
    settings: Settings,
}

impl Debts {
    /// Starts with the operator's paths of the lists.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn open() -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::read()?,
        })
    }
}

impl Rows for Debts {
    fn lists(&self) -> Vec<List> {
        let list = |path: &String, kind: Kind| List {
            path: path.clone(),
            subject: "dlznik",
            prefix: kind.prefix(),
        };
        vec![
            list(&self.settings.irregularity_list, Kind::Irregularity),
            list(&self.settings.receivable_list, Kind::Receivable),
        ]
    }

    fn records(&mut self, list: usize, row: &Value, notes: &mut Notes) -> Result<Step, Failure> {
        let kind = if list == 0 {
            Kind::Irregularity
        } else {
            Kind::Receivable
        };
        let Some((ico, debt)) = read(kind, row, notes)? else {
            return Ok(Step::Done(Vec::new()));
        };
        let key = sweep::key(kind.prefix(), debt.id, &ico);
        Ok(Step::Done(vec![records::item(key, Some(&ico), &debt)?]))
    }
}

/// The block `irregularities` of a company.
///
/// # Errors
/// [`Failure::Malformed`] for a stored amount of another form.
pub fn block(mut debts: Vec<Debt>, settings: &Settings) -> Result<Value, Failure> {
    debts.sort_by_cached_key(|debt| Reverse((debt.detected_at.clone(), debt.kind, debt.id)));
    let open = debts.iter().filter(|debt| !is_settled(debt, settings));
    let counted = counted(&debts, settings);
    let of =
        |member: fn(&Debt) -> Option<&str>| sum(counted.iter().filter_map(|debt| member(debt)));
    let outstanding: Vec<String> = counted
        .iter()
        .map(|debt| outstanding(debt, settings))
        .collect::<Result<_, _>>()?;
    let entries = debts.iter().map(|debt| shown(debt, settings));
    Ok(json!({
        "count": debts.len(),
        "open": open.count(),
        "total_amount": of(|debt| debt.amount.as_deref().or(debt.to_recover.as_deref()))?,
        "total_recovered": of(|debt| debt.recovered.as_deref())?,
        "total_outstanding": sum(outstanding.iter().map(String::as_str))?,
        "currency": CURRENCY,
        "entries": entries.collect::<Result<Vec<_>, _>>()?,
    }))
}

/// The entries that totals count. A receivable is left out if it follows from an irregularity of the company, or if
/// the company has an irregularity in the same project: both are one debt.
fn counted<'a>(debts: &'a [Debt], settings: &Settings) -> Vec<&'a Debt> {
    let is_debt = |debt: &&Debt| !is_in(debt, &settings.no_debt_states);
    let irregularities = || {
        let of_kind = |debt: &&Debt| debt.kind == Kind::Irregularity;
        debts.iter().filter(is_debt).filter(of_kind)
    };
    let ids: BTreeSet<u64> = irregularities().map(|debt| debt.id).collect();
    let projects: BTreeSet<Option<&String>> = irregularities()
        .map(|debt| debt.project_code.as_ref())
        .collect();
    let is_own = |debt: &&Debt| match (debt.kind, debt.irregularity) {
        (Kind::Irregularity, _) => true,
        (Kind::Receivable, Some(of)) => !ids.contains(&of),
        (Kind::Receivable, None) => !projects.contains(&debt.project_code.as_ref()),
    };
    debts.iter().filter(is_debt).filter(is_own).collect()
}

/// What is still to be returned, never less than zero.
fn outstanding(debt: &Debt, settings: &Settings) -> Result<String, Failure> {
    let nothing = "0.00".to_owned();
    if is_settled(debt, settings) || is_in(debt, &settings.no_debt_states) {
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

fn is_settled(debt: &Debt, settings: &Settings) -> bool {
    is_in(debt, &settings.settled_states)
}

/// Whether the state begins with one of these texts.
fn is_in(debt: &Debt, states: &[String]) -> bool {
    let state = debt.status.as_deref().map(fold).unwrap_or_default();
    states.iter().any(|one| state.starts_with(&fold(one)))
}

fn shown(debt: &Debt, settings: &Settings) -> Result<Value, Failure> {
    Ok(json!({
        "kind": debt.kind,
        "code": debt.code,
        "status": debt.status,
        "settled": is_settled(debt, settings),
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
