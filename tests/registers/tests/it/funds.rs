//! The register of European funds: its lists, its details, and its firewall.

use axum::http::StatusCode;
use register_simulator::Population;
use register_simulator::population::funds::{applications, projects};
use serde_json::Value;
use time::macros::date;

use crate::Site;

async fn json(site: &Site, path: &str) -> Value {
    let answer = site.get(&format!("/itms21/public/v1{path}")).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}");
    serde_json::from_str(answer.text()).expect("JSON")
}

fn population() -> Population {
    Population::new(60, 7, date!(2026 - 01 - 15))
}

/// The ids of a list's rows.
fn ids(page: &Value) -> Vec<u64> {
    let rows = page["results"].as_array().expect("a list");
    rows.iter().filter_map(|row| row["id"].as_u64()).collect()
}

#[tokio::test]
async fn lists_are_paged_by_id_in_ascending_order() {
    let site = Site::new(60);
    let population = population();
    let owners = || (0..60).map(|index| population.company(index, 0));
    for (list, known) in [
        (
            "projekt",
            owners()
                .map(|company| projects(&population, &company).len())
                .sum::<usize>(),
        ),
        (
            "zonfp",
            owners()
                .map(|company| applications(&population, &company).len())
                .sum(),
        ),
    ] {
        let whole = json(&site, &format!("/{list}?limit=-1")).await;
        assert_eq!(
            (&whole["limit"], &whole["offset"]),
            (&(-1).into(), &0.into())
        );
        let all = ids(&whole);
        assert!(
            all.is_sorted() && all.len() == known && known > 20,
            "{list}"
        );
        assert_eq!(whole["size"], known);
        let page = json(&site, &format!("/{list}?limit=3&minId={}", all[1])).await;
        assert_eq!(ids(&page), all[2..5]);
        let last = all.last().expect("a row");
        let end = json(&site, &format!("/{list}?limit=3&minId={last}")).await;
        assert_eq!(ids(&end), [0; 0]);
    }
}

#[tokio::test]
async fn irregularities_need_not_name_their_receivables() {
    let site = Site::new(12);
    let irregularities = json(&site, "/nezrovnalost?limit=-1").await;
    let receivables = json(&site, "/pohladavkovydoklad?limit=-1").await;
    let (one, other) = (&irregularities["results"][0], &receivables["results"][0]);
    assert_eq!(one["dlznik"]["ico"], other["dlznik"]["ico"]);
    assert!(one.get("projekt").is_none(), "{one}");
    assert!(other.get("nezrovnalost").is_none(), "{other}");
    let rows = irregularities["results"].as_array().expect("a list");
    assert!(rows.iter().any(|row| row.get("dlznik").is_none()));
    let page = json(&site, "/nezrovnalost?limit=2&minId=30000").await;
    assert_eq!(ids(&page), ids(&irregularities)[1..3]);
}

#[tokio::test]
async fn contracts_are_listed_for_one_procurement_only() {
    let site = Site::new(12);
    let list = json(&site, "/verejneobstaravanie?limit=-1").await;
    assert_eq!(list["result"][2]["stav"], "Stiahnuté");
    let path = "/zmluvyverejnehoobstaravania?limit=-1";
    assert_eq!(json(&site, path).await["size"], 0);
    let path = format!("{path}&verejneobstaravanieKOD=VO00050001");
    let contracts = json(&site, &path).await;
    let id = &contracts["result"][0]["id"];
    let detail = json(&site, &format!("/zmluvaverejneobstaravanie/id/{id}")).await;
    assert_eq!(detail["verejneObstaravanie"]["kod"], "VO00050001");
    let amount = |member: &str| detail[member].as_f64().expect("a number");
    assert!(amount("celkovaSumaZmluvy") > 1.5 * amount("sumaBezDph"));
    // The supplier of company 3 has an id of the other list, and company 5's contract is blocked.
    let detail = json(&site, "/zmluvaverejneobstaravanie/id/60024").await;
    let supplier = &detail["dodavatelia"][0]["dodavatelDodavatelObstaravatel"];
    let organisation = format!("/dodavatelobstaravatel/id/{}", supplier["id"]);
    let organisation = json(&site, &organisation).await;
    assert_eq!(organisation["ico"], population().company(4, 0).ico);
    let blocked = site
        .get("/itms21/public/v1/zmluvaverejneobstaravanie/id/60040")
        .await;
    assert_eq!(blocked.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn times_are_local_midnights() {
    let site = Site::new(12);
    let list = json(&site, "/projekt?limit=-1").await;
    let rows = list["results"].as_array().expect("a list");
    let ended = rows.iter().find(|row| row["ukonceny"] == true);
    let ended = ended.expect("company 7 has an ended project");
    // 30 March 2025 in winter time, and 26 October 2025 in summer time.
    assert_eq!(
        ended["zmluvaProjekt"]["datumUcinnosti"],
        1_743_289_200_000_i64
    );
    assert_eq!(ended["skutocnaRealizaciaZaciatok"], 1_761_429_600_000_i64);
}

#[tokio::test]
async fn details_repeat_their_project_and_some_are_blocked() {
    let site = Site::new(12);
    let population = population();
    for index in [0, 5, 6] {
        let company = population.company(index, 0);
        let one = projects(&population, &company).remove(0);
        let path = format!("/itms21/public/v1/projekt/id/{}", one.id);
        let answer = site.get(&path).await;
        let detail: Value = serde_json::from_str(answer.text()).expect("JSON");
        if one.is_blocked {
            assert_eq!(answer.status, StatusCode::FORBIDDEN);
            assert!(detail["supportID"].is_string());
            continue;
        }
        assert_eq!(
            (&detail["id"], &detail["kod"]),
            (&one.id.into(), &one.code.into())
        );
        let suppliers = detail["dodavatel"].as_array().map(Vec::len);
        assert_eq!(suppliers, Some(1), "{detail}");
    }
    let missing = site.get("/itms21/public/v1/projekt/id/1").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND);
}
