//! Runs the parser over recorded pages of real companies, if this machine has them. They are not part of the project.

use std::fs;

use lustra_sdk::testing::sample;
use lustra_sdk::text;
use serde_json::Value;

use crate::support;

#[test]
#[expect(clippy::print_stdout, reason = "says what was read")]
fn recorded_extracts_are_read() {
    let Some(folder) = sample("orsr") else {
        return;
    };
    for (file, form, section, counts, [former_deposits, former_shares]) in [
        (
            "extract-full-eset.cp1250.html",
            "112",
            "Sro",
            [
                ("shareholders", 6),
                ("statutory_body", 3),
                ("procurators", 1),
            ],
            [14, 0],
        ),
        (
            "extract-full-lidl.cp1250.html",
            "111",
            "Sr",
            [("shareholders", 2), ("statutory_body", 1), ("shares", 0)],
            [0, 0],
        ),
        (
            "extract-full-tesco.cp1250.html",
            "121",
            "Sa",
            [("shareholders", 1), ("statutory_body", 6), ("shares", 1)],
            [0, 10],
        ),
    ] {
        let page = text::decode_windows_1250(&fs::read(folder.join(file)).unwrap());
        let extract = lustra_orsr::extract::read(&page).unwrap().unwrap();
        assert!(
            extract.unknown_labels.is_empty(),
            "{file}: {:?}",
            extract.unknown_labels
        );
        let company = lustra_orsr::company::read(&extract, "1/2").unwrap();
        let record = support::as_json(&company);
        assert_eq!(record["legal_form_code"], form);
        assert_eq!(record["status"], "active");
        assert_eq!(
            record["address"]["city"]
                .as_str()
                .map(|city| city.starts_with("Bratislava")),
            Some(true)
        );
        let details = &record["details"];
        assert_eq!(details["section"], section);
        let count = |list: &str| details[list].as_array().map_or(0, Vec::len);
        for (list, expected) in counts {
            assert_eq!(count(list), expected, "{file}: {list}");
        }
        assert_eq!(details["registered_capital"].is_null(), section == "Sr");
        assert!(count("business_activities") > 10);
        assert!(
            details["orsr_updated_at"]
                .as_str()
                .is_some_and(|day| day.starts_with("2020-"))
        );
        assert_eq!(count("former_deposits"), former_deposits, "{file}");
        assert_eq!(count("former_shares"), former_shares, "{file}");
        for list in [
            "shareholders",
            "statutory_body",
            "supervisory_board",
            "procurators",
        ] {
            for person in details[list].as_array().into_iter().flatten() {
                check_person(person, list);
            }
        }
        let sum: f64 = details["shareholders"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(percentage)
            .fold(0.0, |sum, part| sum + part);
        assert!(section != "Sro" || (sum - 100.0).abs() < 0.05);
        println!(
            "{file}: {} activities, {} shareholders ({sum:.2} %), {} members, {} supervisors, {} procurators, {} predecessors, {} successors, {} kinds of shares",
            count("business_activities"),
            count("shareholders"),
            count("statutory_body"),
            count("supervisory_board"),
            count("procurators"),
            count("legal_predecessors"),
            count("legal_successors"),
            count("shares"),
        );
    }
}

fn check_person(person: &Value, list: &str) {
    let name = person["name"].as_str().unwrap();
    assert!(
        !name.is_empty() && !name.contains(':') && !name.contains(" ,") && !name.contains(" - "),
        "{list}"
    );
    assert_eq!(person["current"], true);
    assert!(person["effective_from"].is_string() && person["effective_to"].is_null());
    if let Some(address) = person["address"].as_str() {
        assert!(
            !address.contains("funkcie") && !address.contains("Vklad"),
            "{list}"
        );
    }
}

fn percentage(shareholder: &Value) -> Option<f64> {
    shareholder["share_percentage"].as_str()?.parse().ok()
}
