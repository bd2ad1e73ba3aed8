//! The winners of each lot: from a lot's result over its tenders to the organisations behind them.
//!
//! Identifiers are implicit: the n-th panel of a kind is the n-th organisation, party or tender. Result forms other
//! than eForms name no winning tender; there the tender ranked first has won.

use std::collections::BTreeSet;

use lustra_sdk::{Failure, Notes, date, malformed};

use crate::amount::Money;
use crate::component::{Component, all};
use crate::organisation::{self, Organisation};

/// The results of a notice.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Lots with a published outcome, with or without a winner.
    pub lots: BTreeSet<String>,
    /// The lots whose winners are not all known: a tender, a party or an organisation is missing, or a winner from
    /// Slovakia has no IČO.
    pub unreadable_lots: BTreeSet<String>,
    /// Winners, one entry for each company of each winning tender.
    pub winners: Vec<Winner>,
    /// The number of lots that have a winner by the notice.
    pub chosen: u64,
    /// The number of organisations found behind the winning tenders, with or without an IČO.
    pub found: u64,
}

/// One company of one winning tender.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Winner {
    /// The lot, such as `LOT-0001`.
    pub lot: String,
    pub ico: String,
    /// The whole tender's value, even if several companies share it.
    pub value: Option<Money>,
    /// How many companies tendered together.
    pub members: u32,
    /// The contract's date: `YYYY-MM-DD`.
    pub contract_date: Option<String>,
    /// The address of the published contract.
    pub contract_url: Option<String>,
}

/// The notice's panels that results refer to.
struct Panels<'t, 'a> {
    organisations: &'t [Organisation],
    parties: Vec<&'t Component<'a>>,
    tenders: Vec<&'t Component<'a>>,
    contracts: Vec<&'t Component<'a>>,
}

/// Reads the results. Failures name the notice as `place`.
///
/// # Errors
/// [`Failure::Malformed`] for an unknown outcome of a lot: it decides whether there is a winner.
pub fn read(
    place: &str,
    trees: &[Component<'_>],
    organisations: &[Organisation],
    notes: &mut Notes,
) -> Result<Results, Failure> {
    let panels = Panels {
        organisations,
        parties: all(trees, "GR-TenderingParty_panel"),
        tenders: all(trees, "GR-LotTender_panel"),
        contracts: all(trees, "GR-SettledContract_panel"),
    };
    let mut results = Results::default();
    for result in all(trees, "GR-LotResult_panel") {
        let lot = result.text("BT-13713-LotResult");
        let lot = lot.map_or_else(|| "-".to_owned(), |lot| lot.replace('/', "-"));
        results.lots.insert(lot.clone());
        let outcome = result.text("BT-142-LotResult");
        let is_chosen = match outcome.as_deref() {
            Some("selec-w") => true,
            Some("clos-nw" | "open-nw") => continue,
            None => false,
            Some(other) => {
                return Err(malformed(
                    format!("{place}: BT-142-LotResult of {lot}"),
                    "selec-w, clos-nw or open-nw",
                    other,
                ));
            }
        };
        let tenders = panels.winning(result, &lot);
        if is_chosen {
            results.chosen += 1;
            if tenders.is_empty() {
                notes.count("lots_without_winning_tender");
            }
        }
        // Without an outcome and without a winner it is not known whether there is one.
        let mut is_readable = !tenders.is_empty();
        for number in tenders {
            is_readable &= panels.add(&mut results, &lot, number, notes);
        }
        if !is_readable {
            results.unreadable_lots.insert(lot);
        }
    }
    Ok(results)
}

impl Panels<'_, '_> {
    /// The positions of the lot's winning tenders. `None` for an identifier of another form.
    fn winning(&self, result: &Component<'_>, lot: &str) -> BTreeSet<Option<usize>> {
        let named = result.texts("OPT-320-LotResult");
        if !named.is_empty() {
            return named.iter().map(|id| place_of(id)).collect();
        }
        let is_first = |tender: &Component<'_>| {
            tender.text("BT-171-Tender").as_deref() == Some("1")
                && tender
                    .text("BT-13714-Tender")
                    .is_none_or(|own| own.replace('/', "-") == lot)
        };
        let tenders = self.tenders.iter().enumerate();
        tenders
            .filter(|(_, tender)| is_first(tender))
            .map(|(place, _)| Some(place))
            .collect()
    }

    /// Adds every company behind a tender. Returns whether all of them are known: each has an IČO or is from abroad.
    fn add(
        &self,
        results: &mut Results,
        lot: &str,
        number: Option<usize>,
        notes: &mut Notes,
    ) -> bool {
        let tender = number.and_then(|number| Some((number, self.tenders.get(number)?)));
        let Some((number, tender)) = tender else {
            notes.count("unresolved_tenders");
            return false;
        };
        let party = ["OPT-310-Tender", "BT-3201-Tender"]
            .iter()
            .flat_map(|key| tender.texts(key))
            .find_map(|id| place_of(&id))
            .and_then(|place| self.parties.get(place));
        let Some(party) = party else {
            notes.count("unresolved_tenders");
            return false;
        };
        let named = party.texts("OPT-300-Tenderer");
        let named: BTreeSet<Option<usize>> = named.iter().map(|id| place_of(id)).collect();
        let companies: Vec<&Organisation> = named
            .iter()
            .filter_map(|place| self.organisations.get((*place)?))
            .collect();
        let is_whole = companies.len() == named.len();
        if companies.is_empty() || !is_whole {
            notes.count("unresolved_tenders");
        }
        let value = Money::read(tender, "BT-720-Tender", notes);
        let contract = self.contract_of(number);
        results.found += companies.len() as u64;
        let (mut known, mut unknown) = (0, 0);
        for company in &companies {
            let Some(ico) = company.ico.clone() else {
                notes.count("winners_without_ico");
                if company.is_abroad {
                    known += 1;
                } else {
                    unknown += 1;
                }
                continue;
            };
            if ico == organisation::OFFICE {
                continue;
            }
            known += 1;
            results.winners.push(Winner {
                lot: lot.to_owned(),
                ico,
                value: value.clone(),
                members: u32::try_from(companies.len()).unwrap_or(u32::MAX),
                contract_date: contract
                    .and_then(|contract| contract.text("BT-145-Contract"))
                    .and_then(|raw| date::parse(&raw)),
                contract_url: contract
                    .and_then(|contract| contract.text("BT-151-Contract"))
                    .filter(|url| is_url(url)),
            });
        }
        is_whole && known > 0 && unknown == 0
    }

    fn contract_of(&self, tender: usize) -> Option<&Component<'_>> {
        let is_of_tender = |contract: &&&Component<'_>| {
            let tenders = contract.texts("BT-3202-Contract");
            tenders.iter().any(|id| place_of(id) == Some(tender))
        };
        self.contracts.iter().find(is_of_tender).copied()
    }
}

/// The position (from 0) that an identifier such as `TEN-0012` denotes.
#[must_use]
pub fn place_of(id: &str) -> Option<usize> {
    let (_, number) = id.trim().rsplit_once('-')?;
    number.parse::<usize>().ok()?.checked_sub(1)
}

fn is_url(text: &str) -> bool {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    rest.is_some_and(|rest| !rest.is_empty()) && !text.contains(char::is_whitespace)
}
