//! `/ruz`: ids, objects, templates and classifiers, with the oddities of the register, and what the population files.

use axum::http::StatusCode;
use register_simulator::population::statements::{self, Shown, StatementForm, StatementKind};
use register_simulator::population::{ChangeKind, Happening, Population};
use serde_json::{Value, json};
use time::macros::date;

use super::Site;

const SINCE: &str = "zmenene-od=2000-01-01";

async fn unit(site: &Site, ico: &str) -> Value {
    let list = site
        .get(&format!("/ruz/api/uctovne-jednotky?{SINCE}&ico={ico}"))
        .await
        .json();
    let id = list["id"]
        .as_array()
        .expect("ids")
        .last()
        .cloned()
        .expect("one");
    site.get(&format!("/ruz/api/uctovna-jednotka?id={id}"))
        .await
        .json()
}

async fn statement(site: &Site, id: &Value) -> Value {
    site.get(&format!("/ruz/api/uctovna-zavierka?id={id}"))
        .await
        .json()
}

async fn report(site: &Site, id: &Value) -> Value {
    site.get(&format!("/ruz/api/uctovny-vykaz?id={id}"))
        .await
        .json()
}

fn members(value: &Value) -> Vec<&str> {
    let members = value.as_object().expect("an object");
    members.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_list_without_a_hit_has_no_ids() {
    let site = Site::new(12);
    for (ico, expected) in [
        ("12345678", json!({"existujeDalsieId": false})),
        ("12345676", json!({"pocetZostavajucichId": 0})),
        ("99999889", json!({"existujeDalsieId": false})),
    ] {
        let answer = site
            .get(&format!("/ruz/api/uctovne-jednotky?{SINCE}&ico={ico}"))
            .await;
        assert_eq!(answer.json(), expected, "{ico}");
        assert_eq!(
            answer.header("content-type"),
            "application/json; charset=UTF-8"
        );
    }
}

#[tokio::test]
async fn a_list_needs_its_date() {
    let site = Site::new(12);
    for query in [
        "",
        "?ico=99999994",
        "?zmenene-od=2000-01-01T00:00:00Z",
        "?zmenene-od=x",
    ] {
        let answer = site.get(&format!("/ruz/api/uctovne-jednotky{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
    }
}

#[tokio::test]
async fn unknown_id_is_empty_json_and_unknown_path_a_page() {
    let site = Site::new(12);
    for object in [
        "uctovna-jednotka",
        "uctovna-zavierka",
        "uctovny-vykaz",
        "vyrocna-sprava",
        "sablona",
    ] {
        let answer = site.get(&format!("/ruz/api/{object}?id=1")).await;
        assert_eq!(
            (answer.status, answer.text()),
            (StatusCode::NOT_FOUND, ""),
            "{object}"
        );
        assert!(
            answer
                .header("content-type")
                .starts_with("application/json")
        );
    }
    for path in ["/ruz/api/uctovne-veci", "/ruz/domain/financialreport/doc/1"] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(
            answer.header("content-type").starts_with("text/html"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn ids_are_paged_and_counted() {
    let site = Site::new(200);
    for list in ["uctovne-jednotky", "uctovne-zavierky", "uctovne-vykazy"] {
        let all = site
            .get(&format!("/ruz/api/{list}?{SINCE}&max-zaznamov=10000"))
            .await
            .json();
        let all = all["id"].as_array().expect("ids").clone();
        let mut read: Vec<Value> = Vec::new();
        loop {
            let behind = read.last().map(|id| format!("&pokracovat-za-id={id}"));
            let query = format!("{SINCE}&max-zaznamov=30{}", behind.unwrap_or_default());
            let page = site.get(&format!("/ruz/api/{list}?{query}")).await.json();
            let rest = site
                .get(&format!("/ruz/api/zostavajuce-id/{list}?{query}"))
                .await
                .json();
            assert_eq!(
                rest["pocetZostavajucichId"],
                all.len() - read.len(),
                "{list}"
            );
            read.extend(page["id"].as_array().cloned().unwrap_or_default());
            if page["existujeDalsieId"] == false {
                break;
            }
        }
        assert!(all.len() > 60, "{list}: {}", all.len());
        assert_eq!(read, all, "{list}");
    }
    let late = site
        .get("/ruz/api/uctovne-zavierky?zmenene-od=2026-01-15")
        .await;
    assert_eq!(late.json(), json!({"existujeDalsieId": false}));
}

#[tokio::test]
async fn members_are_unordered_and_omitted_if_empty() {
    let site = Site::new(12);
    let (one, other) = (unit(&site, "99999994").await, unit(&site, "99999978").await);
    assert_ne!(members(&one), members(&other));
    let without = unit(&site, "99999927").await;
    assert!(!members(&without).contains(&"idUctovnychZavierok"));
    assert!(!members(&without).contains(&"datumZrusenia"));
    assert_eq!(
        (&one["kraj"], &other["kraj"]),
        (&json!("4"), &json!("SK023"))
    );
    assert_eq!(unit(&site, "00000124").await["ico"], "00000124");
}

#[tokio::test]
async fn cells_are_those_of_the_template() {
    let site = Site::new(12);
    let mut seen = Vec::new();
    for ico in ["99999994", "99999978", "99999960", "00000124"] {
        for id in unit(&site, ico).await["idUctovnychZavierok"]
            .as_array()
            .expect("ids")
        {
            let statement = statement(&site, id).await;
            for id in statement["idUctovnychVykazov"].as_array().expect("ids") {
                let report = report(&site, id).await;
                let Some(tables) = report["obsah"]["tabulky"].as_array() else {
                    continue;
                };
                let template = site
                    .get(&format!("/ruz/api/sablona?id={}", report["idSablony"]))
                    .await
                    .json();
                seen.push(report["idSablony"].as_u64().expect("a number"));
                for table in tables {
                    let forms = template["tabulky"].as_array().expect("tables");
                    let form = forms
                        .iter()
                        .find(|form| form["nazov"]["sk"] == table["nazov"]["sk"]);
                    let form = form.expect("the table of the form");
                    let rows = form["riadky"].as_array().expect("rows").len() as u64;
                    let columns = form["pocetDatovychStlpcov"].as_u64().expect("a number");
                    let cells = table["data"].as_array().expect("cells").len() as u64;
                    assert_eq!(cells, rows * columns, "{report}");
                }
            }
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, [20, 21, 22, 385, 687, 699, 716]);
}

#[tokio::test]
async fn single_entry_property_starts_with_previous_year() {
    let site = Site::new(12);
    let template = site.get("/ruz/api/sablona?id=716").await.json();
    let debts = &template["tabulky"][3];
    let first = &debts["hlavicka"][0];
    assert_eq!(
        (&debts["pocetStlpcov"], &first["stlpec"]),
        (&json!(4), &json!(3))
    );
    assert_eq!(
        first["text"]["sk"],
        "Za bezprostredne predchádzajúce účtovné obdobie"
    );
    let rows = debts["riadky"].as_array().expect("rows");
    let labels = rows.iter().filter_map(|row| row["text"]["sk"].as_str());
    let debts: Vec<&str> = labels
        .filter(|label| label.starts_with("Záväzky"))
        .collect();
    assert_eq!(debts, ["Záväzky", "Záväzky celkom (súčet r. 16 až r. 19)"]);
}

#[tokio::test]
async fn figures_stand_where_the_page_says() {
    let site = Site::new(12);
    let population = Population::new(12, 7, date!(2026 - 01 - 15));
    let company = population.company(2, 0);
    let filed = statements::unit(&company).expect("a unit").statements;
    let newest = filed.last().expect("three");
    let of = statement(&site, &json!(newest.id)).await;
    let report = report(&site, &of["idUctovnychVykazov"].as_array().expect("ids")[0]).await;
    let mut tables = report["obsah"]["tabulky"]
        .as_array()
        .expect("tables")
        .clone();
    if tables[0]["nazov"]["sk"] != "Strana aktív" {
        tables.reverse();
    }
    let cell = |table: usize, row: usize| tables[table]["data"][row * 2].clone();
    let text = |value: Option<i64>| json!(value.map(|value| value.to_string()));
    assert_eq!(cell(0, 0), text(newest.figures.assets));
    assert_eq!(cell(1, 1), text(newest.figures.equity));
    assert_eq!(cell(1, 10), text(newest.figures.liabilities));
    assert_eq!(cell(2, 0), text(newest.figures.revenue));
    assert_eq!(cell(2, 17), text(newest.figures.operating_result()));
    assert_eq!(cell(2, 33), text(newest.figures.financial_result()));
    assert_eq!(cell(2, 34), text(newest.figures.before_tax()));
    assert_eq!(cell(2, 35), text(newest.figures.tax[0]));
    assert_eq!(cell(2, 37), text(newest.figures.profit));
}

#[test]
fn forms_publish_only_their_own_figures() {
    let population = Population::new(200, 7, date!(2026 - 01 - 15));
    let companies = (0..200).map(|index| population.company(index, 0));
    let filed = companies.filter_map(|company| statements::unit(&company));
    for statement in filed.flat_map(|unit| unit.statements) {
        let (form, figures) = (statement.form, statement.figures);
        let is_single = form == StatementForm::SingleEntry;
        let is_early = matches!(form, StatementForm::Old2009 | StatementForm::Old2011);
        assert_eq!(figures.expenditures.is_some(), is_single, "{statement:?}");
        assert_eq!(figures.before_tax().is_none(), is_single, "{statement:?}");
        let has_expenses = !is_single && !is_early;
        assert_eq!(figures.expenses.is_some(), has_expenses, "{statement:?}");
    }
}

#[tokio::test]
async fn classifiers_and_files_are_there() {
    let site = Site::new(12);
    let sizes = site.get("/ruz/api/velkosti-organizacie").await.json();
    assert_eq!(sizes["klasifikacie"].as_array().map(Vec::len), Some(23));
    for (code, _) in statements::SIZES {
        let classes = sizes["klasifikacie"].as_array().expect("classes");
        assert!(classes.iter().any(|class| class["kod"] == code), "{code}");
    }
    let regions = site.get("/ruz/api/kraje").await.json();
    assert!(regions["lokacie"].is_array());
    let templates = site.get("/ruz/api/sablony").await.json();
    assert_eq!(templates["sablony"].as_array().map(Vec::len), Some(8));
    let file = site.get("/ruz/domain/financialreport/pdf/1").await;
    assert_eq!(file.header("content-type"), "application/pdf");
}

#[tokio::test]
async fn showcase_has_every_kind_of_statement() {
    let population = Population::new(12, 7, date!(2026 - 01 - 15));
    let filed = |index: u32| {
        let unit = statements::unit(&population.company(index, 0));
        unit.map(|unit| unit.statements).unwrap_or_default()
    };
    let counts: Vec<usize> = (0..12).map(|index| filed(index).len()).collect();
    assert_eq!(counts, [10, 6, 3, 2, 3, 3, 7, 0, 3, 4, 3, 0]);
    assert!(
        filed(1)
            .iter()
            .filter(|statement| statement.consolidated)
            .count()
            == 2
    );
    assert!(
        filed(3)
            .iter()
            .all(|statement| statement.figures.equity.is_none())
    );
    assert_eq!(
        filed(4).last().map(|last| last.kind),
        Some(StatementKind::Extraordinary)
    );
    assert_eq!(filed(5).last().map(|last| last.shown), Some(Shown::Blank));
    assert_eq!(
        filed(6).last().map(|last| last.form),
        Some(StatementForm::NonProfit)
    );
    assert!(
        filed(8)
            .iter()
            .all(|statement| statement.shown == Shown::File)
    );
    assert!(
        filed(9)
            .iter()
            .any(|statement| statement.is_balanced() == Some(false))
    );
    assert_eq!(statements::units(&population.company(10, 0)).len(), 3);
    assert_eq!(statements::units(&population.company(11, 0)).len(), 0);
    let site = Site::new(12);
    let erased = filed(9)[0].id;
    let told = statement(&site, &json!(erased)).await;
    assert_eq!((&told["stav"], told.get("typ")), (&json!("ZMAZANÉ"), None));
}

#[test]
fn about_a_third_has_filed_statements() {
    let population = Population::new(1_000, 7, date!(2026 - 01 - 15));
    let companies = (12..1_000).map(|index| population.company(index, 0));
    let units: Vec<_> = companies
        .map(|company| statements::unit(&company))
        .collect();
    let filed = |unit: &&Option<statements::Unit>| {
        unit.as_ref()
            .is_some_and(|unit| !unit.statements.is_empty())
    };
    let (some, none) = (
        units.iter().filter(filed).count(),
        units.iter().filter(|unit| unit.is_none()).count(),
    );
    assert!((230..420).contains(&some), "{some}");
    assert!((250..400).contains(&none), "{none}");
    for unit in units.iter().flatten() {
        let submitted: Vec<_> = unit
            .statements
            .iter()
            .map(|statement| statement.submitted)
            .collect();
        assert!(submitted.is_sorted(), "ids grow with the filings");
        assert!(
            unit.statements
                .iter()
                .all(|statement| statement.from < statement.to)
        );
    }
}

#[test]
fn filed_statement_is_the_newest() {
    let population = Population::new(60, 7, date!(2026 - 01 - 15));
    for index in 0..60 {
        let filed = |day| {
            let unit = statements::unit(&population.company(index, day));
            unit.map(|unit| unit.statements).unwrap_or_default()
        };
        let before = filed(30);
        let kind = ChangeKind::Happened(Happening::StatementFiled);
        if !population.force(index, 31, kind) {
            let company = population.company(index, 31);
            assert!(company.ending.is_some(), "{index}");
            continue;
        }
        let after = filed(31);
        assert_eq!(after[..before.len()], before, "{index}");
        let newest = after.last().expect("it was filed");
        assert_eq!(newest.to, date!(2025 - 12 - 31), "{index}");
        assert_eq!(newest.submitted, population.date(31));
    }
}
