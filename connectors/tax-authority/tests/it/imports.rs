//! Whole imports through a test host: archives, cursors, settings and what goes wrong.

use std::fmt::Write as _;

use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::{Answer, TestHost, archive, run_import};
use lustra_sdk::{Failure, Importer, Item};
use lustra_tax_authority::TaxAuthority;
use lustra_tax_authority::lists::{Dataset, run};

/// A list of `count` payers: every seventh without an IČ DPH, every fifth with that of an earlier row.
fn payers(count: u32, date: &str) -> String {
    let mut xml =
        format!("<Z><DatumAktualizacieZoznamu>{date}</DatumAktualizacieZoznamu><DS_DPHS>");
    for n in 0..count {
        let number = if n % 5 == 4 { n - 1 } else { n };
        let ic_dph = if n % 7 == 6 {
            String::new()
        } else {
            format!("<IC_DPH>SK20{number:08}</IC_DPH>")
        };
        let ico = 99_000_000 + n;
        write!(xml, "<ITEM>{ic_dph}<ICO>{ico}</ICO><DRUH_REG_DPH>§4</DRUH_REG_DPH><DATUM_REG>01.04.2012</DATUM_REG></ITEM>")
            .unwrap();
    }
    xml.push_str("</DS_DPHS></Z>");
    xml
}

fn host_with(path: &str, answer: Answer) -> TestHost {
    TestHost::new().answer("fs-reports", path, answer)
}

fn serve(xml: &str) {
    let zip = archive(&[("ds_dphs.xsd", "<xsd/>"), ("ds_dphs.xml", xml)]);
    host_with(
        "/ds_dphs.zip",
        Answer::ok(zip).with_header("content-type", "application/zip"),
    )
    // Every seventh row of these lists is odd.
    .setting("max_odd_percent", &20.into())
    .install();
}

fn fingerprint(items: &[Item]) -> Vec<(String, Option<String>, String)> {
    items
        .iter()
        .map(|item| (item.key.clone(), item.ico.clone(), item.content.clone()))
        .collect()
}

#[test]
fn list_import_resumes_behind_each_batch() {
    let xml = payers(2_600, "15012026");
    serve(&xml);
    let (all, companies, cursors) = run_import::<TaxAuthority>("vat-payers", None).unwrap();
    assert!(companies.is_empty());
    assert_eq!(cursors.len(), 3);
    assert!(
        cursors
            .iter()
            .all(|cursor| cursor.starts_with("2026-01-15 ")),
        "{cursors:?}"
    );
    assert_eq!(cursors.last().map(String::as_str), Some("2026-01-15 2600"));
    let mut keys: Vec<&str> = all.iter().map(|item| item.key.as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all.len(), "keys are unique");
    for (batch, cursor) in cursors.iter().enumerate() {
        let (rest, _, _) = run_import::<TaxAuthority>("vat-payers", Some(cursor.clone())).unwrap();
        let behind = ((batch + 1) * 1_000).min(all.len());
        assert_eq!(
            fingerprint(&rest),
            fingerprint(&all[behind..]),
            "behind {cursor}"
        );
    }
    let native = run::items(Dataset::VatPayers, xml.as_bytes()).unwrap();
    assert_eq!(
        fingerprint(&native),
        fingerprint(&all),
        "a native program reads the same"
    );
}

#[test]
fn batches_report_date_and_skipped_rows() {
    serve(&payers(1_300, "15012026"));
    let mut run = TaxAuthority::open("vat-payers", None).unwrap();
    let first = run.next().unwrap().unwrap();
    assert_eq!(first.items.len(), 1_000);
    assert_eq!(first.list_date.as_deref(), Some("2026-01-15"));
    assert!(
        first.notes.iter().any(|note| note.name == "without_ic_dph"),
        "{:?}",
        first.notes
    );
    assert!(run.next().unwrap().is_some());
    assert!(run.next().unwrap().is_none());
    assert!(run.next().unwrap().is_none(), "the end stays the end");
}

#[test]
fn a_cursor_of_another_edition_is_refused() {
    serve(&payers(10, "16012026"));
    for cursor in ["2026-01-15 5", "2026-01-16 11", "5", "", "2026-01-16 x"] {
        let failure = TaxAuthority::open("vat-payers", Some(cursor.to_owned())).err();
        assert!(
            matches!(&failure, Some(Failure::Other((code, _))) if code == "list-changed"),
            "{cursor:?}: {failure:?}"
        );
    }
}

#[test]
fn settings_change_slug_and_columns() {
    let xml = payers(3, "15012026").replace("ICO>", "CISLO>");
    host_with(
        "/ds_dphs_nova.zip",
        Answer::zip(&[("data/DS_DPHS_NOVA.xml", &xml)]),
    )
    .setting(
        "lists",
        &json!({"vat-payers": {"slug": "ds_dphs_nova", "columns": {"ico": "CISLO"}}}),
    )
    .install();
    let (items, _, _) = run_import::<TaxAuthority>("vat-payers", None).unwrap();
    assert_eq!(items[0].ico.as_deref(), Some("99000000"));
    let content: Value = from_str(&items[0].content).unwrap();
    assert_eq!(content["registration_type"], "§4");
}

#[test]
fn a_slug_stays_in_its_place() {
    TestHost::new()
        .setting("lists", &json!({"vat-payers": {"slug": "../other"}}))
        .install();
    assert!(matches!(
        TaxAuthority::open("vat-payers", None).err(),
        Some(Failure::Misconfigured(_))
    ));
    assert!(TestHost::requests().is_empty());
}

#[test]
fn answer_that_is_not_a_list_fails() {
    let path = "/ds_dphs.zip";
    let xml = payers(50, "15012026");
    let whole = archive(&[("ds_dphs.xml", &xml)]);
    let page =
        Answer::ok("<html>Odstávka</html>").with_header("content-type", "text/html; charset=utf-8");
    for (name, answer, malformed) in [
        ("a page that says so", page, false),
        (
            "a page that does not",
            Answer::ok("<html>Odstávka</html>"),
            true,
        ),
        ("nothing", Answer::ok(""), true),
        ("garbage", Answer::ok(vec![0xff; 64]), true),
        (
            "an archive cut short",
            Answer::ok(whole[..whole.len() / 2].to_vec()),
            true,
        ),
        (
            "another file in the archive",
            Answer::zip(&[("readme.txt", "x")]),
            true,
        ),
        (
            "a list cut short",
            Answer::zip(&[("ds_dphs.xml", &xml[..xml.len() / 2])]),
            true,
        ),
        ("status 500", Answer::status(500, "x"), false),
        ("status 404", Answer::status(404, "x"), false),
    ] {
        host_with(path, answer).install();
        let failure = run_import::<TaxAuthority>("vat-payers", None).expect_err(name);
        match failure {
            Failure::Malformed(_) => assert!(malformed, "{name}"),
            Failure::Unavailable(_) => assert!(!malformed, "{name}"),
            other @ (Failure::Throttled(_)
            | Failure::Misconfigured(_)
            | Failure::Refused(_)
            | Failure::Other(_)) => {
                panic!("{name}: {other:?}")
            }
        }
    }
    host_with(
        path,
        Answer::status(429, "").with_header("retry-after", "30"),
    )
    .install();
    assert!(matches!(
        run_import::<TaxAuthority>("vat-payers", None),
        Err(Failure::Throttled(Some(30)))
    ));
}

#[test]
fn unusable_list_fails_early() {
    let mut xml = "<Z><DatumAktualizacieZoznamu>15012026</DatumAktualizacieZoznamu><L>".to_owned();
    xml.push_str(&"<ITEM><NIECO>1</NIECO></ITEM>".repeat(25_000));
    xml.push_str("</L></Z>");
    let failure =
        run::items(Dataset::IncomeTaxSubjects, xml.as_bytes()).expect_err("nothing is usable");
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn only_known_datasets_are_offered() {
    TestHost::new().install();
    for dataset in ["", "tax-debtors", "vat-payers\0", "' or 1=1 --"] {
        assert!(
            matches!(TaxAuthority::open(dataset, None).err(), Some(Failure::Other((code, _))) if code == "not-offered")
        );
    }
}
