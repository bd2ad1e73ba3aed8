//! Whole imports through a test host. The tests of the connector `tax-authority` cover the reading of lists, which
//! works in the same way.

use std::fmt::Write as _;

use lustra_sdk::serde_json::json;
use lustra_sdk::tax_lists::ListKind;
use lustra_sdk::testing::{Answer, TestHost, run_import};
use lustra_sdk::{Failure, Importer};
use lustra_tax_lists::TaxLists;
use lustra_tax_lists::dataset::Dataset;

/// A list of so many payers with two quarters each. Every fifth payer has no IČO.
fn deductions(payers: u32) -> String {
    let mut xml =
        "<Z><DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu><DS_DPHNO>".to_owned();
    for n in 0..payers {
        let ico = if n % 5 == 4 {
            String::new()
        } else {
            format!("<ICO>{}</ICO>", 99_000_000 + n)
        };
        for quarter in ["2025-3Q", "2025-4Q"] {
            write!(xml, "<ITEM><DIC>20{n:08}</DIC>{ico}<ZDAN_OBDOBIE>{quarter}</ZDAN_OBDOBIE><VLAST_DAN_POV>{n}.50</VLAST_DAN_POV></ITEM>").unwrap();
        }
    }
    xml.push_str("</DS_DPHNO></Z>");
    xml
}

#[test]
fn list_import_resumes_behind_each_batch() {
    let xml = deductions(1_300);
    TestHost::new()
        .answer(
            "fs-reports",
            "/ds_dphno.zip",
            Answer::zip(&[("ds_dphno.xml", &xml)]),
        )
        .install();
    let (all, _, cursors) = run_import::<TaxLists>("vat-deductions", None).unwrap();
    assert_eq!((all.len(), cursors.len()), (2_600, 3));
    assert!(all.iter().any(|item| item.key == "99000000:2025-4Q"));
    assert!(
        all.iter()
            .any(|item| item.key == "dic:2000000004:2025-4Q" && item.ico.is_none())
    );
    for (batch, cursor) in cursors.iter().enumerate() {
        let (rest, _, _) = run_import::<TaxLists>("vat-deductions", Some(cursor.clone())).unwrap();
        let behind: Vec<&str> = all
            .iter()
            .skip((batch + 1) * 1_000)
            .map(|item| item.key.as_str())
            .collect();
        let rest: Vec<&str> = rest.iter().map(|item| item.key.as_str()).collect();
        assert_eq!(rest, behind, "behind {cursor}");
    }
}

#[test]
fn keys_do_not_depend_on_the_order_of_a_list() {
    let row = |period: &str, amount: &str| {
        format!(
            "<ITEM><ICO>99999901</ICO><ZDAN_OBDOBIE>{period}</ZDAN_OBDOBIE><NADMERNY_ODPOCET>{amount}</NADMERNY_ODPOCET></ITEM>"
        )
    };
    let keys = |rows: &[String]| {
        let xml = format!(
            "<Z><DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu><L>{}</L></Z>",
            rows.concat()
        );
        TestHost::new()
            .answer(
                "fs-reports",
                "/ds_dphno.zip",
                Answer::zip(&[("ds_dphno.xml", &xml)]),
            )
            .install();
        let (items, _, _) = run_import::<TaxLists>("vat-deductions", None).unwrap();
        let mut keys: Vec<String> = items.into_iter().map(|item| item.key).collect();
        keys.sort();
        keys
    };
    let (first, second) = (row("2025-3Q", "1.00"), row("2025-4Q", "2.00"));
    let expected = keys(&[first.clone(), second.clone()]);
    assert_eq!(keys(&[second, first.clone()]), expected);
    assert_eq!(
        keys(&[row("2025-4Q", "9.00"), first]),
        expected,
        "an amount is not a part of a key"
    );
}

#[test]
fn answer_that_is_not_a_list_fails() {
    let xml = deductions(50);
    for (name, answer) in [
        (
            "a page",
            Answer::ok("<html>Odstávka</html>").with_header("content-type", "text/html"),
        ),
        ("nothing", Answer::ok("")),
        ("garbage", Answer::ok(vec![0xff; 64])),
        (
            "a list cut short",
            Answer::zip(&[("ds_dphno.xml", &xml[..xml.len() / 2])]),
        ),
        ("another file", Answer::zip(&[("ds_dphs.xml", &xml)])),
        (
            "a period gone",
            Answer::zip(&[("ds_dphno.xml", &xml.replace("ZDAN_OBDOBIE", "OBDOBIE"))]),
        ),
        (
            "rows without an owner",
            Answer::zip(&[(
                "ds_dphno.xml",
                &xml.replace("DIC>", "D>").replace("ICO>", "I>"),
            )]),
        ),
        ("status 500", Answer::status(500, "x")),
    ] {
        TestHost::new()
            .answer("fs-reports", "/ds_dphno.zip", answer)
            .install();
        let failure = run_import::<TaxLists>("vat-deductions", None).expect_err(name);
        assert!(
            matches!(failure, Failure::Malformed(_) | Failure::Unavailable(_)),
            "{name}: {failure:?}"
        );
    }
}

#[test]
fn headers_are_a_setting() {
    let xml = deductions(3).replace("ZDAN_OBDOBIE", "OBDOBIE");
    TestHost::new()
        .answer(
            "fs-reports",
            "/ds_nova.zip",
            Answer::zip(&[("ds_nova.xml", &xml)]),
        )
        .setting(
            "lists",
            &json!({"vat-deductions": {"slug": "ds_nova", "columns": {"period": "OBDOBIE"}}}),
        )
        .install();
    assert_eq!(
        run_import::<TaxLists>("vat-deductions", None)
            .unwrap()
            .0
            .len(),
        6
    );
}

#[test]
fn only_known_datasets_are_offered() {
    TestHost::new().install();
    for dataset in ["", "vat-payers", "vat-deductions\0"] {
        assert!(
            matches!(TaxLists::open(dataset, None).err(), Some(Failure::Other((code, _))) if code == "not-offered")
        );
    }
    for dataset in Dataset::ALL {
        assert_eq!(Dataset::of(dataset.id()), Some(dataset));
    }
}
