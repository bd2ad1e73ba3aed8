//! Expected values for insolvency proceedings.

use lustra_tests::register_simulator::population::proceedings::{
    Administrator, Kind, Proceeding, State, of,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

/// The address of a public page, without the number.
const PAGE: &str =
    "https://replik.justice.sk/ru-verejnost-web/pages/konanieDetail.xhtml?konanieId=";

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let mut all = of(company);
    all.sort_by_key(|one| std::cmp::Reverse((one.began, one.id)));
    let (liquidations, insolvencies): (Vec<_>, Vec<_>) =
        all.iter().partition(|one| one.kind == Kind::Liquidation);
    let is = |wanted: &[State]| insolvencies.iter().any(|one| wanted.contains(&one.state));
    let has_active = if is(&[
        State::Begun,
        State::Declared,
        State::GoingOn,
        State::Suspended,
    ]) {
        Some(true)
    } else if is(&[State::Unheard]) {
        None
    } else {
        Some(false)
    };
    let mut unread: Vec<String> = all
        .iter()
        .filter(|one| one.state == State::Unheard)
        .map(|one| format!("state {}", one.state.code()))
        .collect();
    unread.dedup();
    json!({
        "has_active_proceedings": has_active,
        "proceedings": insolvencies.into_iter().map(reported_of).collect::<Vec<_>>(),
        "liquidations": liquidations.into_iter().map(reported_of).collect::<Vec<_>>(),
        "unread": unread,
    })
}

fn reported_of(proceeding: &Proceeding) -> Value {
    let administrator = proceeding.administrator.as_ref();
    json!({
        "proceeding_id": proceeding.id.to_string(),
        "case_number": proceeding.case_number,
        "proceeding_type": proceeding.kind.code().to_lowercase(),
        "status": proceeding.state.code().to_lowercase(),
        "active": match proceeding.state {
            State::Begun | State::Declared | State::GoingOn | State::Suspended => Some(true),
            State::Over | State::Stopped => Some(false),
            State::Unheard => None,
        },
        "court": proceeding.court_name(),
        "administrator": administrator.map(Administrator::listed),
        "administrator_mark": administrator.map(|one| one.mark.as_str()),
        "administrator_kind": administrator.map(|_| "riadny"),
        "started_at": proceeding.began.to_string(),
        "process_started_at": proceeding.declared.map(|on| on.to_string()),
        "ended_at": proceeding.ended.map(|(on, _)| on.to_string()),
        "end_reason": proceeding.ended.map(|(_, why)| why.to_lowercase()),
        "last_event": proceeding.last_event,
        "last_event_at": proceeding.last_event_on.to_string(),
        "url": format!("{PAGE}{}", proceeding.id),
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["insolvency"];
    let unread = section["unread"].as_array();
    let sources = unread
        .into_iter()
        .flatten()
        .map(|one| one["source"].clone());
    json!({
        "has_active_proceedings": section["has_active_proceedings"],
        "proceedings": section["proceedings"],
        "liquidations": section["liquidations"],
        "unread": sources.collect::<Vec<_>>(),
    })
}
