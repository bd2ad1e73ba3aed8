//! Whole look-ups against canned answers.

use lustra_orsr::Orsr;
use lustra_sdk::testing::fixtures::Case;
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Company, CompanyKey, CompanySource, Failure};
use serde_json::json;

const SEARCH: &str = "/hladaj_ico.asp?ICO=99999901&SID=0";
const EXTRACT: &str = "/vypis.asp?ID=346&SID=2&P=1";
const SHORT_EXTRACT: &str = "/vypis.asp?ID=346&SID=2&P=0";
const OTHER_EXTRACT: &str = "/vypis.asp?ID=912345&SID=5&P=1";

fn page(case: &str) -> Answer {
    Answer::ok(Case::of(case).input).with_header("content-type", "text/html")
}

/// The register's home page in answer to a record of some court.
fn home(id: u32, court: u8) -> Answer {
    let page = lustra_sdk::text::decode_windows_1250(&Case::of("extract-no-record").input);
    let question = format!("/vypis.asp?ID={id}&SID={court}&P=1");
    assert!(page.contains("/vypis.asp?ID=1&SID=9&P=0"));
    Answer::ok(windows_1250(
        &page.replace("/vypis.asp?ID=1&SID=9&P=0", &question),
    ))
}

/// The extract of 2025 as the record of another court.
fn extract_at(court: u8) -> Answer {
    let page = lustra_sdk::text::decode_windows_1250(&Case::of("extract-sro-2025").input);
    let of_court = page.replace("ID=346&SID=2", &format!("ID=346&SID={court}"));
    Answer::ok(windows_1250(&of_court))
}

/// The extract of 2025 with one text replaced; both texts must exist in windows-1250.
fn changed(from: &str, to: &str) -> Answer {
    let page = lustra_sdk::text::decode_windows_1250(&Case::of("extract-sro-2025").input);
    assert!(page.contains(from));
    Answer::ok(windows_1250(&page.replacen(from, to, 1)))
}

fn windows_1250(page: &str) -> Vec<u8> {
    let percent_encoded = lustra_sdk::text::encode_windows_1250(page).unwrap();
    let (mut bytes, mut rest) = (Vec::new(), percent_encoded.as_bytes());
    while let Some((first, others)) = rest.split_first() {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&others[..2]).unwrap(), 16).unwrap());
            rest = &others[2..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    bytes
}

fn by_ico(ico: &str) -> Result<Option<Company>, Failure> {
    Orsr::fetch_company(CompanyKey::Ico(ico.to_owned()))
}

fn by_id(id: &str) -> Result<Option<Company>, Failure> {
    Orsr::fetch_company(CompanyKey::RegisterId(id.to_owned()))
}

#[test]
fn a_company_is_found_by_its_ico() {
    TestHost::new()
        .answer("orsr", SEARCH, page("search-one"))
        .answer("orsr", EXTRACT, page("extract-sro-2025"))
        .install();
    let company = by_ico("99999901").unwrap().unwrap();
    assert_eq!(company.name, "Vzorová firma, s. r. o.");
    assert_eq!(company.register_id.as_deref(), Some("346/2"));
    let evidence: Vec<_> = company
        .evidence
        .iter()
        .map(|evidence| evidence.id.as_str())
        .collect();
    assert_eq!(
        evidence,
        [
            format!("test:orsr {SEARCH}"),
            format!("test:orsr {EXTRACT}")
        ]
    );
}

#[test]
fn short_extract_is_requested_by_the_setting() {
    TestHost::new()
        .setting("full_extracts", &false.into())
        .answer("orsr", SHORT_EXTRACT, page("extract-sro-2025"))
        .install();
    assert!(by_id("346/2").unwrap().is_some());
}

#[test]
fn unknown_ico_is_not_a_failure() {
    TestHost::new()
        .answer("orsr", SEARCH, page("search-none"))
        .install();
    assert!(by_ico("99999901").unwrap().is_none());
}

#[test]
fn row_of_a_ceded_file_is_not_requested() {
    TestHost::new()
        .answer("orsr", SEARCH, page("search-moved-said-in-row"))
        .answer("orsr", EXTRACT, page("extract-sro-2025"))
        .install();
    assert_eq!(
        by_ico("99999901").unwrap().unwrap().register_id.as_deref(),
        Some("346/2")
    );
    assert_eq!(TestHost::requests().len(), 2);
}

#[test]
fn extract_of_a_ceded_file_is_skipped() {
    let ceded = || {
        changed(
            "Tento výpis je len informatívny!",
            "Spis odstúpený na iný registrový súd",
        )
    };
    let host = TestHost::new()
        .answer("orsr", SEARCH, page("search-moved"))
        .answer("orsr", OTHER_EXTRACT, ceded());
    host.clone()
        .answer("orsr", EXTRACT, page("extract-sro-2025"))
        .install();
    assert_eq!(
        by_ico("99999901").unwrap().unwrap().register_id.as_deref(),
        Some("346/2")
    );
    host.answer("orsr", EXTRACT, ceded()).install();
    assert!(matches!(by_ico("99999901"), Err(Failure::Other((code, _))) if code == "ceded"));
}

#[test]
fn active_record_is_preferred_to_an_erased_one() {
    let erased = changed(
        "<span class=\"tl\">Deň zápisu",
        "<span class=\"tl\">Deň výmazu:&nbsp;</span></td><td><table><tr><td><span class='ra'>1.1.2020</span></td></tr></table></td></tr></table><table><tr><td><span class=\"tl\">Deň zápisu",
    );
    TestHost::new()
        .answer("orsr", SEARCH, page("search-moved"))
        .answer("orsr", OTHER_EXTRACT, erased)
        .answer(
            "orsr",
            EXTRACT,
            changed("z dôvodu miestnej nepríslušnosti", "odinakiaľ"),
        )
        .install();
    let company = by_ico("99999901").unwrap().unwrap();
    assert_eq!(
        (company.register_id.as_deref(), company.terminated_date),
        (Some("346/2"), None)
    );
}

#[test]
fn an_extract_of_another_company_is_malformed() {
    TestHost::new()
        .answer("orsr", SEARCH, page("search-one"))
        .answer("orsr", EXTRACT, page("extract-sa-shares"))
        .install();
    assert!(
        matches!(by_ico("99999901"), Err(Failure::Malformed(drift)) if drift.what == "extract: IČO")
    );
}

#[test]
fn a_result_row_without_its_extract_is_malformed() {
    TestHost::new()
        .answer("orsr", SEARCH, page("search-one"))
        .answer("orsr", EXTRACT, page("extract-no-record"))
        .install();
    assert!(matches!(by_ico("99999901"), Err(Failure::Malformed(_))));
}

#[test]
fn a_record_is_found_by_number_and_court() {
    TestHost::new()
        .answer("orsr", EXTRACT, page("extract-sro-2025"))
        .install();
    assert_eq!(by_id("346/2").unwrap().unwrap().ico, "99999901");
    TestHost::new()
        .answer("orsr", EXTRACT, home(346, 2))
        .install();
    assert!(by_id("346/2").unwrap().is_none());
}

#[test]
fn search_for_other_ico_is_not_absence() {
    for case in [
        "search-none-without-parameter",
        "search-none-of-another",
        "search-none-without-echo",
        "search-one-of-another",
    ] {
        TestHost::new().answer("orsr", SEARCH, page(case)).install();
        let found = by_ico("99999901");
        assert!(
            matches!(&found, Err(Failure::Malformed(drift)) if drift.what.contains("IČO")),
            "{case}: {found:?}"
        );
    }
}

#[test]
fn page_for_other_record_is_not_absence() {
    for answer in [
        extract_at(3),
        home(346, 3),
        home(347, 2),
        page("extract-in-utf-8"),
        page("extract-renamed-anchors"),
        page("extract-another-own-page"),
        page("extract-home-with-extract-link"),
    ] {
        TestHost::new().answer("orsr", EXTRACT, answer).install();
        let found = by_id("346/2");
        assert!(matches!(found, Err(Failure::Malformed(_))), "{found:?}");
    }
}

#[test]
fn number_without_court_is_searched_in_all_courts() {
    let courts = |found: &[u8]| {
        (2..=9).fold(TestHost::new(), |host, court| {
            let answer = if found.contains(&court) {
                extract_at(court)
            } else {
                home(346, court)
            };
            host.answer(
                "orsr",
                &format!("/vypis.asp?ID=346&SID={court}&P=1"),
                answer,
            )
        })
    };
    courts(&[5]).install();
    assert_eq!(
        by_id("346").unwrap().unwrap().register_id.as_deref(),
        Some("346/5")
    );
    assert_eq!(TestHost::requests().len(), 8);
    courts(&[]).install();
    assert!(by_id("346").unwrap().is_none());
    courts(&[3, 5]).install();
    assert!(matches!(by_id("346"), Err(Failure::Other((code, _))) if code == "ambiguous"));
    courts(&[3, 5]).setting("courts", &json!([5])).install();
    assert_eq!(
        by_id("346").unwrap().unwrap().register_id.as_deref(),
        Some("346/5")
    );
    // A court that does not answer leaves open whether there is a second record.
    courts(&[5])
        .fail(
            "orsr",
            "/vypis.asp?ID=346&SID=9&P=1",
            Failure::Throttled(None),
        )
        .install();
    assert!(matches!(by_id("346"), Err(Failure::Throttled(None))));
}

#[test]
fn foreign_key_is_an_unknown_company() {
    TestHost::new().install();
    let huge = "9".repeat(1 << 20);
    for key in [
        "",
        "\0",
        "9999990",
        "' or 1=1 --",
        "\u{202e}99999901",
        "99 999 901",
        "00000000",
        huge.as_str(),
    ] {
        assert!(by_ico(key).unwrap().is_none());
    }
    for key in [
        "",
        "\0",
        "/",
        "346/2/1",
        "' or 1=1 --",
        "\u{202e}346/2",
        "0",
        huge.as_str(),
    ] {
        assert!(by_id(key).unwrap().is_none());
    }
    assert!(TestHost::requests().is_empty());
    let other = CompanyKey::Other(("dic".to_owned(), "2999999904".to_owned()));
    assert!(
        matches!(Orsr::fetch_company(other), Err(Failure::Other((code, _))) if code == "not-offered")
    );
}

#[test]
fn failing_register_never_means_unknown_company() {
    for answer in [
        page("search-maintenance"),
        page("search-challenge"),
        page("extract-maintenance"),
        Answer::status(500, "x"),
        Answer::status(403, ""),
        Answer::status(404, "<html>"),
    ] {
        TestHost::new()
            .answer("orsr", SEARCH, answer.clone())
            .answer("orsr", EXTRACT, answer)
            .install();
        assert!(matches!(by_ico("99999901"), Err(Failure::Unavailable(_))));
        assert!(matches!(by_id("346/2"), Err(Failure::Unavailable(_))));
    }
    let throttled = Answer::status(429, "").with_header("retry-after", "60");
    TestHost::new().answer("orsr", SEARCH, throttled).install();
    assert!(matches!(
        by_ico("99999901"),
        Err(Failure::Throttled(Some(60)))
    ));
}

#[test]
fn an_unknown_section_is_logged() {
    TestHost::new()
        .answer(
            "orsr",
            EXTRACT,
            changed(
                "<span class=\"tl\">Predaj:",
                "<span class=\"tl\">Nová kapitola:",
            ),
        )
        .install();
    assert!(by_id("346/2").unwrap().is_some());
    assert!(
        TestHost::log()
            .iter()
            .any(|line| line.contains("Nová kapitola"))
    );
}
