//! What is stored of procurements and their contracts, and the block `procurement` of a company.

use std::collections::BTreeSet;

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::{Failure, Notes, malformed};
use serde::{Deserialize, Serialize};

use crate::organisations::Named;
use crate::value::{CURRENCY, euros, list, members, sum};

/// A gross amount may be this many hundredths of the net one. Beyond it, digits have moved.
const MAX_GROSS: i128 = 150;

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

/// A contract, as its detail has it.
#[derive(Debug, Clone)]
pub struct Contract {
    /// The net amount in EUR, if it is known and plausible.
    pub value: Option<String>,
    /// The suppliers among the subjects.
    pub subjects: Vec<Named>,
    /// The suppliers of the other list.
    pub organisations: Vec<Named>,
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
struct Row {
    id: u64,
    #[serde(default, deserialize_with = "list")]
    dodavatelia: Vec<Supplier>,
    hlavny_dodavatel_subjekt: Option<Named>,
    hlavny_dodavatel_dodavatel_obstaravatel: Option<Named>,
    suma_bez_dph: Option<Value>,
    celkova_suma_zmluvy: Option<Value>,
    verejne_obstaravanie: Option<OfProcurement>,
}

/// Reads the detail of the contract with an id, of the procurement with a code.
///
/// # Errors
/// [`Failure::Malformed`] for a member of another form, and for the detail of another contract.
pub fn read(
    detail: &Value,
    id: u64,
    procurement: &str,
    notes: &mut Notes,
) -> Result<Contract, Failure> {
    let row: Row = members("contract", detail)?;
    let of = row.verejne_obstaravanie.as_ref();
    let of = of.and_then(|of| of.kod.as_deref()).unwrap_or(procurement);
    if row.id != id || of != procurement {
        let found = format!("{} of {of}", row.id);
        let expected = format!("{id} of {procurement}");
        return Err(malformed("contract: /id", expected, found));
    }
    let value = net_amount(&row, notes)?;
    let mut subjects = Vec::from_iter(row.hlavny_dodavatel_subjekt);
    let mut organisations = Vec::from_iter(row.hlavny_dodavatel_dodavatel_obstaravatel);
    for supplier in row.dodavatelia {
        subjects.extend(supplier.dodavatel_subjekt);
        organisations.extend(supplier.dodavatel_dodavatel_obstaravatel);
    }
    Ok(Contract {
        value,
        subjects,
        organisations,
    })
}

/// The net amount of a contract. Gross amounts of the register are often corrupt: one that does not fit the net amount
/// makes the contract odd, and its value unknown.
fn net_amount(contract: &Row, notes: &mut Notes) -> Result<Option<String>, Failure> {
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
        (Some(net), Some(gross)) => gross * 100 <= net * MAX_GROSS,
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
