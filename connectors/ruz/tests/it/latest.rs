//! The choice of the statement: consolidated, corrected, extraordinary, of a fund, without figures.

use lustra_sdk::serde_json::{Value, json};

use super::world::{
    Register, gone, micro, of_year, report_path, section, statement_path, statements, why,
};

fn told(content: &Value, id: u64) -> Value {
    let all = content["statements"].as_array().unwrap();
    all.iter()
        .find(|statement| statement["statement_id"] == id)
        .cloned()
        .unwrap()
}

#[test]
fn latest_is_a_regular_statement_of_the_unit() {
    Register::new()
        .statement(10, 2025, &json!({"typ": "Mimoriadna"}), &of_year(2025))
        .statement(9, 2025, &json!({"konsolidovana": true}), &of_year(2025))
        .statement(
            8,
            2025,
            &json!({"nazovFondu": "Vzorový fond"}),
            &of_year(2025),
        )
        .statement(
            7,
            2025,
            &json!({"suhrnnaUctovnaZavierkaVerejnejSpravy": true}),
            &of_year(2025),
        )
        .statement(6, 2025, &json!({"typ": "Priebežná"}), &of_year(2025))
        .statement(5, 2024, &json!({}), &of_year(2024))
        .install();
    let content = statements();
    assert_eq!(content["latest"]["statement_id"], 5);
    assert_eq!(content["available_years"], json!([2024, 2025]));
    assert_eq!(told(&content, 10)["statement_type"], "mimoriadna");
    assert_eq!(told(&content, 6)["statement_type"], "priebežná");
    assert_eq!(told(&content, 9)["consolidated"], true);
    assert_eq!(told(&content, 7)["consolidated"], true);
    assert_eq!(told(&content, 8)["fund"], "Vzorový fond");
    assert_eq!(section("financials")["year"], 2024);
}

#[test]
fn missing_regular_statement_leaves_latest_null() {
    Register::new()
        .statement(3, 2024, &json!({"typ": "Mimoriadna"}), &of_year(2024))
        .install();
    let content = statements();
    assert_eq!(
        (&content["latest"], &content["available_years"]),
        (&json!(null), &json!([2024]))
    );
    let content = section("financials");
    assert_eq!(
        (&content["year"], &content["data"]),
        (&json!(null), &json!(null))
    );
}

#[test]
fn last_filed_statement_of_a_period_counts() {
    Register::new()
        .statement(
            3,
            2024,
            &json!({"datumPodania": "2025-09-01"}),
            &micro(["11", "5", "6", "1", "1"]),
        )
        .statement(
            4,
            2024,
            &json!({"datumPodania": "2025-06-01"}),
            &micro(["10", "5", "5", "1", "1"]),
        )
        .statement(2, 2024, &json!({"typ": "Mimoriadna"}), &of_year(2024))
        .statement(1, 2023, &json!({}), &of_year(2023))
        .install();
    let content = statements();
    assert_eq!(content["latest"]["statement_id"], 3);
    for (id, corrected) in [(3, false), (4, true), (2, false), (1, false)] {
        assert_eq!(told(&content, id)["corrected"], corrected, "{id}");
    }
    assert_eq!(section("financials")["assets"], "11");
}

#[test]
fn latest_period_beats_latest_filing() {
    Register::new()
        .statement(
            9,
            2019,
            &json!({"datumPodania": "2025-12-01"}),
            &of_year(2019),
        )
        .statement(8, 2024, &json!({}), &of_year(2024))
        .statement(3, 2019, &json!({}), &of_year(2019))
        .install();
    let content = statements();
    assert_eq!(content["latest"]["year"], 2024);
    let years: Vec<&Value> = content["statements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["year"])
        .collect();
    assert_eq!(years, [2024, 2019, 2019]);
    assert_eq!(told(&content, 3)["corrected"], true);
    assert_eq!(section("financials")["year"], 2024);
}

#[test]
fn kinds_of_missing_figures_are_distinguished() {
    let without = |access: &str| json!({"idSablony": 703, "pristupnostDat": access, "prilohy": [{"id": 5, "meno": "a.pdf"}]});
    Register::new()
        .statement(9, 2025, &json!({"idUctovnychVykazov": []}), &json!({}))
        .statement(8, 2024, &json!({}), &without("Verejné"))
        .statement(7, 2023, &json!({}), &without("Neverejné"))
        .statement(6, 2022, &json!({}), &micro([""; 5]))
        .statement(5, 2021, &json!({"stav": "NEVEREJNÁ"}), &json!({}))
        .install();
    let content = statements();
    let data: Vec<&Value> = content["statements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| &s["data"])
        .collect();
    assert_eq!(
        data,
        ["none", "pdf_only", "not_public", "blank", "not_public"]
    );
    assert_eq!(told(&content, 8)["template_type"], "IFRS účtovná závierka");
    assert_eq!(
        told(&content, 8)["url"],
        "https://www.registeruz.sk/cruz-public/domain/financialreport/attachment/5"
    );
    assert_eq!(
        told(&content, 6)["total_assets"],
        json!(null),
        "blank is not zero"
    );
    assert_eq!(content["latest"]["statement_id"], 9);
    assert_eq!(why(&content), "");
}

#[test]
fn key_figures_are_of_newest_statement_with_figures() {
    let pdf = json!({"idSablony": 703, "pristupnostDat": "Verejné"});
    let register = Register::new()
        .statement(9, 2025, &json!({}), &pdf)
        .statement(8, 2024, &json!({}), &micro([""; 5]));
    register
        .clone()
        .statement(7, 2023, &json!({}), &of_year(2023))
        .install();
    let content = section("financials");
    assert_eq!(
        (&content["year"], &content["data"]),
        (&json!(2023), &json!("table"))
    );
    register
        .statement(7, 2023, &json!({}), &pdf)
        .statement(6, 2022, &json!({}), &of_year(2022))
        .install();
    let content = section("financials");
    assert_eq!(
        (&content["year"], &content["data"]),
        (&json!(2025), &json!("pdf_only"))
    );
    assert_eq!(content["revenue"], json!(null));
}

#[test]
fn unbalanced_figures_are_shown_and_marked() {
    Register::new()
        .statement(3, 2024, &json!({}), &micro(["100", "40", "50", "1", "1"]))
        .statement(2, 2023, &json!({}), &micro(["100", "", "50", "1", "1"]))
        .statement(1, 2022, &json!({}), &of_year(2022))
        .install();
    let content = statements();
    assert_eq!(
        (
            &told(&content, 3)["balanced"],
            &told(&content, 3)["total_assets"]
        ),
        (&json!(false), &json!(100))
    );
    for balanced in [2, 1] {
        assert_eq!(told(&content, balanced).get("balanced"), None);
    }
}

#[test]
fn erased_statement_is_skipped_and_counted() {
    Register::new()
        .statement(5, 2025, &json!({"stav": "ZMAZANÉ"}), &json!({}))
        .named(4)
        .with(&statement_path(4), gone())
        .statement(
            3,
            2024,
            &json!({"idUctovnychVykazov": [29, 30]}),
            &of_year(2024),
        )
        .with(&report_path(29), gone())
        .install();
    let content = statements();
    assert_eq!(content["gone"], json!([4, 5]));
    assert_eq!(
        (&content["available_years"], why(&content).as_str()),
        (&json!([2024]), "")
    );
    assert_eq!(content["latest"]["data"], "table");
    assert_eq!(section("financials")["year"], 2024);
}
