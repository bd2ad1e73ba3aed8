//! The section of the scope `orsr`: people with their history, activities and shares.
//!
//! The history comes from this register. What only the extract of the commercial register says (paid part, lien, issues
//! of shares, present addresses) is taken from the company's details, which the host passes on; see [`crate::extract`].
//! Lists contain former people too, present ones first.

mod address;
mod ownership;
mod seats;

use std::collections::BTreeMap;

use lustra_sdk::date;
use lustra_sdk::legal_form::is_code_of_natural_person;
use serde::Serialize;

use self::seats::{Acting, Seat, without_repeats};
use crate::extract::{Extract, Share};
use crate::history::History;
use crate::history::codes::{Group, List};
use crate::history::deposits::is_current;
use crate::history::kept::{Activities, End};
use crate::history::offices::{Known, offices};

/// A foreign sole trader is listed as the head of his own branch, in rows without valid dates.
const BRANCH_HEAD: &str = "15";

/// The section. Every list is present, possibly empty.
#[derive(Debug, Serialize)]
pub struct Section {
    business_activities: Vec<Activity>,
    shareholders: Vec<Shareholder>,
    statutory_body: Vec<Officer>,
    supervisory_board: Vec<Registered>,
    procurators: Vec<Registered>,
    liquidators: Vec<Registered>,
    administrators: Vec<Registered>,
    founders: Vec<Registered>,
    branch_heads: Vec<Registered>,
    legal_predecessors: Vec<Registered>,
    other_stakeholders: Vec<Registered>,
    shares: Vec<Share>,
}

#[derive(Debug, Serialize)]
struct Activity {
    activity: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct Shareholder {
    name: String,
    address: Option<String>,
    share_amount: Option<String>,
    share_paid: Option<String>,
    share_currency: Option<String>,
    share_percentage: Option<String>,
    contribution_kind: Option<String>,
    deposit_lien: Option<String>,
    function: Option<&'static str>,
    is_company: bool,
    ico: Option<String>,
    stakeholder_type: Option<String>,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
    /// Whether the extract was read for a lien on the deposit.
    #[serde(skip)]
    has_read_lien: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Officer {
    name: String,
    role: Option<String>,
    function: Option<&'static str>,
    body_type: Option<String>,
    address: Option<String>,
    acting_method: Option<String>,
    appointed_at: Option<String>,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Registered {
    name: String,
    address: Option<String>,
    is_company: bool,
    ico: Option<String>,
    stakeholder_type: Option<String>,
    function: Option<&'static str>,
    acting_method: Option<String>,
    effective_from: Option<String>,
    effective_to: Option<String>,
    current: bool,
}

impl Section {
    /// Whether a present deposit was not looked up in the extract: its null `deposit_lien` does not say that there is
    /// no lien.
    #[must_use]
    pub fn lacks_liens(&self) -> bool {
        self.shareholders
            .iter()
            .any(|holder| holder.current && holder.share_amount.is_some() && !holder.has_read_lien)
    }
}

/// Builds the section as of `today`.
#[must_use]
pub fn section(history: &History, extract: &Extract, today: &str) -> Section {
    let mut of_group: BTreeMap<Group, Vec<Seat<'_>>> = BTreeMap::new();
    let is_trader = is_sole_trader(history);
    let rows = [
        (&history.statutory, List::StatutoryBodies),
        (&history.stakeholders, List::Stakeholders),
    ];
    for (rows, list) in rows {
        for office in offices(rows, list) {
            let is_own_head = is_trader
                && list == List::Stakeholders
                && office.row.code.as_deref() == Some(BRANCH_HEAD);
            if is_own_head {
                continue;
            }
            let seat = Seat::of(office, history, today);
            of_group.entry(seat.meaning.group).or_default().push(seat);
        }
    }
    let mut take = |group: Group| -> Vec<Seat<'_>> {
        let mut seats = of_group.remove(&group).unwrap_or_default();
        without_repeats(&mut seats);
        seats.sort_by_key(Seat::rank);
        seats
    };
    let acting = Acting::of(&history.authorizations, history, today);
    let officers = take(Group::StatutoryBody);
    let owners = take(Group::Shareholders);
    let mut registered = |group: Group| -> Vec<Registered> {
        let seats = take(group);
        seats
            .into_iter()
            .map(|seat| seat.registered(group, &acting, extract))
            .collect()
    };
    Section {
        supervisory_board: registered(Group::SupervisoryBoard),
        procurators: registered(Group::Procurators),
        liquidators: registered(Group::Liquidators),
        administrators: registered(Group::Administrators),
        founders: registered(Group::Founders),
        branch_heads: registered(Group::BranchHeads),
        other_stakeholders: registered(Group::Others),
        business_activities: activities(history, today),
        shareholders: ownership::shareholders(history, owners, extract, today),
        statutory_body: officers
            .into_iter()
            .map(|seat| seat.officer(&acting, extract))
            .collect(),
        legal_predecessors: predecessors(history),
        shares: ownership::shares(history, extract, today),
    }
}

fn is_sole_trader(history: &History) -> bool {
    let newest = history
        .forms
        .iter()
        .max_by_key(|form| (form.validity.end(), form.validity.from()));
    newest
        .and_then(|form| is_code_of_natural_person(form.code.as_deref()?))
        .unwrap_or(false)
}

/// The activities of today, without suspended ones. Texts of the commercial register end with a comma.
fn activities(history: &History, today: &str) -> Vec<Activity> {
    let mut all: Vec<Activity> = Vec::new();
    if history.ended.is_some() {
        return all;
    }
    let mut place: BTreeMap<String, usize> = BTreeMap::new();
    let open = history
        .activities
        .iter()
        .filter(|rows| is_current(&rows.validity.end(), today) && !is_suspended(rows, today));
    for rows in open {
        let since = rows.validity.from();
        for raw in &rows.texts {
            let activity = raw.trim_end_matches([',', ';', ' ']).to_owned();
            match place.get(&activity).and_then(|place| all.get_mut(*place)) {
                Some(known) => known.since = known.since.take().min(since.clone()),
                None => {
                    place.insert(activity.clone(), all.len());
                    all.push(Activity {
                        activity,
                        since: since.clone(),
                    });
                }
            }
        }
    }
    all
}

/// Whether a pause covers the day. The first and the last day count. Placeholders are not days.
fn is_suspended(rows: &Activities, today: &str) -> bool {
    let day = |raw: &Option<String>| date::parse(raw.as_deref()?);
    let has_begun = day(&rows.suspended_from).is_some_and(|first| first.as_str() <= today);
    has_begun && day(&rows.suspended_to).is_none_or(|last| last.as_str() >= today)
}

fn predecessors(history: &History) -> Vec<Registered> {
    let mut all: Vec<Registered> = Vec::new();
    for row in &history.predecessors {
        let Some(known) = Known::of(&row.name) else {
            continue;
        };
        let (from, to) = (row.validity.from(), row.validity.end());
        let registered = Registered {
            address: row.address.as_ref().and_then(address::one_line),
            is_company: known.is_company,
            ico: known.ico,
            stakeholder_type: None,
            function: None,
            acting_method: None,
            current: to == End::Open,
            effective_from: from,
            effective_to: match to {
                End::On(day) => Some(day),
                End::Open | End::Unknown => None,
            },
            name: known.shown,
        };
        let is_known = all.iter().any(|other| {
            (&other.name, &other.ico, &other.effective_from)
                == (
                    &registered.name,
                    &registered.ico,
                    &registered.effective_from,
                )
        });
        if !is_known {
            all.push(registered);
        }
    }
    all
}
