//! Every folder of `fixtures/` is a case: a page of the register, and the expected result. The folder's name begins
//! with the reader's. `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use lustra_crp::detail::{self, Recipient};
use lustra_crp::list;
use lustra_crp::settings::Settings;
use lustra_sdk::Failure;
use lustra_sdk::testing::fixtures::{Case, every_case, failed};
use serde_json::{Value, json};

#[test]
fn every_fixture_matches() {
    every_case(24, &["page"], |case| {
        let page = case.expected["page"].as_u64().unwrap_or_default();
        let page = u32::try_from(page).unwrap();
        read(&case.name, case.text(), page).unwrap_or_else(|failure| failed(&failure))
    });
}

fn read(name: &str, text: &str, page: u32) -> Result<Value, Failure> {
    let settings = Settings::default();
    if name.starts_with("list-") {
        let page = list::read(text, page, &settings)?;
        let mut read = json!({ "projects": page.projects, "has_more": page.has_more });
        if page.unreadable_rows > 0 {
            read["unreadable_rows"] = json!(page.unreadable_rows);
        }
        return Ok(read);
    }
    let detail = detail::read(text, "/900123-sk/vzor/", &settings)?;
    let recipient = match detail.recipient {
        Recipient::Ico(ico) => json!(ico),
        Recipient::Without => json!("without"),
        Recipient::Other => json!("other"),
        Recipient::Unreadable => json!("unreadable"),
    };
    Ok(json!({ "id": detail.id, "recipient": recipient, "project": detail.project }))
}

#[test]
fn truncated_page_is_refused() {
    for name in ["list-ordinary", "detail-ordinary"] {
        let case = Case::of(name);
        let whole = case.text().trim_end();
        // The longest cut removes only the last tag.
        let end = whole.len() - "</html>".len();
        for length in (0..=end).filter(|length| whole.is_char_boundary(*length)) {
            let cut = read(name, &whole[..length], 0);
            assert!(cut.is_err(), "{name} cut at {length} is taken for whole");
        }
    }
}
