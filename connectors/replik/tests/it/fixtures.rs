//! Every folder of `fixtures/` is a case: an answer of the service, and the expected result. Its name starts
//! with the operation's.

use std::fs;

use lustra_replik::administrator_settings::Members;
use lustra_replik::administrators::Named;
use lustra_replik::detail::Party;
use lustra_replik::proceedings::Debtor;
use lustra_replik::settings::Settings;
use lustra_replik::{changes, detail, list_page, proceedings, section};
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::fixtures::{Case, every_case, told};

/// The company and the proceeding of the requests.
const ICO: &str = "99999901";
const ID: &str = "900001";

fn read(case: &str, answer: &str) -> Result<Value, Failure> {
    if case.starts_with("list-") {
        let page = proceedings::read_page(answer)?;
        let (unsaid, said): (Vec<_>, Vec<_>) = page
            .rows
            .into_iter()
            .partition(|row| row.debtor == Debtor::Unsaid);
        let own = said
            .into_iter()
            .filter(|row| row.debtor == Debtor::Ico(ICO.to_owned()))
            .collect();
        let unsaid: Vec<String> = unsaid.into_iter().map(|row| row.id).collect();
        let section = section::content(own, Vec::new(), &Settings::default());
        Ok(json!({ "total": page.total, "section": section, "without_debtor": unsaid }))
    } else if case.starts_with("detail-") {
        let read = detail::read(answer, ID)?.map(|detail| {
            let debtor = match detail.debtor {
                Party::Ico(ico) => ico,
                Party::Person => "a person".to_owned(),
                Party::Unsaid => "unsaid".to_owned(),
            };
            let administrator = match detail.administrator {
                Named::Administrator(administrator) => {
                    let item = administrator.item().unwrap();
                    let content: Value = from_str(&item.content).unwrap();
                    json!({ "key": item.key, "ico": item.ico, "name": item.name, "content": content })
                }
                Named::Absent => json!("absent"),
                Named::WithoutMark => json!("without a mark"),
            };
            json!({ "debtor": debtor, "administrator": administrator })
        });
        Ok(json!({ "detail": read }))
    } else if case.starts_with("changes-") {
        let changes = changes::read(answer)?;
        let changes: Vec<Value> = changes
            .iter()
            .map(|change| json!([change.id, change.at.text()]))
            .collect();
        Ok(json!({ "changes": changes }))
    } else if case.starts_with("administrators-") {
        let page = list_page::read(answer, &Members::default())?;
        Ok(json!({ "total": page.total, "as_of": page.as_of, "administrators": page.rows }))
    } else {
        panic!("{case}: no reader has this name");
    }
}

#[test]
fn every_case_is_read_as_expected() {
    every_case(64, &[], |case| {
        read(&case.name, case.text()).unwrap_or_else(|failure| told(&failure))
    });
}

#[test]
fn an_answer_cut_anywhere_is_refused() {
    for case in [
        "list-active",
        "list-none",
        "detail-company-and-person",
        "changes-out-of-order",
        "administrators-company-and-person",
    ] {
        let whole = Case::of(case);
        let input = whole.text();
        let end = input.trim_end().len();
        for (length, _) in input.char_indices().filter(|(length, _)| *length < end) {
            assert!(
                read(case, &input[..length]).is_err(),
                "{case} cut at {length}"
            );
        }
    }
}

#[test]
fn no_personal_data_is_stored() {
    let mut seen = 0;
    for case in Case::all() {
        let expected = fs::read_to_string(case.folder.join("expected.json")).unwrap();
        let input = case.text();
        seen += usize::from(input.contains("1970-01-01") || input.contains("1960-01-01"));
        for private in [
            "1970-01-01",
            "1960-01-01",
            "700101",
            "+421",
            "@",
            "Skúšobný Ján",
            "Ján",
        ] {
            assert!(!expected.contains(private), "{}: {private}", case.name);
        }
    }
    assert!(seen > 3, "{seen}");
}
