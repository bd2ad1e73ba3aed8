//! Runs every parser over the recorded answers beside the project, if they are there. It prints counts only.
#![expect(
    clippy::print_stdout,
    reason = "the reader of the log wants to know which files were there"
)]

use std::fs;
use std::path::Path;

use lustra_sdk::Notes;
use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::tax_lists::Cells;
use lustra_sdk::testing::samples;
use lustra_tax_authority::api;

use lustra_tax_authority::lists::{Dataset, vat_payers};
use lustra_tax_authority::settings::ListSettings;
use lustra_tax_authority::vies::{self, Verdict};

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn recorded_answers_of_the_api_are_read() {
    for path in samples("fs", ".json") {
        let page = api::read_page(&fs::read_to_string(&path).unwrap(), "ICO").unwrap();
        let list = ListSettings::default_of(Dataset::VatPayers);
        let mut notes = Notes::default();
        for row in &page.rows {
            let (ico, payer) =
                vat_payers::read(&mut Cells::new(row, &list.columns, &mut notes)).unwrap();
            assert_eq!(ico.map(|ico| ico.len()), Some(8));
            assert!(
                vies::number(&payer.ic_dph, "SK").is_some(),
                "the IČ DPH has its shape"
            );
            assert!(
                payer.is_full_payer().is_some(),
                "the kind of the registration is known"
            );
            assert!(payer.registered_since.is_some(), "the date is read");
            assert!(payer.dic().is_some());
            assert_eq!(payer.type_changed_on, None, "null is absent");
            assert_eq!(payer.payer_since, None, "the column came later");
        }
        println!(
            "{}: {} rows, pages {}, notes {notes:?}",
            name(&path),
            page.rows.len(),
            page.pages
        );
        assert_eq!(
            (page.rows.len(), page.pages, notes.fields().len()),
            (1, 1, 0)
        );
    }
}

#[test]
fn recorded_answers_of_vies_are_read() {
    for path in samples("vies", ".json") {
        let text = fs::read_to_string(&path).unwrap();
        let answer: Value = from_str(&text).unwrap();
        let number = answer["vatNumber"].as_str().unwrap_or_default();
        let verdict = vies::read_answer(number, &text).unwrap();
        println!("{}: {verdict:?}", name(&path));
        let expected = match answer["isValid"].as_bool() {
            Some(true) => Verdict::Valid,
            Some(false) => Verdict::Invalid,
            None => Verdict::Unknown(
                answer["errorWrappers"][0]["error"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            ),
        };
        assert_eq!(verdict, expected, "{}", name(&path));
    }
}
