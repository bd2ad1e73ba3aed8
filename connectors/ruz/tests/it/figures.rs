//! Figures with one meaning, in each kind of form.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::Answer;

use super::form_tables::{BEFORE, YEAR, report, single_entry, table, template};
use super::world::{Register, section, statements, why};

const YEARS_TURNED: [&str; 2] = [
    "Za bezprostredne predchádzajúce účtovné obdobie",
    "Za bežné účtovné obdobie",
];

const PERSON: [&[&str]; 4] = [
    &["1: Predaj tovaru", "4: Príjmy celkom (r. 01 + r. 02)"],
    &[
        "5: Zásoby",
        "11: Výdavky celkom (r. 05 až r. 10)",
        "12: Rozdiel príjmov a výdavkov (r. 04 - r. 11)",
    ],
    &["2: Dlhodobý hmotný majetok", "15: Majetok celkom"],
    &[
        "16: Rezervy",
        "17: Záväzky",
        "18: Úvery",
        "20: Záväzky celkom (r. 16 až r. 19)",
        "21: Rozdiel majetku a záväzkov (r. 15 - r. 20)",
    ],
];

fn person_tables() -> [Value; 4] {
    [
        table(
            "Záväzky",
            &["1", "2", "3", "4", "5", "6", "11", "30", "58", "40"],
        ),
        table("Príjmy", &["5", "60"]),
        table("Výdavky", &["1", "45", "15"]),
        table("Majetok", &["1", "1", "69", "70"]),
    ]
}

/// Checks the members that are expected, and no others.
#[track_caller]
fn assert_members(told: &Value, expected: &Value) {
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&told[key], value, "{key}");
    }
}

#[test]
fn single_entry_has_its_own_figures_only() {
    let form = single_entry(
        716,
        "Úč FO",
        &["Za bežné účtovné obdobie"],
        YEARS_TURNED,
        PERSON,
    );
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 716, &person_tables()))
        .with("/api/sablona?id=716", Answer::json(&form))
        .install();
    let content = statements();
    let told = &content["latest"];
    assert_eq!(
        (&told["total_assets"], &told["total_liabilities"]),
        (&json!(70), &json!(30))
    );
    assert_eq!(
        (&told["total_revenue"], &told["revenue_basis"]),
        (&json!(60), &json!("receipts"))
    );
    let expected = json!({
        "accounting_basis": "single_entry",
        "template_family": "FO",
        "total_receipts": 60,
        "total_expenditures": 45,
        "receipts_minus_expenditures": 15,
        "property_total": 70,
        "debts_total": 30,
        "property_minus_debts": 40,
        "total_equity": null,
        "net_profit": null,
        "net_turnover": null,
        "sales_revenue": null,
        "total_income": null,
        "income_tax": null,
        "accruals": null,
    });
    assert_members(told, &expected);
    assert_members(&section("financials"), &expected);
    assert_eq!(
        told["figure_sources"]["property_minus_debts"],
        json!(["Záväzky, r. 21"])
    );
    assert_eq!(why(&content), "");
    assert_eq!(section("financials")["profit"], json!(null));
}

#[test]
fn line_with_another_label_leaves_the_form_unmapped() {
    let mut lines = PERSON;
    // The number of the total belongs to another line.
    lines[1] = &[
        "5: Zásoby",
        "11: Ostatné výdavky",
        "12: Výdavky celkom (r. 05 až r. 11)",
    ];
    let form = single_entry(
        716,
        "Úč FO",
        &["Za bežné účtovné obdobie"],
        YEARS_TURNED,
        lines,
    );
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 716, &person_tables()))
        .with("/api/sablona?id=716", Answer::json(&form))
        .install();
    let content = statements();
    let told = &content["latest"];
    assert_eq!(
        (&told["accounting_basis"], &told["total_expenditures"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(told["total_assets"], 70, "known by its label");
    let expected = "truncated: figures of forms with unknown lines: Úč FO";
    assert_eq!(why(&content), expected);
    assert_eq!(why(&section("financials")), expected);
}

#[test]
fn receipts_of_both_activities_are_summed() {
    let kinds = ["Nezdaňovaná činnosť", "Zdaňovaná činnosť"];
    let lines: [&[&str]; 4] = [
        &["1: Z majetku", "16: Príjmy celkom"],
        &[
            "25: Výdavky celkom",
            "26: Rozdiel príjmov a výdavkov",
            "27: Daň z príjmov",
        ],
        &["1: Dlhodobý majetok", "11: Majetok celkom"],
        &[
            "12: Záväzky",
            "15: Úvery",
            "16: Záväzky celkom",
            "17: Rozdiel majetku a záväzkov",
        ],
    ];
    let form = single_entry(383, "Úč NO", &kinds, [YEAR, BEFORE], lines);
    let tables = [
        table("Príjmy", &["1", "2", "30", "4"]),
        table("Výdavky", &["20", "", "10", "4", "", "1"]),
        table("Majetok", &["1", "1", "70", "69"]),
        table("Záväzky", &["3", "4", "5", "6", "30", "11", "40", "58"]),
    ];
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 383, &tables))
        .with("/api/sablona?id=383", Answer::json(&form))
        .install();
    let told = &statements()["latest"];
    assert_members(
        told,
        &json!({
            "accounting_basis": "single_entry",
            "template_family": "NO",
            "total_revenue": 34,
            "total_receipts": 34,
            "total_expenditures": 20,
            "receipts_minus_expenditures": 14,
            "property_total": 70,
            "debts_total": 30,
            "property_minus_debts": 40,
            "total_liabilities": 30,
        }),
    );
}

/// Tables of the non-profit form, with the lines of its figures.
fn non_profit() -> Value {
    template(
        1180,
        "Úč NUJ",
        &[
            ("Strana aktív", 4, &["60: MAJETOK SPOLU r. 001 + r. 029"]),
            (
                "Strana pasív",
                2,
                &[
                    "61: VLASTNÉ IMANIE r. 062",
                    "73: ZÁVÄZKY r. 074",
                    "100: ČASOVÉ ROZLÍŠENIE SPOLU r. 101",
                ],
            ),
            ("Náklady", 4, &["38: Účtovná trieda 5 spolu r. 01 až r. 37"]),
            (
                "Výnosy",
                4,
                &[
                    "39: Tržby za vlastné výrobky",
                    "40: Tržby z predaja služieb",
                    "41: Tržby za predaný tovar",
                    "74: Účtovná trieda 6 spolu r. 39 až r. 73",
                    "75: Výsledok hospodárenia pred zdanením r. 74 - r. 38",
                    "76: Daň z príjmov",
                    "77: Dodatočné odvody dane z príjmov",
                    "78: Výsledok hospodárenia po zdanení (r. 75 - (r. 76 + r. 77)) (+/-)",
                ],
            ),
        ],
    )
}

#[test]
fn non_profit_figures_are_those_of_the_total_column() {
    let row = |total: &'static str| ["1", "2", total, "9"];
    let none = ["", "", "", ""];
    let income = [
        row("8"),
        none,
        row("4"),
        row("90"),
        row("30"),
        row("5"),
        none,
        row("25"),
    ];
    let tables = [
        table("Strana aktív", &["9", "9", "70", "9"]),
        table("Strana pasív", &["40", "9", "27", "9", "3", "9"]),
        table("Náklady", &row("60")),
        table("Výnosy", &income.concat()),
    ];
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 1180, &tables))
        .with("/api/sablona?id=1180", Answer::json(&non_profit()))
        .install();
    let content = statements();
    let told = &content["latest"];
    assert_members(
        told,
        &json!({
            "accounting_basis": "double_entry",
            "template_family": "NUJ",
            "total_expenses": 60,
            "sales_revenue": 12,
            "total_income": 90,
            "profit_before_tax": 30,
            "income_tax": 5,
            "net_profit": 25,
            "total_assets": 70,
            "total_equity": 40,
            "total_liabilities": 27,
            "accruals": 3,
            "net_turnover": null,
            "operating_income": null,
            "operating_result": null,
            "financial_result": null,
        }),
    );
    assert_eq!(
        told["figure_sources"]["sales_revenue"],
        json!(["Výnosy, r. 39", "Výnosy, r. 41"]),
        "a blank line is not a source"
    );
    assert_eq!(why(&content), "");
}

#[test]
fn ifrs_extract_includes_discontinued_operations() {
    let numbers = [1, 2, 9, 20, 21, 24, 28, 29, 31, 32, 34];
    let labels = numbers.map(|number| match number {
        2 => "2: Tržby celkom".to_owned(),
        _ => format!("{number}: Položka"),
    });
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let other: &[&str] = &["1: Položka", "2: Položka", "9: Položka"];
    let form = template(
        943,
        "VÚ POD",
        &[("Vybrané údaje", 2, other), ("Výsledok", 2, &labels)],
    );
    let figures = [
        "500", "480", "400", "100", "20", "30", "90", "18", "10", "2", "80",
    ];
    let cells: Vec<&str> = figures.iter().flat_map(|cell| [*cell, "1"]).collect();
    let tables = [table("Vybrané údaje", &["7"; 6]), table("Výsledok", &cells)];
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 943, &tables))
        .with("/api/sablona?id=943", Answer::json(&form))
        .install();
    let told = &statements()["latest"];
    assert_members(
        told,
        &json!({
            "template_family": "VU_POD",
            "sales_revenue": 480,
            "operating_income": 500,
            "financial_income": 20,
            "total_income": 520,
            "total_expenses": 430,
            "operating_result": 100,
            "financial_result": -10,
            "profit_before_tax": 100,
            "income_tax": 20,
            "net_profit": 80,
        }),
    );
}

#[test]
fn company_figures_are_those_of_their_lines() {
    let mut cells = vec![String::new(); 122];
    for (line, amount) in [
        (1, "900"),
        (2, "1000"),
        (3, "600"),
        (5, "300.5"),
        (10, "700"),
        (27, "300"),
        (45, "50"),
        (55, "-50"),
        (56, "250"),
        (57, "40"),
        (60, "10"),
        (61, "200"),
    ] {
        cells[(line - 1) * 2] = amount.to_owned();
        cells[(line - 1) * 2 + 1] = "77".to_owned();
    }
    let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
    let tables = [
        table("Strana aktív", &["1"; 312]),
        table("Strana pasív", &["1"; 134]),
        table("Výkaz ziskov a strát", &cells),
    ];
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 699, &tables))
        .install();
    let content = statements();
    let told = &content["latest"];
    assert_members(
        told,
        &json!({
            "template_family": "POD",
            "net_turnover": 900,
            "sales_revenue": 900.5,
            "operating_income": 1_000,
            "financial_income": null,
            "total_income": 1_000,
            "total_expenses": 750,
            "operating_result": 300,
            "financial_result": -50,
            "profit_before_tax": 250,
            "income_tax": 40,
            "net_profit": 200,
            "accruals": 1,
        }),
    );
    assert_eq!(
        told["figure_sources"]["total_expenses"],
        json!(["Výkaz ziskov a strát, r. 10", "Výkaz ziskov a strát, r. 45"])
    );
    assert_eq!(told["figure_sources"].get("financial_income"), None);
}
