//! The sections that are made from imported lists alone, and what holds for all sections.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{TestHost, subject};
use lustra_sdk::{Enrichment, Failure};
use lustra_tax_authority::TaxAuthority;

use super::world::{ICO, IMPORTED, enrich, host, item, payer, section, with};

#[test]
fn missing_imports_leave_verdicts_unknown() {
    TestHost::new().install();
    let never = |source: &str| json!({"source": source, "since": null, "why": "never imported"});
    let expected = json!({
        "dic": null, "ic_dph": null, "is_vat_payer": null,
        "unread": [never("vat-payers"), never("income-tax-subjects"), never("reliability")],
    });
    assert_eq!(section("tax"), expected);
    let expected = json!({"index": null, "is_reliable": null, "unread": [never("reliability")]});
    assert_eq!(section("tax_reliability"), expected);
    let expected = json!({
        "is_erased": null, "entries": [], "is_listed_for_cancellation": null,
        "unread": [never("erased-vat-payers"), never("vat-violators")],
    });
    assert_eq!(section("erased_vat"), expected);
    let failure =
        TaxAuthority::enrich("bank_accounts", subject(ICO)).expect_err("no list, no section");
    assert!(
        matches!(&failure, Failure::Unavailable(why) if why.contains("bank-accounts")),
        "{failure:?}"
    );
}

#[test]
fn switched_off_dataset_is_ignored() {
    host(Vec::new()).off("reliability").install();
    let content = section("tax_reliability");
    assert_eq!(
        content["unread"],
        json!([{"source": "reliability", "since": IMPORTED, "why": "off: switched off by the operator"}])
    );
}

#[test]
fn ratings_keep_the_authority_wording() {
    let rating =
        |dic: &str, words: &str| item(dic, Some(ICO), &json!({"dic": dic, "index": words}));
    for (ratings, index, is_reliable) in [
        (
            vec![rating("2999999904", "vysoko spoľahlivý")],
            json!("vysoko spoľahlivý"),
            json!(true),
        ),
        (
            vec![rating("2999999904", "spoľahlivý")],
            json!("spoľahlivý"),
            json!(true),
        ),
        (
            vec![rating("2999999904", "menej spoľahlivý")],
            json!("menej spoľahlivý"),
            json!(false),
        ),
        (
            vec![rating("2999999904", "výnimočný")],
            json!("výnimočný"),
            json!(null),
        ),
        (
            vec![
                rating("2999999904", "vysoko spoľahlivý"),
                rating("2999999915", "menej spoľahlivý"),
            ],
            json!("menej spoľahlivý"),
            json!(false),
        ),
        (vec![], json!(null), json!(null)),
    ] {
        with(host(Vec::new()), "reliability", ratings).install();
        assert_eq!(
            section("tax_reliability"),
            json!({"index": index, "is_reliable": is_reliable})
        );
    }
}

#[test]
fn erased_registrations_are_listed_newest_first() {
    let first = json!({"ic_dph": "SK2999999904", "violation_year": 2016, "published_at": "2017-02-10", "erased_at": "2017-03-01"});
    let second = json!({"ic_dph": "SK2999999904"});
    let third = json!({"ic_dph": "SK2999999904", "violation_year": 2023, "published_at": "2024-02-10", "erased_at": "2024-05-20"});
    let items = vec![
        item("SK2999999904", Some(ICO), &first),
        item("SK2999999904#2017-03-01", Some(ICO), &first),
        item("SK2999999904#a", Some(ICO), &second),
        item("SK2999999904#b", Some(ICO), &third),
    ];
    let host = with(host(Vec::new()), "erased-vat-payers", items);
    with(
        host,
        "vat-violators",
        vec![item("SK2999999904", Some(ICO), &second)],
    )
    .install();
    let content = section("erased_vat");
    assert_eq!(
        (
            &content["is_erased"],
            &content["is_listed_for_cancellation"]
        ),
        (&json!(true), &json!(true))
    );
    let entries = content["entries"].as_array().unwrap();
    let reasons: Vec<&Value> = entries.iter().map(|entry| &entry["reason"]).collect();
    assert_eq!(entries.len(), 3);
    assert_eq!(reasons[0], "Dôvody na zrušenie registrácie v roku 2023");
    assert_eq!(reasons[2], &json!(null));
    assert_eq!(entries[0]["erased_at"], "2024-05-20");
}

#[test]
fn rows_without_ico_are_found_by_dic() {
    let dic = item("2999999904", Some(ICO), &json!({"dic": "2999999904"}));
    let number = json!({"ic_dph": "SK2999999904", "registration_type": "§4"});
    let rows = |ico: Option<&str>| {
        let longer = json!({"ic_dph": "SK29999999045"});
        vec![
            item("SK2999999904#2024-05-20", ico, &number),
            item("SK29999999045", None, &longer),
        ]
    };
    let rating = json!({"dic": "2999999904", "index": "menej spoľahlivý"});
    let account = json!({"ic_dph": "SK2999999904", "iban": "AT049999900000000001"});
    let register = |ico: Option<&str>| {
        let host = with(host(rows(ico)), "income-tax-subjects", vec![dic.clone()]);
        let host = with(host, "vat-violators", rows(ico));
        let host = with(host, "erased-vat-payers", rows(ico));
        let accounts = vec![item("SK2999999904:AT049999900000000001", ico, &account)];
        let host = with(host, "bank-accounts", accounts);
        with(host, "reliability", vec![item("2999999904", ico, &rating)])
    };
    register(None).install();
    let erased = section("erased_vat");
    assert_eq!(erased["is_erased"], true);
    assert_eq!(erased["entries"].as_array().map(Vec::len), Some(1));
    assert_eq!(erased["is_listed_for_cancellation"], true);
    assert_eq!(section("tax_reliability")["is_reliable"], false);
    assert_eq!(section("bank_accounts")[0]["iban"], account["iban"]);
    register(None).off("vies").install();
    assert_eq!(section("tax")["is_vat_payer"], true);
    register(Some("99999919")).install();
    let erased = section("erased_vat");
    assert_eq!(erased["is_erased"], false, "the row is another company's");
    assert_eq!(section("tax_reliability")["index"], Value::Null);
    assert_eq!(section("bank_accounts"), json!([]));
}

#[test]
fn company_never_erased_has_empty_list() {
    host(Vec::new()).install();
    assert_eq!(
        section("erased_vat"),
        json!({"is_erased": false, "entries": [], "is_listed_for_cancellation": false})
    );
}

#[test]
fn accounts_are_found_by_ico_and_by_ic_dph() {
    let account = |ic_dph: &str, iban: &str, ico: Option<&str>| {
        item(
            &format!("{ic_dph}:{iban}"),
            ico,
            &json!({"ic_dph": ic_dph, "iban": iban}),
        )
    };
    let accounts = vec![
        account("SK2999999904", "SK7111000000000000000002", Some(ICO)),
        account("SK2999999904", "AT049999900000000001", None),
        account("SK2999999904", "SK9402000000000000000001", Some("99999919")),
        account("SK29999999045", "SK4281800000000000000004", None),
        account("SK2999999915", "SK4399990000000000000019", Some(ICO)),
    ];
    with(
        host(vec![payer("SK2999999904", "§4b")]),
        "bank-accounts",
        accounts.clone(),
    )
    .install();
    let expected = json!([
        {"iban": "AT049999900000000001", "bank_name": null, "bank": null, "bic": null, "is_published": true, "published": true},
        {"iban": "SK4399990000000000000019", "bank_name": null, "bank": null, "bic": null, "is_published": true, "published": true},
        {"iban": "SK7111000000000000000002", "bank_name": "Tatra banka, a. s.", "bank": "Tatra banka, a. s.", "bic": "TATRSKBX", "is_published": true, "published": true},
    ]);
    assert_eq!(section("bank_accounts"), expected);

    // Without the list of payers, found accounts are shown with a note, and an empty result fails.
    with(TestHost::new(), "bank-accounts", accounts).install();
    let (found, content) = enrich("bank_accounts", subject(ICO));
    assert_eq!(content.as_array().unwrap().len(), 2);
    assert_eq!(found.unread[0].name, "vat-payers");
    with(TestHost::new(), "bank-accounts", Vec::new()).install();
    let failure =
        TaxAuthority::enrich("bank_accounts", subject(ICO)).expect_err("an account may be hidden");
    assert!(
        matches!(&failure, Failure::Unavailable(why) if why.contains("vat-payers")),
        "{failure:?}"
    );

    host(Vec::new()).install();
    assert_eq!(section("bank_accounts"), json!([]));
}

#[test]
fn more_accounts_than_one_answer_holds_are_all_shown() {
    let account = |number: u32| {
        let iban = format!("AT04{number:016}");
        let key = format!("SK2999999904:{iban}");
        let content = json!({"ic_dph": "SK2999999904", "iban": iban});
        item(&key, number.is_multiple_of(2).then_some(ICO), &content)
    };
    let accounts = (0..4_400).map(account).collect();
    with(
        host(vec![payer("SK2999999904", "§4b")]),
        "bank-accounts",
        accounts,
    )
    .install();
    let shown = section("bank_accounts");
    assert_eq!(shown.as_array().map(Vec::len), Some(4_400));
}

#[test]
fn hostile_keys_match_no_company() {
    let huge = "9".repeat(1 << 20);
    for ico in [
        "",
        "\0",
        "\u{202e}10999999",
        "' or '1'='1",
        "../..",
        "%",
        huge.as_str(),
    ] {
        host(Vec::new())
            .setting("api_key", &json!("secret"))
            .install();
        for scope in ["tax", "tax_reliability", "erased_vat", "bank_accounts"] {
            enrich(scope, subject(ico));
        }
        TestHost::new()
            .setting("api_key", &json!("secret"))
            .install();
        enrich("tax", subject(ico));
        assert!(
            TestHost::requests().is_empty(),
            "the API is asked about an IČO only"
        );
    }
    let failure = TaxAuthority::enrich("fs_imports", subject(ICO)).expect_err("not offered");
    assert!(matches!(failure, Failure::Other((code, _)) if code == "not-offered"));
}

#[test]
fn stored_record_of_another_format_is_malformed() {
    host(vec![item("SK2999999904", Some(ICO), &json!({"number": 1}))]).install();
    assert!(matches!(
        TaxAuthority::enrich("tax", subject(ICO)),
        Err(Failure::Malformed(_))
    ));
}
