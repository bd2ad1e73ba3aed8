//! Every folder of `fixtures/` is a case: an answer of the service, and what is read from it. Its name begins with the
//! question's.

use std::fs;
use std::path::{Path, PathBuf};

use lustra_replik::detail::{Named, Party};
use lustra_replik::proceedings::Debtor;
use lustra_replik::settings::Settings;
use lustra_replik::{changes, detail, proceedings, section};
use lustra_sdk::serde_json::{Value, from_str, json, to_string_pretty};
use lustra_sdk::{Failure, failure};

/// The company that is asked about, and the proceeding.
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
                Named::Nobody => json!("nobody"),
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
    } else {
        panic!("{case}: no reader has this name");
    }
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    cases
}

#[test]
fn every_case_is_read_as_expected() {
    let mut wrong = Vec::new();
    let cases = cases();
    assert!(cases.len() > 50, "only {} cases were found", cases.len());
    for case in cases {
        let name = case.file_name().unwrap().to_str().unwrap().to_owned();
        let input = fs::read_to_string(case.join("input.xml")).unwrap();
        let expected = case.join("expected.json");
        let found = read(&name, &input)
            .unwrap_or_else(|failed| json!({ "failure": failure::reason(&failed) }));
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&expected, to_string_pretty(&found).unwrap() + "\n").unwrap();
        }
        let expected: Value = from_str(&fs::read_to_string(expected).unwrap()).unwrap();
        if found != expected {
            wrong.push(format!("{name}:\n{found:#}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "these cases read otherwise:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn an_answer_cut_anywhere_is_refused() {
    for case in [
        "list-active",
        "list-none",
        "detail-company-and-person",
        "changes-out-of-order",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        let input = fs::read_to_string(folder.join(case).join("input.xml")).unwrap();
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
fn nothing_personal_is_kept() {
    let mut seen = 0;
    for case in cases() {
        let expected = fs::read_to_string(case.join("expected.json")).unwrap();
        let input = fs::read_to_string(case.join("input.xml")).unwrap();
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
            assert!(!expected.contains(private), "{}: {private}", case.display());
        }
    }
    assert!(seen > 3, "{seen}");
}
