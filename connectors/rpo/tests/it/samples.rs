//! Runs the parsers over the register's real payloads, where they are there. Prints what came out in counts and
//! codes, never who it is about.

use std::fs;
use std::io::{BufReader, Cursor};

use lustra_rpo::company::{self, Reading};
use lustra_rpo::{answers, company_of_line, dump};
use lustra_rpo_records::preference::preference;
use lustra_sdk::{Company, CompanyStatus, Failure, ico, testing};

use crate::common;

fn sample(name: &str) -> Option<String> {
    let file = testing::sample(&format!("rpo/{name}"))?;
    Some(fs::read_to_string(file).expect("the sample"))
}

/// The sample as JSON, with its identifying data.
fn published(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

#[expect(clippy::print_stdout, reason = "a test that says what it read")]
fn say(line: &str) {
    println!("{line}");
}

fn read(record: &lustra_rpo::record::Record) -> Option<Company> {
    match company::read(record).expect("a company") {
        Reading::Company(company) => Some(*company),
        Reading::WithoutIco | Reading::WithoutName => None,
    }
}

fn print_company(company: &Company) {
    assert!(ico::check_digit_fits(&company.ico));
    assert!(!company.name.is_empty());
    say(&format!(
        "  status {:?}, form {:?}, nace {:?}, country {:?}, source {:?}, statuses {:?}",
        company.status,
        company.legal_form_code,
        company.nace_code,
        company.address.country_code,
        common::fact(company, "source_register_code"),
        common::fact(company, "legal_statuses"),
    ));
}

#[test]
fn a_public_body_is_read() {
    let Some(text) = sample("rest-entity-public-university.json") else {
        return;
    };
    let published = published(&text);
    let id = published["id"].as_u64().expect("an id");
    let company = read(&answers::entity(&text, id).expect("an entity")).expect("a company");
    print_company(&company);
    assert_eq!(company.status, CompanyStatus::Active);
    assert!(company.ico.starts_with("00"), "leading zeros are kept");
    assert_eq!(company.legal_form_code.as_deref(), Some("382"));
    assert_eq!(
        (
            company.nace_code.as_deref(),
            common::fact(&company, "nace_codelist")
        ),
        (Some("8540"), Some("CL010579"))
    );
    assert_eq!(common::fact(&company, "commercial_register"), Some("false"));
    assert_eq!(common::fact(&company, "source_register_code"), Some("15"));
    assert_eq!(company.address.country_code.as_deref(), Some("SK"));
    assert!(
        company
            .address
            .street
            .as_deref()
            .is_some_and(|street| street.ends_with(" 6")),
        "no number 0"
    );

    let Some(search) = sample("rest-search-by-ico-public-university.json") else {
        return;
    };
    let rows = answers::rows(&search).expect("rows");
    say(&format!("  {} row(s)", rows.len()));
    assert_eq!(rows.len(), 1);
    let row = answers::choose(rows, &company.ico, company::PREFERRED)
        .expect("a choice")
        .expect("a row");
    assert_eq!(row.id, id);
    assert_eq!(
        preference(&row, company::PREFERRED).expect("a text"),
        common::fact(&company, "preference").expect("a fact")
    );
}

#[test]
fn an_ended_company_without_history_has_no_name() {
    let Some(text) = sample("rest-entity-terminated.json") else {
        return;
    };
    let published = published(&text);
    let id = published["id"].as_u64().expect("an id");
    let mut record = answers::entity(&text, id).expect("an entity");
    assert!(matches!(
        company::read(&record).expect("a reading"),
        Reading::WithoutName
    ));
    // The look-up takes the name from the search row.
    record.full_names =
        serde_json::from_str(r#"[{"value":"x","validFrom":"2000-01-01"}]"#).expect("names");
    let company = read(&record).expect("a company");
    print_company(&company);
    assert_eq!(company.status, CompanyStatus::Terminated);
    assert_eq!(
        company.terminated_date.as_deref(),
        published["termination"].as_str()
    );
    assert_eq!(common::fact(&company, "legal_statuses"), Some("10,17"));
    assert_eq!(common::fact(&company, "commercial_register"), Some("true"));
    assert_eq!(company.nace_code, None);
}

#[test]
fn refusals_are_distinguished() {
    let Some(unknown) = sample("rest-entity-not-found-404.json") else {
        return;
    };
    assert!(answers::says_no_record(&unknown));
    let Some(empty) = sample("rest-search-no-parameters-400.json") else {
        return;
    };
    assert!(!answers::says_no_record(&empty));
    assert!(matches!(answers::rows(&empty), Err(Failure::Malformed(_))));
}

#[test]
fn lines_of_a_daily_dump_are_read() {
    let Some(text) = sample("dump-daily-2026-09-30-lines-1-3.json.txt") else {
        return;
    };
    let text = format!("{}\n", text.trim_end());
    let mut dump =
        dump::Dump::begin("sample", BufReader::new(Cursor::new(text.as_bytes()))).expect("a dump");
    assert_eq!(dump.export_date(), "2026-09-30");
    for line in text.lines().skip(1) {
        let company =
            read(&dump.next_record().expect("a record").expect("a record")).expect("a company");
        print_company(&company);
        assert_eq!(company.status, CompanyStatus::Active);
        assert_eq!(company.legal_form_code.as_deref(), Some("101"));
        assert_eq!(company.nace_code.as_ref().map(String::len), Some(4));
        assert_eq!(common::fact(&company, "commercial_register"), Some("false"));
        assert_eq!(
            company.address.postal_code.as_ref().map(String::len),
            Some(5)
        );
        assert!(
            company
                .address
                .street
                .as_deref()
                .is_some_and(|street| street.contains('/')),
            "both numbers"
        );
        let alone = company_of_line(line).expect("a record").expect("a company");
        assert_eq!(common::shown(&alone), common::shown(&company));
    }
    say(&format!("  {} record(s)", dump.records()));
    assert_eq!(dump.records(), 2);
    assert!(
        matches!(dump.next_record(), Err(Failure::Malformed(_))),
        "the sample is cut short on purpose"
    );
}
