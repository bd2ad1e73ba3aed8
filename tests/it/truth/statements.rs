//! Expected values for financial statements.

mod lines;

use lustra_tests::register_simulator::population::statements::{
    SIZES, Shown, Statement, StatementForm, StatementKind, unit,
};
use lustra_tests::register_simulator::{Company, Population};
use serde_json::{Value, json};

/// Number of newest statements that one reading always reaches.
const NEWEST: usize = 3;

/// Expected values on a day.
pub fn truth(_population: &Population, company: &Company, _day: u32) -> Value {
    let all = every(company);
    json!({
        "financials": financials(company),
        "latest": latest(&all),
        "newest": all.get(..NEWEST.min(all.len())),
    })
}

/// The same values, extracted from a response's `data`.
pub fn reported(data: &Value) -> Value {
    let section = &data["financial_statements"];
    let all: Vec<Value> = section["statements"]
        .as_array()
        .into_iter()
        .flatten()
        .map(picked)
        .collect();
    json!({
        "financials": data["financials"],
        "latest": picked(&section["latest"]),
        "newest": all.get(..NEWEST.min(all.len())),
    })
}

/// All expected statements of a company, newest first.
pub fn every(company: &Company) -> Vec<Value> {
    let Some(unit) = unit(company) else {
        return Vec::new();
    };
    let size = unit.size.and_then(words);
    let mut filed = unit.statements;
    filed.retain(|statement| statement.shown != Shown::Erased);
    filed.sort_by_key(|statement| (statement.to, statement.submitted, statement.id));
    filed.reverse();
    let is_corrected = |place: usize| {
        let newer = filed.get(..place).unwrap_or_default();
        filed.get(place).is_some_and(|this| {
            newer.iter().any(|newer| {
                (newer.from, newer.to, newer.kind, newer.consolidated)
                    == (this.from, this.to, this.kind, this.consolidated)
            })
        })
    };
    let places = filed.iter().enumerate();
    places
        .map(|(place, statement)| written(statement, size, is_corrected(place)))
        .collect()
}

/// The members of a response's statement that are comparable with [`every`].
pub fn picked(statement: &Value) -> Value {
    let mut statement = statement.clone();
    if let Some(members) = statement.as_object_mut() {
        members.remove("url");
    }
    statement
}

/// The newest regular statement of the company itself.
pub fn latest(all: &[Value]) -> Value {
    let mut own = all.iter().filter(|statement| {
        statement["statement_type"] == "riadna" && statement["consolidated"] == false
    });
    own.next().cloned().unwrap_or_default()
}

fn written(statement: &Statement, size: Option<&str>, is_corrected: bool) -> Value {
    let figures = statement.figures;
    let has_figures = statement.shown == Shown::Figures;
    let number = |value: Option<i64>| value.filter(|_| has_figures);
    let basis = match statement.form {
        StatementForm::Company
        | StatementForm::Micro
        | StatementForm::Old2009
        | StatementForm::Old2011 => "operating_revenue",
        StatementForm::NonProfit => "total_revenue",
        StatementForm::SingleEntry => "receipts",
        StatementForm::Ifrs => "none",
    };
    let kind = match statement.kind {
        StatementKind::Regular => "riadna",
        StatementKind::Extraordinary => "mimoriadna",
        StatementKind::Interim => "priebežná",
    };
    let data = match statement.shown {
        Shown::Figures => "table",
        Shown::Blank => "blank",
        Shown::File => "pdf_only",
        Shown::NotPublic => "not_public",
        Shown::Erased => "erased",
    };
    let has_tables = matches!(statement.shown, Shown::Figures | Shown::Blank);
    let is_named = has_tables || statement.shown == Shown::File;
    let mut reported = json!({
        "year": statement.to.year(),
        "statement_type": kind,
        "total_assets": number(figures.assets),
        "total_equity": number(figures.equity),
        "total_liabilities": number(figures.liabilities),
        "total_revenue": number(figures.revenue),
        "net_profit": number(figures.profit),
        "template_type": is_named.then(|| statement.form.name()),
        "size_category": size,
        "statement_id": statement.id,
        "period_from": statement.from.to_string(),
        "period_to": statement.to.to_string(),
        "submitted_at": statement.submitted.to_string(),
        "consolidated": statement.consolidated,
        "corrected": is_corrected,
        "currency": has_tables.then_some("EUR"),
        "revenue_basis": (has_figures && figures.revenue.is_some()).then_some(basis),
        "data": data,
    });
    let form = is_named.then_some(statement.form);
    for (name, value) in lines::named(form, has_figures.then_some(&figures)) {
        reported[name] = value;
    }
    if has_figures && statement.is_balanced() == Some(false) {
        reported["balanced"] = json!(false);
    }
    reported
}

fn financials(company: &Company) -> Value {
    let all = every(company);
    let own = all.iter().filter(|statement| {
        statement["statement_type"] == "riadna"
            && statement["consolidated"] == false
            && statement["corrected"] == false
    });
    let newest: Vec<&Value> = own.take(3).collect();
    let with_figures = newest.iter().find(|statement| statement["data"] == "table");
    let chosen = with_figures.or(newest.first());
    let of = |name: &str| chosen.map_or(Value::Null, |statement| statement[name].clone());
    // These are decimal texts; the statements have numbers.
    let amount = |name: &str| of(name).as_i64().map(|value| value.to_string());
    let code = unit(company).and_then(|unit| unit.size);
    let fewest = code.and_then(|code| {
        let class = SIZES.iter().find(|(known, _)| *known == code);
        class.and_then(|(_, fewest)| *fewest)
    });
    let mut expected = json!({
        "year": of("year"),
        "latest_year": of("year"),
        "revenue": amount("total_revenue"),
        "profit": amount("net_profit"),
        "assets": amount("total_assets"),
        "employees_count": fewest,
        "employees": fewest,
        "employees_band": code.and_then(band),
        "currency": of("currency"),
        "revenue_basis": of("revenue_basis"),
        "data": of("data"),
        "statement_id": of("statement_id"),
        "period_from": of("period_from"),
        "period_to": of("period_to"),
    });
    let figures = [
        "total_assets",
        "total_equity",
        "total_liabilities",
        "net_profit",
    ];
    for name in lines::NAMES.into_iter().chain(figures) {
        expected[name] = of(name);
    }
    expected
}

fn band(code: &str) -> Option<&'static str> {
    match code {
        "01" => Some("0"),
        "03" => Some("2"),
        "05" => Some("5–9"),
        "11" => Some("25–49"),
        "24" => Some("250–499"),
        _ => None,
    }
}

fn words(code: &str) -> Option<&'static str> {
    match code {
        "01" => Some("0 zamestnancov"),
        "03" => Some("2 zamestnanci"),
        "05" => Some("5-9 zamestnancov"),
        "11" => Some("25-49 zamestnancov"),
        "24" => Some("250-499 zamestnancov"),
        _ => None,
    }
}
