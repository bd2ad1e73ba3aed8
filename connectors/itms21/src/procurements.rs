//! The import of procurements and their contracts.
//!
//! Contracts can be asked for by their procurement only, and name their suppliers in details alone. So a run takes
//! thousands of requests, and the dataset is off by default. A supplier or a buyer is either a subject or an entry of
//! a list of its own, whose number must be asked for where the answer does not have it.
//!
//! The records of a contract that cannot be read are kept from the last import. Without any, its suppliers are not
//! known, and the row counts as a gap.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lustra_sdk::http::encode;
use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Item, Notes, records};
use serde::Deserialize;

use crate::names::PROCUREMENT;
use crate::organisations::{Detail, Named, Number, Organisations, Source, detail};
use crate::procurement::{self, Entry};
use crate::settings::Settings;
use crate::states::is_one_of;
use crate::sweep::{self, List, Rows, Step, Time};
use crate::value::members;
use crate::{gaps, list};

/// What the keys of buyers begin with.
const BUYER: &str = "buyer/";
/// What the keys of suppliers begin with.
const CONTRACT: &str = "contract/";
/// So many procurements in succession of which no contract is given end the run.
const MAX_FAILURES: u32 = 10;

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

/// The records of a procurement's buyers, and the ids of its contracts.
type Begun = (Vec<Item>, VecDeque<u64>);

/// The companies of a procurement or a contract.
enum Companies {
    All(BTreeSet<String>),
    /// These, and others that the register does not give.
    Some(BTreeSet<String>),
    /// The call's time is nearly used up.
    Later,
}

/// Reads procurements and their contracts.
pub struct Procurements {
    settings: Settings,
    /// Contracts of the procurement in progress that are still to be read.
    waiting: Option<VecDeque<u64>>,
    organisations: Organisations,
    /// Whether the procurement in progress has contracts, and none was given so far.
    is_failing: bool,
    /// Procurements in succession of which no contract was given.
    failures: u32,
}

impl Procurements {
    /// Starts a run with the operator's states.
    ///
    /// # Errors
    /// [`Failure::Misconfigured`] for a setting of another shape.
    pub fn open() -> Result<Self, Failure> {
        Ok(Self {
            settings: Settings::read()?,
            waiting: None,
            organisations: Organisations::default(),
            is_failing: false,
            failures: 0,
        })
    }

    /// Begins a procurement: its buyers' records, and the contracts that wait. `None` if the call's time is nearly used
    /// up.
    fn begin(
        &mut self,
        row: &Row,
        time: Time,
        notes: &mut Notes,
    ) -> Result<Option<Begun>, Failure> {
        let state = row.stav.as_deref().unwrap_or_default();
        if is_one_of(state, &self.settings.withdrawn_states) {
            notes.count("withdrawn");
            return Ok(Some((Vec::new(), VecDeque::new())));
        }
        let Some(buyers) = self.buyers(row, time, notes)? else {
            return Ok(None);
        };
        if !is_one_of(state, &self.settings.procurement_states) {
            notes.count("unknown_states");
        }
        let waiting = contracts(&row.kod, notes)?;
        self.is_failing = !waiting.is_empty();
        Ok(Some((buyers, waiting)))
    }

    /// The records of a procurement's buyers. `None` if the call's time is nearly used up.
    fn buyers(
        &mut self,
        row: &Row,
        time: Time,
        notes: &mut Notes,
    ) -> Result<Option<Vec<Item>>, Failure> {
        // The contracting authority comes first: it often has the number that the same buyer lacks.
        let subjects: Vec<&Named> = [&row.zadavatel, &row.obstaravatel_subjekt]
            .into_iter()
            .flatten()
            .collect();
        let others = row.obstaravatel_dodavatel_obstaravatel.iter();
        let others: Vec<&Named> = others.filter(|_| subjects.is_empty()).collect();
        let companies = self.companies(&subjects, &others, time, notes)?;
        stored(BUYER, row.id, companies, &Entry::Buyer, notes)
    }

    /// The records of a contract, one for each supplier. `None` if the call's time is nearly used up.
    fn contract(
        &mut self,
        id: u64,
        procurement: &str,
        time: Time,
        notes: &mut Notes,
    ) -> Result<Option<Vec<Item>>, Failure> {
        let detail = match detail("zmluvaverejneobstaravanie", id)? {
            Detail::Given(detail) => detail,
            Detail::Blocked => {
                notes.count("contracts_blocked");
                return kept(id, notes);
            }
            Detail::Gone => {
                notes.count("contracts_gone");
                return Ok(Some(Vec::new()));
            }
        };
        let read = match procurement::read(&detail, id, procurement, notes) {
            Ok(contract) => {
                let subjects: Vec<&Named> = contract.subjects.iter().collect();
                let others: Vec<&Named> = contract.organisations.iter().collect();
                let companies = self.companies(&subjects, &others, time, notes);
                companies.map(|companies| (companies, contract.value))
            }
            Err(failure) => Err(failure),
        };
        let (companies, value) = match read {
            Ok(read) => read,
            Err(wrong @ Failure::Malformed(_)) => {
                notes.odd_row("unreadable_contracts", &wrong);
                return kept(id, notes);
            }
            Err(other) => return Err(other),
        };
        self.is_failing = false;
        let entry = Entry::Supplier {
            procurement: procurement.to_owned(),
            value,
        };
        stored(CONTRACT, id, companies, &entry, notes)
    }

    /// Ends a procurement. Too many of which no contract was given are a failure of the register.
    fn end(&mut self) -> Result<(), Failure> {
        self.failures = if self.is_failing {
            self.failures + 1
        } else {
            0
        };
        self.is_failing = false;
        if self.failures < MAX_FAILURES {
            return Ok(());
        }
        Err(Failure::Unavailable(format!(
            "the register gives no contract of {MAX_FAILURES} procurements in succession"
        )))
    }

    /// The companies among subjects and organisations of the other list.
    fn companies(
        &mut self,
        subjects: &[&Named],
        others: &[&Named],
        time: Time,
        notes: &mut Notes,
    ) -> Result<Companies, Failure> {
        let subjects = subjects.iter().map(|named| (Source::Subject, *named));
        let others = others.iter().map(|named| (Source::Organisation, *named));
        let (mut icos, mut is_whole) = (BTreeSet::new(), true);
        for (source, named) in subjects.chain(others) {
            match self.organisations.number(source, named, time, notes)? {
                Number::Ico(ico) => {
                    icos.insert(ico);
                }
                Number::None => {}
                Number::Blocked => is_whole = false,
                Number::Later => return Ok(Companies::Later),
            }
        }
        Ok(if is_whole {
            Companies::All(icos)
        } else {
            Companies::Some(icos)
        })
    }
}

impl Rows for Procurements {
    fn lists(&self) -> Vec<List> {
        vec![List {
            path: "verejneobstaravanie".to_owned(),
            subjects: &["obstaravatelSubjekt", "zadavatel"],
            prefix: BUYER,
        }]
    }

    fn records(
        &mut self,
        _list: usize,
        row: &Value,
        time: Time,
        notes: &mut Notes,
    ) -> Result<Step, Failure> {
        let row: Row = members("procurement", row)?;
        let begun = match self.waiting.take() {
            Some(waiting) => Some((Vec::new(), waiting)),
            None => self.begin(&row, time, notes)?,
        };
        let Some((mut items, mut waiting)) = begun else {
            return Ok(Step::More(Vec::new()));
        };
        while let Some(id) = waiting.front().copied() {
            let of_contract = if time.is_nearly_over() {
                None
            } else {
                self.contract(id, &row.kod, time, notes)?
            };
            let Some(of_contract) = of_contract else {
                self.waiting = Some(waiting);
                return Ok(Step::More(items));
            };
            items.extend(of_contract);
            waiting.pop_front();
        }
        self.end()?;
        Ok(Step::Done(items))
    }
}

/// The ids of a procurement's contracts.
fn contracts(code: &str, notes: &mut Notes) -> Result<VecDeque<u64>, Failure> {
    // The register wants the parameter in this spelling.
    let filter = format!("verejneobstaravanieKOD={}", encode(code));
    let page = list::ask_whole("zmluvyverejnehoobstaravania", &filter)?;
    let mut ids = BTreeSet::new();
    for row in &page.rows {
        if let Some(id) = list::id(row) {
            ids.insert(id);
        } else {
            notes.odd_row("contracts_without_id", &list::without_id());
            notes.count(gaps::NOTE);
        }
    }
    Ok(ids.into_iter().collect())
}

/// The records of companies. If not all are known, those of the last import are kept beside them. `None` if they are
/// to be read later.
fn stored(
    prefix: &str,
    id: u64,
    companies: Companies,
    entry: &Entry,
    notes: &mut Notes,
) -> Result<Option<Vec<Item>>, Failure> {
    let (icos, mut items) = match companies {
        Companies::All(icos) => (icos, BTreeMap::new()),
        Companies::Some(icos) => (icos, last_import(prefix, id, notes)?),
        Companies::Later => return Ok(None),
    };
    for ico in icos {
        let item = records::item(sweep::key(prefix, id, &ico), Some(&ico), entry)?;
        items.insert(item.key.clone(), item);
    }
    Ok(Some(items.into_values().collect()))
}

/// The records of the last import for a contract that is not given.
fn kept(id: u64, notes: &mut Notes) -> Result<Option<Vec<Item>>, Failure> {
    let kept = last_import(CONTRACT, id, notes)?;
    Ok(Some(kept.into_values().collect()))
}

/// The records of the last import, by their keys. Without any, the row is a gap.
fn last_import(
    prefix: &str,
    id: u64,
    notes: &mut Notes,
) -> Result<BTreeMap<String, Item>, Failure> {
    let stored = records::all_of_key(PROCUREMENT, &sweep::keys_of(prefix, id))?;
    if stored.is_empty() {
        notes.count(gaps::NOTE);
    }
    let kept = |one: records::Stored| {
        let item = Item {
            key: one.key.clone(),
            ico: one.ico,
            name: one.name,
            city: one.city,
            postal_code: one.postal_code,
            content: one.content,
            removed: false,
        };
        (one.key, item)
    };
    Ok(stored.into_iter().map(kept).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lustra_sdk::serde_json::json;
    use lustra_sdk::testing::{Answer, TestHost};

    #[test]
    fn row_goes_on_where_the_time_ended() {
        let buyer = json!({ "id": 1, "nazov": "Vzor", "ico": "99999901" });
        let row = json!({ "id": 3, "kod": "VO3", "stav": "Ukončené", "obstaravatelSubjekt": { "id": 1 } });
        let list = json!({ "offset": 0, "limit": -1, "size": 1, "result": [{ "id": 11 }] });
        let supplier = json!({ "id": 2, "nazov": "Vzor", "ico": "99999902" });
        let contract = json!({ "id": 11, "dodavatelia": [{ "dodavatelSubjekt": supplier }] });
        let lists = "/public/v1/zmluvyverejnehoobstaravania?limit=-1&verejneobstaravanieKOD=VO3";
        let contracts = "/public/v1/zmluvaverejneobstaravanie/id/11";
        TestHost::new()
            .answer("itms21", "/public/v1/subjekt/id/1", Answer::json(&buyer))
            .answer("itms21", lists, Answer::json(&list))
            .answer("itms21", contracts, Answer::json(&contract))
            .install();
        let mut reader = Procurements::open().ok();
        let mut records = |time| {
            let reader = reader.as_mut()?;
            reader.records(0, &row, time, &mut Notes::default()).ok()
        };
        let keys = |items: Vec<Item>| items.into_iter().map(|item| item.key).collect::<Vec<_>>();
        let Some(Step::More(items)) = records(Time::none()) else {
            panic!("no time for the buyer's detail");
        };
        assert_eq!(keys(items), [""; 0]);
        assert!(TestHost::requests().is_empty());
        let Some(Step::Done(items)) = records(Time::begin()) else {
            panic!("time for all of it");
        };
        let expected = ["buyer/0000000003/99999901", "contract/0000000011/99999902"];
        assert_eq!(keys(items), expected);
    }
}
