//! The register of public sector partners.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use register_simulator::Population;
use register_simulator::population::partners::{RegisterFile, register_files};
use serde_json::{Value, json};
use time::macros::date;

use crate::Site;

const WIDE: &str = "PartneriVerejnehoSektora($expand=Adresa,PravnaForma),KonecniUzivateliaVyhod($expand=StatnaPrislusnost),\
    OpravneneOsoby,VerejniFunkcionari,KvalifikovanePodnety,OverenieIdentifikacieKUV,Vymaz,Pokuta";

fn population() -> Population {
    Population::new(300, 7, date!(2026 - 01 - 15))
}

fn facts(index: u32, day: u32) -> Vec<RegisterFile> {
    register_files(&population().company(index, day))
}

fn search(number: &str, expand: &str) -> String {
    let number = number.replace(' ', "%20");
    format!(
        "/rpvs/Partneri?$filter=PartneriVerejnehoSektora/any(p:p/Ico%20eq%20'{number}')&$expand={expand}"
    )
}

async fn files(site: &Site, number: &str) -> Vec<Value> {
    let answer = site.get(&search(number, WIDE)).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    answer.json()["value"].as_array().expect("a list").clone()
}

/// The path of a link from the service.
fn followed(link: &Value) -> String {
    let link = link.as_str().expect("a link");
    let below = link.strip_prefix("https://rpvs.gov.sk/opendatav2/");
    format!("/rpvs/{}", below.expect("the service's own address"))
}

#[tokio::test]
async fn partner_contains_expanded_members() {
    let site = Site::new(12);
    let answer = site.get(&search("99999986", WIDE)).await;
    assert!(
        answer
            .header("content-type")
            .starts_with("application/json; odata")
    );
    let json = answer.json();
    let context = json["@odata.context"].as_str().unwrap_or_default();
    assert!(context.starts_with("https://rpvs.gov.sk/opendatav2/$metadata#Partneri("));
    let file = &json["value"][0];
    let fact = &facts(1, 0)[0];
    assert_eq!(file["CisloVlozky"], fact.number);
    let version = &file["PartneriVerejnehoSektora"][0];
    assert_eq!(version["ObchodneMeno"], "Žblnkotech Holding, a. s.");
    assert_eq!(version["Ico"], "99999986");
    assert_eq!(version["FormaOsoby"], "PravnickaOsoba");
    assert_eq!(version["PlatnostDo"], Value::Null);
    let owner = &file["KonecniUzivateliaVyhod"][0];
    assert_eq!(owner["Priezvisko"], "Orieškovič");
    assert_eq!(owner["StatnaPrislusnost"]["StatistickyKod"], "703");
    assert!(owner["DatumNarodenia"].is_string() && owner.get("Adresa").is_none());
    assert_eq!(
        file["KvalifikovanePodnety"][0]["DatumSkonceniaKonania"],
        Value::Null
    );
    assert_eq!(
        (&file["Vymaz"], &file["Pokuta"]),
        (&Value::Null, &Value::Null)
    );
    let plain = site.get(&search("99999986", "Vymaz")).await.json();
    assert_eq!(
        plain["value"][0],
        json!({"Id": fact.id, "CisloVlozky": fact.number, "Vymaz": null})
    );
}

#[tokio::test]
async fn company_without_registration_has_empty_list() {
    let site = Site::new(12);
    for number in ["99999943", "99999889", "12345678", ""] {
        assert_eq!(files(&site, number).await, Vec::<Value>::new(), "{number}");
    }
}

#[tokio::test]
async fn numbers_match_only_as_stored() {
    let site = Site::new(12);
    assert!(files(&site, "00000124").await.is_empty());
    assert_eq!(files(&site, "00 000 124").await.len(), 1);
    let both = search("00000124' or p/Ico eq '00 000 124", "Vymaz").replace(" or ", "%20or%20");
    let both = both.replace("p/Ico eq", "p/Ico%20eq");
    assert_eq!(
        site.get(&both).await.json()["value"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    // Each of two versions is found only by its own spelling.
    for number in ["99999994", "99 999 994"] {
        let found = files(&site, number).await;
        assert_eq!(
            found[0]["PartneriVerejnehoSektora"]
                .as_array()
                .map(Vec::len),
            Some(2)
        );
    }
    let by_version = "/rpvs/PartneriVerejnehoSektora?$filter=Ico%20eq%20'99999994'&$expand=Partner";
    let versions = site.get(by_version).await.json();
    assert_eq!(versions["value"].as_array().map(Vec::len), Some(1));
    assert_eq!(versions["value"][0]["Partner"]["Id"], facts(0, 0)[0].id);
}

#[tokio::test]
async fn unsupported_query_is_refused() {
    let site = Site::new(12);
    for query in [
        "Partneri?$top=5",
        "Partneri?$expand=Nieco",
        "Partneri?$expand=Vymaz&$orderby=Id",
        "Partneri?$filter=Ico%20eq%20'99999994'",
        "Partneri?$filter=PartneriVerejnehoSektora/any(p:p/Ico+eq+'99999994')",
        "PartneriVerejnehoSektora?$expand=KonecniUzivateliaVyhod",
        "Partneri?$skiptoken=20",
    ] {
        let answer = site.get(&format!("/rpvs/{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(answer.json()["error"]["message"].is_string(), "{query}");
    }
    for path in [
        "Nieco",
        "Partneri(1)",
        "Partneri(x)",
        "Partneri(90000)/Nieco",
    ] {
        let answer = site.get(&format!("/rpvs/{path}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn nested_lists_are_cut_except_by_key() {
    let site = Site::new(12);
    let fact = &facts(0, 0)[0];
    assert_eq!(fact.owners.len(), 25);
    let row = &files(&site, "99999994").await[0];
    let cut = row["KonecniUzivateliaVyhod"].as_array().expect("a list");
    assert_eq!(cut.len(), 20);
    let rest = site
        .get(&followed(&row["KonecniUzivateliaVyhod@odata.nextLink"]))
        .await
        .json();
    assert_eq!(rest["value"].as_array().map(Vec::len), Some(5));
    assert_eq!(rest["value"][3]["Ico"], "99999986");
    assert!(rest["value"][4]["StatnaPrislusnost"].is_object());
    for path in [
        format!("Partneri({})", fact.id),
        format!("Partneri/{}", fact.id),
    ] {
        let path =
            format!("/rpvs/{path}?$expand=KonecniUzivateliaVyhod($expand=StatnaPrislusnost)");
        let whole = site.get(&path).await.json();
        assert_eq!(
            whole["KonecniUzivateliaVyhod"].as_array().map(Vec::len),
            Some(25)
        );
        assert_eq!(whole.get("KonecniUzivateliaVyhod@odata.nextLink"), None);
    }
}

#[tokio::test]
async fn service_paginates_the_whole_register() {
    let site = Site::new(300);
    let mut path = "/rpvs/Partneri?$skip=0&$expand=Vymaz".to_owned();
    let (mut seen, mut pages) = (BTreeSet::new(), 0);
    loop {
        let page = site.get(&path).await.json();
        pages += 1;
        for row in page["value"].as_array().into_iter().flatten() {
            assert!(seen.insert(row["Id"].as_u64()), "{row} is repeated");
        }
        let Some(link) = page.get("@odata.nextLink") else {
            break;
        };
        path = followed(link);
    }
    let all: usize = (0..300).map(|index| facts(index, 0).len()).sum();
    assert_eq!(seen.len(), all);
    assert!(pages > 4, "{pages}");
}

#[test]
fn a_third_of_companies_are_partners_of_all_kinds() {
    let all: Vec<Vec<RegisterFile>> = (12..300).map(|index| facts(index, 0)).collect();
    let some = all.iter().filter(|files| !files.is_empty()).count();
    assert!((70..130).contains(&some), "{some}");
    let has = |wanted: &dyn Fn(&RegisterFile) -> bool| all.iter().flatten().any(wanted);
    assert!(has(&|file| file.is_current()));
    assert!(has(&|file| file.erasure.is_some()));
    assert!(has(&|file| !file.is_current() && file.erasure.is_none()));
    assert!(has(&|file| file.fine.is_some()));
    assert!(has(&|file| file
        .complaints
        .iter()
        .any(|one| one.decided.is_some())));
    assert!(has(&|file| !file.officials.is_empty()));
    assert!(has(&|file| file
        .versions
        .iter()
        .any(|one| one.stored_ico.contains(' '))));
    assert!(all.iter().any(|files| files.len() == 2));
}

#[test]
fn registrations_follow_the_script() {
    let current = |index: u32, day: u32| facts(index, day).iter().any(RegisterFile::is_current);
    assert_eq!((current(11, 15), current(11, 16)), (false, true));
    assert_eq!((current(1, 16), current(1, 17)), (true, false));
    assert_eq!(facts(1, 17)[0].ended(), Some(date!(2026 - 02 - 01)));
    let (before, after) = (&facts(0, 14)[0], &facts(0, 15)[0]);
    assert_eq!((before.owners.len(), after.owners.len()), (25, 26));
    assert_eq!(after.owners[24].valid.until, Some(date!(2026 - 01 - 30)));
    for index in [2, 4, 5, 9, 10] {
        assert!(!current(index, 0), "{index}");
    }
    for index in [0, 1, 3, 6, 7, 8] {
        assert!(current(index, 0), "{index}");
    }
}

#[tokio::test]
async fn dates_have_the_offset_of_their_day() {
    let site = Site::new(300);
    let (mut winter, mut summer) = (0, 0);
    let mut stack = Vec::new();
    for index in 0..60 {
        stack.extend(files(&site, &population().ico(index)).await);
    }
    while let Some(value) = stack.pop() {
        match value {
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => stack.extend(members.into_iter().map(|(_, value)| value)),
            Value::String(text) if text.contains("T00:00:00") => {
                let month: u8 = text[5..7].parse().expect("a month");
                if text.ends_with("+02:00") {
                    summer += 1;
                    assert!((3..=10).contains(&month), "{text}");
                } else {
                    winter += 1;
                    assert!(
                        text.ends_with("+01:00") && !(4..=9).contains(&month),
                        "{text}"
                    );
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    assert!(winter > 20 && summer > 20, "{winter} {summer}");
}
