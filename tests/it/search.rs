//! `/v1/search/…`: matches, their order, and rejected requests.

mod filters;

use insta::assert_json_snapshot;
use lustra_tests::lustra::names;
use lustra_tests::lustra::store::{CompanyStatus, CompanyToFind};
use lustra_tests::{Answer, World};
use serde_json::{Value, json};

use crate::support::{keys, reading, reading_each, shown};

/// The first showcase company: `Vzorostav Čučoriedka, s. r. o.`
const FIRST: &str = "99999994";

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

pub async fn autocomplete(world: &World, q: &str) -> Answer {
    world
        .get(&format!("/v1/search/autocomplete?q={}", encoded(q)))
        .await
}

/// The IČOs in a response, in order.
fn icos(answer: &Answer) -> Vec<String> {
    let list = answer.body.get("results").or(answer.body.get("data"));
    let list = list.and_then(Value::as_array);
    list.unwrap_or_else(|| panic!("a list: {answer:?}"))
        .iter()
        .map(|company| company["ico"].as_str().expect("a number").to_owned())
        .collect()
}

async fn everything(world: &World) -> Vec<CompanyToFind> {
    let companies = world
        .store
        .companies()
        .to_find_since(0, "former_names", 10_000)
        .await;
    companies.expect("the store is there")
}

#[test]
fn autocomplete_finds_a_name() {
    reading_each(async |world| {
        let answer = autocomplete(world, "vzorost").await;
        assert_json_snapshot!("autocomplete", shown(&answer));
    });
}

#[test]
fn listed_companies_have_base_fields_and_a_place() {
    reading_each(async |world| {
        let answer = world.get("/v1/search/name?q=vzorost&limit=1").await;
        assert_json_snapshot!("companies by name", shown(&answer));
    });
}

#[test]
fn company_is_found_by_its_former_name() {
    reading_each(async |world| {
        // The register of legal persons publishes it; no company has exactly this name now.
        let former = "Vzorostav, s. r. o.";
        let query = format!(
            "/v1/search/name?q={}&exact=1",
            encoded("vzorostav spol. s r.o.")
        );
        let answer = world.get(&query).await;
        assert_eq!(icos(&answer), [FIRST], "{answer:?}");
        assert_eq!(answer.at("/data/0/matched_former_name"), former);
        assert_ne!(answer.at("/data/0/name"), former);
        // The current name has the word too, so nothing is said about a former one.
        let answer = world.get("/v1/search/name?q=vzorostav").await;
        let found = icos(&answer).iter().position(|ico| ico == FIRST);
        let found = &answer.at("/data")[found.expect("it is found")];
        assert_eq!(found.get("matched_former_name"), None, "{found}");
    });
}

#[test]
fn every_spelling_of_a_name_is_found() {
    reading(async |world| {
        for q in [
            "Vzorostav Čučoriedka, s. r. o.",
            "VZOROSTAV CUCORIEDKA",
            "cucoriedka vzorostav",
            "čučoriedka vzorostav s.r.o",
            "vzorostav spol. s r.o.",
            "vzorostav spol",
            "vzorostav s. r",
            "vzorostav sro cucor",
            "  vzorostav   ",
            "\"vzorostav\"",
            "vzorostav*",
            "+vzorostav AND -(cucoriedka)",
            "vzorostav\u{0}cucoriedka",
            "vzorostav c\u{30c}uc\u{30c}o",
        ] {
            let found = icos(&autocomplete(world, q).await);
            let expected = !q.contains("AND");
            assert_eq!(
                found.contains(&FIRST.to_owned()),
                expected,
                "{q}: {found:?}"
            );
        }
    });
}

#[test]
fn typing_letter_by_letter_never_loses_the_company() {
    reading(async |world| {
        for company in everything(world).await.iter().step_by(5) {
            let mut typed = String::new();
            for letter in company.name.chars() {
                typed.push(letter);
                if typed.trim().chars().count() < 2 || names::fold(&typed).is_empty() {
                    continue;
                }
                let path = format!("/v1/search/name?limit=100&q={}", encoded(&typed));
                if typed.trim().chars().count() < 3 {
                    continue;
                }
                let found = icos(&world.get(&path).await);
                assert!(found.contains(&company.ico), "{typed}: {found:?}");
            }
            let whole = icos(&autocomplete(world, &company.name).await);
            let key = names::name_key(&company.name);
            let same: Vec<String> = everything(world)
                .await
                .iter()
                .filter(|other| names::name_key(&other.name) == key)
                .map(|other| other.ico.clone())
                .collect();
            assert!(same.contains(&whole[0]), "{}: {whole:?}", company.name);
        }
    });
}

#[test]
fn typo_is_tolerated_if_few_names_match() {
    reading(async |world| {
        for q in [
            "vzorostva",
            "vzrostav",
            "vzorrostav",
            "vzorozdav cucoriedka",
            "zvorostav",
            "cucoriekda vzorostav",
            "vzorostav cucoridka s.r.o.",
        ] {
            let found = icos(&autocomplete(world, q).await);
            let expected = q != "vzorozdav cucoriedka";
            assert_eq!(
                found.first().is_some_and(|ico| ico == FIRST),
                expected,
                "{q}: {found:?}"
            );
        }
        // Two different letters are another name.
        assert!(icos(&autocomplete(world, "vzxxostav").await).is_empty());
        // An exact search tolerates no typos.
        let exact = world.get("/v1/search/name?exact=1&q=vzorostva").await;
        assert_eq!(exact.at("/meta/total"), 0);
    });
}

#[test]
fn exact_matches_the_whole_name_in_any_spelling() {
    reading(async |world| {
        for (q, total) in [
            ("vzorostav cucoriedka spol. s r. o.", 1),
            ("VZOROSTAV ČUČORIEDKA sro", 1),
            ("vzorostav cucoriedka", 0),
            ("cucoriedka vzorostav s.r.o.", 0),
            ("vzorostav s.r.o.", 0),
        ] {
            let path = format!("/v1/search/name?exact=1&q={}", encoded(q));
            let answer = world.get(&path).await;
            let found = answer.at("/data").as_array().cloned().unwrap_or_default();
            let current = found
                .iter()
                .filter(|company| company["matched_former_name"].is_null());
            assert_eq!(current.count(), total, "{q}: {answer:?}");
        }
        let loose = world.get("/v1/search/name?exact=0&q=vzorostav").await;
        assert_eq!(icos(&loose), [FIRST]);
    });
}

#[test]
fn number_parts_match_and_prefixes_rank_first() {
    reading(async |world| {
        let all = everything(world).await;
        for digits in [
            "9", "99", "001", "9999", "99994", "00000124", "12", "4 1 2", "55555555",
        ] {
            let plain = digits.replace(' ', "");
            let path = format!("/v1/search/ico?limit=100&q={}", encoded(digits));
            let answer = world.get(&path).await;
            let mut expected: Vec<&str> = all
                .iter()
                .map(|company| company.ico.as_str())
                .filter(|ico| ico.contains(&plain))
                .collect();
            expected.sort_by_key(|ico| (!ico.starts_with(&plain), ico.to_owned()));
            assert_eq!(icos(&answer), expected, "{digits}");
            assert_eq!(answer.at("/meta/total"), expected.len(), "{digits}");
        }
    });
}

#[test]
fn pages_have_no_gaps_and_no_repetitions() {
    reading(async |world| {
        for search in [
            "name?q=sro",
            "ico?q=9",
            "advanced?status=active",
            "advanced?name=ce",
        ] {
            let whole = world.get(&format!("/v1/search/{search}&limit=100")).await;
            let whole_icos = icos(&whole);
            assert_eq!(whole.at("/meta/more"), false, "{search}");
            let mut pages = Vec::new();
            loop {
                let path = format!("/v1/search/{search}&limit=7&offset={}", pages.len());
                let page = world.get(&path).await;
                assert_eq!(page.at("/meta/total"), whole.at("/meta/total"));
                assert_eq!(page.at("/meta/offset"), pages.len());
                let found = icos(&page);
                let more = page.at("/meta/more") == &json!(true);
                assert_eq!(
                    more,
                    pages.len() + found.len() < whole_icos.len(),
                    "{search}"
                );
                pages.extend(found);
                if !more {
                    break;
                }
            }
            assert_eq!(pages, whole_icos, "{search}");
        }
        let mut suggested = Vec::new();
        for page in 1..100 {
            let path = format!("/v1/search/autocomplete?q=sro&limit=4&page={page}");
            let answer = world.get(&path).await;
            suggested.extend(icos(&answer));
            if answer.at("/pagination/more") == &json!(false) {
                break;
            }
        }
        let whole = world.get("/v1/search/name?q=sro&limit=100").await;
        assert_eq!(suggested, icos(&whole));
    });
}

#[test]
fn page_past_the_end_is_empty_with_a_total() {
    reading(async |world| {
        for offset in ["60", "1000000", "9223372036854775807"] {
            let answer = world
                .get(&format!("/v1/search/ico?q=9&offset={offset}"))
                .await;
            assert_eq!(answer.status, 200);
            assert_eq!(icos(&answer), Vec::<String>::new());
            assert!(answer.at("/meta/total").as_u64() > Some(10), "{answer:?}");
            assert_eq!(answer.at("/meta/more"), false);
        }
        let far = world
            .get("/v1/search/autocomplete?q=sro&page=4294967295")
            .await;
        assert_eq!(far.at("/results"), &json!([]));
    });
}

#[test]
fn active_companies_and_first_words_rank_first() {
    reading(async |world| {
        let all = everything(world).await;
        let of = |ico: &str| {
            let company = all.iter().find(|company| company.ico == ico);
            company.expect("it is stored")
        };
        let mut seen = Vec::new();
        for q in ["sro", "ce", "sk"] {
            let path = format!("/v1/search/advanced?name={q}&limit=100");
            let answer = world.get(&path).await;
            // Companies found by a former name follow in an order of their own.
            let order: Vec<(bool, bool, usize)> = answer
                .at("/data")
                .as_array()
                .expect("a list")
                .iter()
                .filter(|company| company["matched_former_name"].is_null())
                .map(|company| {
                    let company = of(company["ico"].as_str().expect("a number"));
                    let words = names::words(&company.name);
                    (
                        !words[0].starts_with(q),
                        company.status != CompanyStatus::Active,
                        names::bare_name(&company.name).chars().count(),
                    )
                })
                .collect();
            assert!(order.is_sorted(), "{q}: {order:?}");
            seen.extend(order);
        }
        for (behind, ended) in [(false, false), (true, false), (true, true)] {
            let kind = seen.iter().any(|one| (one.0, one.1) == (behind, ended));
            assert!(kind, "some begin with it, some have ended: {seen:?}");
        }
    });
}

#[test]
fn search_requires_a_key() {
    reading(async |world| {
        for path in [
            "autocomplete?q=ab",
            "name?q=abc",
            "ico?q=1",
            "advanced?name=ab",
        ] {
            let path = format!("/v1/search/{path}");
            assert_eq!(world.get_with(&path, &[]).await.status, 401);
            let sandbox = [("x-api-key", "lst_test_sandbox")];
            assert_eq!(world.get_with(&path, &sandbox).await.status, 401);
        }
    });
}

#[test]
fn sandbox_completes_its_names_for_its_own_key() {
    reading(async |world| {
        let path = "/v1/sandbox/search/autocomplete?q=s.r.o";
        let sandbox = [("x-api-key", "lst_test_sandbox")];
        let answer = world.get_with(path, &sandbox).await;
        assert_json_snapshot!("sandbox autocomplete", shown(&answer));
        let bearer = [("authorization", "Bearer lst_test_sandbox")];
        assert_eq!(world.get_with(path, &bearer).await.body, answer.body);
        assert_eq!(world.get_with(path, &[]).await.status, 401);
        assert_eq!(world.get(path).await.status, 401);
        let wrong = "/v1/sandbox/search/autocomplete?q=a&x=1";
        let wrong = world.get_with(wrong, &sandbox).await;
        assert_eq!(keys(wrong.at("/errors")), ["q", "x"]);
    });
}
