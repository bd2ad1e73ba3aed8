//! The register of execution authorizations: its answers, its traps, and the operator's file.

use register_simulator::Population;
use register_simulator::population::executions::{Creditor, authorizations};
use serde_json::Value;
use time::macros::date;

use crate::Site;

const PATH: &str = "/obcan-justice/pilot/api/ress-isu-service/v1/poverenie";

async fn asked(site: &Site, query: &str) -> Value {
    site.get(&format!("{PATH}?{query}")).await.json()
}

fn rows(answer: &Value) -> &Vec<Value> {
    answer["poverenieList"]
        .as_array()
        .expect("a list even when it is empty")
}

#[tokio::test]
async fn authorization_has_the_assumed_format() {
    let site = Site::new(12);
    let answer = asked(&site, "ico=99999901&page=1&size=20").await;
    assert_eq!(
        (&answer["numFound"], &answer["page"], &answer["updateDate"]),
        (&1.into(), &0.into(), &"15.01.2026".into())
    );
    let row = &rows(&answer)[0];
    assert_eq!(row["stav"], "Aktuálny");
    assert_eq!(row["opravneny"][0]["nazov"], "Musterfinanz GmbH");
    assert_eq!(row["povinny"][0]["ico"], "99 999 901");
    for absent in ["exekutor", "datumZverejnenia"] {
        assert!(row.get(absent).is_none(), "{absent}");
    }
    assert!(row["opravneny"][0].get("ico").is_none());
    let number = row["identifikacneCislo"].as_str().expect("a text");
    assert!(
        row["ecli"]
            .as_str()
            .is_some_and(|ecli| ecli.contains(number))
    );
}

#[tokio::test]
async fn the_showcase_has_every_oddity() {
    let site = Site::new(12);
    for (ico, count) in [
        ("99999994", 0),
        ("99999978", 0),
        ("99999943", 7),
        ("99999927", 2),
        ("12345678", 0),
    ] {
        let answer = asked(&site, &format!("ico={ico}")).await;
        assert_eq!(answer["numFound"], count, "{ico}");
    }
    let twice = asked(&site, "ico=99999927").await;
    assert_eq!(rows(&twice)[0]["ecli"], rows(&twice)[1]["ecli"]);
    assert_ne!(rows(&twice)[0]["guid"], rows(&twice)[1]["guid"]);
    let several = asked(&site, "ico=00000124").await;
    assert_eq!(rows(&several)[0]["povinny"][1]["ico"], "00 000 124");
    assert_eq!(
        rows(&several)[0]["povinny"].as_array().map(Vec::len),
        Some(3)
    );
    let ended = asked(&site, "ico=99999919").await;
    assert_eq!(rows(&ended)[0]["stav"], "Neaktuálny");
}

#[tokio::test]
async fn pages_start_at_one_and_cap_rows() {
    let site = Site::new(12);
    let first = asked(&site, "ico=99999943&page=1&size=100").await;
    assert_eq!((rows(&first).len(), &first["size"]), (5, &5.into()));
    assert_eq!(asked(&site, "ico=99999943&page=0&size=100").await, first);
    let second = asked(&site, "ico=99999943&page=2&size=100").await;
    assert_eq!((rows(&second).len(), &second["page"]), (2, &1.into()));
    assert_eq!(
        rows(&asked(&site, "ico=99999943&page=3&size=100").await).len(),
        0
    );
    // The service ignores an unknown filter.
    let all = asked(&site, "cin=99999943").await;
    assert!(all["numFound"].as_u64() > Some(7));
}

#[tokio::test]
async fn script_grants_and_ends_an_authorization() {
    let site = Site::new(12);
    site.advance(12).await;
    let count = async |site: &Site| asked(site, "ico=99999978").await["numFound"].clone();
    assert_eq!(count(&site).await, 0);
    site.advance(1).await;
    assert_eq!(count(&site).await, 1);
    let answer = asked(&site, "ico=99999978").await;
    assert_eq!(rows(&answer)[0]["datumZverejnenia"], "28.01.2026");
    site.advance(4).await;
    assert_eq!(count(&site).await, 1);
    site.advance(1).await;
    assert_eq!(count(&site).await, 0);
}

#[tokio::test]
async fn operator_file_has_one_line_per_creditor() {
    let site = Site::new(12);
    let answer = site.get("/operator-files/executions.csv").await;
    let lines: Vec<&str> = answer.text().lines().collect();
    assert!(lines[0].starts_with("ecli;") && lines[0].ends_with(";stav"));
    let of = |ico: &str| {
        lines
            .iter()
            .filter(|line| line.contains(&format!(";{ico};")))
            .count()
    };
    // Seven authorizations, one of them for three creditors and one for two.
    assert_eq!(of("99999943"), 10);
    assert_eq!(of("99999927"), 3, "one line twice, and one as creditor");
    let persons = lines
        .iter()
        .filter(|line| line.split(';').nth(8) == Some(""));
    assert_eq!(persons.count(), 1, "the natural person who has to pay too");
}

#[tokio::test]
async fn page_for_people_has_no_data() {
    let site = Site::new(12);
    let page = "/obcan-justice/pilot/poverenia/vysledky-vyhladavania?ico=99999943&page=1";
    assert!(!site.get(page).await.text().contains("ECLI"));
}

#[test]
fn a_third_of_companies_have_unique_authorizations() {
    let population = Population::new(3_000, 7, date!(2026 - 01 - 15));
    let (mut some, mut many, mut persons) = (0, 0, 0);
    for index in 12..3_000 {
        let company = population.company(index, 0);
        let all = authorizations(&company);
        some += usize::from(!all.is_empty());
        many += usize::from(all.len() > 5);
        let mut eclis: Vec<&str> = all.iter().map(|one| one.ecli.as_str()).collect();
        eclis.sort_unstable();
        eclis.dedup();
        assert_eq!(eclis.len(), all.len(), "{index}");
        let creditors = all.iter().flat_map(|one| &one.creditors);
        persons += creditors
            .filter(|creditor| matches!(creditor, Creditor::Person { .. }))
            .count();
    }
    assert!((800..1_200).contains(&some), "{some}");
    assert!(many > 10 && persons > 50, "{many} {persons}");
}
