//! The national bank's lists of supervised subjects.

use axum::http::StatusCode;
use register_simulator::population::Happening;
use register_simulator::population::supervision::{RETURNING, TRADER, licences, outsiders, ties};
use register_simulator::{ChangeKind, Population};
use serde_json::{Value, json};
use time::macros::date;

use crate::Site;

async fn institutions(site: &Site) -> Vec<Value> {
    let answer = site.get("/nbs/api/json").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(&answer.body[..2], b"PK", "it is an archive all the same");
    let files = answer.unzipped();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].0, "subjekty.json");
    let list: Value = serde_json::from_str(&files[0].1).expect("JSON");
    list["institutions"].as_array().expect("a list").clone()
}

async fn services(site: &Site) -> Vec<Value> {
    let answer = site.get("/nbs/api/psd2").await;
    assert_eq!(answer.status, StatusCode::OK);
    answer.json().as_array().expect("a list").clone()
}

fn of<'a>(rows: &'a [Value], id: &Value) -> Vec<&'a Value> {
    rows.iter().filter(|row| row["id"] == *id).collect()
}

fn scopes(rows: &[&Value]) -> Vec<Value> {
    let licenses = rows.iter().filter_map(|row| row["licenses"].as_array());
    licenses
        .flatten()
        .map(|licence| licence["scope"].clone())
        .collect()
}

#[tokio::test]
async fn row_has_the_known_members() {
    let rows = institutions(&Site::new(12)).await;
    let first = of(&rows, &json!("99999994"));
    assert_eq!(first.len(), 1);
    assert_eq!(first[0]["name"], "Vzorostav Čučoriedka, s. r. o.");
    assert_eq!(first[0]["country"], "SK");
    assert_eq!(
        first[0]["licenses"].as_array().map(Vec::len),
        Some(1),
        "what ended is nowhere"
    );
    assert!(
        first[0]["address"]
            .as_str()
            .is_some_and(|address| address.contains(", "))
    );
}

#[tokio::test]
async fn ids_occur_as_text_number_and_with_spaces() {
    let rows = institutions(&Site::new(12)).await;
    assert_eq!(of(&rows, &json!(124)).len(), 1, "the zero-led number");
    assert_eq!(of(&rows, &json!(99_999_986)).len(), 1);
    assert_eq!(
        of(&rows, &json!("99 999 927")).len(),
        2,
        "twice, in two spellings"
    );
    assert_eq!(
        scopes(&of(&rows, &json!("99 999 927"))),
        [json!("Zmenáreň"), json!("ZMENÁREŇ")]
    );
    assert_eq!(
        of(&rows, &json!(99_999_889)).len(),
        2,
        "a row for each licence"
    );
    assert_eq!(scopes(&of(&rows, &json!("99999897"))), [] as [Value; 0]);
}

#[tokio::test]
async fn foreign_ids_can_equal_a_company_number() {
    let rows = institutions(&Site::new(12)).await;
    let same = of(&rows, &json!("99999978"));
    assert_eq!(same.len(), 1);
    assert_eq!(same[0]["country"], "CZ");
    assert!(
        rows.iter()
            .any(|row| row["id"] == "" && row["country"] == "SK")
    );
    let population = Population::new(300, 7, date!(2026 - 01 - 15));
    assert!(outsiders(&population).iter().any(|one| one.id.is_none()));
    assert!(licences(&population.company(2, 0)).is_empty());
}

#[tokio::test]
async fn licence_appears_and_leaves_on_its_days() {
    let site = Site::new(12);
    let lists = async |days| {
        if days > 0 {
            site.advance(days).await;
        }
        let rows = institutions(&site).await;
        (
            scopes(&of(&rows, &json!("99999919"))).len(),
            scopes(&of(&rows, &json!("99999901"))).len(),
        )
    };
    assert_eq!(lists(0).await, (0, 2));
    assert_eq!(lists(2).await, (0, 2));
    assert_eq!(lists(1).await, (0, 1), "it ends on the third day");
    assert_eq!(lists(8).await, (1, 1));
    assert_eq!(lists(9).await, (0, 1));
}

#[tokio::test]
async fn each_payment_service_has_a_row_with_days() {
    let site = Site::new(12);
    let before = services(&site).await;
    let of_eleven = of(&before, &json!(99_999_889));
    assert_eq!(of_eleven.len(), 3);
    assert_eq!(of_eleven[0]["service"], "AISP");
    assert_eq!(of_eleven[0]["date_from"], "2019-09-14");
    assert!(of_eleven[0]["date_to"].is_string());
    assert!(of_eleven[1]["date_to"].is_null(), "it was taken up again");
    assert_eq!(of(&before, &json!("99999978"))[0]["country"], "CZ");
    site.advance(5).await;
    let later = services(&site).await;
    assert_eq!(of(&later, &json!(99_999_889)).len(), 4);
    let ended = of(&later, &json!(99_999_986))
        .into_iter()
        .find(|row| row["service"] == "PIISP");
    assert_eq!(ended.expect("it stays")["date_to"], "2026-01-19");
}

#[test]
fn supervised_companies_can_lose_a_licence() {
    let population = Population::new(2_000, 7, date!(2026 - 01 - 15));
    let ended = ChangeKind::Happened(Happening::SupervisionEnded);
    let granted = ChangeKind::Happened(Happening::SupervisionGranted);
    let in_force = |index, day| {
        let company = population.company(index, day);
        let today = population.date(day);
        let licences = licences(&company);
        licences
            .iter()
            .filter(|licence| licence.is_listed(today))
            .count()
    };
    let supervised: Vec<u32> = (12..2_000)
        .filter(|index| in_force(*index, 0) > 0)
        .collect();
    assert!(
        (60..140).contains(&supervised.len()),
        "{}",
        supervised.len()
    );
    let none = (12..2_000)
        .find(|index| population.company(*index, 0).is_active() && in_force(*index, 0) == 0);
    let none = none.expect("most have none");
    assert!(!population.force(none, 3, ended), "there is nothing to end");
    assert!(population.force(none, 3, granted));
    assert_eq!((in_force(none, 2), in_force(none, 3)), (0, 1));
    assert!(population.force(none, 5, ended));
    assert_eq!((in_force(none, 4), in_force(none, 5)), (1, 0));
    let some = supervised[0];
    let before = in_force(some, 3);
    assert!(population.force(some, 4, ended));
    assert_eq!(in_force(some, 4) + 1, before);
}

#[tokio::test]
async fn persons_are_listed_a_second_time() {
    let rows = institutions(&Site::new(12)).await;
    let trader = of(&rows, &json!("99999960"));
    let same: Vec<&Value> = rows
        .iter()
        .filter(|row| row["name"] == trader[0]["name"])
        .collect();
    assert_eq!(same.len(), 2);
    assert_eq!(same[0]["address"], same[1]["address"]);
    assert!(same.iter().any(|row| row["id"].is_null()));
    let other: Vec<&Value> = rows.iter().filter(|row| row["name"] == TRADER).collect();
    assert_eq!(other.len(), 2);
    assert_ne!(other[0]["address"], other[1]["address"]);
}

#[tokio::test]
async fn agent_leaves_the_list_and_returns() {
    let site = Site::new(12);
    let mut listed = Vec::new();
    for days in [0, 1, 1, 4, 1] {
        if days > 0 {
            site.advance(days).await;
        }
        let rows = institutions(&site).await;
        listed.push(rows.iter().any(|row| row["name"] == RETURNING));
    }
    assert_eq!(listed, [true, true, false, false, true]);
}

#[tokio::test]
async fn ties_of_agents_begin_and_end_on_their_days() {
    let site = Site::new(12);
    let of = async |ico: &str| -> Vec<String> {
        let answer = site.get("/operator-files/nbs-agents.csv").await;
        let rows = answer.text().lines().filter(|row| row.starts_with(ico));
        rows.map(str::to_owned).collect()
    };
    assert_eq!(
        (of("00000124").await.len(), of("99999960").await.len()),
        (2, 1)
    );
    assert!(of("00000124").await.iter().all(|row| row.ends_with(';')));
    site.advance(5).await;
    let tied = of("00000124").await;
    assert_eq!(
        tied.iter()
            .filter(|row| row.ends_with("18.01.2026"))
            .count(),
        1,
        "{tied:?}"
    );
    assert_eq!(of("99999960").await.len(), 2);
    let population = Population::new(300, 7, date!(2026 - 01 - 15));
    assert!((12..300).any(|index| !ties(&population.company(index, 0)).is_empty()));
}
