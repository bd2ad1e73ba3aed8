//! Look-ups of `contracting_authority`.

use lustra_sdk::Failure;
use lustra_sdk::testing::{Answer, TestHost};
use serde_json::{Value, json};

use crate::world::{self, ICO, NOTHING, count, details, failure, page, section, table};

const ORDERS: &str = "/vyhladavanie/vyhladavanie-zakaziek?obstarIco=99999994";
const SEARCH: &str = "/vyhladavanie/vyhladavanie-profilov?ico=99999994";
const PROFILE: &str = "/vyhladavanie/vyhladavanie-profilov/detail/";

/// A site with these answers. The search for orders is empty unless it is one of them.
fn host(answers: &[(&str, Answer)]) -> TestHost {
    let mut all = vec![(ORDERS, page(NOTHING))];
    all.retain(|(path, _)| answers.iter().all(|(answered, _)| answered != path));
    all.extend(answers.iter().cloned());
    world::host(&all)
}

/// A buyer's newest orders with links to these profiles.
fn orders(profiles: &[u32]) -> Answer {
    let headers = [
        "Názov zákazky",
        "Názov obstarávateľa",
        "Hlavné CPV",
        "Hlavné NUTS",
        "Aktualizácia",
        "",
    ];
    let rows: Vec<Vec<String>> = profiles
        .iter()
        .map(|id| {
            [
                "<a href=\"/vyhladavanie/vyhladavanie-zakaziek/detail/9?cHash=1\">Údržba ciest</a>",
                &format!("<a href=\"{PROFILE}{id}?cHash=0f\">Obec Vzorová</a>"),
                "45233141-9",
                "SK0",
                "01.02.2026",
                "<span class=\"badge\">VO</span>",
            ]
            .map(str::to_owned)
            .to_vec()
        })
        .collect();
    page(&format!("{}{}", count(rows.len()), table(&headers, &rows)))
}

fn row(id: u32, ico: &str) -> Vec<String> {
    let link = format!("<a href=\"{PROFILE}{id}?cHash=0f\">Obec Vzorová</a>");
    vec![link, ico.to_owned(), "Vzorová".to_owned()]
}

fn found(rows: &[Vec<String>]) -> Answer {
    let table = table(&["Názov", "IČO", "Obec"], rows);
    page(&format!("{}{table}", count(rows.len())))
}

fn profile(ico: &str, kind: &str) -> Answer {
    details(&[
        ("Názov:", "Obec Vzorová"),
        ("IČO:", ico),
        ("Typ obstarávateľa:", kind),
        ("Hlavný predmet činnosti:", "Všeobecné verejné služby"),
    ])
}

#[test]
fn profile_states_its_provision() {
    let path = format!("{PROFILE}17?cHash=0f");
    let kind = "verejný obstarávateľ podľa § 7 ods. 1 písm. b) zákona č. 343/2015 Z. z.";
    host(&[
        (SEARCH, found(&[row(17, "99 999 994")])),
        (&path, profile(ICO, kind)),
    ])
    .install();
    let section = section("contracting_authority");
    assert_eq!(
        section,
        json!({
            "is_contracting_authority": true, "classification_section": "7-1-b", "classification_label": "obec",
            "profiles": [{
                "profile_id": 17, "name": "Obec Vzorová", "classification_section": "7-1-b",
                "classification_label": "obec", "classification_text": kind, "act": "343/2015",
                "activity": "Všeobecné verejné služby", "website": null,
                "url": "https://www.uvo.gov.sk/vyhladavanie/vyhladavanie-profilov/detail/17?cHash=0f",
            }],
        })
    );
}

#[test]
fn orders_lead_to_the_profile() {
    let path = format!("{PROFILE}17?cHash=0f");
    let kind = "verejný obstarávateľ podľa § 7 ods. 1 písm. b) zákona č. 343/2015 Z. z.";
    host(&[(ORDERS, orders(&[17, 17])), (&path, profile(ICO, kind))]).install();
    let section = section("contracting_authority");
    assert_eq!(section["is_contracting_authority"], true);
    assert_eq!(section["profiles"][0]["profile_id"], 17);
    assert_eq!(section["profiles"].as_array().map(Vec::len), Some(1));
    let asked = TestHost::requests();
    assert!(
        !asked.iter().any(|asked| asked.contains(SEARCH)),
        "the search for profiles was not needed: {asked:?}"
    );
}

#[test]
fn failing_orders_leave_the_search_for_profiles() {
    let path = format!("{PROFILE}17?cHash=0f");
    let kind = "osoba podľa § 8";
    let outage = || page("<p>Prebieha plánovaná údržba.</p>");
    for failing in [Answer::status(503, ""), outage()] {
        host(&[
            (ORDERS, failing),
            (SEARCH, found(&[row(17, ICO)])),
            (&path, profile(ICO, kind)),
        ])
        .install();
        let section = section("contracting_authority");
        assert_eq!(section["is_contracting_authority"], true);
        assert_eq!(section["profiles"][0]["profile_id"], 17);
        // The orders may lead to a newer profile.
        assert_eq!(section["classification_section"], Value::Null);
        assert_eq!(section["unread"][0]["source"], "orders");
        let why = section["unread"][0]["why"].as_str().unwrap();
        assert!(why.starts_with("unavailable"), "{why}");
    }
    // Neither search shows that there is no profile.
    for search in [page(NOTHING), outage(), page("<table></table>")] {
        host(&[(ORDERS, Answer::status(503, "")), (SEARCH, search)]).install();
        let failure = failure("contracting_authority");
        assert!(matches!(failure, Failure::Unavailable(_)), "{failure:?}");
    }
}

#[test]
fn odd_order_is_left_out_and_named() {
    let path = format!("{PROFILE}17?cHash=0f");
    let odd = "<tr><td colspan=\"6\"><a href=\"/vyhladavanie/vyhladavanie-profilov/detail/9\">Iná</a></td></tr>";
    let with = |odd: &str| {
        let whole = String::from_utf8(orders(&[17, 17]).body).unwrap();
        Answer::html(whole.replace("</tbody>", &format!("{odd}</tbody>")))
    };
    let kind = profile(ICO, "osoba podľa § 8");
    host(&[(ORDERS, with(odd)), (&path, kind)]).install();
    let section = section("contracting_authority");
    assert_eq!(section["is_contracting_authority"], true);
    assert_eq!(section["profiles"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        section["unread"],
        json!([{
            "source": "orders", "since": null,
            "why": "in part: 1 rows of orders have another form and were left out",
        }])
    );
    host(&[(ORDERS, with(&odd.repeat(3)))]).install();
    let failure = failure("contracting_authority");
    assert!(matches!(failure, Failure::Malformed(_)), "{failure:?}");
}

#[test]
fn orders_of_another_buyer_are_refused() {
    let path = format!("{PROFILE}17?cHash=0f");
    let other = profile("99000024", "§ 8");
    host(&[(ORDERS, orders(&[17])), (&path, other)]).install();
    assert!(matches!(
        failure("contracting_authority"),
        Failure::Malformed(_)
    ));
}

#[test]
fn newest_profile_determines_the_class() {
    let (old, new) = (
        format!("{PROFILE}17?cHash=0f"),
        format!("{PROFILE}230?cHash=0f"),
    );
    host(&[
        (
            SEARCH,
            found(&[row(17, ICO), row(230, ICO), row(240, "99000024")]),
        ),
        (
            &old,
            profile(ICO, "§ 6 ods. 1 písm. d) zákona č. 25/2006 Z. z."),
        ),
        (&new, profile(ICO, "osoba podľa § 8")),
    ])
    .install();
    let section = section("contracting_authority");
    assert_eq!(section["classification_section"], "8");
    assert_eq!(section["profiles"][1]["classification_section"], "7-1-d");
    assert_eq!(section["profiles"].as_array().unwrap().len(), 2);
}

#[test]
fn only_office_statement_means_no_profile() {
    host(&[(SEARCH, page(NOTHING))]).install();
    let section = section("contracting_authority");
    assert_eq!(section["is_contracting_authority"], false);
    assert_eq!(section["classification_section"], Value::Null);
    host(&[(SEARCH, found(&[row(17, "99000024")]))]).install();
    assert!(matches!(
        failure("contracting_authority"),
        Failure::Malformed(_)
    ));
}

#[test]
fn foreign_profile_or_address_is_refused() {
    let path = format!("{PROFILE}17?cHash=0f");
    for answer in [
        profile("99000024", "§ 8"),
        profile("", "§ 8"),
        details(&[("Názov:", "Obec Vzorová"), ("IČO:", ICO)]),
    ] {
        host(&[(SEARCH, found(&[row(17, ICO)])), (&path, answer)]).install();
        assert!(matches!(
            failure("contracting_authority"),
            Failure::Malformed(_)
        ));
    }
    let outage = page("<p>Prebieha plánovaná údržba.</p>");
    host(&[(SEARCH, found(&[row(17, ICO)])), (&path, outage)]).install();
    assert!(matches!(
        failure("contracting_authority"),
        Failure::Unavailable(_)
    ));
    let mut elsewhere = row(17, ICO);
    elsewhere[0] = "<a href=\"https://elsewhere.example/detail/17\">Obec</a>".to_owned();
    host(&[(SEARCH, found(&[elsewhere]))]).install();
    assert!(matches!(
        failure("contracting_authority"),
        Failure::Malformed(_)
    ));
}

#[test]
fn unread_profiles_leave_the_class_unknown() {
    let path = format!("{PROFILE}17?cHash=0f");
    host(&[
        (SEARCH, found(&[row(17, ICO), row(230, ICO)])),
        (&path, profile(ICO, "osoba podľa § 8")),
    ])
    .setting("most_requests", &json!(3))
    .install();
    let section = section("contracting_authority");
    assert_eq!(section["is_contracting_authority"], true);
    assert_eq!(section["classification_section"], Value::Null);
    assert_eq!(
        section["unread"][0]["why"],
        "truncated: 1 of 2 were read, see the setting most_requests"
    );
}

#[test]
fn search_cut_before_a_profile_is_not_absence() {
    let others = [row(17, "99000024"), row(230, "")];
    let cut = page(&format!(
        "{}{}",
        count(40),
        table(&["Názov", "IČO", "Obec"], &others)
    ));
    host(&[(SEARCH, cut)])
        .setting("most_requests", &json!(2))
        .install();
    assert!(matches!(
        failure("contracting_authority"),
        Failure::Malformed(_)
    ));
}
