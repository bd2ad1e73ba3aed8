//! Look-ups of `uvo_references`.

use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, TestHost, subject_with_previous};
use serde_json::{Value, json};

use crate::world::{ICO, NOTHING, count, details, failure, host, page, section, section_of, table};

const SEARCH: &str = "/vyhladavanie/vyhladavanie-referencii?icoDodavatela=99999994";
const DETAIL: &str = "/vyhladavanie/vyhladavanie-referencii/detail/";
const HEADERS: [&str; 7] = [
    "Evidenčné číslo referencie",
    "IČO dodávateľa",
    "Odberateľ",
    "Predmet zákazky",
    "Dátum vyhotovenia",
    "Stav",
    "Zmluvná cena bez DPH",
];

/// A reference in the list: number, date and price.
#[derive(Clone)]
struct Listed {
    number: u32,
    day: String,
    price: String,
    state: &'static str,
}

fn listed(number: u32, price: &str) -> Listed {
    Listed {
        number,
        day: format!("{:02}.{:02}.2025", 1 + number % 28, 1 + number / 28),
        price: price.to_owned(),
        state: "zverejnená",
    }
}

fn page_of(total: usize, references: &[Listed], has_prices: bool) -> Answer {
    let width = HEADERS.len() - usize::from(!has_prices);
    let rows: Vec<Vec<String>> = references
        .iter()
        .map(|one| {
            let link = format!("<a href=\"{DETAIL}{}\">R-{:04}</a>", one.number, one.number);
            let mut row = vec![link, ICO.to_owned(), "Mesto Vzorov".to_owned()];
            row.extend(["Oprava chodníkov".to_owned(), one.day.clone()]);
            row.extend([one.state.to_owned(), one.price.clone()]);
            row.truncate(width);
            row
        })
        .collect();
    page(&format!(
        "{}{}",
        count(total),
        table(&HEADERS[..width], &rows)
    ))
}

fn detail(one: &Listed) -> (String, Answer) {
    let (number, document) = (
        format!("R-{:04}", one.number),
        format!("<a href=\"/subory/{}.pdf\">x</a>", one.number),
    );
    let answer = details(&[
        ("Evidenčné číslo referencie:", &number),
        ("Zmluvná cena bez DPH:", &one.price),
        ("Hodnotenie:", "výborne"),
        ("Dokument:", &document),
    ]);
    (format!("{DETAIL}{}", one.number), answer)
}

/// A host whose register has these references, twenty per page, and a detail page for each.
fn register(references: &[Listed], has_prices: bool) -> TestHost {
    let mut answers: Vec<(String, Answer)> = references.iter().map(detail).collect();
    for (number, rows) in (1..).zip(references.chunks(20)) {
        let path = match number {
            1 => SEARCH.to_owned(),
            further => format!("{SEARCH}&pageNo={further}"),
        };
        answers.push((path, page_of(references.len(), rows, has_prices)));
    }
    let answers: Vec<(&str, Answer)> = answers
        .iter()
        .map(|(path, answer)| (path.as_str(), answer.clone()))
        .collect();
    host(&answers)
}

fn many(count: u32) -> Vec<Listed> {
    (1..=count)
        .map(|number| listed(number, "100,50 EUR"))
        .collect()
}

#[test]
fn references_are_counted_summed_and_sorted() {
    let mut references = vec![
        listed(1, "12 500,00 EUR"),
        listed(2, "1 234,50 €"),
        listed(3, "90 000,00 CZK"),
        listed(4, ""),
        listed(5, "7 777,00 EUR"),
    ];
    references[4].state = "zrušená";
    register(&references, true).install();
    let section = section("uvo_references");
    assert_eq!(
        (&section["count"], &section["currency"]),
        (&json!(4), &json!("EUR"))
    );
    assert_eq!(section["total_value"], json!(13_734.5));
    assert_eq!(section["without_value"], 1);
    let czk = &section["other_currencies"][0];
    assert_eq!(
        (&czk["currency"], &czk["count"]),
        (&json!("CZK"), &json!(1))
    );
    let latest = section["latest"].as_array().unwrap();
    let values: Vec<String> = latest.iter().map(|one| one["value"].to_string()).collect();
    assert_eq!(values, ["null", "null", "1234.5", "12500.0"]);
    assert_eq!(
        latest[3],
        json!({
            "reference_number": "R-0001", "buyer_name": "Mesto Vzorov", "contract_subject": "Oprava chodníkov",
            "document_url": "https://www.uvo.gov.sk/subory/1.pdf", "rating": "výborne", "published_at": "2025-01-02",
            "value": latest[3]["value"], "detail_url": format!("https://www.uvo.gov.sk{DETAIL}1"), "is_detail_read": true,
        })
    );
    assert_eq!(section["unread"], Value::Null);
}

#[test]
fn only_office_statement_means_no_reference() {
    host(&[(SEARCH, page(NOTHING))]).install();
    let section = section("uvo_references");
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&json!(0), &json!(0.00))
    );
    assert_eq!(section["latest"], json!([]));
    let others = vec![listed(1, "1,00 EUR")];
    let Answer { body, .. } = page_of(1, &others, true);
    let text = String::from_utf8(body).unwrap().replace(ICO, "99000024");
    host(&[(SEARCH, Answer::html(text))]).install();
    assert!(matches!(failure("uvo_references"), Failure::Malformed(_)));
}

#[test]
fn unread_ratings_are_read_on_later_look_ups() {
    let references = many(30);
    let mut previous = None;
    let mut asked = Vec::new();
    for missing in [17, 9, 1, 0, 0] {
        register(&references, true).install();
        let section = section_of(
            "uvo_references",
            subject_with_previous(ICO, previous.as_ref()),
        );
        assert_eq!(section["count"], 30);
        assert_eq!(section["total_value"], json!(3_015.0));
        assert_eq!(section["latest"].as_array().unwrap().len(), 25);
        let unread = section["unread"].as_array().into_iter().flatten();
        let why: Vec<&Value> = unread.map(|unread| &unread["why"]).collect();
        if missing > 0 {
            assert_eq!(
                why,
                [&json!(format!(
                    "{missing} of the 25 newest were not read yet"
                ))]
            );
        } else {
            assert!(why.is_empty(), "{why:?}");
        }
        asked.push(TestHost::requests().len());
        previous = Some(section);
    }
    assert_eq!(asked, [10, 10, 10, 3, 2]);
    let mut changed = references;
    let newest = changed.last_mut().unwrap();
    newest.day = "31.12.2025".to_owned();
    register(&changed, true).install();
    section_of(
        "uvo_references",
        subject_with_previous(ICO, previous.as_ref()),
    );
    assert_eq!(
        TestHost::requests().len(),
        3,
        "another date: its page is read again"
    );
}

#[test]
fn unfinished_list_has_no_total() {
    register(&many(50), true)
        .setting("most_requests", &json!(2))
        .install();
    let section = section("uvo_references");
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(section["latest"].as_array().unwrap().len(), 25);
    let first = &section["unread"][0];
    assert_eq!(first["source"], "references");
    assert_eq!(
        first["why"],
        "truncated: 40 of 50 references were read, see the setting most_requests"
    );
}

#[test]
fn amounts_fall_back_to_detail_pages() {
    register(&many(3), false).install();
    let whole = section("uvo_references");
    assert_eq!(whole["total_value"], json!(301.5));
    assert_eq!(whole["latest"][0]["value"], json!(100.5));
    register(&many(20), false).install();
    let section = section("uvo_references");
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&json!(20), &Value::Null)
    );
    let why: Vec<&str> = section["unread"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|unread| unread["why"].as_str())
        .collect();
    assert_eq!(why.len(), 2, "{why:?}");
    assert_eq!(why[0].split(':').next(), Some("truncated"));
}

#[test]
fn odd_reference_leaves_no_total() {
    let references = many(30);
    let first = String::from_utf8(page_of(30, &references[..20], true).body).unwrap();
    let odd = first.replacen("<td>Mesto Vzorov</td>", "", 1);
    register(&references, true)
        .answer("uvo", SEARCH, Answer::html(odd))
        .install();
    let section = section("uvo_references");
    assert_eq!(
        (&section["count"], &section["total_value"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(section["latest"].as_array().map(Vec::len), Some(25));
    assert_eq!(
        section["unread"][0],
        json!({
            "source": "references", "since": null,
            "why": "in part: 1 rows of references have another form and were left out",
        })
    );
}

#[test]
fn detail_page_of_another_reference_is_refused() {
    let references = many(2);
    let (_, other) = detail(&references[0]);
    let (path, _) = detail(&references[1]);
    register(&references, true)
        .answer("uvo", &path, other)
        .install();
    assert!(matches!(failure("uvo_references"), Failure::Malformed(_)));
}
