//! Runs every parser over every case of `fixtures/`: a folder with an input and the expected result. The folder's name
//! begins with the parser's.

use lustra_debtors::debt::{Debt, DebtRows, Notes};
use lustra_debtors::{operator_list, social_insurer, tax_list, union_api, vszp_page};
use lustra_sdk::Failure;
use lustra_sdk::charset::decoded;
use lustra_sdk::testing::fixtures::{Case, every_case, told};
use lustra_sdk::text::decode_utf8_or_windows_1250;
use serde_json::{Value, json};

/// The name of the social insurer's file in all cases. It holds the list's date.
const FILE: &str = "dlznici_02_2026.csv";

/// The requested IČO in all cases of the insurer's page.
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

#[test]
fn every_case_reads_as_expected() {
    every_case(45, &[], |case| {
        read(&case.name, &case.input).unwrap_or_else(|failure| told(&failure))
    });
}

#[test]
fn truncated_list_never_panics() {
    for name in [
        "social-insurer-current",
        "tax-authority-current",
        "operator-vszp-employers",
        "vszp-page-hit",
        "union-page-current",
    ] {
        let input = Case::of(name).input;
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
