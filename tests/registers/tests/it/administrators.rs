//! The list of insolvency administrators, and trades in the register of legal persons.

use register_simulator::population::Happening;
use register_simulator::population::proceedings::{administrators, of_company};
use register_simulator::{ChangeKind, Population};
use serde_json::{Value, json};
use time::macros::date;

use crate::Site;

const PATH: &str = "/obcan-justice/pilot/api/ress-isu-service/v1/spravca";

async fn page(site: &Site, number: usize) -> Value {
    let answer = site.get(&format!("{PATH}?page={number}&size=100")).await;
    answer.json()
}

fn marks(page: &Value) -> Vec<String> {
    let rows = page["spravcaList"].as_array().expect("a list");
    let mark = |row: &Value| row["znacka"].as_str().map(|mark| mark.replace(' ', ""));
    rows.iter().filter_map(mark).collect()
}

#[tokio::test]
async fn pages_start_at_one_and_cap_rows() {
    let site = Site::new(12);
    let first = page(&site, 1).await;
    assert_eq!(first["numFound"], administrators().len());
    assert_eq!((&first["page"], &first["size"]), (&json!(0), &json!(10)));
    assert_eq!(page(&site, 0).await, first);
    let mut all = marks(&first);
    all.extend(marks(&page(&site, 2).await));
    all.extend(marks(&page(&site, 3).await));
    let known: Vec<String> = administrators().into_iter().map(|one| one.mark).collect();
    assert_eq!(all, known);
    assert!(marks(&page(&site, 4).await).is_empty());
}

#[test]
fn administrator_can_be_struck_off_and_reentered() {
    let population = Population::new(12, 7, date!(2026 - 01 - 15));
    let entered = ChangeKind::Happened(Happening::AdministratorRegistered);
    let struck_off = ChangeKind::Happened(Happening::AdministratorStruckOff);
    assert!(!population.force(0, 1, struck_off), "it is not entered");
    assert!(population.force(0, 1, entered));
    assert!(!population.force(0, 2, entered));
    assert!(population.force(0, 3, struck_off));
    let entry = |day| of_company(&population.company(0, day));
    assert_eq!(entry(0), None);
    assert_eq!(
        entry(1).and_then(|one| one.entered),
        Some(population.date(1))
    );
    let gone = entry(3).expect("it stays on the list");
    assert_eq!(gone.struck_off, Some(population.date(3)));
}

#[test]
fn trades_can_be_suspended_resumed_and_ended() {
    let population = Population::new(12, 7, date!(2026 - 01 - 15));
    let trades = |day| population.company(3, day).activities;
    let count = trades(0).len();
    assert!(population.force(3, 1, ChangeKind::Happened(Happening::TradeResumed)));
    assert!(
        trades(1)
            .iter()
            .all(|one| { one.suspended.is_none_or(|(_, to)| to == population.date(0)) })
    );
    assert!(population.force(3, 2, ChangeKind::Happened(Happening::TradeEnded)));
    let ended = |day| trades(day).iter().filter(|one| one.until.is_some()).count();
    assert_eq!((ended(1), ended(2), trades(2).len()), (1, 2, count));
    let none = ChangeKind::Happened(Happening::TradeSuspended);
    assert!(!population.force(0, 1, none), "it is no trader");
}
