//! Statements in other forms than those of companies since 2014: balance sheet and result in separate reports, forms
//! with unknown lines.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};

use super::form_tables::{report, table, template};
use super::world::{Register, report_path, statements, why};

fn balance_sheet() -> Value {
    template(
        21,
        "Súvaha Úč POD 1-01",
        &[
            (
                "Strana aktív",
                4,
                &[
                    "SPOLU MAJETOK r. 002 + r. 003",
                    "Neobežný majetok",
                    "Časové rozlíšenie r. 9",
                ],
            ),
            (
                "Strana pasív",
                2,
                &[
                    "SPOLU VLASTNÉ IMANIE A ZÁVÄZKY r. 067 + r. 088",
                    "Vlastné imanie r. 068 + r. 073",
                    "Výsledok hospodárenia za účtovné obdobie po zdanení /+ -/",
                    "Záväzky r. 089 + r. 094",
                    "Záväzky z obchodného styku (321A)",
                    "Časové rozlíšenie súčet (r. 119 až r. 122)",
                ],
            ),
        ],
    )
}

/// The statement of results of the forms before 2014.
fn separate_result() -> Value {
    template(
        22,
        "Výkaz ziskov a strát Úč POD 2-01",
        &[(
            "Výkaz ziskov a strát",
            2,
            &[
                "1: Tržby z predaja tovaru (604, 607)",
                "5: Tržby z predaja vlastných výrobkov a služieb (601, 602, 606)",
                "26: Výsledok hospodárenia z hospodárskej činnosti",
                "46: Výsledok hospodárenia z finančnej činnosti",
                "47: Výsledok hospodárenia z bežnej činnosti pred zdanením",
                "48: Daň z príjmov z bežnej činnosti r. 49 + r. 50",
                "51: Výsledok hospodárenia z bežnej činnosti po zdanení",
                "55: Daň z príjmov z mimoriadnej činnosti r. 56 + r. 57",
                "59: Výsledok hospodárenia za účtovné obdobie pred zdanením (+/-)",
                "61: Výsledok hospodárenia za účtovné obdobie po zdanení (+/-)",
            ],
        )],
    )
}

#[test]
fn balance_sheet_and_result_are_separate_before_2014() {
    let balance = balance_sheet();
    let result = separate_result();
    let assets = table(
        "Strana aktív",
        &[
            "90", "30", "60", "50", "90", "30", "60", "50", "", "", "", "",
        ],
    );
    let sources = table(
        "Strana pasív",
        &[
            "60", "50", "20", "10", "3", "2", "39", "38", "5", "5", "1", "2",
        ],
    );
    let results = table(
        "Výkaz ziskov a strát",
        &[
            "70", "60", "8", "7", "9", "1", "-4", "2", "5", "1", "1", "1", "4", "1", "1", "", "5",
            "1", "3", "2",
        ],
    );
    Register::new()
        .statement(
            3,
            2012,
            &json!({"idUctovnychVykazov": [29, 31, 32, 33]}),
            &json!({}),
        )
        .statement(
            2,
            2011,
            &json!({"idUctovnychVykazov": [31, 32]}),
            &json!({}),
        )
        .with(
            &report_path(29),
            Answer::json(&json!({"id": 29, "idSablony": 365, "pristupnostDat": "Verejné"})),
        )
        .with(
            &report_path(31),
            Answer::json(&report(31, 3, 21, &[assets, sources])),
        )
        .with(
            &report_path(32),
            Answer::json(&report(32, 3, 22, &[results])),
        )
        .with("/api/sablona?id=21", Answer::json(&balance))
        .with("/api/sablona?id=22", Answer::json(&result))
        .install();
    let content = statements();
    let told = &content["latest"];
    for (key, value) in [
        ("total_assets", json!(60)),
        ("total_equity", json!(20)),
        ("total_liabilities", json!(39)),
        ("net_profit", json!(3)),
        ("template_type", json!("Súvaha Úč POD 1-01")),
        ("accounting_basis", json!("double_entry")),
        ("template_family", json!("POD")),
        ("sales_revenue", json!(78)),
        ("operating_income", json!(null)),
        ("total_income", json!(null)),
        ("total_expenses", json!(null)),
        ("operating_result", json!(9)),
        ("financial_result", json!(-4)),
        ("profit_before_tax", json!(5)),
        ("income_tax", json!(2)),
        ("accruals", json!(1)),
        ("total_receipts", json!(null)),
    ] {
        assert_eq!(told[key], value, "{key}");
    }
    // The form has no line for all revenue.
    assert_eq!(
        (&told["total_revenue"], &told["revenue_basis"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(told.get("balanced"), None);
    assert!(!why(&content).contains("truncated"), "both are mapped");
    assert_eq!(
        told["figure_sources"]["income_tax"],
        json!(["Výkaz ziskov a strát, r. 48", "Výkaz ziskov a strát, r. 55"])
    );
    let asked = TestHost::requests();
    assert!(
        !asked.iter().any(|path| path.contains("id=33")),
        "everything was known by then"
    );
    assert_eq!(
        asked
            .iter()
            .filter(|path| path.contains("sablona?id=21"))
            .count(),
        1
    );
}

#[test]
fn report_without_tables_is_not_a_failure() {
    for content in [
        json!({"obsah": {"titulnaStrana": {"ico": "99999901"}}}),
        json!({"obsah": {}}),
        json!({}),
    ] {
        let mut report = content;
        report["idSablony"] = json!(699);
        Register::new()
            .statement(3, 2024, &json!({}), &report)
            .install();
        let content = statements();
        assert_eq!(content["latest"]["data"], "none", "{report}");
        assert_eq!(why(&content), "", "{report}");
    }
}

#[test]
fn unknown_forms_are_read_again() {
    let form = template(5000, "Neznámy výkaz", &[("Údaje", 1, &["Počet kusov"])]);
    let register = Register::new()
        .statement(
            3,
            2024,
            &json!({}),
            &report(30, 3, 5000, &[table("Údaje", &["7"])]),
        )
        .with("/api/sablona?id=5000", Answer::json(&form));
    register.install();
    let told = statements();
    assert_eq!(told["latest"]["data"], "unmapped");
    assert_eq!(told["latest"]["template_type"], "Neznámy výkaz");
    assert_eq!(
        why(&told),
        "truncated: figures of forms with unknown lines: Neznámy výkaz"
    );
    assert!(
        TestHost::log()
            .iter()
            .any(|line| line.contains("template 5000"))
    );
}

#[test]
fn labels_are_a_setting() {
    let form = template(
        5000,
        "Neznámy výkaz",
        &[("Údaje", 1, &["Tržby úhrnom r. 2"])],
    );
    let mut register = Register::new()
        .statement(
            3,
            2024,
            &json!({}),
            &report(30, 3, 5000, &[table("Údaje", &["7"])]),
        )
        .with("/api/sablona?id=5000", Answer::json(&form));
    register.host = register
        .host
        .setting("labels", &json!({"total_revenue": ["Tržby úhrnom"]}));
    register.install();
    let told = &statements()["latest"];
    assert_eq!(
        (&told["data"], &told["total_revenue"]),
        (&json!("table"), &json!(7))
    );
}

#[test]
fn label_in_two_rows_is_ignored() {
    let form = template(
        5000,
        "Výkaz",
        &[("Údaje", 1, &["Záväzky", "Záväzky", "Spolu majetok"])],
    );
    Register::new()
        .statement(
            3,
            2024,
            &json!({}),
            &report(30, 3, 5000, &[table("Údaje", &["7", "8", "9"])]),
        )
        .with("/api/sablona?id=5000", Answer::json(&form))
        .install();
    let told = &statements()["latest"];
    assert_eq!(
        (&told["total_liabilities"], &told["total_assets"]),
        (&json!(null), &json!(9))
    );
}

#[test]
fn missing_template_leaves_the_statement_unread() {
    for answer in [
        super::world::gone(),
        Answer::json(&json!({"id": 62, "nazov": "Úč FO", "tables": []})),
        Answer::json(&json!({"id": 61, "nazov": "Úč FO"})),
    ] {
        Register::new()
            .statement(
                3,
                2024,
                &json!({}),
                &report(30, 3, 62, &[table("Príjmy", &["5"])]),
            )
            .statement(2, 2023, &json!({}), &super::world::of_year(2023))
            .with("/api/sablona?id=62", answer)
            .install();
        let content = statements();
        assert_eq!(content["available_years"], json!([2023]));
        assert!(
            why(&content).starts_with("one statement not read: malformed: template 62"),
            "{content}"
        );
    }
}
