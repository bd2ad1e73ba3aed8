//! Runs every parser over the recorded answers that lie beside the project, if they are there. It prints counts only.

use std::collections::BTreeMap;
use std::fs;

use lustra_ruz::answers::{self, UnitNumber, Visibility};
use lustra_ruz::forms::{self, Line};
use lustra_ruz::settings::Labels;
use lustra_ruz::{figures, sizes};
use lustra_sdk::serde_json::{Value, from_str};
use lustra_sdk::{amount, testing};

fn sample(name: &str) -> Option<String> {
    let file = testing::sample(&format!("ruz/{name}"))?;
    Some(fs::read_to_string(file).unwrap())
}

#[test]
fn recorded_lists_are_read() {
    if let Some(text) = sample("bodies/statements-list.json") {
        let list = answers::read_ids("statements", &text).unwrap();
        assert_eq!((list.ids.len(), list.has_more), (2, true));
    }
    if let Some(text) = sample("bodies/units-list-no-match.json") {
        let list = answers::read_ids("units", &text).unwrap();
        assert_eq!((list.ids.len(), list.has_more), (0, false));
    }
}

#[test]
fn recorded_objects_are_read() {
    if let Some(text) = sample("bodies/unit-442175.json") {
        let unit = answers::read_unit(442_175, &text).unwrap();
        assert_eq!(unit.visibility, Visibility::Public);
        assert_eq!(unit.statements.len(), 17);
        assert_eq!(unit.size.as_deref(), Some("36"));
        assert!(matches!(unit.number, Some(UnitNumber::Company(_))));
    }
    for id in [1, 3] {
        if let Some(text) = sample(&format!("bodies/statement-{id}.json")) {
            let detail = answers::read_statement(id, &text).unwrap();
            assert_eq!(
                (detail.from, detail.to),
                (Some((2009, 1)), Some((2009, 12)))
            );
            assert_eq!(detail.kind.as_deref(), Some("riadna"));
            assert!(detail.consolidated);
            assert_eq!((detail.reports.len(), detail.submitted), (2, None));
        }
    }
}

#[test]
fn the_recorded_classifier_is_the_table() {
    let Some(text) = sample("bodies/codebook-velkosti-organizacie.json") else {
        return;
    };
    let classifier: Value = from_str(&text).unwrap();
    let classes = classifier["klasifikacie"].as_array().unwrap();
    assert_eq!(classes.len(), sizes::SIZES.len());
    for class in classes {
        let size = sizes::of_code(class["kod"].as_str().unwrap()).unwrap();
        assert_eq!(class["nazov"]["sk"], size.text);
    }
}

/// The form read from the template, by its labels and head, equals the built-in form with line numbers.
#[test]
fn the_recorded_template_is_the_known_form() {
    let Some(text) = sample("template-699-uc-pod.json") else {
        return;
    };
    let template = forms::read_template(699, &text).unwrap();
    let read = forms::of_template(&template, &Labels::default());
    let known = forms::known(699).unwrap();
    assert_eq!(read.name, known.name);
    for (read, known) in read.tables.iter().zip(&known.tables) {
        assert_eq!(
            (&read.name, read.rows, read.columns),
            (&known.name, known.rows, known.columns)
        );
        assert_eq!(read.current, known.current);
        let lines = |lines: &[(Line, usize)]| lines.iter().copied().collect::<BTreeMap<_, _>>();
        assert_eq!(lines(&read.lines), lines(&known.lines), "{}", read.name);
        assert_eq!(read.numbers, known.numbers, "{}", read.name);
        assert_eq!(read.sums, known.sums, "{}", read.name);
    }
    assert_eq!(read.family, known.family);
}

#[test]
fn the_recorded_report_balances() {
    let Some(text) = sample("report-36319007-pod-cut-down.json") else {
        return;
    };
    let report = answers::read_report(9_000_014, &text).unwrap();
    let form = forms::known(699).unwrap();
    let filled = figures::read(&report, &form).unwrap();
    assert!(!filled.is_blank && filled.figures.is_whole(form.family));
    assert_eq!(filled.figures.is_balanced(), Some(true));
    for line in [
        Line::Assets,
        Line::Equity,
        Line::Liabilities,
        Line::OperatingRevenue,
    ] {
        assert!(filled.figures.of(line).is_some(), "{line:?}");
    }
    assert_eq!(
        filled.figures.profit(),
        filled.figures.of(Line::ProfitInEquity)
    );
    let named = filled.figures.named(form.family);
    let sum = |parts: [&Option<String>; 2]| {
        amount::sum(parts.into_iter().flatten().map(String::as_str)).unwrap()
    };
    let whole = |amount: &Option<String>| amount::sum(amount.as_deref()).unwrap();
    assert_eq!(
        sum([&named.operating_result, &named.financial_result]),
        whole(&named.profit_before_tax)
    );
    assert_eq!(
        sum([&named.operating_income, &named.financial_income]),
        whole(&named.total_income)
    );
    let after_tax = [
        named.profit_before_tax.as_deref().unwrap(),
        &format!("-{}", named.income_tax.as_deref().unwrap()),
    ];
    assert_eq!(
        amount::sum(after_tax).as_deref(),
        Some(whole(&filled.figures.profit().map(str::to_owned)).as_str())
    );
}
