//! Procurements and their contracts: import and block of the section.

use lustra_itms21::{APPLICATIONS, IRREGULARITIES, PROCUREMENT, PROJECTS};
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};

use super::world::{ICO, PARTNER, SUPPLIER, content, import, items, keys, noted};

const LIST: &str = "/public/v1/verejneobstaravanie?limit=100&minId=";

fn subject(id: u64, ico: Option<&str>) -> Value {
    json!({ "id": id, "href": format!("/subjekt/id/{id}"), "nazov": "Vzor", "ico": ico })
}

fn procurement(id: u64, state: &str) -> Value {
    json!({
        "id": id, "kod": format!("VO{id}"), "stav": state, "obstaravatelSubjekt": subject(1, Some(ICO)),
    })
}

/// A contract with a subject as the main supplier and an organisation of the other list beside it.
fn contract(id: u64, of: u64, net: &Value, gross: &Value) -> Value {
    json!({
        "id": id, "kod": format!("VO{of}-{id}"), "sumaBezDph": net, "celkovaSumaZmluvy": gross,
        "verejneObstaravanie": { "id": of, "kod": format!("VO{of}") },
        "dodavatelia": [
            { "hlavnyDodavatel": true, "dodavatelSubjekt": subject(2, Some(PARTNER)) },
            { "hlavnyDodavatel": false, "dodavatelDodavatelObstaravatel": { "id": 260 } },
        ],
    })
}

/// Adds a procurement's contracts to a host.
fn with_contracts(mut host: TestHost, of: u64, contracts: &[Value]) -> TestHost {
    let path =
        format!("/public/v1/zmluvyverejnehoobstaravania?limit=-1&verejneobstaravanieKOD=VO{of}");
    let rows: Vec<Value> = contracts
        .iter()
        .map(|contract| json!({ "id": contract["id"] }))
        .collect();
    let list = json!({ "offset": 0, "limit": -1, "size": rows.len(), "result": rows });
    host = host.answer("itms21", &path, Answer::json(&list));
    for contract in contracts {
        let path = format!("/public/v1/zmluvaverejneobstaravanie/id/{}", contract["id"]);
        host = host.answer("itms21", &path, Answer::json(contract));
    }
    host
}

/// A register with these procurements, which calls the array of its list `result`.
fn register(procurements: &[Value]) -> TestHost {
    let last = procurements
        .last()
        .map_or(0, |row| row["id"].as_u64().unwrap());
    let page = |rows: &[Value]| {
        Answer::json(&json!({"offset": 0, "limit": 100, "size": rows.len(), "result": rows}))
    };
    let organisation = json!({ "id": 260, "nazov": "Vzor", "ico": SUPPLIER });
    TestHost::new()
        .answer("itms21", &format!("{LIST}0"), page(procurements))
        .answer("itms21", &format!("{LIST}{last}"), page(&[]))
        .answer(
            "itms21",
            "/public/v1/dodavatelobstaravatel/id/260",
            Answer::json(&organisation),
        )
}

/// The block of a company after an import with the installed host.
#[track_caller]
fn block_after_import(ico: &str) -> Value {
    let entries = items(&import(PROCUREMENT, None).unwrap());
    let (at, day) = ("2026-01-14T01:30:00Z", Some("2026-01-14"));
    TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .dataset(PROJECTS, at, day, Vec::new())
        .dataset(APPLICATIONS, at, day, Vec::new())
        .dataset(PROCUREMENT, at, day, entries)
        .off(IRREGULARITIES)
        .install();
    content(ico)["procurement"].clone()
}

#[test]
fn buyer_and_both_kinds_of_suppliers_are_found() {
    let contracts = [contract(11, 3, &json!(100), &json!(120))];
    let host = || {
        let host = register(&[procurement(3, "Ukončené"), procurement(5, "Stiahnuté")]);
        with_contracts(host, 3, &contracts)
    };
    host().install();
    let batches = import(PROCUREMENT, None).unwrap();
    let expected = [
        format!("buyer/0000000003/{ICO}"),
        format!("contract/0000000011/{PARTNER}"),
        format!("contract/0000000011/{SUPPLIER}"),
    ];
    assert_eq!(keys(&items(&batches)), expected);
    assert_eq!(noted(&batches, "withdrawn"), 1);
    host().install();
    assert_eq!(
        block_after_import(SUPPLIER),
        json!({"count": 0, "awarded": 1, "total_awarded_value": 100.0, "currency": "EUR"})
    );
    host().install();
    assert_eq!(
        block_after_import(ICO),
        json!({"count": 1, "awarded": 0, "total_awarded_value": null, "currency": "EUR"})
    );
}

#[test]
fn corrupt_gross_amount_gives_no_total() {
    for (net, gross, total) in [
        (json!(413_664), json!(496_396.8), json!(413_664.0)),
        (json!(413_664), json!(320_390_374), Value::Null),
        (json!(50.25), Value::Null, json!(50.25)),
        (Value::Null, json!(320_390_374), Value::Null),
    ] {
        let host = register(&[procurement(3, "Ukončené")]);
        with_contracts(host, 3, &[contract(11, 3, &net, &gross)]).install();
        assert_eq!(block_after_import(PARTNER)["total_awarded_value"], total);
    }
}

#[test]
fn repeated_amount_of_a_procurement_counts_once() {
    let framework = |id| contract(id, 3, &json!(100), &json!(120));
    let host = register(&[procurement(3, "Ukončené"), procurement(5, "Ukončené")]);
    let host = with_contracts(host, 3, &[framework(11), framework(12)]);
    with_contracts(host, 5, &[contract(13, 5, &json!(100), &json!(100))]).install();
    let block = block_after_import(PARTNER);
    assert_eq!(
        (&block["awarded"], &block["total_awarded_value"]),
        (&json!(3), &json!(200.0))
    );
}

#[test]
fn odd_contract_does_not_cost_the_others() {
    let contracts = [
        contract(11, 3, &json!("veľa"), &json!(1)),
        contract(12, 4, &json!(1), &json!(1)),
        contract(13, 3, &json!(7), &json!(8)),
    ];
    let all: Vec<Value> = (3..60).map(|id| procurement(id, "Ukončené")).collect();
    let mut host = register(&all);
    for id in 4..60 {
        host = with_contracts(host, id, &[]);
    }
    with_contracts(host, 3, &contracts).install();
    let batches = import(PROCUREMENT, None).unwrap();
    assert_eq!(noted(&batches, "unreadable_contracts"), 2);
    let items = items(&batches);
    let of_13 = keys(&items);
    assert!(of_13.contains(&format!("contract/0000000013/{PARTNER}").as_str()));
}

#[test]
fn blocked_contract_is_counted_and_a_broken_list_fails() {
    let host = || {
        let contracts = [contract(11, 3, &json!(1), &json!(1))];
        with_contracts(register(&[procurement(3, "Ukončené")]), 3, &contracts)
    };
    let detail = "/public/v1/zmluvaverejneobstaravanie/id/11";
    let blocked = Answer::status(403, r#"{"supportID": "1"}"#);
    host().answer("itms21", detail, blocked).install();
    let batches = import(PROCUREMENT, None).unwrap();
    assert_eq!(noted(&batches, "contracts_blocked"), 1);
    host()
        .answer("itms21", detail, Answer::status(500, ""))
        .install();
    let failure = import(PROCUREMENT, None).unwrap_err();
    assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
}
