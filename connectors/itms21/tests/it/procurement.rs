//! Procurements and their contracts: import and block of the section.

use lustra_itms21::{APPLICATIONS, IRREGULARITIES, Itms21, PROCUREMENT, PROJECTS};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Failure, Importer};

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

/// When the lists were imported, and of which day they are.
const IMPORTED: (&str, Option<&str>) = ("2026-01-14T01:30:00Z", Some("2026-01-14"));

/// The section of a company after an import with the installed host.
#[track_caller]
fn section_after_import(ico: &str) -> Value {
    let entries = items(&import(PROCUREMENT, None).unwrap());
    let (at, day) = IMPORTED;
    TestHost::new()
        .now("2026-01-15T08:00:00Z")
        .dataset(PROJECTS, at, day, Vec::new())
        .dataset(APPLICATIONS, at, day, Vec::new())
        .dataset(PROCUREMENT, at, day, entries)
        .off(IRREGULARITIES)
        .install();
    content(ico)
}

/// The block of a company after an import with the installed host.
#[track_caller]
fn block_after_import(ico: &str) -> Value {
    section_after_import(ico)["procurement"].clone()
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

/// The path of a contract's detail.
const DETAIL: &str = "/public/v1/zmluvaverejneobstaravanie/id/11";

/// A register with one procurement of one contract.
fn small_register() -> TestHost {
    let contracts = [contract(11, 3, &json!(1), &json!(1))];
    with_contracts(register(&[procurement(3, "Ukončené")]), 3, &contracts)
}

fn blocked() -> Answer {
    Answer::status(403, r#"{"supportID": "1"}"#)
}

#[test]
fn blocked_contract_is_a_gap_for_every_company() {
    small_register()
        .answer("itms21", DETAIL, blocked())
        .install();
    let batches = import(PROCUREMENT, None).unwrap();
    assert_eq!(noted(&batches, "contracts_blocked"), 1);
    assert_eq!(noted(&batches, "rows_in_part"), 1);
    let section = section_after_import("99999999");
    assert_eq!(section["procurement"]["awarded"], 0);
    let unread = section["unread"].as_array().unwrap();
    assert!(unread.iter().any(|one| one["source"] == PROCUREMENT));
    small_register().install();
    let unread = section_after_import("99999999")["unread"].clone();
    assert_eq!(unread.as_array().unwrap().len(), 1, "{unread}");
    small_register()
        .answer("itms21", DETAIL, Answer::status(500, ""))
        .install();
    let failure = import(PROCUREMENT, None).unwrap_err();
    assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
}

#[test]
fn contract_that_is_not_given_keeps_its_records() {
    small_register().install();
    let before = items(&import(PROCUREMENT, None).unwrap());
    let organisation = "/public/v1/dodavatelobstaravatel/id/260";
    for (path, answer) in [
        (DETAIL, blocked()),
        (DETAIL, Answer::json(&json!({"id": 12}))),
        (organisation, blocked()),
    ] {
        small_register()
            .setting("max_odd_percent", &json!(100))
            .dataset(PROCUREMENT, IMPORTED.0, IMPORTED.1, before.clone())
            .answer("itms21", path, answer)
            .install();
        let after = import(PROCUREMENT, None);
        let after = items(&after.unwrap_or_else(|failure| panic!("{path}: {failure:?}")));
        assert_eq!(keys(&after), keys(&before), "{path}");
    }
    // A contract that the register no longer has is gone.
    small_register()
        .dataset(PROCUREMENT, IMPORTED.0, IMPORTED.1, before)
        .answer("itms21", DETAIL, Answer::status(404, "{}"))
        .install();
    let batches = import(PROCUREMENT, None).unwrap();
    assert_eq!(items(&batches).len(), 1, "the buyer");
    assert_eq!(noted(&batches, "contracts_gone"), 1);
}

#[test]
fn register_without_contracts_ends_the_run_with_progress() {
    let all: Vec<Value> = (1..=12).map(|id| procurement(id, "Ukončené")).collect();
    let host = || {
        let mut host = register(&all);
        for id in 1..=12 {
            host = with_contracts(host, id, &[contract(10 + id, id, &json!(1), &json!(1))]);
            let path = format!("/public/v1/zmluvaverejneobstaravanie/id/{}", 10 + id);
            host = host.answer("itms21", &path, blocked());
        }
        host
    };
    host().install();
    let mut run = Itms21::open(PROCUREMENT, None).unwrap();
    let first = run.next().unwrap().unwrap();
    assert!(matches!(run.next(), Err(Failure::Unavailable(_))));
    host()
        .answer(
            "itms21",
            &format!("{LIST}9"),
            Answer::json(&json!({"offset": 0, "limit": 100, "size": 3, "result": &all[9..]})),
        )
        .install();
    let rest = import(PROCUREMENT, Some(&first.cursor)).unwrap();
    let buyers = items(&[first].into_iter().chain(rest).collect::<Vec<_>>());
    assert_eq!(buyers.len(), 12 + 1, "and the gaps");
}

#[test]
fn every_buyer_and_the_main_supplier_are_found() {
    let mut row = procurement(3, "Neznámy stav");
    row["obstaravatelSubjekt"] = subject(1, None);
    row["zadavatel"] = subject(1, Some(ICO));
    let mut detail = contract(11, 3, &json!(7), &json!(8));
    detail["dodavatelia"] = Value::Null;
    detail["hlavnyDodavatelSubjekt"] = subject(2, Some(PARTNER));
    let host = with_contracts(register(&[row.clone()]), 3, &[detail.clone()]);
    host.install();
    let batches = import(PROCUREMENT, None).unwrap();
    let expected = [
        format!("buyer/0000000003/{ICO}"),
        format!("contract/0000000011/{PARTNER}"),
    ];
    assert_eq!(keys(&items(&batches)), expected);
    assert_eq!(noted(&batches, "unknown_states"), 1);
    row["zadavatel"] = subject(4, Some(SUPPLIER));
    with_contracts(register(&[row]), 3, &[detail])
        .answer(
            "itms21",
            "/public/v1/subjekt/id/1",
            Answer::json(&subject(1, Some(ICO))),
        )
        .install();
    let items = items(&import(PROCUREMENT, None).unwrap());
    let buyers = items.iter().filter(|item| item.key.starts_with("buyer/"));
    assert_eq!(buyers.count(), 2);
}

#[test]
fn contracts_without_an_id_are_counted() {
    let all: Vec<Value> = (3..60).map(|id| procurement(id, "Ukončené")).collect();
    let mut host = register(&all);
    for id in 4..60 {
        host = with_contracts(host, id, &[]);
    }
    let of = [
        contract(12, 3, &json!(1), &json!(1)),
        contract(11, 3, &json!(2), &json!(2)),
    ];
    let host = with_contracts(host, 3, &of);
    let path = "/public/v1/zmluvyverejnehoobstaravania?limit=-1&verejneobstaravanieKOD=VO3";
    let list = json!({"offset": 0, "limit": -1, "size": 3, "result": [{"id": 12}, {"id": "11"}, {"id": 11}]});
    host.answer("itms21", path, Answer::json(&list)).install();
    let batches = import(PROCUREMENT, None).unwrap();
    assert_eq!(noted(&batches, "contracts_without_id"), 1);
    let items = items(&batches);
    let of_company = items
        .iter()
        .filter(|item| item.ico.as_deref() == Some(PARTNER));
    assert_eq!(of_company.count(), 2, "in any order");
}
