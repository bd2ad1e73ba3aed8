//! Whole look-ups.

use std::collections::BTreeSet;

use lustra_replik::Replik;
use lustra_replik::soap::{PATH, UPSTREAM};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};
use lustra_sdk::{Enrichment, Failure, Subject};

use super::world::{
    ICO, LIST, NOW, answering, debtor, detail, detail_of, enrich, enrich_of, envelope, host, page,
    page_number, row, subject,
};

fn rows(numbers: std::ops::Range<usize>) -> Vec<String> {
    numbers
        .map(|id| row(id, ICO, "INE", "SKONCENY_PROCES"))
        .collect()
}

fn ids(content: &Value) -> BTreeSet<String> {
    let proceedings = content["proceedings"].as_array().unwrap();
    proceedings
        .iter()
        .map(|one| one["proceeding_id"].as_str().unwrap().to_owned())
        .collect()
}

fn unavailable(host: TestHost) -> String {
    match enrich(host) {
        Err(Failure::Unavailable(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn total_of_zero_means_no_proceedings() {
    let (section, content) = enrich(answering(host(), LIST, page(&[], 0))).unwrap();
    assert_eq!(
        content,
        json!({"has_active_proceedings": false, "proceedings": [], "liquidations": []})
    );
    assert_eq!((section.evidence.len(), section.unread.len()), (1, 0));
}

#[test]
fn request_matches_the_wsdl() {
    enrich(answering(host(), LIST, page(&[], 0))).unwrap();
    assert_eq!(TestHost::requests(), ["replik /"]);
    let bodies = TestHost::bodies();
    assert!(
        bodies[0].contains(
            "<d:getKonaniePodlaICORequest><d:Ico>99999901</d:Ico><d:Stranka>0</d:Stranka>\
             <d:VysledkovNaStranku>100</d:VysledkovNaStranku><d:TypTriedenia>DatumZacatiaKonania</d:TypTriedenia>\
             </d:getKonaniePodlaICORequest>"
        ),
        "{bodies:?}"
    );
    assert!(bodies[0].contains("xmlns:d=\"datatypes.konanie.verejnost.ru.sk.hp.com\""));
}

#[test]
fn active_ended_and_liquidations_are_separate() {
    let list = [
        row(1, ICO, "KONKURZ", "SKONCENY_PROCES"),
        row(2, ICO, "LIKVIDACIA", "PREBIEHAJUCE_KONANIE"),
    ];
    let (_, over) = enrich(answering(host(), LIST, page(&list, 2))).unwrap();
    assert_eq!(over["has_active_proceedings"], false);
    assert_eq!(over["liquidations"][0]["active"], true);
    assert_eq!(over["proceedings"][0]["status"], "skonceny_proces");
    let list = [row(3, ICO, "VPR", "ZACATE_KONANIE")];
    let (_, begun) = enrich(answering(host(), LIST, page(&list, 1))).unwrap();
    assert_eq!(begun["has_active_proceedings"], true);
}

#[test]
fn states_are_a_setting() {
    let list = [row(1, ICO, "KONKURZ", "NOVY_STAV")];
    let asked = || answering(host(), LIST, page(&list, 1));
    let (section, content) = enrich(asked()).unwrap();
    assert_eq!(content["has_active_proceedings"], Value::Null);
    assert_eq!(content["unread"][0]["source"], "state NOVY_STAV");
    assert_eq!(content["unread"][0]["since"], NOW);
    assert!(
        section.unread[0]
            .value
            .starts_with("the state is not known")
    );
    let (_, content) = enrich(asked().setting("ended_states", &json!(["NOVY_STAV"]))).unwrap();
    assert_eq!(content["has_active_proceedings"], false);
    assert_eq!(content["unread"], Value::Null);
    let both = asked()
        .setting("ended_states", &json!(["NOVY_STAV"]))
        .setting("active_states", &json!(["NOVY_STAV"]));
    assert!(matches!(enrich(both), Err(Failure::Misconfigured(_))));
}

#[test]
fn adjourned_proceeding_is_under_way() {
    let list = [row(1, ICO, "KONKURZ", "ODROCENE_KONANIE")];
    let asked = || answering(host(), LIST, page(&list, 1));
    let (_, content) = enrich(asked()).unwrap();
    assert_eq!(content["has_active_proceedings"], true);
    assert_eq!(content["proceedings"][0]["status"], "odrocene_konanie");
    assert_eq!(content["unread"], Value::Null);
    // An operator's setting from before the state became a default still applies.
    let ended = asked().setting("ended_states", &json!(["ODROCENE_KONANIE"]));
    assert_eq!(enrich(ended).unwrap().1["has_active_proceedings"], false);
}

#[test]
fn unread_source_keeps_its_start_time() {
    let list = [row(1, ICO, "KONKURZ", "NOVY_STAV")];
    let asked = || answering(host(), LIST, page(&list, 1));
    let (first, _) = enrich(asked()).unwrap();
    let later = Subject {
        previous: Some(first.content),
        ..subject()
    };
    let (_, content) = enrich_of(asked().now("2026-02-20T08:00:00Z"), later).unwrap();
    assert_eq!(content["unread"][0]["since"], NOW);
}

#[test]
fn pages_are_read_until_the_total() {
    let asked = answering(host(), &page_number(0), page(&rows(0..100), 230));
    let asked = answering(asked, &page_number(1), page(&rows(100..200), 230));
    let asked = answering(asked, &page_number(2), page(&rows(200..230), 230));
    let (section, content) = enrich(asked).unwrap();
    assert_eq!((ids(&content).len(), section.evidence.len()), (230, 3));
    assert_eq!(content["proceedings"][0]["proceeding_id"], "229");
}

#[test]
fn short_page_is_retried_and_never_complete() {
    let first = answering(host(), &page_number(0), page(&rows(0..100), 130));
    let short = answering(first, &page_number(1), page(&rows(100..120), 130));
    let mended = answering(short.clone(), &page_number(1), page(&rows(100..130), 130));
    assert_eq!(ids(&enrich(mended).unwrap().1).len(), 130);
    let why = unavailable(short);
    assert!(why.contains("twice"), "{why}");
    assert_eq!(TestHost::requests().len(), 3);
    unavailable(answering(host(), LIST, page(&rows(0..1), 2)));
}

#[test]
fn list_changed_while_reading_is_read_again() {
    // A new proceeding at the top pushes one to the next page: that one comes twice, and the new one is missed.
    let moved = answering(host(), &page_number(0), page(&rows(0..100), 130));
    let moved = answering(moved, &page_number(1), page(&rows(99..130), 131));
    let whole = answering(moved, &page_number(0), page(&rows(0..100), 131));
    let whole = answering(whole, &page_number(1), page(&rows(100..131), 131));
    let (section, content) = enrich(whole).unwrap();
    assert_eq!((ids(&content).len(), section.evidence.len()), (131, 4));
    // A list that keeps moving is incomplete.
    let restless = answering(host(), &page_number(0), page(&rows(0..100), 130));
    let restless = answering(restless, &page_number(1), page(&rows(99..129), 130));
    let restless = answering(restless, &page_number(1), page(&rows(98..128), 130));
    unavailable(restless);
}

#[test]
fn duplicates_of_the_register_are_shown_once() {
    let doubled = [rows(0..2), rows(0..1)].concat();
    let (_, content) = enrich(answering(host(), LIST, page(&doubled, 3))).unwrap();
    assert_eq!((ids(&content).len(), TestHost::requests().len()), (2, 1));
    // Across two pages it may be a move, so the list is read twice.
    let two = answering(host(), &page_number(0), page(&rows(0..100), 102));
    let two = answering(two, &page_number(1), page(&rows(99..101), 102));
    let (_, content) = enrich(two).unwrap();
    assert_eq!((ids(&content).len(), TestHost::requests().len()), (101, 4));
}

#[test]
fn proceedings_of_others_are_left_out() {
    let list = [
        row(1, "88888801", "KONKURZ", "ZACATE_KONANIE"),
        row(2, "88 888 801", "KONKURZ", "ZACATE_KONANIE"),
        row(3, " 99 999 901", "KONKURZ", "SKONCENY_PROCES"),
    ];
    let (_, content) = enrich(answering(host(), LIST, page(&list, 3))).unwrap();
    assert_eq!(content["has_active_proceedings"], false);
    assert_eq!(ids(&content), BTreeSet::from(["3".to_owned()]));
}

#[test]
fn only_foreign_proceedings_require_a_petitioner() {
    let petitioner = format!(
        "<d:Navrhovatel xsi:type=\"d:PravnickaOsoba\"><d:Ico>{ICO}</d:Ico></d:Navrhovatel>"
    );
    let by_other = debtor("88888801");
    let by_company = format!("{petitioner}{by_other}");
    for named in ["88888801", ""] {
        let list = [row(1, named, "KONKURZ", "ZACATE_KONANIE")];
        let asked = || answering(host(), LIST, page(&list, 1));
        let own = detail("1", &by_company, "");
        let (_, content) = enrich(answering(asked(), &detail_of("1"), own)).unwrap();
        assert_eq!(content["has_active_proceedings"], false, "{named:?}");
        let foreign = detail("1", &by_other, "");
        let failed = enrich(answering(asked(), &detail_of("1"), foreign));
        assert!(
            matches!(failed, Err(Failure::Malformed(_))),
            "{named:?}: {failed:?}"
        );
    }
}

#[test]
fn row_without_debtor_is_looked_up() {
    let list = [
        row(11, "", "KONKURZ", "ZACATE_KONANIE"),
        row(12, "", "KONKURZ", "ZACATE_KONANIE"),
        row(13, "bez IČO", "KONKURZ", "SKONCENY_PROCES"),
    ];
    let person = "<d:Dlznik xsi:type=\"d:FyzickaOsoba\"><d:Meno>Ján</d:Meno></d:Dlznik>";
    let asked = answering(host(), LIST, page(&list, 3));
    let asked = answering(
        asked,
        &detail_of("11"),
        detail("11", &debtor("99 999 901"), "S1"),
    );
    let asked = answering(asked, &detail_of("12"), detail("12", person, ""));
    let whole = answering(
        asked.clone(),
        &detail_of("13"),
        detail("13", &debtor("88888801"), ""),
    );
    let (section, content) = enrich(whole).unwrap();
    assert_eq!(content["has_active_proceedings"], true);
    assert_eq!(ids(&content), BTreeSet::from(["11".to_owned()]));
    assert_eq!((section.evidence.len(), section.unread.len()), (4, 0));
    let broken = answering(asked, &detail_of("13"), Answer::status(500, "?"));
    let (section, content) = enrich(broken).unwrap();
    assert_eq!(content["has_active_proceedings"], true, "by another");
    assert_eq!(section.unread[0].name, "proceeding 13");
}

#[test]
fn unknown_debtor_is_not_guessed() {
    let list = [row(11, "", "KONKURZ", "ZACATE_KONANIE")];
    let nameless = "<d:Dlznik xsi:type=\"d:PravnickaOsoba\"><d:ObchodneMeno>Vzorová</d:ObchodneMeno></d:Dlznik>";
    let asked = || answering(host(), LIST, page(&list, 1));
    for answer in [
        detail("11", nameless, ""),
        detail("12", &debtor(ICO), ""),
        envelope("<d:getKonanieDetailResponse/>"),
        Answer::ok("<html></html>"),
        Answer::status(404, ""),
    ] {
        let (section, content) = enrich(answering(asked(), &detail_of("11"), answer)).unwrap();
        assert_eq!(content["has_active_proceedings"], Value::Null);
        assert_eq!(content["proceedings"], json!([]));
        assert_eq!(section.unread[0].name, "proceeding 11");
    }
    let throttled = Answer::status(429, "").with_header("retry-after", "7");
    let throttled = enrich(answering(asked(), &detail_of("11"), throttled));
    assert!(matches!(throttled, Err(Failure::Throttled(Some(7)))));
}

#[test]
fn rows_beyond_the_look_up_limit_are_unread() {
    let list: Vec<String> = (20..30)
        .map(|id| row(id, "", "KONKURZ", "ZACATE_KONANIE"))
        .collect();
    let asked = (20..30).fold(answering(host(), LIST, page(&list, 10)), |asked, id| {
        let id = id.to_string();
        answering(asked, &detail_of(&id), detail(&id, &debtor("88888801"), ""))
    });
    let (section, content) = enrich(asked).unwrap();
    assert_eq!(section.unread.len(), 2);
    assert_eq!(content["has_active_proceedings"], Value::Null);
}

#[test]
fn failing_register_never_means_no_proceedings() {
    let fault = "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body><s:Fault><faultcode>s:Server</faultcode>\
        <faultstring>Interná chyba</faultstring></s:Fault></s:Body></s:Envelope>";
    for (answer, said) in [
        (
            Answer::ok("<!DOCTYPE html><html><body>Údržba</body></html>"),
            "HTML",
        ),
        (Answer::status(500, "chyba"), "status 500"),
        (Answer::status(500, fault), "Interná chyba"),
        (Answer::status(404, fault), "status 404"),
        (Answer::status(503, page(&[], 0).body), "status 503"),
        (Answer::ok(fault), "Interná chyba"),
    ] {
        let why = unavailable(answering(host(), LIST, answer));
        assert!(why.contains(said), "{why}");
    }
    let long = fault.replace("chyba", &"x".repeat(10_000));
    assert!(unavailable(answering(host(), LIST, Answer::ok(long))).len() < 400);
    let whole = page(&rows(0..3), 3).body;
    for answer in [
        Answer::ok(""),
        Answer::ok("{}"),
        Answer::ok(vec![0xff, 0x00, 0x9e]),
        Answer::ok(whole[..whole.len() / 2].to_vec()),
        Answer::ok("<s:Envelope xmlns:s=\"x\"><s:Body/></s:Envelope>"),
    ] {
        let failed = enrich(answering(host(), LIST, answer));
        assert!(matches!(failed, Err(Failure::Malformed(_))), "{failed:?}");
    }
    let throttled = Answer::status(429, "").with_header("retry-after", "30");
    let throttled = enrich(answering(host(), LIST, throttled));
    assert!(matches!(throttled, Err(Failure::Throttled(Some(30)))));
    let down = host().fail(UPSTREAM, PATH, Failure::Unavailable("down".to_owned()));
    assert_eq!(unavailable(down), "down");
}

#[test]
fn charset_in_the_header_is_ignored() {
    let list = [row(1, ICO, "KONKURZ", "SKONCENY_PROCES").replace(
        "<d:Dlznik>",
        "<d:SudNazov>Okresný súd Žilina</d:SudNazov><d:Dlznik>",
    )];
    let answer = page(&list, 1).with_header("content-type", "text/xml; charset=windows-1250");
    let (_, content) = enrich(answering(host(), LIST, answer)).unwrap();
    assert_eq!(content["proceedings"][0]["court"], "Okresný súd Žilina");
}

#[test]
fn hostile_keys_are_handled() {
    for key in [
        "",
        "\0",
        "9999990",
        "' or 1=1",
        "</d:Ico>",
        "\u{202e}10999999",
        &"9".repeat(1 << 20),
    ] {
        host().install();
        let subject = Subject {
            ico: key.to_owned(),
            name: key.to_owned(),
            ..subject()
        };
        assert!(Replik::enrich("insolvency", subject).is_err());
        assert!(TestHost::requests().is_empty());
    }
    assert!(
        matches!(Replik::enrich("x", subject()), Err(Failure::Other((code, _))) if code == "not-offered")
    );
    let garbled = Subject {
        previous: Some("{".to_owned()),
        ..subject()
    };
    assert!(enrich_of(answering(host(), LIST, page(&[], 0)), garbled).is_ok());
}
