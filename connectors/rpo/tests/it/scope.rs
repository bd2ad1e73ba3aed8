//! The scope `orsr`: from an import and from the interface to the section.

use lustra_rpo::Rpo;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Subject};
use serde_json::{Value, json};

use crate::common::Bucket;
use crate::scope_support::{ASKED, NOW, asked, content, host, limited, names, person};

#[test]
fn officers_have_their_whole_office() {
    host(&[limited()]).install();
    let section = content(&json!({}));
    assert_eq!(
        section["statutory_body"],
        json!([
            {
                "name": "Ing. Ján Vzorný", "role": "konateľ", "function": null, "body_type": "konatelia",
                "address": "Nová 7, 999 02 Vzorovo", "acting_method": "Konateľ koná samostatne.",
                "appointed_at": "2012-03-01", "effective_from": "2012-03-01", "effective_to": null, "current": true,
            },
            {
                "name": "Eva Bývalá", "role": "konateľ", "function": null, "body_type": "konatelia",
                "address": null, "acting_method": null, "appointed_at": "2012-03-01",
                "effective_from": "2012-03-01", "effective_to": "2015-06-01", "current": false,
            },
        ])
    );
}

#[test]
fn partners_have_their_deposits() {
    host(&[limited()]).install();
    let section = content(&json!({}));
    let holders = &section["shareholders"];
    assert_eq!(
        names(holders),
        [("Example Holding Ltd.", true), ("Ing. Ján Vzorný", true)]
    );
    assert_eq!(
        holders[1],
        json!({
            "name": "Ing. Ján Vzorný", "address": "Skúšobná 7, 999 01 Vzorovo", "share_amount": "7500",
            "share_paid": null, "share_currency": "EUR", "share_percentage": "75.00", "contribution_kind": "peňažný",
            "deposit_lien": null, "function": null, "is_company": false, "ico": null,
            "stakeholder_type": "Spoločník v.o.s. / s.r.o.", "effective_from": "2012-03-01", "effective_to": null,
            "current": true,
        })
    );
    assert_eq!(
        (
            &holders[0]["is_company"],
            &holders[0]["ico"],
            &holders[0]["share_percentage"]
        ),
        (&json!(true), &Value::Null, &json!("25.00"))
    );
}

#[test]
fn other_people_are_split_by_function() {
    host(&[limited()]).install();
    let section = content(&json!({}));
    assert_eq!(
        section["supervisory_board"],
        json!([{
            "name": "Ing. Peter Dozorný", "address": null, "is_company": false, "ico": null,
            "stakeholder_type": "Člen dozorného orgánu", "function": "chairman", "acting_method": null,
            "effective_from": "2016-04-09", "effective_to": "2020-12-08", "current": false,
        }])
    );
    let procurators = &section["procurators"];
    assert_eq!(names(procurators), [("Iva Prokuristová", true)]);
    assert_eq!(
        procurators[0]["acting_method"],
        "Rozsah udelenej prokúry: samostatne."
    );
    assert_eq!(names(&section["other_stakeholders"]), [("Ivan Iný", true)]);
    assert_eq!(section["legal_predecessors"][0]["ico"], "99999919");
    assert_eq!(section["legal_predecessors"][0]["address"], Value::Null);
}

#[test]
fn activities_have_their_first_day() {
    host(&[limited()]).install();
    assert_eq!(
        content(&json!({}))["business_activities"],
        json!([{"activity": "Kúpa tovaru", "since": "2018-01-01"}, {"activity": "Počítačové služby"}])
    );
}

#[test]
fn suspended_activity_is_not_present() {
    let activity = |text: &str, from: &str, to: Option<&str>| {
        json!({"economicActivityDescription": text, "validFrom": "2018-01-01",
            "suspendedFrom": from, "suspendedTo": to})
    };
    let mut paused = limited();
    paused["activities"] = json!([
        activity("Pozastavená", "2026-11-23", None),
        activity("Pozastavená do dnes", "2026-01-01", Some("2026-11-23")),
        activity("Obnovená", "2026-01-01", Some("2026-11-22")),
        activity("Ešte nepozastavená", "2026-11-24", None),
        activity("Bez dňa", "1800-01-01", None),
    ]);
    host(&[paused]).install();
    let section = content(&json!({}));
    let rows = section["business_activities"].as_array();
    let texts: Vec<&str> = rows
        .into_iter()
        .flatten()
        .filter_map(|row| row["activity"].as_str())
        .collect();
    assert_eq!(texts, ["Obnovená", "Ešte nepozastavená", "Bez dňa"]);
}

#[test]
fn company_as_partner_has_its_deposit() {
    let mut numbered = limited();
    for row in numbered["stakeholders"].as_array_mut().expect("a list") {
        if row["fullName"] == "Example Holding Ltd." {
            row["identifier"] = json!("99900017");
        }
    }
    host(&[numbered]).install();
    let holder = &content(&json!({}))["shareholders"][0];
    assert_eq!(
        (
            &holder["ico"],
            &holder["share_amount"],
            &holder["share_percentage"]
        ),
        (&json!("99900017"), &json!("2500"), &json!("25.00"))
    );
}

#[test]
fn extract_adds_what_only_it_states() {
    host(&[limited()]).install();
    let section = content(&json!({
        "shareholders": [{"name": "Ján Vzorný", "address": "Iná 1, 999 03 Vzorovo", "share_paid": "3 750,50 EUR", "deposit_lien": null},
            {"name": "Example Holding Ltd.", "deposit_lien": null}],
        "shares": [{"count": "100", "share_form": "zaknihované", "registration": "akcie na meno", "current": true}],
    }));
    let holder = &section["shareholders"][1];
    assert_eq!(
        (&holder["share_paid"], &holder["address"]),
        (&json!("3750.50"), &json!("Iná 1, 999 03 Vzorovo"))
    );
    let share = &section["shares"][0];
    assert_eq!(
        (&share["count"], &share["share_state"]),
        (&json!(100), &json!("zaknihované"))
    );
}

#[test]
fn offices_end_with_the_company() {
    let mut ended = limited();
    ended["termination"] = json!("2024-02-02");
    host(&[ended]).install();
    let section = content(&json!({}));
    assert!(
        names(&section["statutory_body"])
            .iter()
            .all(|(_, current)| !current)
    );
    assert_eq!(section["statutory_body"][1]["effective_to"], "2024-02-02");
    assert_eq!(section["business_activities"], json!([]));
}

#[test]
fn sole_trader_is_not_the_head_of_a_branch() {
    let mut trader = limited();
    trader["legalForms"] =
        json!([{"value": {"code": "422", "value": "x"}, "validFrom": "2012-03-01"}]);
    trader["stakeholders"] = json!([person(
        "CL010109",
        "15",
        "Ján Vzorný",
        "1800-01-01",
        Some("1800-01-01")
    )]);
    host(&[trader.clone()]).install();
    let head = &content(&json!({}))["branch_heads"][0];
    assert_eq!(
        (&head["effective_from"], &head["current"]),
        (&Value::Null, &json!(false))
    );
    trader["legalForms"] =
        json!([{"value": {"code": "101", "value": "x"}, "validFrom": "2012-03-01"}]);
    host(&[trader]).install();
    assert_eq!(content(&json!({}))["branch_heads"], json!([]));
}

#[test]
fn company_outside_the_import_is_read_live() {
    let without_id = || Subject {
        facts: Vec::new(),
        ..asked(&json!({}))
    };
    for (subject, requests) in [(asked(&json!({})), 1), (without_id(), 2)] {
        register(&[limited()], Answer::json(&limited())).install();
        let section = Rpo::enrich("orsr", subject).expect("a section");
        assert_eq!(section.evidence.len(), requests);
        assert_eq!(TestHost::requests().len(), requests);
        let content: Value = serde_json::from_str(&section.content).expect("JSON");
        assert_eq!(names(&content["statutory_body"]).len(), 2);
    }
    TestHost::new().now(NOW).install();
    let failed = Rpo::enrich("orsr", asked(&json!({})));
    assert!(failed.is_err(), "an unread register gives no empty lists");
    assert!(matches!(
        Rpo::enrich("other", asked(&json!({}))),
        Err(Failure::Other(_))
    ));
}

/// A register outside the import, with the rows of its search and its answer for the record.
fn register(rows: &[Value], entity: Answer) -> TestHost {
    let search = format!("/search?identifier={ASKED}");
    let path = "/entity/77?showHistoricalData=true&showOrganizationUnits=false";
    let found = json!({"results": rows, "license": "x"});
    TestHost::new()
        .now(NOW)
        .answer("rpo", &search, Answer::json(&found))
        .answer("rpo", path, entity)
}

#[test]
fn empty_search_does_not_empty_the_people() {
    let without_id = Subject {
        facts: Vec::new(),
        ..asked(&json!({}))
    };
    register(&[], Answer::json(&limited())).install();
    let failed = Rpo::enrich("orsr", without_id).err();
    assert!(
        matches!(failed, Some(Failure::Unavailable(_))),
        "{failed:?}"
    );
    let unknown = Answer::status(404, r#"{"message":"No record found"}"#);
    register(&[], unknown).install();
    let failed = Rpo::enrich("orsr", asked(&json!({}))).err();
    assert!(
        matches!(failed, Some(Failure::Unavailable(_))),
        "{failed:?}"
    );
    let mut other = limited();
    other["identifiers"] = json!([{"value": "99900017", "validFrom": "2012-03-01"}]);
    register(&[], Answer::json(&other)).install();
    let failed = Rpo::enrich("orsr", asked(&json!({}))).err();
    assert!(matches!(failed, Some(Failure::Malformed(_))), "{failed:?}");
}

#[test]
fn batch_ends_behind_its_bytes() {
    let mut long = limited();
    let text = "x".repeat(4_000);
    long["fullNames"] = (0..60)
        .map(|day| json!({"value": text, "validFrom": format!("20{day:02}-01-01")}))
        .collect();
    let lines: Vec<String> = std::iter::repeat_n(long.to_string(), 40).collect();
    Bucket::default()
        .init("2026-11-07", &[lines])
        .host()
        .install();
    let batches = lustra_sdk::testing::batches::<Rpo>("companies", None).expect("an import");
    let counts: Vec<usize> = batches.iter().map(|batch| batch.items.len()).collect();
    assert_eq!(counts.len(), 3, "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), 40);
    assert!(
        batches[0]
            .cursor
            .starts_with("history-3 init 2026-11-07 001 ")
    );
}
