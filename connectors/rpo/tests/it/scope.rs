//! The scope `orsr`: from an import and from the interface to the section.

use lustra_rpo::{MANIFEST, Rpo};
use lustra_sdk::testing::{Answer, Manifest, TestHost, run_import, subject};
use lustra_sdk::unread::Unread;
use lustra_sdk::{Enrichment, Failure, Field, Section, Subject};
use serde_json::{Value, json};

use crate::common::{Bucket, line};

const ASKED: &str = "99999901";
const NOW: &str = "2026-11-23T10:00:00Z";

fn address(street: &str, zip: &str) -> Value {
    json!({
        "street": street, "regNumber": 0, "buildingNumber": "7", "postalCodes": [zip],
        "municipality": {"codelistCode": "CL000025", "code": "SK", "value": "Vzorovo"},
        "country": {"codelistCode": "CL000086", "code": "703", "value": "Slovenská republika"},
    })
}

fn person(list: &str, code: &str, whole: &str, from: &str, to: Option<&str>) -> Value {
    let bare = whole.trim_start_matches("Ing. ");
    let bare = bare.split_once(',').map_or(bare, |(name, _)| name);
    let (given, family) = bare.split_once(' ').expect("two names");
    let label = match (list, code) {
        ("CL010113", "3") => "Konateľ",
        ("CL010113", "5") => "Člen predstavenstva",
        ("CL010113", "4") => "Predseda predstavenstva",
        (_, "99") => "Spoločník v.o.s. / s.r.o.",
        (_, "98") => "Člen dozorného orgánu",
        (_, "15") => "Vedúci organizačnej zložky",
        (_, "24") => "Prokurista",
        _ => "Niečo iné",
    };
    let mut row = json!({
        "stakeholderType": {"codelistCode": list, "code": code, "value": label},
        "validFrom": from,
        "address": address("Skúšobná", "999 01"),
        "personName": {"formatedName": whole, "givenNames": [given], "familyNames": [family]},
    });
    if let Some(to) = to {
        row["validTo"] = json!(to);
    }
    row
}

/// A limited company with a moved and a former director, and two partners.
fn limited() -> Value {
    let mut moved = person("CL010113", "3", "Ing. Ján Vzorný", "2012-03-01", None);
    moved["address"] = address("Nová", "99902");
    let deposit = |given: &str, family: &str, amount: &str| {
        json!({
            "validFrom": "2012-03-01", "amount": amount, "type": "(peňažný vklad)",
            "personName": {"givenNames": [given], "familyNames": [family]},
            "currency": {"codelistCode": "CL000083", "code": "EUR", "value": "euro"},
        })
    };
    let mut record: Value =
        serde_json::from_str(&line(77, ASKED, "Vzorová firma, s. r. o.")).expect("JSON");
    let more = json!({
        "activities": [
            {"economicActivityDescription": "Kúpa tovaru,", "validFrom": "2018-01-01"},
            {"economicActivityDescription": "Počítačové služby", "validFrom": "1800-01-01"},
            {"economicActivityDescription": "Ukončená činnosť", "validFrom": "2012-03-01", "validTo": "2015-01-01"},
        ],
        "statutoryBodies": [
            person("CL010113", "3", "Ing. Ján Vzorný", "2012-03-01", Some("2020-08-05")),
            moved,
            person("CL010113", "3", "Eva Bývalá", "2012-03-01", Some("2015-06-01")),
            person("CL010113", "3", "Eva Bývalá", "2012-03-01", Some("2015-06-01")),
        ],
        "stakeholders": [
            person("CL010109", "99", "Ján Vzorný", "2012-03-01", Some("2020-08-05")),
            person("CL010109", "99", "Ing. Ján Vzorný", "2020-08-06", None),
            {"stakeholderType": {"codelistCode": "CL010109", "code": "99"}, "fullName": "Example Holding Ltd.",
             "identifier": "Neuvedené", "validFrom": "2012-03-01"},
            person("CL010109", "98", "Ing. Peter Dozorný, - predseda", "2016-04-09", Some("2020-12-08")),
            person("CL010109", "24", "Iva Prokuristová", "2019-01-01", None),
            person("CL010109", "38", "Ivan Iný", "2019-01-01", None),
        ],
        "authorizations": [
            {"value": "Konateľ koná samostatne.", "validFrom": "2012-03-01"},
            {"value": "Rozsah udelenej prokúry: samostatne.", "validFrom": "2019-01-01"},
            {"value": "Konali dvaja.", "validFrom": "2010-03-01", "validTo": "2012-02-28"},
        ],
        "deposits": [
            deposit("Ján", "Vzorný", "7500.00"),
            deposit("Ján", "Vzorný", "7500.00"),
            {"validFrom": "2012-03-01", "fullName": "Example Holding Ltd.", "amount": "2500.00",
             "currency": {"code": "EUR"}},
        ],
        "equities": [{"validFrom": "2012-03-01", "value": "10000.00", "currency": {"code": "EUR"}}],
        "predecessors": [{"identifier": "99999919", "fullName": "Zaniknutá, s. r. o.", "validFrom": "2013-01-01",
            "address": {"regNumber": 0, "municipality": {"value": "Neuvedené"}, "country": {"code": "898", "value": "Nešpecifikované"}}}],
    });
    for (name, rows) in more.as_object().expect("an object") {
        record[name] = rows.clone();
    }
    record
}

fn host(records: &[Value]) -> TestHost {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    Bucket::default()
        .init("2026-11-07", &[lines])
        .host()
        .install();
    let (items, _, _) = run_import::<Rpo>("companies", None).expect("an import");
    TestHost::new()
        .now(NOW)
        .dataset("companies", NOW, Some("2026-11-07"), items)
}

fn asked(company: &Value) -> Subject {
    Subject {
        facts: vec![Field {
            name: "rpo_id".to_owned(),
            value: "77".to_owned(),
        }],
        company: company.to_string(),
        ..subject(ASKED)
    }
}

fn enrich(company: &Value) -> Section {
    Rpo::enrich("orsr", asked(company)).expect("a section")
}

/// The content for details whose extract states no lien.
fn content(company: &Value) -> Value {
    let holders = ["Ján Vzorný", "Example Holding Ltd."]
        .map(|name| json!({"name": name, "deposit_lien": null}));
    let mut company = company.clone();
    if company.get("shareholders").is_none() {
        company["shareholders"] = json!(holders);
    }
    Manifest::of(MANIFEST).content("orsr", &enrich(&company))
}

fn names(list: &Value) -> Vec<(&str, bool)> {
    let rows = list.as_array().into_iter().flatten();
    rows.map(|row| {
        let name = row["name"].as_str().unwrap_or_default();
        (name, row["current"] == true)
    })
    .collect()
}

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
    let rows = json!({"results": [limited()], "license": "x"});
    let entity = "/entity/77?showHistoricalData=true&showOrganizationUnits=false";
    TestHost::new()
        .now(NOW)
        .answer(
            "rpo",
            &format!("/search?identifier={ASKED}"),
            Answer::json(&rows),
        )
        .answer("rpo", entity, Answer::json(&limited()))
        .install();
    let section = enrich(&json!({}));
    assert_eq!(section.evidence.len(), 2);
    let content: Value = serde_json::from_str(&section.content).expect("JSON");
    assert_eq!(names(&content["statutory_body"]).len(), 2);
    TestHost::new().now(NOW).install();
    let failed = Rpo::enrich("orsr", asked(&json!({})));
    assert!(failed.is_err(), "an unread register gives no empty lists");
    assert!(matches!(
        Rpo::enrich("other", asked(&json!({}))),
        Err(Failure::Other(_))
    ));
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

#[test]
fn unreadable_row_is_named_as_unread() {
    let mut odd = limited();
    odd["stakeholders"] = json!([{"personName": "?"}]);
    host(&[odd]).install();
    let section = enrich(&json!({}));
    let [unread] = section.unread.as_slice() else {
        panic!("one source: {:?}", section.unread);
    };
    let expected = Unread::of_odd_row("companies");
    assert_eq!(
        (&unread.name, &unread.value),
        (&expected.source, &expected.why.to_string())
    );
}

fn extract_gap(section: &Section) -> bool {
    let mut sources = section.unread.iter();
    sources.any(|source| source.name == "commercial-register")
}

#[test]
fn lien_is_unread_until_the_extract_is_read() {
    let of = |lien: Option<Value>| {
        let mut holders = [
            json!({"name": "Ján Vzorný"}),
            json!({"name": "Example Holding Ltd."}),
        ];
        if let Some(lien) = lien {
            for holder in &mut holders {
                holder["deposit_lien"] = lien.clone();
            }
        }
        host(&[limited()]).install();
        enrich(&json!({"shareholders": holders}))
    };
    host(&[limited()]).install();
    assert!(extract_gap(&enrich(&json!({}))), "no details");
    assert!(extract_gap(&of(None)), "details of an earlier version");
    assert!(!extract_gap(&of(Some(Value::Null))), "read, none found");
    let section = of(Some(json!("Vzorová banka, a. s.")));
    assert!(!extract_gap(&section));
    let content: Value = serde_json::from_str(&section.content).expect("JSON");
    assert_eq!(
        content["shareholders"][1]["deposit_lien"],
        "Vzorová banka, a. s."
    );
}

#[test]
fn procurators_rule_without_heading_is_unread() {
    let mut odd = limited();
    odd["authorizations"] = json!([
        {"value": "Konateľ koná samostatne.", "validFrom": "2012-03-01"},
        {"value": "Prokurista koná samostatne.", "validFrom": "2019-01-01"},
    ]);
    odd["stakeholders"] = json!([person(
        "CL010109",
        "24",
        "Iva Prokuristová",
        "2019-01-01",
        None
    )]);
    host(&[odd]).install();
    let section = enrich(&json!({}));
    let [unread] = section.unread.as_slice() else {
        panic!("one source: {:?}", section.unread);
    };
    assert_eq!(unread.name, "companies");
    let content: Value = serde_json::from_str(&section.content).expect("JSON");
    assert_eq!(content["procurators"][0]["acting_method"], Value::Null);
    assert_eq!(
        content["statutory_body"][0]["acting_method"],
        "Konateľ koná samostatne."
    );
}

#[test]
fn unknown_values_and_dropped_rows_are_noted() {
    let mut odd = limited();
    let text = "x".repeat(4_000);
    odd["otherLegalFacts"] = (10..99)
        .map(|year| json!({"value": text, "validFrom": format!("19{year}-01-01")}))
        .collect();
    let text = |text: &str| json!({"value": text, "validFrom": "2019-01-01"});
    odd["authorizations"] = json!([text("Prokuristi konajú spolu.")]);
    let lines = [odd.to_string()];
    Bucket::default()
        .init("2026-11-07", &[lines.to_vec()])
        .host()
        .install();
    let batches = lustra_sdk::testing::batches::<Rpo>("companies", None).expect("an import");
    let note = |name: &str| {
        let note = batches[0].notes.iter().find(|note| note.name == name);
        note.and_then(|note| note.value.parse::<u32>().ok())
    };
    assert_eq!(note("unknown-rules-of-acting"), Some(1));
    assert_eq!(note("unknown-functions"), Some(1), "the code 38");
    assert!(note("dropped-history-rows").is_some_and(|rows| rows >= 20));
}
