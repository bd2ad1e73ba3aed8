//! Statements in other forms than those of companies since 2014: balance sheet and result in separate reports,
//! single-entry accounting, non-profit units, forms with unknown lines.

use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::testing::{Answer, TestHost};

use super::world::{Register, report_path, section, statements, why};

const YEAR: &str = "Bežné účtovné obdobie";
const BEFORE: &str = "Bezprostredne predchádzajúce účtovné obdobie";

/// A template of tables: name, columns, rows.
fn template(id: u64, name: &str, tables: &[(&str, usize, &[&str])]) -> Value {
    let tables = tables.iter().map(|(name, columns, rows)| {
        let rows = rows.iter().zip(1..).map(|(row, number)| json!({"text": {"sk": row}, "cisloRiadku": number}));
        let of_year = columns - 1;
        let mut head = vec![json!({"text": {"sk": YEAR}, "riadok": 1, "stlpec": 4, "sirkaStlpca": of_year.max(1), "vyskaRiadku": 1})];
        if of_year > 0 {
            head.push(json!({"text": {"sk": BEFORE}, "riadok": 1, "stlpec": 4 + of_year, "sirkaStlpca": 1, "vyskaRiadku": 1}));
        }
        json!({
            "nazov": {"sk": name}, "pocetStlpcov": columns + 3, "pocetDatovychStlpcov": columns,
            "hlavicka": head, "riadky": rows.collect::<Vec<_>>(),
        })
    });
    json!({"id": id, "nazov": name, "nariadenieMF": "x", "platneOd": "2009-01-01", "tabulky": tables.collect::<Vec<_>>()})
}

fn table(name: &str, cells: &[&str]) -> Value {
    json!({"nazov": {"sk": name}, "data": cells})
}

fn report(id: u64, of: u64, template: u64, tables: &[Value]) -> Value {
    json!({"id": id, "idUctovnejZavierky": of, "idSablony": template, "mena": "EUR", "obsah": {"tabulky": tables}})
}

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

#[test]
fn balance_sheet_and_result_are_separate_before_2014() {
    let balance = balance_sheet();
    let result = template(
        22,
        "Výkaz ziskov a strát Úč POD 2-01",
        &[(
            "Výkaz ziskov a strát",
            2,
            &[
                "Tržby z predaja tovaru (604, 607)",
                "Výsledok hospodárenia z bežnej činnosti po zdanení",
                "Výsledok hospodárenia za účtovné obdobie po zdanení (+/-)",
            ],
        )],
    );
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
    let results = table("Výkaz ziskov a strát", &["70", "60", "80", "70", "3", "2"]);
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
    ] {
        assert_eq!(told[key], value, "{key}");
    }
    // The form has no line for all revenue.
    assert_eq!(
        (&told["total_revenue"], &told["revenue_basis"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(told.get("balanced"), None);
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

/// A table of single-entry accounting: number and label take two columns, and the previous year stands first.
fn single_entry_table(name: &str, head: &[&str], rows: &[&str]) -> Value {
    let head = head.iter().zip(3..).map(|(text, column)| {
        json!({"text": {"sk": text}, "riadok": 1, "stlpec": column, "sirkaStlpca": 1, "vyskaRiadku": 1})
    });
    let head: Vec<Value> = head.collect();
    let rows = rows.iter().zip(1..);
    let rows = rows.map(|(row, number)| json!({"text": {"sk": row}, "cisloRiadku": number}));
    json!({
        "nazov": {"sk": name}, "pocetStlpcov": head.len() + 2, "pocetDatovychStlpcov": head.len(),
        "hlavicka": head, "riadky": rows.collect::<Vec<_>>(),
    })
}

fn single_entry(id: u64, name: &str, receipts: &[&str], years: [&str; 2]) -> Value {
    let tables = [
        single_entry_table("Príjmy", receipts, &["Predaj tovaru", "Príjmy celkom"]),
        single_entry_table("Výdavky", receipts, &["Zásoby", "Výdavky celkom"]),
        single_entry_table(
            "Majetok",
            &years,
            &["Dlhodobý hmotný majetok", "Majetok celkom"],
        ),
        single_entry_table(
            "Záväzky",
            &years,
            &[
                "Rezervy",
                "Záväzky",
                "Úvery",
                "Záväzky celkom (r. 16 až r. 19)",
                "Rozdiel majetku a záväzkov (r. 15 - r. 20)",
            ],
        ),
    ];
    json!({"id": id, "nazov": name, "nariadenieMF": "x", "platneOd": "2014-01-01", "tabulky": tables})
}

#[test]
fn single_entry_has_total_liabilities_of_the_year() {
    let years = [
        "Za bezprostredne predchádzajúce účtovné obdobie",
        "Za bežné účtovné obdobie",
    ];
    let form = single_entry(716, "Úč FO", &["Za bežné účtovné obdobie"], years);
    let tables = [
        table(
            "Záväzky",
            &["1", "2", "3", "4", "5", "6", "11", "30", "58", "40"],
        ),
        table("Príjmy", &["5", "60"]),
        table("Výdavky", &["1", "40"]),
        table("Majetok", &["1", "1", "69", "70"]),
    ];
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 716, &tables))
        .with("/api/sablona?id=716", Answer::json(&form))
        .install();
    let told = &statements()["latest"];
    assert_eq!(
        (&told["total_assets"], &told["total_liabilities"]),
        (&json!(70), &json!(30))
    );
    assert_eq!(
        (&told["total_revenue"], &told["revenue_basis"]),
        (&json!(60), &json!("receipts"))
    );
    assert_eq!(
        (&told["total_equity"], &told["net_profit"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(section("financials")["profit"], json!(null));
}

#[test]
fn receipts_by_kind_of_activity_give_no_revenue() {
    let kinds = ["Nezdaňovaná činnosť", "Zdaňovaná činnosť"];
    let form = single_entry(383, "Úč NO", &kinds, [YEAR, BEFORE]);
    let tables = [
        table("Príjmy", &["1", "2", "3", "4"]),
        table("Výdavky", &["1", "2", "3", "4"]),
        table("Majetok", &["1", "1", "70", "69"]),
        table(
            "Záväzky",
            &["1", "2", "3", "4", "5", "6", "30", "11", "40", "58"],
        ),
    ];
    Register::new()
        .statement(3, 2024, &json!({}), &report(30, 3, 383, &tables))
        .with("/api/sablona?id=383", Answer::json(&form))
        .install();
    let told = &statements()["latest"];
    assert_eq!(
        (&told["total_liabilities"], &told["total_revenue"]),
        (&json!(30), &json!(null))
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
    assert_eq!(why(&told), "");
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
