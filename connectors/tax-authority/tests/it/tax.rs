//! The scope `tax`: the source of each fact, and unknown facts if a source fails.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject, subject_with_previous};
use lustra_sdk::{Enrichment, Failure};
use lustra_tax_authority::TaxAuthority;

use super::world::{ICO, enrich, host, item, payer, section, with};

const VIES: &str = "/ms/SK/vat/2999999904";
const LIST: &str = "/lists/ds_dphs";
const BY_ICO: &str = "/data/ds_dphs/search?column=ico&search=99999901&page=1";
const BY_NUMBER: &str = "/data/ds_dphs/search?column=ic_dph&search=SK2999999904&page=1";

fn vies(valid: bool, code: &str) -> Answer {
    Answer::ok(json!({"isValid": valid, "userError": code, "vatNumber": "2999999904"}).to_string())
}

#[test]
fn payer_has_a_vies_verdict() {
    host(vec![payer("SK2999999904", "§4")])
        .answer("vies", VIES, vies(true, "VALID"))
        .install();
    let (section, content) = enrich("tax", subject(ICO));
    let expected = json!({
        "dic": "2999999904", "ic_dph": "SK2999999904", "is_vat_payer": true, "vies_valid": true,
        "vies_verified_at": "2026-01-15T08:00:00Z", "registration_type": "§4", "registered_since": "2012-04-01",
    });
    assert_eq!(content, expected);
    assert_eq!(section.evidence.len(), 1);
    assert!(section.unread.is_empty());
    let (again, _) = enrich("tax", subject(ICO));
    assert_eq!(
        again.content, section.content,
        "the same input gives the same bytes"
    );
}

#[test]
fn not_every_registration_is_a_payer() {
    for (kind, is_payer, dic) in [
        ("§4", json!(true), json!("2999999904")),
        ("§4b", json!(true), json!(null)),
        ("§5", json!(true), json!("2999999904")),
        ("§7", json!(false), json!("2999999904")),
        ("§7a", json!(false), json!("2999999904")),
        ("§99", json!(null), json!(null)),
    ] {
        host(vec![payer("SK2999999904", kind)])
            .answer("vies", VIES, vies(true, "VALID"))
            .install();
        let content = section("tax");
        assert_eq!(
            (&content["is_vat_payer"], &content["dic"]),
            (&is_payer, &dic),
            "{kind}"
        );
        assert_eq!(content["ic_dph"], "SK2999999904");
        assert_eq!(content["unread"].is_array(), is_payer.is_null(), "{kind}");
    }
}

#[test]
fn the_full_registration_counts_among_several() {
    host(vec![
        payer("SK1999999905", "§7a"),
        payer("SK2999999904", "§4"),
    ])
    .answer("vies", VIES, vies(false, "INVALID"))
    .install();
    let content = section("tax");
    assert_eq!(content["ic_dph"], "SK2999999904");
    assert_eq!(content["vies_valid"], false);
}

#[test]
fn a_company_on_no_list_is_no_payer() {
    host(Vec::new()).install();
    assert_eq!(
        section("tax"),
        json!({"dic": null, "ic_dph": null, "is_vat_payer": false})
    );
    assert!(
        TestHost::requests().is_empty(),
        "no request is sent for a missing number"
    );
}

#[test]
fn the_dic_comes_from_the_best_list() {
    let subject_item = item("2999999915", Some(ICO), &json!({"dic": "2999999915"}));
    let rating = item(
        "2999999926",
        Some(ICO),
        &json!({"dic": "2999999926", "index": "spoľahlivý"}),
    );
    let both = with(host(Vec::new()), "reliability", vec![rating]);
    with(both.clone(), "income-tax-subjects", vec![subject_item]).install();
    assert_eq!(section("tax")["dic"], "2999999915");
    both.install();
    assert_eq!(section("tax")["dic"], "2999999926");
}

#[test]
fn unavailable_member_state_gives_no_verdict() {
    let load = r#"{"actionSucceed":false,"errorWrappers":[{"error":"MS_MAX_CONCURRENT_REQ"}]}"#;
    for (answer, why) in [
        (vies(false, "MS_UNAVAILABLE"), "MS_UNAVAILABLE"),
        (Answer::ok(load), "MS_MAX_CONCURRENT_REQ"),
        (Answer::status(500, load), "MS_MAX_CONCURRENT_REQ"),
        (
            Answer::status(503, "<html>busy</html>"),
            "unavailable: vies answered with status 503",
        ),
        (
            Answer::ok("<html>busy</html>"),
            "unavailable: vies answered with a page",
        ),
        (
            Answer::ok(r#"{"name": "Ján Vzor"}"#),
            "malformed: answer of vies",
        ),
        (Answer::ok(""), "malformed: answer of vies"),
        (
            Answer::status(429, "").with_header("retry-after", "60"),
            "throttled: wait 60 s",
        ),
    ] {
        host(vec![payer("SK2999999904", "§4")])
            .answer("vies", VIES, answer)
            .install();
        let content = section("tax");
        assert_eq!(content["is_vat_payer"], true, "{why}");
        assert!(
            content.get("vies_valid").is_none() && content.get("vies_verified_at").is_none(),
            "{why}"
        );
        let unread = &content["unread"][0];
        assert_eq!(
            (&unread["source"], &unread["since"]),
            (&json!("vies"), &json!(null))
        );
        assert!(unread["why"].as_str().unwrap().starts_with(why), "{unread}");
        assert!(
            !unread.to_string().contains("Vzor"),
            "no name leaves with a reason: {unread}"
        );
    }
}

#[test]
fn only_recent_verdict_is_reused() {
    let earlier = |ic_dph: &str, at: &str| json!({"ic_dph": ic_dph, "vies_valid": true, "vies_verified_at": at});
    for (previous, days, requests) in [
        (earlier("SK2999999904", "2026-01-09T08:00:00Z"), 7, 0),
        (earlier("SK2999999904", "2026-01-08T07:59:59Z"), 7, 1),
        (earlier("SK2999999904", "2026-01-15T07:59:59Z"), 0, 1),
        (earlier("SK2999999915", "2026-01-14T08:00:00Z"), 7, 1),
        (earlier("SK2999999904", "soon"), 7, 1),
        (
            json!({"ic_dph": "SK2999999904", "vies_verified_at": "2026-01-14T08:00:00Z"}),
            7,
            1,
        ),
        (json!([]), 7, 1),
    ] {
        host(vec![payer("SK2999999904", "§4")])
            .answer("vies", VIES, vies(false, "INVALID"))
            .setting("vies_cache_days", &json!(days))
            .install();
        let (_, content) = enrich("tax", subject_with_previous(ICO, Some(&previous)));
        assert_eq!(TestHost::requests().len(), requests, "{previous}");
        assert_eq!(content["vies_valid"], json!(requests == 0), "{previous}");
    }
}

#[test]
fn malformed_number_is_never_sent() {
    for ic_dph in [
        "SK299999990",
        "SK29999999045",
        "2999999904",
        "CZ99999901",
        "SKABCDEFGHIJ",
        "Ž",
    ] {
        host(vec![payer(ic_dph, "§4")]).install();
        let content = section("tax");
        assert_eq!(content["ic_dph"], ic_dph);
        assert!(content.get("vies_valid").is_none());
        assert!(TestHost::requests().is_empty(), "{ic_dph}");
    }
}

/// A host without the list of VAT payers, whose API declares these searchable columns.
fn api_host(searchable: &Value) -> TestHost {
    let list = json!({"name": "Zoznam", "slug": "ds_dphs", "searchable": searchable}).to_string();
    let host = with(TestHost::new(), "income-tax-subjects", Vec::new());
    with(host, "reliability", Vec::new())
        .setting("api_key", &json!("secret"))
        .answer("vies", VIES, vies(true, "VALID"))
        .answer("fs-api", LIST, Answer::ok(list))
}

fn page(rows: &Value) -> Answer {
    Answer::ok(json!({"page": 1, "pages": 1, "data": rows}).to_string())
}

const MISS: &str = r#"{"status":"error","code":"404","message":"Search not found"}"#;

#[test]
fn api_that_searches_by_ico_is_trusted() {
    let ours = json!({"ic_dph": "SK2999999904", "ico": "99999901", "druh_reg_dph": "§7a", "datum_reg": "11.10.2000"});
    let other = json!({"ic_dph": "SK2999999915", "ico": "99999919", "druh_reg_dph": "§4", "datum_reg": null});
    for searchable in [json!(["ic_dph", "ico"]), json!("ic_dph, ICO")] {
        let host = |answer: Answer| api_host(&searchable).answer("fs-api", BY_ICO, answer);
        host(page(&json!([other, ours]))).install();
        let (found, content) = enrich("tax", subject(ICO));
        assert_eq!(
            (&content["is_vat_payer"], &content["registered_since"]),
            (&json!(false), &json!("2000-10-11"))
        );
        assert_eq!(found.evidence.len(), 3);

        // Rows of others, or none at all, do not show that the company was searched.
        for rows in [json!([other]), json!([])] {
            host(page(&rows)).install();
            assert_eq!(section("tax")["is_vat_payer"], json!(null), "{rows}");
        }

        host(Answer::status(404, MISS)).install();
        assert_eq!(
            section("tax"),
            json!({"dic": null, "ic_dph": null, "is_vat_payer": false})
        );
    }
}

#[test]
fn api_search_by_number_never_denies() {
    let ours = json!({"ic_dph": "SK2999999904", "ico": "99999901", "druh_reg_dph": "§4", "datum_reg": "11.10.2000"});
    let rated = |host: TestHost| {
        let rating = json!({"dic": "2999999904", "index": "spoľahlivý"});
        let rating = item("2999999904", Some(ICO), &rating);
        with(host, "reliability", vec![rating])
    };
    let unread = |content: &Value| content["unread"][0]["why"].as_str().unwrap().to_owned();
    for searchable in [json!(["ic_dph"]), json!("ic_dph")] {
        // Without a DIČ there is no number to search by, and a search by IČO would find nothing for any
        // company.
        api_host(&searchable).install();
        let content = section("tax");
        assert_eq!(content["is_vat_payer"], json!(null));
        assert!(
            unread(&content).contains("is searched by ic_dph only"),
            "{content}"
        );
        assert_eq!(TestHost::requests().len(), 1);

        let host = |answer| rated(api_host(&searchable)).answer("fs-api", BY_NUMBER, answer);
        host(page(&json!([ours]))).install();
        assert_eq!(section("tax")["is_vat_payer"], true);

        host(Answer::status(404, MISS)).install();
        let content = section("tax");
        assert_eq!(content["is_vat_payer"], json!(null));
        assert!(unread(&content).contains("VAT group"), "{content}");
    }
}

#[test]
fn broken_api_answer_leaves_payer_unknown() {
    for (answer, why) in [
        (
            Answer::status(401, "{}"),
            "never imported; fs-api: misconfigured: ",
        ),
        (
            Answer::status(404, "<html/>"),
            "never imported; fs-api: unavailable: ",
        ),
        (
            Answer::status(500, ""),
            "never imported; fs-api: unavailable: ",
        ),
        (Answer::ok("{}"), "never imported; fs-api: malformed: "),
    ] {
        for path in [LIST, BY_ICO] {
            let host = api_host(&json!("ico")).answer("fs-api", BY_ICO, page(&json!([])));
            host.answer("fs-api", path, answer.clone()).install();
            let content = section("tax");
            assert_eq!(content["is_vat_payer"], json!(null), "{path}");
            let unread = content["unread"][0].clone();
            assert_eq!(unread["source"], "vat-payers");
            assert!(unread["why"].as_str().unwrap().starts_with(why), "{unread}");
        }
    }
}

#[test]
fn api_is_used_only_with_key_and_without_list() {
    host(Vec::new())
        .setting("api_key", &json!("secret"))
        .install();
    section("tax");
    assert!(TestHost::requests().is_empty());
    TestHost::new().setting("api_key", &json!(null)).install();
    section("tax");
    assert!(TestHost::requests().is_empty());
}

#[test]
fn invalid_settings_are_misconfigured() {
    for (name, value) in [
        ("vies_member_state", json!("Slovakia")),
        ("vies_cache_days", json!("week")),
    ] {
        host(vec![payer("SK2999999904", "§4")])
            .setting(name, &value)
            .install();
        assert!(
            matches!(
                TaxAuthority::enrich("tax", subject(ICO)),
                Err(Failure::Misconfigured(_))
            ),
            "{name}"
        );
    }
}
