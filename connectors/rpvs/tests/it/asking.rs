//! Whole calls to a service that works.

use lustra_rpvs::Rpvs;
use lustra_rpvs::question::Breadth;
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost, subject};
use lustra_sdk::{Enrichment, Failure};

use super::world::{
    ICO, answer, answer_with_more, by_key, content, enrich, file, first, host, ok, owner,
};

const SERVICE: &str = "https://rpvs.gov.sk/opendatav2";

fn owners(content: &Value) -> usize {
    content["registrations"][0]["beneficial_owners"]
        .as_array()
        .unwrap()
        .len()
}

#[test]
fn one_request_finds_a_partner() {
    host(ok(&answer(&[file(1, [1, 2])]))).install();
    let content = content();
    assert_eq!(content["is_public_sector_partner"], true);
    assert_eq!(
        content["registrations"][0]["url"],
        "https://rpvs.gov.sk/rpvs/Partner/Partner/Detail/1"
    );
    assert_eq!(content.get("unread"), None);
    assert_eq!(enrich().unwrap().evidence.len(), 1);
    let asked = &TestHost::requests()[0];
    assert_eq!(
        asked,
        "rpvs /Partneri?$filter=PartneriVerejnehoSektora%2Fany%28p%3Ap%2FIco%20eq%20%2700000019%27%20or%20p%2FIco%20eq%20\
         %2700%20000%20019%27%29&$expand=PartneriVerejnehoSektora%2CKonecniUzivateliaVyhod%28%24expand%3D\
         StatnaPrislusnost%29%2COpravneneOsoby%2CVerejniFunkcionari%2CKvalifikovanePodnety%2C\
         OverenieIdentifikacieKUV%2CVymaz%2CPokuta"
    );
}

#[test]
fn empty_list_means_no_partner() {
    host(ok(&answer(&[]))).install();
    assert_eq!(
        content(),
        json!({"is_public_sector_partner": false, "registrations": []})
    );
    assert_eq!(enrich().unwrap().evidence.len(), 1);
}

#[test]
fn number_is_requested_with_eight_digits() {
    host(ok(&answer(&[]))).install();
    Rpvs::enrich("rpvs", subject(" 000 019")).unwrap();
    for odd in ["", "x", "' or 1 eq 1", "123456789"] {
        let failure = Rpvs::enrich("rpvs", subject(odd)).unwrap_err();
        assert!(matches!(failure, Failure::Other(_)), "{odd}: {failure:?}");
    }
    assert_eq!(TestHost::requests().len(), 1, "no other request is sent");
    assert!(Rpvs::enrich("another", subject(ICO)).is_err());
}

#[test]
fn pages_are_read_to_the_end_without_repetitions() {
    let second = "/Partneri?$filter=x&$skiptoken=Id-2";
    let third = "/Partneri?$filter=x&$skiptoken=Id-3";
    host(ok(&answer_with_more(
        &[file(1, [1]), file(2, [2])],
        &format!("{SERVICE}{second}"),
    )))
    .answer(
        "rpvs",
        second,
        ok(&answer_with_more(&[file(2, [2])], &third[1..])),
    )
    .answer("rpvs", third, ok(&answer(&[file(3, [3])])))
    .install();
    let numbers: Vec<i64> = content()["registrations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["file_number"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(enrich().unwrap().evidence.len(), 3);
}

#[test]
fn truncated_list_is_read_by_the_file_id() {
    let mut cut = file(7, 1..=20);
    cut["KonecniUzivateliaVyhod@odata.nextLink"] = json!(format!(
        "{SERVICE}/Partneri(7)/KonecniUzivateliaVyhod?$skiptoken=Id-20"
    ));
    let whole = file(7, 1..=25);
    host(ok(&answer(&[cut])))
        .answer("rpvs", &by_key(7), ok(&whole))
        .install();
    assert_eq!(owners(&content()), 25);
    assert_eq!(enrich().unwrap().evidence.len(), 2);
}

#[test]
fn link_of_a_list_truncated_twice_is_followed() {
    let mut cut = file(7, 1..=20);
    let link = "/Partneri(7)/KonecniUzivateliaVyhod?$skiptoken=Id-20";
    let last = "/Partneri/7/KonecniUzivateliaVyhod?$skiptoken=Id-40";
    cut["KonecniUzivateliaVyhod@odata.nextLink"] = json!(format!("{SERVICE}{link}"));
    let rest: Vec<Value> = (20..=40).map(owner).collect();
    host(ok(&answer(&[cut.clone()])))
        .answer("rpvs", &by_key(7), ok(&cut))
        .answer(
            "rpvs",
            link,
            ok(&answer_with_more(&rest, &format!("{SERVICE}{last}"))),
        )
        .answer("rpvs", last, ok(&answer(&[owner(41)])))
        .install();
    assert_eq!(owners(&content()), 41);
}

#[test]
fn owners_with_a_broken_link_are_requested_separately() {
    let mut cut = file(7, 1..=20);
    let link = "/Partneri(7)/KonecniUzivateliaVyhod?$skiptoken=Id-20";
    let alone = "/KonecniUzivateliaVyhod?$filter=Partner%2FId%20eq%207%20and%20PlatnostDo%20eq%20null\
                 &$expand=StatnaPrislusnost";
    let more = "/KonecniUzivateliaVyhod?$skiptoken=Id-30";
    let asked = |link: &Value, cut: &mut Value| {
        cut["KonecniUzivateliaVyhod@odata.nextLink"] = link.clone();
        let first: Vec<Value> = (15..=30).map(owner).collect();
        host(ok(&answer(std::slice::from_ref(cut))))
            .answer("rpvs", &by_key(7), ok(cut))
            .answer(
                "rpvs",
                alone,
                ok(&answer_with_more(&first, &format!("{SERVICE}{more}"))),
            )
            .answer("rpvs", more, ok(&answer(&[owner(31)])))
    };
    for link in [
        json!(format!("{SERVICE}{link}")),
        json!("https://elsewhere.example/Partneri(7)/KonecniUzivateliaVyhod"),
        json!(5),
    ] {
        let host = asked(&link, &mut cut);
        host.answer(
            "rpvs",
            "/Partneri(7)/KonecniUzivateliaVyhod?$skiptoken=Id-20",
            Answer::status(404, ""),
        )
        .install();
        let content = content();
        assert_eq!(owners(&content), 31, "{link}");
        assert_eq!(content["unread"][0]["source"], "past-owners", "{link}");
        assert_eq!(content["is_public_sector_partner"], true);
    }
}

#[test]
fn assumed_lists_are_read_to_the_end() {
    let mut cut = file(7, [1]);
    let verified = |id: i64| json!({"Id": id, "DatumOverenia": "2024-12-31T00:00:00+01:00"});
    let link = "/Partneri(7)/OverenieIdentifikacieKUV?$skiptoken=Id-1";
    cut["OverenieIdentifikacieKUV"] = json!([verified(1)]);
    cut["OverenieIdentifikacieKUV@odata.nextLink"] = json!(format!("{SERVICE}{link}"));
    host(ok(&answer(&[cut.clone()])))
        .answer("rpvs", &by_key(7), ok(&cut))
        .answer("rpvs", link, ok(&answer(&[verified(2)])))
        .install();
    let verifications = &content()["registrations"][0]["verifications"];
    assert_eq!(verifications.as_array().map(Vec::len), Some(2));
}

#[test]
fn refused_request_is_repeated_with_confirmed_parts() {
    let mut narrow = file(1, [1]);
    for further in ["OverenieIdentifikacieKUV", "Vymaz", "Pokuta"] {
        narrow.as_object_mut().unwrap().remove(further);
    }
    host(Answer::status(400, "{\"error\":{}}"))
        .answer("rpvs", &first(Breadth::Confirmed), ok(&answer(&[narrow])))
        .install();
    let content = content();
    assert_eq!(content["is_public_sector_partner"], true);
    assert_eq!(content["registrations"][0]["verifications"], Value::Null);
    let sources: Vec<&str> = content["unread"]
        .as_array()
        .unwrap()
        .iter()
        .map(|unread| unread["source"].as_str().unwrap())
        .collect();
    assert_eq!(sources, ["erasure", "fines", "verifications"]);
    assert!(
        content["unread"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with("misconfigured")
    );
    assert_eq!(TestHost::requests().len(), 2);
    assert_eq!(TestHost::log().len(), 1);
    let confirmed = first(Breadth::Confirmed);
    for further in ["Overenie", "Vymaz", "Pokuta", "%20or%20"] {
        assert!(!confirmed.contains(further), "{confirmed}");
    }
}

#[test]
fn switched_off_parts_are_unread() {
    let path = first(Breadth::Wide)
        .replace("%2COverenieIdentifikacieKUV", "")
        .replace("%20or%20p%2FIco%20eq%20%2700%20000%20019%27", "");
    TestHost::new()
        .setting("verifications", &json!({"expand": ""}))
        .setting("spaced_ico", &json!(false))
        .setting("detail_page", &json!("https://mirror.example/"))
        .answer("rpvs", &path, ok(&answer(&[file(1, [1])])))
        .install();
    let content = content();
    assert_eq!(content["registrations"][0]["verifications"], Value::Null);
    assert_eq!(
        content["registrations"][0]["url"],
        "https://mirror.example/1"
    );
    assert_eq!(content["unread"][0]["source"], "verifications");
    assert!(
        content["unread"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with("off")
    );
}

#[test]
fn birth_dates_and_homes_are_not_shown() {
    let mut row = file(1, [1]);
    row["KonecniUzivateliaVyhod"][0]["DatumNarodenia"] = json!("1980-07-09T00:00:00+02:00");
    row["KonecniUzivateliaVyhod"][0]["Adresa"] =
        json!({"MenoUlice": "Testovacia", "Mesto": "Nitra"});
    host(ok(&answer(&[row]))).install();
    let content = enrich().unwrap().content;
    assert!(
        !content.contains("1980") && !content.contains("Testovacia"),
        "{content}"
    );
}
