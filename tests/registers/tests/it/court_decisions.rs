//! The register of courts' decisions: its search and its traps.

use register_simulator::ChangeKind;
use register_simulator::population::Happening;
use serde_json::{Value, json};

use crate::Site;

const PATH: &str = "/obcan-justice/pilot/api/ress-isu-service/v1/rozhodnutie";

async fn asked(site: &Site, query: &str) -> Value {
    let sorted = "sortProperty=datum_vydania_rozhodnutia&sortDirection=DESC";
    site.get(&format!("{PATH}?{query}&{sorted}")).await.json()
}

fn rows(answer: &Value) -> &Vec<Value> {
    answer["rozhodnutieList"].as_array().expect("a list")
}

/// The passage of the first row.
fn passage(answer: &Value) -> &str {
    let passage = &rows(answer)[0]["zvyraznenie"];
    let last = passage.as_array().and_then(|passages| passages.last());
    last.and_then(Value::as_str).unwrap_or_default()
}

#[tokio::test]
async fn search_pages_start_at_one() {
    let site = Site::new(12);
    let first = asked(&site, "query=99999994&page=1&size=100").await;
    assert_eq!(
        (&first["numFound"], &first["page"], &first["size"]),
        (&json!(27), &json!(0), &json!(10))
    );
    assert_eq!(rows(&first).len(), 10);
    let zeroth = asked(&site, "query=99999994&page=0&size=100").await;
    assert_eq!(zeroth, first, "0 is the first one too");
    let last = asked(&site, "query=99999994&page=3&size=100").await;
    assert_eq!(rows(&last).len(), 7);
    let none = asked(&site, "query=12345678").await;
    assert_eq!((&none["numFound"], rows(&none).len()), (&json!(0), 0));
}

#[tokio::test]
async fn missing_search_returns_all_without_passages() {
    let all = asked(&Site::new(12), "page=1").await;
    assert!(
        all["numFound"]
            .as_u64()
            .is_some_and(|found| found > 4_000_000)
    );
    assert!(rows(&all).iter().all(|row| row["zvyraznenie"] == json!([])));
}

#[tokio::test]
async fn showcase_shows_every_spelling_of_its_number() {
    let site = Site::new(12);
    for (ico, shown) in [
        ("99999994", "IČO: <em>99999994</em>"),
        (
            "00000124",
            "<em>00</em>&nbsp;<em>000</em>&nbsp;<em>124</em>",
        ),
        ("99999927", "99999<em class=\"hl\">927</em>"),
        ("99999901", "19<em>99999901</em>00"),
        ("99999889", "č. <em>99999889</em>"),
        ("99999978", "sĂ\u{AD}dlom"),
    ] {
        let answer = asked(&site, &format!("query={ico}")).await;
        assert!(
            passage(&answer).contains(shown),
            "{ico}: {}",
            passage(&answer)
        );
    }
    let unshown = asked(&site, "query=99999897").await;
    assert_eq!(rows(&unshown)[0]["zvyraznenie"], json!([]));
}

#[tokio::test]
async fn unknown_decision_id_is_an_empty_object() {
    let site = Site::new(12);
    let answer = asked(&site, "query=99999978").await;
    let guid = rows(&answer)[0]["guid"].as_str().expect("an id");
    let detail: Value = site.get(&format!("{PATH}/{guid}")).await.json();
    assert_eq!(detail["guid"], guid);
    assert!(detail["dokument"]["url"].is_string() && detail["ecli"].is_string());
    let unknown: Value = site
        .get(&format!("{PATH}/{}", guid.replace('8', "9")))
        .await
        .json();
    assert_eq!(unknown, json!({}));
}

#[tokio::test]
async fn new_decision_comes_first() {
    let site = Site::new(12);
    let kind = ChangeKind::Happened(Happening::DecisionPublished).name();
    let change = json!({ "ico": "99999919", "kind": kind });
    site.post("/control/change", &change.to_string()).await;
    site.advance(1).await;
    let answer = asked(&site, "query=99999919").await;
    assert_eq!(answer["numFound"], 1, "{answer}");
}
