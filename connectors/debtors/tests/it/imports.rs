//! Whole imports: every list, resumed at every batch, and lists that must be refused.

use std::collections::BTreeSet;

use lustra_debtors::Debtors;
use lustra_sdk::testing::{Answer, TestHost, archive, run_import};
use lustra_sdk::{Failure, Importer, Item};
use serde_json::json;

use crate::world::{DOWNLOAD, LANDING, ico, social_insurer, social_insurer_list, value};

const UNION: &str = "/ehip-server/rest/debtors";

fn keys(items: &[Item]) -> Vec<&str> {
    items.iter().map(|item| item.key.as_str()).collect()
}

fn import(dataset: &str) -> Result<Vec<Item>, Failure> {
    run_import::<Debtors>(dataset, None).map(|(items, _, _)| items)
}

fn credentials(host: TestHost) -> TestHost {
    host.setting("union_user", &json!("user"))
        .setting("union_password", &json!("password"))
}

#[test]
fn social_insurer_batches_have_the_list_date() {
    social_insurer(&social_insurer_list(2100)).install();
    let mut run = Debtors::open("social-insurer", None).expect("the list is there");
    let mut sizes = Vec::new();
    while let Some(batch) = run.next().expect("the list is whole") {
        assert_eq!(batch.list_date.as_deref(), Some("2026-01-05"));
        sizes.push(batch.items.len());
    }
    assert_eq!(sizes, [1000, 1000, 310]);
}

#[test]
fn resumed_run_returns_exactly_the_rest() {
    social_insurer(&social_insurer_list(2100)).install();
    let (items, _, cursors) =
        run_import::<Debtors>("social-insurer", None).expect("the list is whole");
    assert_eq!(
        keys(&items).into_iter().collect::<BTreeSet<_>>().len(),
        items.len(),
        "keys are unique"
    );
    for (batches, cursor) in cursors.iter().enumerate() {
        let (rest, _, _) =
            run_import::<Debtors>("social-insurer", Some(cursor.clone())).expect("it goes on");
        let given = ((batches + 1) * 1000).min(items.len());
        assert_eq!(keys(&rest), keys(&items[given..]));
    }
}

#[test]
fn replaced_list_restarts_the_run() {
    social_insurer(&social_insurer_list(2100)).install();
    let (_, _, cursors) = run_import::<Debtors>("social-insurer", None).expect("the list is whole");
    for list in [
        social_insurer_list(2100).replace("Vzor 7,", "Nový 7,"),
        social_insurer_list(50),
    ] {
        social_insurer(&list).install();
        for cursor in [cursors[0].as_str(), "", "{}", "garbage"] {
            let failure = run_import::<Debtors>("social-insurer", Some(cursor.to_owned())).err();
            assert!(
                matches!(failure, Some(Failure::Other((code, _))) if code == "list-changed"),
                "{cursor}"
            );
        }
    }
}

#[test]
fn persons_are_stored_without_ico_and_index() {
    social_insurer(&social_insurer_list(1000)).install();
    let items = import("social-insurer").expect("the list is whole");
    let person = items
        .iter()
        .find(|item| item.ico.is_none())
        .expect("it has a person");
    assert_eq!(
        (person.key.as_str(), person.name.as_deref()),
        ("name:skusobny jan||lipova 3|vzorovo", None)
    );
    let company = items
        .iter()
        .find(|item| item.ico == Some(ico(12)))
        .expect("it has the company");
    assert_eq!(
        company.content,
        r#"{"name":"Vzor 12, s. r. o.","amount":"1012.50","as_of":null}"#
    );
}

#[test]
fn a_key_stays_when_the_amount_or_the_order_changes() {
    let list = social_insurer_list(1000);
    social_insurer(&list).install();
    let before = import("social-insurer").expect("the list is whole");
    let (header, rows) = list.split_once("\r\n").expect("it has rows");
    let turned: Vec<&str> = rows.lines().rev().collect();
    social_insurer(&format!("{header}\r\n{}\r\n", turned.join("\r\n")).replace(",50\"", ",75\""))
        .install();
    let after = import("social-insurer").expect("the list is whole");
    let set = |items: &[Item]| {
        keys(items)
            .into_iter()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(set(&before), set(&after));
}

#[test]
fn social_insurer_list_with_few_companies_is_refused() {
    social_insurer(&social_insurer_list(999)).install();
    assert!(
        matches!(import("social-insurer"), Err(Failure::Malformed(drift)) if drift.what.contains("IČO"))
    );
    social_insurer(&social_insurer_list(5))
        .setting("social_insurer_minimum", &json!(5))
        .install();
    assert_eq!(import("social-insurer").expect("five are enough").len(), 6);
}

#[test]
fn list_without_readable_amounts_is_refused() {
    social_insurer(&social_insurer_list(1000).replace(",50\"", " Kčs\"")).install();
    assert!(
        matches!(import("social-insurer"), Err(Failure::Malformed(drift)) if drift.found.contains("rows-with-unreadable-amount"))
    );
}

#[test]
fn failing_social_insurer_fails_the_import() {
    let page = || Answer::ok(format!("<a href='{DOWNLOAD}'>"));
    let hosts = [
        TestHost::new(),
        TestHost::new().answer("socpoist", LANDING, Answer::ok("<html>Údržba</html>")),
        TestHost::new().answer("socpoist", LANDING, Answer::ok("")),
        TestHost::new().answer("socpoist", LANDING, Answer::status(500, "")),
        TestHost::new().answer("socpoist", LANDING, page()).answer(
            "socpoist",
            DOWNLOAD,
            Answer::status(403, ""),
        ),
        TestHost::new().answer("socpoist", LANDING, page()).answer(
            "socpoist",
            DOWNLOAD,
            Answer::ok("<html>"),
        ),
        TestHost::new().answer("socpoist", LANDING, page()).answer(
            "socpoist",
            DOWNLOAD,
            Answer::zip(&[("a.txt", "x")]),
        ),
        TestHost::new().answer("socpoist", LANDING, page()).answer(
            "socpoist",
            DOWNLOAD,
            Answer::zip(&[("a.csv", "")]),
        ),
    ];
    for (number, host) in hosts.into_iter().enumerate() {
        host.install();
        assert!(
            matches!(
                import("social-insurer"),
                Err(Failure::Malformed(_) | Failure::Unavailable(_))
            ),
            "host {number}"
        );
    }
}

#[test]
fn the_tax_authoritys_list_is_indexed_by_name() {
    let list = "<R><DatumAktualizacieZoznamu>31122025</DatumAktualizacieZoznamu><L>\
        <ITEM><NAZOV_SUBJEKTU>Vzor, s.r.o.</NAZOV_SUBJEKTU><CIASTKA>5,00</CIASTKA><PSC>999 01</PSC><OBEC>Vzorovo</OBEC></ITEM>\
        <ITEM><NAZOV_SUBJEKTU>Ján Skúšobný</NAZOV_SUBJEKTU><CIASTKA>6,00</CIASTKA><PSC>99901</PSC></ITEM>\
        <ITEM><NAZOV_SUBJEKTU>Ján Skúšobný</NAZOV_SUBJEKTU><CIASTKA>7,00</CIASTKA><PSC>99901</PSC></ITEM></L></R>";
    let archive = archive(&[("ds_dsdd.xsd", "<x/>"), ("ds_dsdd.xml", list)]);
    TestHost::new()
        .answer("fs-reports", "/ds_dsdd.zip", Answer::ok(archive))
        .install();
    let mut run = Debtors::open("tax-authority", None).expect("the list is there");
    let batch = run
        .next()
        .expect("the list is whole")
        .expect("it has entries");
    assert_eq!(batch.list_date.as_deref(), Some("2025-12-31"));
    assert_eq!(
        keys(&batch.items),
        [
            "name:vzor s r o|99901||vzorovo",
            "name:jan skusobny|99901||",
            "name:jan skusobny|99901|||2"
        ]
    );
    assert_eq!(batch.items[0].postal_code.as_deref(), Some("99901"));
    assert!(
        batch
            .items
            .iter()
            .all(|item| item.name.is_some() && item.ico.is_none())
    );
}

#[test]
fn xml_without_debtors_is_malformed() {
    let archive = archive(&[("ds_dsdd.xml", "<R><L></L></R>")]);
    TestHost::new()
        .answer("fs-reports", "/ds_dsdd.zip", Answer::ok(archive))
        .install();
    assert!(matches!(
        import("tax-authority"),
        Err(Failure::Malformed(_))
    ));
}

#[test]
fn operator_file_is_a_table_or_an_archive() {
    let table = "nazov;ico;ulica;psc;obec;suma;k_datumu\nVzor a.s.;99999901;;;;5,00;25.04.2026\n";
    let other = "nazov;suma\nSkúšobný Ján;6,00\n";
    for (dataset, upstream) in [
        ("dovera", "dovera-list"),
        ("vszp", "vszp-list"),
        ("union", "union-list"),
    ] {
        let host = || TestHost::new().setting("union_source", &json!("file"));
        host().answer(upstream, "", Answer::ok(table)).install();
        let items = import(dataset).expect("the table is whole");
        assert_eq!(keys(&items), ["ico:99999901|vzor a s|||"]);
        assert_eq!(
            items[0].content,
            r#"{"name":"Vzor a.s.","amount":"5.00","as_of":"2026-04-25"}"#
        );
        host()
            .answer(
                upstream,
                "",
                Answer::zip(&[("b.csv", table), ("a.csv", other), ("c.txt", "")]),
            )
            .install();
        assert_eq!(import(dataset).expect("the tables are whole").len(), 2);
        for wrong in [
            archive(&[("c.txt", "")]),
            archive(&[("a.csv", other)]),
            b"PK\x03\x04".to_vec(),
            Vec::new(),
        ] {
            host().answer(upstream, "", Answer::ok(wrong)).install();
            assert!(matches!(import(dataset), Err(Failure::Malformed(_))));
        }
    }
}

#[test]
fn notes_count_what_was_skipped() {
    let table = "nazov;ico;suma\nVzor a.s.;99999901;5,00\n;;6,00\nJán Skúšobný;rodné;7,00\n";
    TestHost::new()
        .answer("dovera-list", "", Answer::ok(table))
        .setting("max_odd_percent", &json!(70))
        .install();
    let batch = Debtors::open("dovera", None)
        .expect("it opens")
        .next()
        .expect("it is whole")
        .expect("it has rows");
    assert_eq!(value(&batch.notes, "rows-without-debtor"), Some("1"));
    assert_eq!(value(&batch.notes, "rows-with-unreadable-ico"), Some("1"));
}

#[test]
fn portal_requires_credentials() {
    TestHost::new().install();
    assert!(
        matches!(import("union"), Err(Failure::Misconfigured(why)) if why.contains("union_password"))
    );
    credentials(TestHost::new())
        .answer("union", UNION, Answer::status(401, ""))
        .install();
    assert!(
        matches!(import("union"), Err(Failure::Misconfigured(why)) if !why.contains("password\""))
    );
    credentials(TestHost::new())
        .answer("union", UNION, Answer::status(503, ""))
        .install();
    assert!(matches!(import("union"), Err(Failure::Unavailable(_))));
}

#[test]
fn portal_pages_must_add_up_to_its_total() {
    let row = |id: u32| json!({"dlznikId": id, "rplNazov": "Vzor a.s.", "rplIco": "99999901", "suma": "5,00"});
    let whole = json!({"totalRows": 2, "rows": [row(1), row(2)]}).to_string();
    credentials(TestHost::new())
        .answer("union", UNION, Answer::ok(whole))
        .install();
    let (items, _, cursors) =
        run_import::<Debtors>("union", None).expect("the page is the whole list");
    assert_eq!(keys(&items), ["id:1", "id:2"]);
    let (rest, _, _) =
        run_import::<Debtors>("union", Some(cursors[0].clone())).expect("nothing is left");
    assert!(rest.is_empty());

    // The test host answers every page alike, so the cursor requests the second page.
    let last = json!({"totalRows": 3, "rows": [row(3)]}).to_string();
    credentials(TestHost::new())
        .answer("union", UNION, Answer::ok(last))
        .install();
    let cursor = r#"{"rows":2,"total":3,"odd_rows":0,"with_ico":2}"#;
    let (rest, _, _) =
        run_import::<Debtors>("union", Some(cursor.to_owned())).expect("one row is left");
    assert_eq!(keys(&rest), ["id:3"]);
    for (total, rows) in [
        (3, vec![row(1), row(2)]),
        (1, vec![row(1), row(2)]),
        (2, Vec::new()),
        (0, Vec::new()),
    ] {
        let page = json!({"totalRows": total, "rows": rows}).to_string();
        credentials(TestHost::new())
            .answer("union", UNION, Answer::ok(page))
            .install();
        assert!(
            matches!(import("union"), Err(Failure::Malformed(_))),
            "{total}"
        );
    }
}

#[test]
fn changed_portal_list_restarts_the_run() {
    let page = json!({"totalRows": 5, "rows": [{"dlznikId": 1, "rplNazov": "Vzor", "suma": 1}]})
        .to_string();
    credentials(TestHost::new())
        .answer("union", UNION, Answer::ok(page))
        .install();
    for cursor in [
        r#"{"rows":2,"total":4,"odd_rows":0,"with_ico":2}"#,
        "garbage",
    ] {
        let failure = run_import::<Debtors>("union", Some(cursor.to_owned())).err();
        assert!(matches!(failure, Some(Failure::Other((code, _))) if code == "list-changed"));
    }
}

#[test]
fn another_dataset_is_not_offered() {
    TestHost::new().install();
    assert!(matches!(import("x\0"), Err(Failure::Other((code, _))) if code == "not-offered"));
}
