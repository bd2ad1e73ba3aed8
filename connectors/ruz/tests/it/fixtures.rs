//! Every folder of `fixtures/` is a case: an answer, and what must come out of it.

use std::fs;
use std::path::Path;

use lustra_ruz::answers::{self, Standing};
use lustra_ruz::figures;
use lustra_ruz::forms::{self, Form, Line};
use lustra_ruz::settings::Labels;
use lustra_sdk::Failure;
use lustra_sdk::serde_json::{Map, Value, from_slice, json, to_string_pretty};

#[test]
fn every_fixture_gives_what_it_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let case = entry.unwrap().path();
        let file = case.join("expected.json");
        let expected: Value = from_slice(&fs::read(&file).unwrap()).unwrap();
        let kind = expected["kind"].as_str().unwrap().to_owned();
        let id = expected["id"].as_u64().unwrap_or_default();
        let mut found = match read(&kind, id, &case) {
            Ok(found) => found,
            Err(failure) => of_failure(&failure),
        };
        found["kind"] = json!(kind);
        found["id"] = json!(id);
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            fs::write(&file, to_string_pretty(&found).unwrap() + "\n").unwrap();
        } else {
            assert_eq!(found, expected, "the case {}", case.display());
        }
        cases += 1;
    }
    assert!(cases > 40, "only {cases} cases were found");
}

fn read(kind: &str, id: u64, case: &Path) -> Result<Value, Failure> {
    let input = String::from_utf8(fs::read(case.join("input.json")).unwrap()).unwrap();
    Ok(match kind {
        "ids" => {
            let list = answers::read_ids("units", &input)?;
            json!({"ids": list.ids, "has_more": list.has_more})
        }
        "unit" => {
            let unit = answers::read_unit(id, &input)?;
            json!({
                "standing": standing(unit.standing), "ico": unit.ico, "size": unit.size,
                "statements": unit.statements,
            })
        }
        "statement" => {
            let detail = answers::read_statement(id, &input)?;
            json!({
                "standing": standing(detail.standing), "unit": detail.unit, "from": detail.from, "to": detail.to,
                "submitted": detail.submitted, "statement_type": detail.kind, "consolidated": detail.consolidated,
                "fund": detail.fund, "reports": detail.reports,
            })
        }
        "template" => of_form(&form(id, &input)?),
        _ => report(id, &input, case)?,
    })
}

fn form(id: u64, template: &str) -> Result<Form, Failure> {
    let template = forms::read_template(id, template)?;
    Ok(forms::of_template(&template, &Labels::default()))
}

fn report(id: u64, input: &str, case: &Path) -> Result<Value, Failure> {
    let report = answers::read_report(id, input)?;
    let mut found = json!({
        "standing": standing(report.standing), "statement": report.statement, "template": report.template,
        "currency": report.currency, "access": format!("{:?}", report.access), "attachments": report.attachments,
        "tables": report.tables.len(),
    });
    let Some(template) = report.template.filter(|_| !report.tables.is_empty()) else {
        return Ok(found);
    };
    let form = match fs::read_to_string(case.join("template.json")) {
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
            "name": table.name, "rows": table.rows, "columns": table.columns, "current": table.current,
            "lines": lines,
        })
    });
    json!({"name": form.name, "tables": tables.collect::<Vec<_>>(), "is_mapped": form.is_mapped()})
}

fn standing(standing: Standing) -> String {
    format!("{standing:?}")
}

fn of_failure(failure: &Failure) -> Value {
    match failure {
        Failure::Unavailable(_) => json!({"failure": "unavailable"}),
        Failure::Malformed(drift) => json!({"failure": "malformed", "what": drift.what}),
        Failure::Throttled(_)
        | Failure::Misconfigured(_)
        | Failure::Refused(_)
        | Failure::Other(_) => json!({"failure": "another"}),
    }
}
