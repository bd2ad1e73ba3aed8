//! The section, from imported records.

use lustra_itms21::{APPLICATIONS, IRREGULARITIES, Itms21, PROCUREMENT, PROJECTS};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure, Item, records};

use super::world::{ICO, PARTNER, SUPPLIER, application, content, enrich, imported, project};

/// A host that read both lists on 14 January 2026.
fn host(projects: Vec<Item>, applications: Vec<Item>) -> TestHost {
    let (at, day) = ("2026-01-14T01:30:00Z", Some("2026-01-14"));
    TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .dataset(PROJECTS, at, day, projects)
        .dataset(APPLICATIONS, at, day, applications)
        .off(IRREGULARITIES)
        .off(PROCUREMENT)
}

fn sources(section: &Value) -> Vec<&str> {
    let unread = section["unread"].as_array().unwrap();
    unread
        .iter()
        .map(|one| one["source"].as_str().unwrap())
        .collect()
}

#[test]
fn recipient_partner_and_supplier_see_the_project() {
    let projects = imported("projekt", &[project(3)]);
    host(projects, Vec::new()).install();
    let section = content(ICO);
    assert_eq!(
        section["projects"],
        json!({
            "count": 1, "total_contracted": 236_518.42, "total_disbursed": 50_000.0, "currency": "EUR",
            "negative_outcomes": 0,
            "latest": [{
                "code": "401406FRB3", "name": "Spracovanie vzoru v obci Vzorov", "role": "recipient",
                "status": "Zmluva uzavretá", "program": "Program Slovensko - SK - EFRR/KF/FST/ESF+",
                "call_code": "PSK-VZ-005-2024-DV-ESF+", "provider": "Vzorové ministerstvo investícií",
                "recipient": "Obec Vzorov", "recipient_ico": ICO, "place": "Vzorov", "in_progress": true,
                "completed": false, "suspended": false, "excluded_from_funding": false,
                "terminated_without_contribution": false, "contracted_total": 236_518.42,
                "contracted_nfp": 212_866.58, "disbursed": 50_000.0, "contract_effective_at": "2024-10-17",
                "started_at": "2025-02-18", "planned_end_at": "2027-02-28",
                "detail_url": "https://api.itms21.sk/public/v1/projekt/id/3",
            }],
        })
    );
    for (ico, role) in [(PARTNER, "partner"), (SUPPLIER, "supplier")] {
        let section = content(ico);
        assert_eq!(section["projects"]["latest"][0]["role"], role);
        assert_eq!(section["projects"]["count"], 1);
        assert_eq!(section["projects"]["total_contracted"], 0.0);
    }
    assert_eq!(sources(&section), ["irregularities", "procurement"]);
    for unread in section["unread"].as_array().unwrap() {
        assert!(unread["why"].as_str().unwrap().starts_with("off"));
    }
}

#[test]
fn applications_are_counted_by_their_outcome() {
    let mut rejected = application(5);
    rejected["schvalena"] = json!(false);
    rejected["neschvalena"] = json!(true);
    rejected["sumaSchvalenaNFP"] = Value::Null;
    rejected["datumPredlozenia"] = json!(1_739_833_200_000_i64);
    let applications = imported("zonfp", &[application(4), rejected]);
    host(Vec::new(), applications).install();
    let block = content(ICO)["applications"].clone();
    let counts = ["count", "approved", "rejected"].map(|key| block[key].clone());
    assert_eq!(counts, [json!(2), json!(1), json!(1)]);
    assert_eq!(block["total_requested_nfp"], 473_036.84);
    assert_eq!(block["total_approved_nfp"], 200_000.0);
    assert_eq!(
        block["latest"][1],
        json!({
            "code": "NFP401406FRB3", "name": "Spracovanie vzoru v obci Vzorov", "role": "applicant",
            "status": "Zmluva neakceptovaná", "call_code": "PSK-VZ-005-2024-DV-ESF+",
            "call_name": "Podpora vzorových projektov", "applicant": "Obec Vzorov", "applicant_ico": ICO,
            "approved": true, "rejected": false, "excluded_from_funding": false, "requested_nfp": 236_518.42,
            "requested_total": 240_000.0, "approved_nfp": 200_000.0, "approved_total": 210_000.1,
            "submitted_at": "2024-05-31", "detail_url": "https://api.itms21.sk/public/v1/zonfp/id/4",
        })
    );
    assert_eq!(
        block["latest"][0]["submitted_at"], "2025-02-18",
        "newest first"
    );
    assert_eq!(content(PARTNER)["applications"]["total_requested_nfp"], 0.0);
}

#[test]
fn newest_projects_are_shown_and_all_counted() {
    let mut rows: Vec<Value> = (1..=30).map(project).collect();
    rows[0]["zmluvaProjekt"]["datumUcinnosti"] = json!(1_739_833_200_000_i64);
    rows[1]["vylucenyZFinancovania"] = json!(true);
    rows[2]["mimoriadneUkoncenyNeprispel"] = json!(true);
    rows[3]["mimoriadneUkoncenyNeprispel"] = json!(true);
    rows[3]["vylucenyZFinancovania"] = json!(true);
    host(imported("projekt", &rows), Vec::new()).install();
    let block = content(ICO)["projects"].clone();
    assert_eq!(
        (&block["count"], &block["negative_outcomes"]),
        (&json!(30), &json!(3))
    );
    let latest = block["latest"].as_array().unwrap();
    let ids = latest.iter().map(|one| one["detail_url"].as_str().unwrap());
    let ids: Vec<&str> = ids.map(|url| url.rsplit('/').next().unwrap()).collect();
    assert_eq!((ids.len(), &ids[..3]), (25, &["1", "30", "29"][..]));
}

#[test]
fn company_without_funds_has_zeros() {
    host(Vec::new(), Vec::new()).install();
    let section = content(ICO);
    assert_eq!(section["projects"]["count"], 0);
    assert_eq!(section["projects"]["total_contracted"], 0.0);
    assert_eq!(section["irregularities"]["total_outstanding"], 0.0);
    assert_eq!(section["procurement"]["total_awarded_value"], Value::Null);
    assert_eq!(sources(&section), ["irregularities", "procurement"]);
}

#[test]
fn nothing_is_unread_once_all_lists_are_read() {
    let (at, day) = ("2026-01-14T01:30:00Z", Some("2026-01-14"));
    host(Vec::new(), Vec::new())
        .dataset(IRREGULARITIES, at, day, Vec::new())
        .dataset(PROCUREMENT, at, day, Vec::new())
        .install();
    assert!(content(ICO).get("unread").is_none());
}

#[test]
fn missing_details_are_unread() {
    let mut items = imported("projekt", &[project(3)]);
    for item in &mut items {
        let mut stored: Value = from_str(&item.content).unwrap();
        stored["detail"] = Value::Null;
        item.content = stored.to_string();
    }
    host(items, Vec::new()).install();
    let section = content(ICO);
    let project = &section["projects"]["latest"][0];
    assert_eq!(
        (&project["disbursed"], &project["place"]),
        (&Value::Null, &json!("Prešovský kraj, Košický kraj"))
    );
    assert!(sources(&section).contains(&"project-details"));
}

#[test]
fn odd_row_and_old_list_are_unread() {
    let odd = records::unreadable_row("0000000003/99999901", ICO).unwrap();
    host(vec![odd], Vec::new()).install();
    let section = content(ICO);
    assert_eq!(sources(&section)[0], PROJECTS);
    assert_eq!(
        sources(&content(PARTNER)),
        ["irregularities", "procurement"]
    );
    host(Vec::new(), Vec::new())
        .now("2026-02-05T08:00:00Z")
        .install();
    assert_eq!(sources(&content(ICO))[..2], [PROJECTS, APPLICATIONS]);
    assert_eq!(content(ICO)["unread"][0]["since"], "2026-01-14");
}

#[test]
fn missing_list_is_unread_and_two_missing_lists_fail() {
    let projects = imported("projekt", &[project(3)]);
    let one = || {
        TestHost::new()
            .now("2026-01-15T08:00:00Z")
            .dataset(
                PROJECTS,
                "2026-01-14T01:30:00Z",
                Some("2026-01-14"),
                projects.clone(),
            )
            .off(IRREGULARITIES)
            .off(PROCUREMENT)
    };
    one().install();
    let section = content(ICO);
    assert_eq!(sources(&section)[0], APPLICATIONS);
    assert_eq!(section["applications"]["count"], 0);
    one().off(APPLICATIONS).install();
    let section = content(ICO);
    assert!(
        section["unread"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with("off")
    );
    for host in [TestHost::new(), TestHost::new().off(PROJECTS)] {
        host.install();
        let failure = enrich(ICO).unwrap_err();
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
    TestHost::new()
        .off(PROJECTS)
        .off(APPLICATIONS)
        .off(IRREGULARITIES)
        .off(PROCUREMENT)
        .install();
    assert_eq!(sources(&content(ICO)).len(), 4);
    assert!(Itms21::enrich("another", subject(ICO)).is_err());
}
