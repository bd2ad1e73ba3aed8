use serde_json::json;

use super::super::kept::End;
use super::*;

fn read(record: &serde_json::Value) -> History {
    History::read(&record.to_string(), None).expect("a record")
}

#[test]
fn person_row_of_the_dump_is_read() {
    let history = read(&json!({"statutoryBodies": [{
        "stakeholderType": {"codelistCode": "CL010113", "code": "3", "value": "Konateľ"},
        "validFrom": "2007-02-26", "validTo": "2025-08-05",
        "address": {
            "street": "Vzorová", "regNumber": 0, "buildingNumber": "2910/6", "postalCodes": ["831 01"],
            "municipality": {"codelistCode": "CL000025", "code": "SK", "value": "Bratislava - mestská časť Nové Mesto"},
            "country": {"codelistCode": "CL000086", "code": "703", "value": "Slovenská republika"},
        },
        "personName": {"formatedName": "Ing. Ján Vzorný", "givenNames": ["Ján"], "familyNames": ["Vzorný"]},
    }]}));
    let [person] = history.statutory.as_slice() else {
        panic!("one row");
    };
    assert_eq!(person.code.as_deref(), Some("3"));
    assert_eq!(person.label, None, "the code list has it");
    assert_eq!(person.name.whole.as_deref(), Some("Ing. Ján Vzorný"));
    assert_eq!(person.name.family.as_deref(), Some("Vzorný"));
    let address = person.address.as_ref().expect("an address");
    assert_eq!(address.street.as_deref(), Some("Vzorová 2910/6"));
    assert_eq!(address.zip.as_deref(), Some("83101"));
    assert_eq!(address.country, None);
    assert_eq!(person.validity.end(), End::On("2025-08-05".to_owned()));
}

#[test]
fn name_of_the_trade_register_has_parts_only() {
    let history = read(&json!({"statutoryBodies": [{
        "stakeholderType": {"value": "Podnikateľ ", "code": "19", "codelistCode": "CL010113"}, "validFrom": "2021-08-12",
        "personName": {"givenNames": ["Thi Mai Lan"], "familyNames": ["Vzorná"], "givenFamilyNames": ["Vzorná"]},
    }]}));
    let name = &history.statutory[0].name;
    assert_eq!((name.whole.as_deref(), name.birth.as_deref()), (None, None));
    assert_eq!(name.given.as_deref(), Some("Thi Mai Lan"));
    assert_eq!(
        history.statutory[0].label, None,
        "a trailing blank is not a difference"
    );
}

#[test]
fn amounts_are_texts_or_numbers() {
    for amount in [json!("6640.00"), json!(6640.0), json!(6640)] {
        let history = read(&json!({
            "deposits": [{"amount": amount, "currency": {"code": "EUR", "value": "euro"}, "type": "(peňažný vklad)"}],
            "shares": [{"amountOfFunds": "1000", "shareNominalValue": amount, "shareForm": {"value": "na meno"}}],
        }));
        let deposit = &history.deposits[0];
        assert!(
            deposit
                .amount
                .as_deref()
                .is_some_and(|text| text.starts_with("6640"))
        );
        assert_eq!(deposit.currency.as_deref(), Some("EUR"));
        assert_eq!(history.shares[0].form.as_deref(), Some("na meno"));
    }
}

#[test]
fn odd_row_costs_only_itself() {
    let history = read(&json!({
        "stakeholders": [7, {"stakeholderType": {"code": "98"}, "fullName": "Vzorová, a. s."}, {"personName": "?"}],
        "deposits": "none", "authorizations": null,
        "activities": [{"economicActivityDescription": "Kúpa tovaru,", "validFrom": "soon"}],
    }));
    assert_eq!(history.stakeholders.len(), 1);
    assert_eq!(history.unreadable.map(NonZeroU32::get), Some(3));
    let validity = &history.activities[0].validity;
    assert_eq!(
        (validity.from.as_deref(), validity.from()),
        (Some("soon"), None)
    );
}

#[test]
fn activities_of_one_day_are_grouped() {
    let row = |text: &str, to: Option<&str>| json!({"economicActivityDescription": text, "validFrom": "2021-08-12", "validTo": to});
    let history = read(
        &json!({"activities": [row("a", None), row("b", None), row("c", Some("2024-01-05"))]}),
    );
    let texts: Vec<_> = history
        .activities
        .iter()
        .map(|rows| rows.texts.len())
        .collect();
    assert_eq!(texts, [2, 1]);
}

#[test]
fn unknown_place_of_one_text_is_bounded() {
    let history =
        read(&json!({"fullNames": [{"value": "x".repeat(100_000), "validFrom": "2020-01-01"}]}));
    assert_eq!(history.names[0].text.len(), 4_000);
}

#[test]
fn legal_facts_and_units_keep_all_their_days() {
    let history = read(&json!({
        "otherLegalFacts": [{"value": "Zrušenie spoločnosti: Spoločnosť zrušená od: 30.5.2023", "validFrom": "2023-06-14", "validTo": "2024-01-05"}],
        "organizationUnits": [
            {
                "type": {"code": "1", "value": "Odštepný závod"}, "identifier": "99999919",
                "establishment": "2015-01-01", "termination": "2020-12-31",
                "fullNames": [{"value": "Vzorová firma, odštepný závod", "validFrom": "2015-01-01"}],
                "addresses": [{"street": "Vzorová", "regNumber": 7, "municipality": {"value": "Vzorovo"}, "validFrom": "2015-01-01", "validTo": "2018-01-01"}],
                "stakeholders": [
                    {"stakeholderType": {"code": "97", "codelistCode": "CL010109"}, "validFrom": "2015-01-01",
                     "personName": {"givenNames": ["Ján"], "familyNames": ["Vzorný"]}},
                    7,
                ],
                "activities": [{"economicActivityDescription": "Kúpa tovaru,", "validFrom": "2015-01-01"}],
            },
            {},
        ],
    }));
    let [fact] = history.facts.as_slice() else {
        panic!("one fact");
    };
    assert_eq!(fact.validity.end(), End::On("2024-01-05".to_owned()));
    let [unit] = history.units.as_slice() else {
        panic!("one unit");
    };
    assert_eq!(unit.kind.as_deref(), Some("Odštepný závod"));
    assert_eq!(unit.validity.from().as_deref(), Some("2015-01-01"));
    assert_eq!(unit.validity.end(), End::On("2020-12-31".to_owned()));
    let rows = (unit.names.len(), unit.activities.len(), unit.people.len());
    assert_eq!(rows, (1, 1, 1));
    let seat = &unit.seats[0].validity;
    assert_eq!(seat.end(), End::On("2018-01-01".to_owned()));
    assert_eq!(unit.people[0].code.as_deref(), Some("97"));
    assert_eq!(history.unreadable.map(NonZeroU32::get), Some(1));
    let text = serde_json::to_string(&history).expect("JSON");
    let again: History = serde_json::from_str(&text).expect("the same form");
    assert_eq!(again, history);
}
