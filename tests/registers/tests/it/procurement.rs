//! The pages of the office for public procurement.

use axum::http::StatusCode;
use register_simulator::Population;
use register_simulator::population::procurement::{
    BARRED_BELOW, bans, profiles, references, suppliers,
};
use time::macros::date;

use crate::Site;

const BARRED: &str =
    "/uvo/zaujemca-uchadzac/registre-o-hospodarskych-subjektoch/register-osob-so-zakazom";
const SEARCH: &str = "/uvo/vyhladavanie/globalne-vyhladavanie";
const NOTHING: &str = "Zadaný výraz nebol nájdený.";

async fn page(site: &Site, path: &str) -> String {
    let answer = site.get(path).await;
    assert_eq!(answer.status, StatusCode::OK, "{path}");
    assert!(answer.header("content-type").starts_with("text/html"));
    String::from_utf8(answer.body).expect("UTF-8")
}

/// The total number of entries that a list states.
fn total(page: &str) -> usize {
    let before = page.find(" záznamov</span>").expect("a number");
    let number = page[..before].rsplit('>').next().expect("a number");
    number.parse().expect("a number")
}

fn blocks(page: &str) -> usize {
    page.matches("Osoba so zákazom</span>").count()
}

#[tokio::test]
async fn register_length_equals_its_stated_total() {
    let site = Site::new(12);
    let (first, second) = (
        page(&site, BARRED).await,
        page(&site, &format!("{BARRED}?pageNo=2")).await,
    );
    assert_eq!(total(&first), 11);
    assert_eq!((blocks(&first), blocks(&second)), (10, 1));
    assert!(first.contains("Zákaz od:"));
    assert!(first.contains("do: neurčito"), "one has no end");
    assert!(
        first.contains("IČO: 00 000 124"),
        "one is written with spaces"
    );
    let further = page(&site, &format!("{BARRED}?pageNo=3")).await;
    assert_eq!(blocks(&further), 0);
}

#[tokio::test]
async fn bans_come_and_go() {
    let site = Site::new(12);
    let total = async |days: u32| {
        if days > 0 {
            site.advance(days).await;
        }
        total(&page(&site, BARRED).await)
    };
    assert_eq!(total(0).await, 11);
    assert_eq!(total(5).await, 10, "one is lifted");
    assert_eq!(total(4).await, 8, "two that were over are gone");
    assert_eq!(total(7).await, 9, "the script's");
    assert_eq!(total(3).await, 8);
}

#[tokio::test]
async fn search_finds_by_number_and_kind() {
    let site = Site::new(12);
    let of = async |ico: &str, kind: &str| {
        page(
            &site,
            &format!("{SEARCH}?globalSearch={ico}&searchType={kind}"),
        )
        .await
    };
    assert_eq!(total(&of("99999901", "OSZ").await), 2);
    assert_eq!(total(&of("99999986", "ZHS").await), 2);
    assert!(of("99999927", "OSZ").await.contains(NOTHING));
    assert!(of("99999927", "ZHS").await.contains(NOTHING));
    assert!(
        !of("99999986", "XYZ").await.contains(NOTHING),
        "there is no such list"
    );
}

#[tokio::test]
async fn details_require_the_hash_of_their_link() {
    let site = Site::new(12);
    for search in [
        "/uvo/vyhladavanie/vyhladavanie-profilov?ico=99999986",
        "/uvo/vyhladavanie/vyhladavanie-referencii?icoDodavatela=99999986",
    ] {
        let list = page(&site, search).await;
        let at = list.find("/vyhladavanie/vyhladavanie-").expect("a link");
        let link = list[at..].split('"').next().expect("a link");
        assert!(link.contains("?cHash="), "{link}");
        assert!(
            page(&site, &format!("/uvo{link}"))
                .await
                .contains("<dt>IČO")
        );
        let without = link.split('?').next().expect("a path");
        let answer = site.get(&format!("/uvo{without}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{link}");
    }
}

#[test]
fn ordinary_companies_cover_every_kind() {
    let population = Population::new(4_000, 7, date!(2026 - 01 - 15));
    let count = |has: &dyn Fn(u32) -> bool| (12..4_000).filter(|index| has(*index)).count();
    let company = |index| population.company(index, 0);
    let barred = count(&|index| !bans(&company(index)).is_empty());
    assert!((30..100).contains(&barred), "{barred}");
    assert!((BARRED_BELOW..4_000).all(|index| bans(&company(index)).is_empty()));
    let entered = count(&|index| !suppliers(&company(index)).is_empty());
    assert!((300..500).contains(&entered), "{entered}");
    let buyers = count(&|index| !profiles(&company(index)).is_empty());
    assert!((100..220).contains(&buyers), "{buyers}");
    let referred = count(&|index| !references(&company(index)).is_empty());
    assert!((850..1_150).contains(&referred), "{referred}");
}
