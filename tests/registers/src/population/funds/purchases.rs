//! Procurements that projects pay for, and the contracts that they led to. The company is the buyer; the next company
//! and the one after that are the suppliers.
//!
//! About one in twenty of the first 600 companies buys once. The showcase:
//!
//! | company | procurements | shows |
//! | --- | --- | --- |
//! | 0 | three | two contracts that repeat one amount; a corrupt gross amount; a withdrawn procurement with a contract |
//! | 3 | one | the buyer by its id only, the supplier by its id in the other list |
//! | 5 | one | a contract that the firewall blocks |
//! | 7 | one | a state that no other row has; a foreign supplier |
//! | 9 | one | the buyer in the other list; a contract without a net amount |
//! | others | none | |

use super::{MOST, SHOWCASE_SIZE, near};
use crate::population::Population;
use crate::population::company::Company;
use crate::population::dice::{Dice, Topic};
use crate::population::money::Money;

const FIRST_PURCHASE: u32 = 50_000;
const FIRST_CONTRACT: u32 = 60_000;
/// Number of ids reserved for a company, for procurements and for contracts.
const OF_A_COMPANY: u32 = 8;

/// How a row names an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With its IČO, as a subject.
    Numbered,
    /// With its id among the subjects.
    ById,
    /// With its id in the other list.
    OtherList,
}

/// A contract of a procurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    pub id: u32,
    pub net: Option<Money>,
    pub gross: Money,
    /// Whether the gross amount has shifted digits.
    pub is_corrupt: bool,
    /// The indexes of the suppliers.
    pub suppliers: Vec<u32>,
    pub form: Form,
    /// Whether a foreign organisation is a supplier too.
    pub has_foreign: bool,
    /// Whether the firewall blocks the detail.
    pub is_blocked: bool,
}

impl Contract {
    /// The net amount, if it can be trusted.
    #[must_use]
    pub fn value(&self) -> Option<Money> {
        self.net.filter(|_| !self.is_corrupt)
    }
}

/// A procurement of a company.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purchase {
    pub id: u32,
    pub code: String,
    pub status: &'static str,
    pub is_withdrawn: bool,
    pub form: Form,
    pub contracts: Vec<Contract>,
}

/// The procurements of a company, by id.
#[must_use]
pub fn purchases(population: &Population, company: &Company) -> Vec<Purchase> {
    if company.index >= MOST {
        return Vec::new();
    }
    let of = |place: u32, contracts: Vec<Contract>| purchase(company, place, contracts);
    let to = |place: u32, away: &[u32]| contract(population, company, place, away);
    if company.index >= SHOWCASE_SIZE {
        let mut dice = Dice::with_salt(company.origin.seed, company.index, Topic::Funds, 3_000);
        let buys = dice.chance(50);
        return Vec::from_iter(buys.then(|| of(0, vec![to(0, &[1])])));
    }
    match company.index {
        0 => {
            let mut corrupt = to(2, &[2]);
            (corrupt.gross, corrupt.is_corrupt) = (Money(corrupt.gross.0 * 645), true);
            let repeated = Contract {
                net: to(0, &[1]).net,
                gross: to(0, &[1]).gross,
                ..to(1, &[1])
            };
            let mut withdrawn = of(2, vec![to(3, &[1, 2])]);
            (withdrawn.status, withdrawn.is_withdrawn) = ("Stiahnuté", true);
            vec![
                of(0, vec![to(0, &[1, 2]), repeated]),
                of(1, vec![corrupt]),
                withdrawn,
            ]
        }
        3 => {
            let mut contract = to(0, &[1]);
            contract.form = Form::OtherList;
            let mut bought = of(0, vec![contract]);
            bought.form = Form::ById;
            vec![bought]
        }
        5 => {
            let mut contract = to(0, &[1]);
            contract.is_blocked = true;
            vec![of(0, vec![contract])]
        }
        7 => {
            let mut contract = to(0, &[]);
            contract.has_foreign = true;
            let mut bought = of(0, vec![contract]);
            bought.status = "V skúšobnom konaní";
            vec![bought]
        }
        9 => {
            let mut contract = to(0, &[1, 2]);
            contract.net = None;
            let mut bought = of(0, vec![contract]);
            bought.form = Form::OtherList;
            vec![bought]
        }
        _ => Vec::new(),
    }
}

/// The contracts with a company as a supplier that the register gives, each with the code of its procurement.
#[must_use]
pub fn contracts_of(
    population: &Population,
    company: &Company,
    day: u32,
) -> Vec<(String, Contract)> {
    let owners = near(population, company, day);
    let purchases = owners.iter().flat_map(|owner| purchases(population, owner));
    let of_purchase = |one: Purchase| {
        let code = one.code;
        let contracts = one.contracts.into_iter();
        contracts.map(move |contract| (code.clone(), contract))
    };
    let is_own = |(_, contract): &(String, Contract)| {
        !contract.is_blocked && contract.suppliers.contains(&company.index)
    };
    purchases
        .filter(|one| !one.is_withdrawn)
        .flat_map(of_purchase)
        .filter(is_own)
        .collect()
}

/// The contract with an id, and its procurement.
pub(crate) fn contract_by_id(population: &Population, id: u32) -> Option<(Purchase, Contract)> {
    let index = id.checked_sub(FIRST_CONTRACT)? / OF_A_COMPANY;
    let owner = (index < population.len()).then(|| population.company(index, 0))?;
    purchases(population, &owner).into_iter().find_map(|one| {
        let contract = one.contracts.iter().find(|contract| contract.id == id)?;
        Some((one.clone(), contract.clone()))
    })
}

fn purchase(company: &Company, place: u32, contracts: Vec<Contract>) -> Purchase {
    let id = FIRST_PURCHASE + company.index * OF_A_COMPANY + place;
    Purchase {
        id,
        code: format!("VO{id:08}"),
        status: "Ukončené",
        is_withdrawn: false,
        form: Form::Numbered,
        contracts,
    }
}

/// A contract with the companies that follow the buyer at these distances.
fn contract(population: &Population, company: &Company, place: u32, away: &[u32]) -> Contract {
    let most = population.len().min(MOST);
    let suppliers = away.iter().map(|away| company.index + away);
    let net = 4_136_600 + u64::from(company.index) * 4_321 + u64::from(place) * 100_000;
    Contract {
        id: FIRST_CONTRACT + company.index * OF_A_COMPANY + place,
        net: Some(Money(net)),
        gross: Money(net + net / 5),
        is_corrupt: false,
        suppliers: suppliers.filter(|index| *index < most).collect(),
        form: Form::Numbered,
        has_foreign: false,
        is_blocked: false,
    }
}
