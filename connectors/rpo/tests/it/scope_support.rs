//! Records, details and calls for tests of the scope `orsr`.

use lustra_rpo::{MANIFEST, Rpo};
use lustra_sdk::testing::{Manifest, TestHost, run_import, subject};
use lustra_sdk::{Enrichment, Field, Section, Subject};
use serde_json::{Value, json};

use crate::common::{Bucket, line};

pub const ASKED: &str = "99999901";
pub const NOW: &str = "2026-11-23T10:00:00Z";

pub fn address(street: &str, zip: &str) -> Value {
    json!({
        "street": street, "regNumber": 0, "buildingNumber": "7", "postalCodes": [zip],
        "municipality": {"codelistCode": "CL000025", "code": "SK", "value": "Vzorovo"},
        "country": {"codelistCode": "CL000086", "code": "703", "value": "Slovenská republika"},
    })
}

pub fn person(list: &str, code: &str, whole: &str, from: &str, to: Option<&str>) -> Value {
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
pub fn limited() -> Value {
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

pub fn host(records: &[Value]) -> TestHost {
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

pub fn asked(company: &Value) -> Subject {
    Subject {
        facts: vec![Field {
            name: "rpo_id".to_owned(),
            value: "77".to_owned(),
        }],
        company: company.to_string(),
        ..subject(ASKED)
    }
}

pub fn enrich(company: &Value) -> Section {
    Rpo::enrich("orsr", asked(company)).expect("a section")
}

/// The content for details whose extract states no lien.
pub fn content(company: &Value) -> Value {
    let holders = ["Ján Vzorný", "Example Holding Ltd."]
        .map(|name| json!({"name": name, "deposit_lien": null}));
    let mut company = company.clone();
    if company.get("shareholders").is_none() {
        company["shareholders"] = json!(holders);
    }
    Manifest::of(MANIFEST).content("orsr", &enrich(&company))
}

pub fn names(list: &Value) -> Vec<(&str, bool)> {
    let rows = list.as_array().into_iter().flatten();
    rows.map(|row| {
        let name = row["name"].as_str().unwrap_or_default();
        (name, row["current"] == true)
    })
    .collect()
}
