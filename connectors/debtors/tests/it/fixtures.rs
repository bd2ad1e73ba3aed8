//! Every parser over every case of `fixtures/`: a folder with an input and what is read from it. The folder's name
//! begins with the parser's.

use std::fs;
use std::path::Path;

use lustra_debtors::debt::{Debt, DebtRows, Notes};
use lustra_debtors::decoded::decoded;
use lustra_debtors::{operator_list, social_insurer, tax_list, union_api, vszp_page};
use lustra_sdk::text::decode_utf8_or_windows_1250;
use lustra_sdk::{Failure, failure};
use serde_json::{Value, json};

/// The name of the social insurer's file in all cases, since the list's date stands in it.
const FILE: &str = "dlznici_02_2026.csv";

/// The IČO that the insurer's page is asked for in all cases.
const WANTED: &str = "99999901";

fn all(mut rows: impl DebtRows) -> Result<Value, Failure> {
    let mut notes = Notes::default();
    let mut debts: Vec<Debt> = Vec::new();
    while let Some(debt) = rows.next_debt(&mut notes)? {
        debts.push(debt);
    }
    Ok(json!({ "list_date": rows.list_date(), "debts": debts, "notes": as_json(&notes) }))
}

fn as_json(notes: &Notes) -> Value {
    notes
        .fields()
        .into_iter()
        .map(|field| (field.name, Value::from(field.value)))
        .collect()
}

fn read(case: &str, input: &[u8]) -> Result<Value, Failure> {
    if case.starts_with("social-insurer-") {
        all(social_insurer::Rows::open(FILE, decoded(input))?)
    } else if case.starts_with("tax-authority-") {
        all(tax_list::Rows::new(decoded(input)))
    } else if case.starts_with("operator-") {
        all(operator_list::open("list", decoded(input))?)
    } else if case.starts_with("vszp-page-") {
        let debts = vszp_page::parse(&decode_utf8_or_windows_1250(input), WANTED)?;
        Ok(json!({ "debts": debts }))
    } else if case.starts_with("union-page-") {
        let mut notes = Notes::default();
        let page = union_api::parse(&decode_utf8_or_windows_1250(input), &mut notes)?;
        Ok(
            json!({ "total": page.total, "rows": page.rows, "debts": page.debts, "notes": as_json(&notes) }),
        )
    } else {
        panic!("{case}: no parser has this name");
    }
}

fn case(folder: &Path) -> Result<(), String> {
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .expect("cases have plain names");
    let files = fs::read_dir(folder)
        .expect("the case is a folder")
        .map(|file| file.expect("it is readable").path());
    let mut inputs = files.filter(|file| file.file_stem().is_some_and(|stem| stem == "input"));
    let input =
        fs::read(inputs.next().expect("the case has an input")).expect("the input is readable");
    let expected =
        fs::read_to_string(folder.join("expected.json")).unwrap_or_else(|_| "null".to_owned());
    let expected: Value = serde_json::from_str(&expected).expect("what is expected is JSON");
    let found =
        read(name, &input).unwrap_or_else(|failed| json!({ "failure": failure::reason(&failed) }));
    if found == expected {
        Ok(())
    } else {
        Err(format!("{name}:\n{found:#}\n"))
    }
}

#[test]
fn every_case_reads_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases: Vec<_> = fs::read_dir(folder)
        .expect("the folder of cases is there")
        .map(|entry| entry.expect("it is readable").path())
        .collect();
    cases.sort();
    assert!(cases.len() > 30, "cases are missing");
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|folder| case(folder).err())
        .collect();
    assert!(
        wrong.is_empty(),
        "these cases read otherwise:\n{}",
        wrong.concat()
    );
}

#[test]
fn a_list_cut_anywhere_is_read_or_refused_but_never_panics() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for (name, file) in [
        ("social-insurer-current", "input.csv"),
        ("tax-authority-current", "input.xml"),
        ("operator-vszp-employers", "input.csv"),
        ("vszp-page-hit", "input.html"),
        ("union-page-current", "input.json"),
    ] {
        let input = fs::read(folder.join(name).join(file)).expect("the input is readable");
        for length in 0..input.len() {
            let cut = read(name, &input[..length]);
            let may_be_whole = name.starts_with("social")
                || name.starts_with("operator")
                || name.starts_with("vszp");
            assert!(
                cut.is_err() || may_be_whole,
                "{name} cut at {length} is taken for whole"
            );
        }
    }
}
