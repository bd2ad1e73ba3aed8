//! The register of insolvencies.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use register_simulator::population::Happening;
use register_simulator::population::proceedings::{
    Kind, MANY, State, administrators, creditor_of, of, persons,
};
use register_simulator::{ChangeKind, Population};
use time::macros::date;

use crate::Site;

const PATH: &str = "/replik/ru-verejnost-ws/";

fn envelope(operation: &str, fields: &str) -> String {
    format!(
        "<soapenv:Envelope xmlns:soapenv=\"http://schemas.xmlsoap.org/soap/envelope/\" \
         xmlns:k=\"datatypes.konanie.verejnost.ru.sk.hp.com\"><soapenv:Body><k:{operation}Request>{fields}</k:{operation}Request>\
         </soapenv:Body></soapenv:Envelope>"
    )
}

async fn ask(site: &Site, operation: &str, fields: &str) -> String {
    let answer = site.post(PATH, &envelope(operation, fields)).await;
    assert_eq!(answer.status, StatusCode::OK, "{operation} {fields}");
    assert_eq!(answer.header("content-type"), "text/xml; charset=utf-8");
    assert!(answer.text().contains(&format!(":{operation}Response>")));
    answer.text().to_owned()
}

async fn list(site: &Site, ico: &str) -> String {
    let fields = format!(
        "<k:Ico>{ico}</k:Ico><k:Stranka>0</k:Stranka><k:VysledkovNaStranku>100</k:VysledkovNaStranku>"
    );
    ask(site, "getKonaniePodlaICO", &fields).await
}

/// The texts of all elements of a local name.
fn texts<'a>(answer: &'a str, name: &str) -> Vec<&'a str> {
    answer
        .split(&format!(":{name}>"))
        .skip(1)
        .step_by(2)
        .filter_map(|piece| piece.split("</").next())
        .collect()
}

fn changes(answer: &str) -> Vec<(String, String)> {
    let value = |piece: &str, name: &str| {
        let value = piece.split(&format!("{name}=\"")).nth(1)?;
        value.split('"').next().map(str::to_owned)
    };
    answer
        .split(":PoslednaZmenaNaKonani ")
        .skip(1)
        .filter_map(|piece| Some((value(piece, "PoslednaZmena")?, value(piece, "KonanieId")?)))
        .collect()
}

fn population() -> Population {
    Population::new(300, 7, date!(2026 - 01 - 15))
}

#[tokio::test]
async fn proceeding_omits_missing_members() {
    let site = Site::new(12);
    let over = list(&site, "99999986").await;
    assert_eq!(texts(&over, "VysledkovCelkom"), ["1"]);
    assert_eq!(texts(&over, "Typ"), ["RESTRUKTURALIZACIA"]);
    assert_eq!(texts(&over, "StavKonania"), ["SKONCENY_PROCES"]);
    assert_eq!(texts(&over, "DlznikIco"), ["99 999 986"]);
    assert_eq!(
        texts(&over, "DovodUkonceniaProcesu"),
        ["POTVRDENIE_PLANU_SUDOM"]
    );
    let goes_on = list(&site, "99999960").await;
    assert_eq!(texts(&goes_on, "Typ"), ["ODDLZENIE_SPLATKOVY_KALENDAR"]);
    assert!(texts(&goes_on, "DatumUkonceniaProcesu").is_empty());
    assert!(
        texts(&list(&site, "00000124").await, "DlznikIco").is_empty(),
        "left out"
    );
    let stopped = list(&site, "99999951").await;
    assert!(stopped.contains("&lt;návrh späť&gt;"));
    assert!(
        texts(&stopped, "Spravca")
            .iter()
            .all(|name| name.is_empty())
    );
}

#[tokio::test]
async fn empty_result_has_total_zero() {
    let site = Site::new(12);
    for ico in ["99999994", "12345678"] {
        let none = list(&site, ico).await;
        assert_eq!(texts(&none, "VysledkovCelkom"), ["0"]);
        assert!(texts(&none, "Id").is_empty());
    }
}

#[tokio::test]
async fn creditor_list_includes_debtor_proceedings() {
    let site = Site::new(12);
    assert_eq!(creditor_of(8), Some(9));
    let (creditor, debtor) = (list(&site, "99999919").await, list(&site, "99999901").await);
    assert_eq!(texts(&creditor, "Id"), texts(&debtor, "Id"));
    assert_eq!(texts(&creditor, "DlznikIco"), ["99999901"]);
}

#[tokio::test]
async fn proceedings_come_in_pages_of_a_hundred() {
    let site = Site::new(40);
    let ico = population().ico(MANY);
    let mut seen = BTreeSet::new();
    for (page, count) in [(0, 100), (1, 30), (2, 0)] {
        let fields = format!(
            "<k:Ico>{ico}</k:Ico><k:Stranka>{page}</k:Stranka><k:VysledkovNaStranku>1000</k:VysledkovNaStranku>"
        );
        let answer = ask(&site, "getKonaniePodlaICO", &fields).await;
        assert_eq!(texts(&answer, "VysledkovCelkom"), ["130"]);
        assert_eq!(texts(&answer, "Id").len(), count);
        seen.extend(texts(&answer, "Id").into_iter().map(str::to_owned));
    }
    assert_eq!(seen.len(), 130);
}

#[tokio::test]
async fn detail_names_debtor_and_administrator() {
    let site = Site::new(12);
    let mut envelopes = BTreeSet::new();
    for ico in ["99999986", "99999960", "99999951", "99999943"] {
        let listed = list(&site, ico).await;
        let [id] = texts(&listed, "Id")[..] else {
            panic!("{listed}")
        };
        let detail = ask(
            &site,
            "getKonanieDetail",
            &format!("<k:KonanieId>{id}</k:KonanieId>"),
        )
        .await;
        assert!(detail.contains(&format!("{} {} {}", &ico[..2], &ico[2..5], &ico[5..])));
        let trader = detail.contains(":FyzickaOsobaPodnikatel\"");
        assert_eq!(trader, ico == "99999960");
        assert_eq!(
            texts(&detail, "Znacka").len(),
            usize::from(ico != "99999951")
        );
        envelopes.insert(
            detail
                .split(":Envelope")
                .next()
                .unwrap_or_default()
                .to_owned(),
        );
    }
    assert!(envelopes.len() > 1, "{envelopes:?}");
    let person = ask(
        &site,
        "getKonanieDetail",
        "<k:KonanieId>500000</k:KonanieId>",
    )
    .await;
    assert!(person.contains(":FyzickaOsoba\"") && texts(&person, "Ico").is_empty());
    assert_eq!(
        texts(&person, "DatumNarodenia").len(),
        2,
        "the debtor's and the administrator's"
    );
}

#[tokio::test]
async fn changes_since_a_time_are_in_order() {
    let site = Site::new(12);
    let since = |from: &str, most: u32| {
        format!(
            "<k:ZmenyOd>{from}</k:ZmenyOd><k:MaximalnyPocetVysledkov>{most}</k:MaximalnyPocetVysledkov>"
        )
    };
    let all = changes(
        &ask(
            &site,
            "vyhladajPoslednuZmenuOd",
            &since("2025-10-01T00:00:00", 100),
        )
        .await,
    );
    assert!(all.len() > 8, "{all:?}");
    assert!(
        all.windows(2).all(|pair| pair[0] < pair[1]),
        "winter and no summer: {all:?}"
    );
    let nightly: Vec<_> = all
        .iter()
        .filter(|(at, _)| at == "2025-11-16T03:00:00+01:00")
        .collect();
    assert_eq!(nightly.len(), 7);
    let from_there = changes(
        &ask(
            &site,
            "vyhladajPoslednuZmenuOd",
            &since("2025-11-16T03:00:00+01:00", 3),
        )
        .await,
    );
    assert_eq!(from_there.len(), 3, "that moment counts: {from_there:?}");
    site.advance(19).await;
    let later = changes(
        &ask(
            &site,
            "vyhladajPoslednuZmenuOd",
            &since("2026-01-15T12:00:00Z", 100),
        )
        .await,
    );
    let later: BTreeSet<u64> = later
        .iter()
        .filter_map(|(_, id)| id.parse().ok())
        .map(|id: u64| id / 1_000 % 1_000)
        .collect();
    assert_eq!(
        later.into_iter().collect::<Vec<_>>(),
        [2, 5, 9, 10],
        "the script"
    );
}

#[tokio::test]
async fn list_by_period_omits_the_ico() {
    let site = Site::new(12);
    let fields = "<k:DatumOd>2015-01-01</k:DatumOd><k:DatumDo>2026-01-15</k:DatumDo><k:Stranka>0</k:Stranka>\
                  <k:VysledkovNaStranku>100</k:VysledkovNaStranku>";
    let answer = ask(&site, "getKonaniePreObdobie", fields).await;
    assert!(texts(&answer, "Id").len() > 12);
    assert!(texts(&answer, "DlznikIco").is_empty());
    assert_eq!(
        texts(&ask(&site, "getZoznamSudov", "").await, "nazov").len(),
        8
    );
}

#[tokio::test]
async fn invalid_requests_are_soap_faults() {
    let site = Site::new(12);
    for (operation, fields) in [
        ("getKonanieDetail", "<k:KonanieId>1</k:KonanieId>"),
        ("getKonanieDetail", ""),
        ("getKonaniePodlaICO", ""),
        ("vyhladajPoslednuZmenuOd", "<k:ZmenyOd>včera</k:ZmenyOd>"),
        ("getVerejneOznamyPodlaICO", "<k:Ico>99999994</k:Ico>"),
    ] {
        let answer = site.post(PATH, &envelope(operation, fields)).await;
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(
            answer.text().contains("<faultstring"),
            "{operation}: {}",
            answer.text()
        );
    }
    for wsdl in ["konanieService.wsdl", "oznamService.wsdl"] {
        assert_eq!(
            site.get(&format!("{PATH}{wsdl}")).await.status,
            StatusCode::OK
        );
    }
}

#[test]
fn forced_events_open_and_end_proceedings() {
    let population = population();
    let states = |index, day| {
        let all = of(&population.company(index, day));
        all.iter()
            .map(|one| (one.kind, one.state))
            .collect::<Vec<_>>()
    };
    assert_eq!(states(2, 13), []);
    assert_eq!(states(2, 14), [(Kind::Bankruptcy, State::Begun)]);
    assert_eq!(states(2, 19), [(Kind::Bankruptcy, State::Over)]);
    assert_eq!(states(9, 9).len(), 1);
    assert_eq!(states(9, 10)[1], (Kind::Bankruptcy, State::Declared));
    assert_eq!(states(5, 9), [(Kind::Liquidation, State::GoingOn)]);
    assert_eq!(states(5, 10), [(Kind::Liquidation, State::Over)]);
    assert_eq!(states(10, 5), [(Kind::Liquidation, State::GoingOn)]);
    let opened = ChangeKind::Happened(Happening::InsolvencyOpened);
    assert!(
        !opened.applies_to(&population.company(3, 0)),
        "it is under way"
    );
    assert!(
        opened.applies_to(&population.company(10, 6)),
        "a liquidation is none"
    );
    let ended = ChangeKind::Happened(Happening::InsolvencyEnded);
    assert!(ended.applies_to(&population.company(9, 10)));
    assert!(!ended.applies_to(&population.company(9, 9)));
}

#[test]
fn a_third_of_companies_have_proceedings() {
    let population = population();
    let companies: Vec<_> = (12..300)
        .map(|index| population.company(index, 0))
        .collect();
    let with = companies
        .iter()
        .filter(|company| !of(company).is_empty())
        .count();
    assert!((70..125).contains(&with), "{with}");
    let insolvent = ChangeKind::Happened(Happening::InsolvencyEnded);
    let insolvent = companies
        .iter()
        .filter(|company| insolvent.applies_to(company))
        .count();
    assert!((4..30).contains(&insolvent), "{insolvent}");
    let mut ids = BTreeSet::new();
    for company in &companies {
        for proceeding in of(company) {
            assert!(ids.insert(proceeding.id));
            assert!(
                proceeding.began <= proceeding.last_event_on,
                "{proceeding:?}"
            );
            assert!(
                proceeding.last_event_on <= date!(2026 - 01 - 15),
                "{proceeding:?}"
            );
            assert!(proceeding.began >= company.established);
        }
    }
    assert_eq!(persons(&population).len(), 20);
    let marks: BTreeSet<String> = administrators().into_iter().map(|one| one.mark).collect();
    assert_eq!(marks.len(), 24);
}
