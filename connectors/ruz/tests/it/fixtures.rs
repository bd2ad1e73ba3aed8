//! Every folder of `fixtures/` is a case: an answer, and the expected result.

use std::fs;

use lustra_ruz::answers::{self, UnitNumber, Visibility};
use lustra_ruz::figures;
use lustra_ruz::forms::{self, Form, Line};
use lustra_ruz::settings::Labels;
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Map, Value, json};
use lustra_sdk::testing::fixtures::{Case, every_case, failed};

#[test]
fn every_fixture_matches() {
    every_case(41, &["kind", "id"], |case| {
        read(case).unwrap_or_else(|failure| failed(&failure))
    });
}

fn read(case: &Case) -> Result<Value, Failure> {
    let id = case.expected["id"].as_u64().unwrap_or_default();
    let input = case.text();
    Ok(match case.expected["kind"].as_str().unwrap() {
        "ids" => {
            let list = answers::read_ids("units", input)?;
            json!({"ids": list.ids, "has_more": list.has_more})
        }
        "unit" => {
            let unit = answers::read_unit(id, input)?;
            json!({
                "standing": visibility(unit.visibility), "number": number(unit.number), "size": unit.size,
                "statements": unit.statements,
            })
        }
        "statement" => {
            let detail = answers::read_statement(id, input)?;
            json!({
                "standing": visibility(detail.visibility), "unit": detail.unit, "from": detail.from, "to": detail.to,
                "submitted": detail.submitted, "statement_type": detail.kind, "consolidated": detail.consolidated,
                "fund": detail.fund, "reports": detail.reports,
            })
        }
        "template" => of_form(&form(id, input)?),
        _ => report(id, input, case)?,
    })
}

fn number(number: Option<UnitNumber>) -> Option<String> {
    number.map(|number| match number {
        UnitNumber::Company(ico) => ico,
        UnitNumber::PartOf(ico) => format!("part of {ico}"),
    })
}

fn form(id: u64, template: &str) -> Result<Form, Failure> {
    let template = forms::read_template(id, template)?;
    Ok(forms::of_template(&template, &Labels::default()))
}

fn report(id: u64, input: &str, case: &Case) -> Result<Value, Failure> {
    let report = answers::read_report(id, input)?;
    let mut found = json!({
        "standing": visibility(report.visibility), "statement": report.statement, "template": report.template,
        "currency": report.currency, "access": format!("{:?}", report.access), "attachments": report.attachments,
        "tables": report.tables.len(),
    });
    let Some(template) = report.template.filter(|_| !report.tables.is_empty()) else {
        return Ok(found);
    };
    let form = match fs::read_to_string(case.folder.join("template.json")) {
        Ok(text) => form(template, &text)?,
        Err(_) => forms::known(template).unwrap(),
    };
    let filled = figures::read(&report, &form)?;
    found["is_blank"] = json!(filled.is_blank);
    found["assets"] = json!(filled.figures.of(Line::Assets));
    found["equity"] = json!(filled.figures.of(Line::Equity));
    found["liabilities"] = json!(filled.figures.of(Line::Liabilities));
    let revenue = filled.figures.revenue();
    found["revenue"] = json!(revenue.map(|(line, value)| format!("{line:?} {value}")));
    found["profit"] = json!(filled.figures.profit());
    found["is_balanced"] = json!(filled.figures.is_balanced());
    Ok(found)
}

fn of_form(form: &Form) -> Value {
    let tables = form.tables.iter().map(|table| {
        let lines: Map<String, Value> = table
            .lines
            .iter()
            .map(|(line, row)| (format!("{line:?}"), json!(row)))
            .collect();
        json!({
            "name": table.name, "rows": table.rows, "columns": table.columns, "current": current(&table.current),
            "lines": lines,
        })
    });
    json!({"name": form.name, "tables": tables.collect::<Vec<_>>(), "is_mapped": form.is_mapped()})
}

fn current(columns: &[usize]) -> Value {
    match columns {
        [] => Value::Null,
        [only] => json!(only),
        several => json!(several),
    }
}

fn visibility(visibility: Visibility) -> String {
    format!("{visibility:?}")
}
