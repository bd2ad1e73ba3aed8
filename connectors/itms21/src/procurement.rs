//! The dataset `procurement`: procurements, and the contracts that they led to.
//!
//! Contracts can be asked for by their procurement only, and name their suppliers in details alone. So a run takes
//! thousands of requests, and the dataset is off by default. A supplier or a buyer is either a subject or an entry of
//! a list of its own, whose number must be asked for where the answer does not have it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lustra_sdk::http::{Request, encode};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::{Failure, Item, Notes, malformed, records};
use serde::{Deserialize, Serialize};

use crate::list;
use crate::names::{BASE, UPSTREAM};
use crate::subject::Party;
use crate::sweep::{self, List, Rows, Step};
use crate::value::{self, CURRENCY, euros, sum};

/// The path of the details of organisations that are no subjects.
const ORGANISATION: &str = "dodavatelobstaravatel";
/// The path of the details of subjects.
const SUBJECT: &str = "subjekt";
/// Numbers of so many organisations are remembered.
const REMEMBERED: usize = 20_000;
/// A gross amount may be this many hundredths of the net one. Beyond it, digits have moved.
const MOST_GROSS: i128 = 150;

/// A stored record: what a company has to do with a procurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "as")]
pub enum Entry {
    /// The company is the buyer of the procurement.
    Buyer,
    /// The company is a supplier by a contract.
    Supplier {
        /// The code of the procurement. One amount may stand at several of its contracts.
        procurement: String,
        /// The net amount in EUR, if it is known and plausible.
        value: Option<String>,
    },
}

/// An organisation as a row names it: with its IČO, or with its id only.
#[derive(Debug, Clone, Deserialize)]
struct Named {
    id: u64,
    #[serde(flatten)]
    party: Party,
}

/// The members of a procurement that are read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: u64,
    kod: String,
    stav: Option<String>,
    zadavatel: Option<Named>,
    obstaravatel_subjekt: Option<Named>,
    obstaravatel_dodavatel_obstaravatel: Option<Named>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Supplier {
    dodavatel_subjekt: Option<Named>,
    dodavatel_dodavatel_obstaravatel: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct OfProcurement {
    kod: Option<String>,
}

/// The members of a contract's detail that are read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Contract {
    id: u64,
    #[serde(default, deserialize_with = "value::list")]
    dodavatelia: Vec<Supplier>,
    suma_bez_dph: Option<Value>,
    celkova_suma_zmluvy: Option<Value>,
    verejne_obstaravanie: Option<OfProcurement>,
}

/// Reads procurements and their contracts.
#[derive(Debug, Default)]
pub struct Procurements {
    /// Contracts of the procurement in progress that are still to be read.
    waiting: Option<VecDeque<u64>>,
    /// IČO of organisations that answers named by their id only.
    known: BTreeMap<(&'static str, u64), Option<String>>,
}

impl Rows for Procurements {
    fn lists(&self) -> Vec<List> {
        vec![List {
            path: "verejneobstaravanie".to_owned(),
            subject: "obstaravatelSubjekt",
            prefix: "buyer/",
        }]
    }

    fn records(&mut self, _list: usize, row: &Value, notes: &mut Notes) -> Result<Step, Failure> {
        let row = Row::deserialize(row)
            .map_err(|error| malformed("procurement", "its members", error.to_string()))?;
        if row.stav.as_deref().is_some_and(is_withdrawn) {
            notes.count("withdrawn");
            return Ok(Step::Done(Vec::new()));
        }
        let mut items = Vec::new();
        let mut waiting = match self.waiting.take() {
            Some(waiting) => waiting,
            None => {
                items.extend(self.buyer(&row, notes)?);
                contracts(&row.kod)?
            }
        };
        while let Some(id) = waiting.front().copied() {
            match self.contract(id, &row.kod, notes) {
                Ok(records) => items.extend(records),
                Err(wrong @ Failure::Malformed(_)) => {
                    notes.odd_row("unreadable_contracts", &wrong);
                }
                Err(other) => return Err(other),
            }
            waiting.pop_front();
            if !waiting.is_empty() && sweep::is_nearly_over() {
                self.waiting = Some(waiting);
                return Ok(Step::More(items));
            }
        }
        Ok(Step::Done(items))
    }
}

fn is_withdrawn(state: &str) -> bool {
    lustra_sdk::text::fold(state).starts_with("stiahnut")
}

/// The ids of a procurement's contracts.
fn contracts(code: &str) -> Result<VecDeque<u64>, Failure> {
    // The register wants the parameter in this spelling.
    let filter = format!("verejneobstaravanieKOD={}", encode(code));
    let page = list::ask_whole("zmluvyverejnehoobstaravania", &filter)?;
    Ok(page.rows.iter().filter_map(list::id).collect())
}

impl Procurements {
    fn buyer(&mut self, row: &Row, notes: &mut Notes) -> Result<Option<Item>, Failure> {
        let subject = row.obstaravatel_subjekt.as_ref().or(row.zadavatel.as_ref());
        let other = row.obstaravatel_dodavatel_obstaravatel.as_ref();
        let Some(ico) = self.number(subject, other, notes)? else {
            return Ok(None);
        };
        let key = sweep::key("buyer/", row.id, &ico);
        records::item(key, Some(&ico), &Entry::Buyer).map(Some)
    }

    /// The records of a contract, one for each supplier.
    fn contract(
        &mut self,
        id: u64,
        procurement: &str,
        notes: &mut Notes,
    ) -> Result<Vec<Item>, Failure> {
        let Some(detail) = detail("zmluvaverejneobstaravanie", id)? else {
            notes.count("contracts_blocked");
            return Ok(Vec::new());
        };
        let contract = Contract::deserialize(&detail)
            .map_err(|error| malformed("contract", "its members", error.to_string()))?;
        let of = contract.verejne_obstaravanie.as_ref();
        let of = of.and_then(|of| of.kod.as_deref()).unwrap_or(procurement);
        if contract.id != id || of != procurement {
            let found = format!("{} of {of}", contract.id);
            let expected = format!("{id} of {procurement}");
            return Err(malformed("contract: /id", expected, found));
        }
        let entry = Entry::Supplier {
            procurement: procurement.to_owned(),
            value: net_amount(&contract, notes)?,
        };
        let mut icos = BTreeSet::new();
        for supplier in &contract.dodavatelia {
            let subject = supplier.dodavatel_subjekt.as_ref();
            let other = supplier.dodavatel_dodavatel_obstaravatel.as_ref();
            icos.extend(self.number(subject, other, notes)?);
        }
        let item =
            |ico: &String| records::item(sweep::key("contract/", id, ico), Some(ico), &entry);
        icos.iter().map(item).collect()
    }

    /// The IČO of an organisation, which is a subject or of the other list.
    fn number(
        &mut self,
        subject: Option<&Named>,
        other: Option<&Named>,
        notes: &mut Notes,
    ) -> Result<Option<String>, Failure> {
        for (list, named) in [(SUBJECT, subject), (ORGANISATION, other)] {
            let Some(named) = named else {
                continue;
            };
            if named.party.has_number() {
                return Ok(named.party.ico(notes));
            }
            if let Some(known) = self.known.get(&(list, named.id)) {
                return Ok(known.clone());
            }
            let party = match detail(list, named.id)? {
                Some(detail) => Named::deserialize(&detail)
                    .map_err(|error| malformed(list, "its members", error.to_string()))?,
                None => {
                    notes.count("organisations_blocked");
                    return Ok(None);
                }
            };
            if party.id != named.id {
                let expected = named.id.to_string();
                return Err(malformed(list, expected, party.id.to_string()));
            }
            let ico = party.party.ico(notes);
            if self.known.len() < REMEMBERED {
                self.known.insert((list, named.id), ico.clone());
            }
            return Ok(ico);
        }
        notes.count("without_ico");
        Ok(None)
    }
}

/// Requests a detail. `None` if the firewall blocks it, or if it is gone.
fn detail(list: &str, id: u64) -> Result<Option<Value>, Failure> {
    let response = Request::get(UPSTREAM, format!("{BASE}/{list}/id/{id}"))
        .header("accept", "application/json")
        .send()?;
    match response.status {
        200..=299 => response.json().map(Some),
        403 | 404 | 410 => Ok(None),
        _ => Err(response.status_failure()),
    }
}

/// The net amount of a contract. Gross amounts of the register are often corrupt: one that does not fit the net amount
/// makes the contract odd, and its value unknown.
fn net_amount(contract: &Contract, notes: &mut Notes) -> Result<Option<String>, Failure> {
    let net = euros("sumaBezDph", contract.suma_bez_dph.as_ref())?;
    let gross = euros("celkovaSumaZmluvy", contract.celkova_suma_zmluvy.as_ref())?;
    let (Some(net), Some(gross)) = (&net, &gross) else {
        return Ok(net);
    };
    if is_plausible(net, gross) {
        return Ok(Some(net.clone()));
    }
    notes.count("odd_amounts");
    Ok(None)
}

/// Whether a gross amount is at most one and a half times the net one.
fn is_plausible(net: &str, gross: &str) -> bool {
    let cents = |amount: &str| amount.replace('.', "").parse::<i128>().ok();
    match (cents(net), cents(gross)) {
        (Some(net), Some(gross)) => gross * 100 <= net * MOST_GROSS,
        (Some(_) | None, _) => false,
    }
}

/// The block `procurement` of a company. The total is known only if the amount of each contract is.
///
/// # Errors
/// [`Failure::Malformed`] for a stored amount of another form.
pub fn block(entries: &[Entry]) -> Result<Value, Failure> {
    let mut amounts = BTreeSet::new();
    let (mut awarded, mut bought, mut is_known) = (0_usize, 0_usize, true);
    for entry in entries {
        match entry {
            Entry::Buyer => bought += 1,
            Entry::Supplier { procurement, value } => {
                awarded += 1;
                match value {
                    // Contracts and amendments of one procurement repeat its amount.
                    Some(value) => amounts.extend([(procurement, value)]),
                    None => is_known = false,
                }
            }
        }
    }
    let total = (awarded > 0 && is_known)
        .then(|| sum(amounts.iter().map(|(_, value)| value.as_str())))
        .transpose()?;
    Ok(json!({
        "count": bought,
        "awarded": awarded,
        "total_awarded_value": total,
        "currency": CURRENCY,
    }))
}
