//! The lists of approved establishments.

use axum::http::StatusCode;
use register_simulator::population::establishments::{establishments, strangers};
use register_simulator::population::{Happening, establishments::List};
use register_simulator::{ChangeKind, Population};
use time::macros::date;

use crate::Site;

const FOOD: &str = "/svps/?Sekcia=0&typ=zoznam-potr-schvalene&export=csv";

#[tokio::test]
async fn food_list_has_operators_with_seats() {
    let site = Site::new(12);
    let answer = site.get(FOOD).await;
    assert_eq!(answer.status, StatusCode::OK);
    let rows: Vec<&str> = answer.text().lines().collect();
    assert!(rows[0].starts_with("\u{feff}Schvaľovacie číslo;Prevádzkovateľ;"));
    let of = |name: &str| rows.iter().filter(|row| row.contains(name)).count();
    assert_eq!(of("Žblnkotech Holding"), 1);
    assert_eq!(of("Müllerík"), 1, "{rows:?}");
    assert_eq!(of("Brmbosoft"), 0, "it is approved later");
    assert!(of("Cudzia potravina") >= 4);
    site.advance(4).await;
    assert!(site.get(FOOD).await.text().contains("Brmbosoft"));
}

#[tokio::test]
async fn one_address_serves_page_csv_and_workbook() {
    let site = Site::new(12);
    let vet = "/svps/?typ=zoznam-vet-schvalene";
    let page = site.get(vet).await;
    assert!(page.header("content-type").starts_with("text/html"));
    let workbook = site.get(&format!("{vet}&export=excel")).await;
    assert_eq!(&workbook.body[..2], b"PK");
    let csv = site.get(&format!("{vet}&export=csv")).await;
    let of_six = csv
        .text()
        .lines()
        .filter(|row| row.contains("Mrkvová Dolina"));
    assert_eq!(of_six.count(), 5, "a row for each section and activity");
    assert_eq!(site.get("/svps/?typ=x").await.status, StatusCode::NOT_FOUND);
}

#[test]
fn certain_establishments_can_be_withdrawn() {
    let population = Population::new(2_000, 7, date!(2026 - 01 - 15));
    let of = |index: u32, day: u32| {
        let mut all = establishments(&population.company(index, day));
        all.retain(|one| one.is_listed(population.date(day)));
        all
    };
    let with = (12..2_000)
        .filter(|index| !of(*index, 0).is_empty())
        .count();
    assert!((180..330).contains(&with), "{with}");
    let uncertain = (12..2_000).flat_map(|index| of(index, 0));
    assert!(uncertain.filter(|one| !one.is_certain).count() > 20);
    assert_eq!(strangers(&population, List::Vet).len(), 24);
    let approved = ChangeKind::Happened(Happening::EstablishmentApproved);
    let withdrawn = ChangeKind::Happened(Happening::EstablishmentWithdrawn);
    let index = (12..2_000)
        .find(|index| population.company(*index, 5).is_active() && of(*index, 5).is_empty())
        .expect("most have none");
    assert!(!population.force(index, 1, withdrawn));
    assert!(population.force(index, 2, approved));
    assert!(population.force(index, 4, withdrawn));
    assert_eq!([1, 2, 3, 4].map(|day| of(index, day).len()), [0, 1, 1, 0]);
}
