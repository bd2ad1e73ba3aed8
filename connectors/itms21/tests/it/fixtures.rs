//! Every folder of `fixtures/` is a case: a row of the register, and the expected result. The folder's name begins with
//! the reader's. `UPDATE_FIXTURES=1` writes the results; review the diff before you commit it.

use lustra_itms21::{application, project};
use lustra_sdk::serde_json::{Value, from_str, json};
use lustra_sdk::testing::fixtures::{Case, every_case, failed};
use lustra_sdk::{Failure, Notes};

#[test]
fn every_fixture_matches() {
    every_case(20, &[], |case| {
        read(&case.name, case.text()).unwrap_or_else(|failure| failed(&failure))
    });
}

fn read(name: &str, text: &str) -> Result<Value, Failure> {
    let row: Value = from_str(text).unwrap();
    let mut notes = Notes::default();
    notes.row();
    let mut read = if name.starts_with("application-") {
        let (application, partners) = application::read(&row, &mut notes)?;
        json!({ "application": application, "partners": partners })
    } else if name.starts_with("detail-") {
        let ordinary = Case::of("project-ordinary");
        let of: Value = from_str(ordinary.text()).unwrap();
        let (of, _) = project::read(&of, &mut Notes::default())?;
        let detail = project::read_detail(&row, &of, "2026-01-15", &mut notes)?;
        json!({ "detail": detail })
    } else {
        let (project, partners) = project::read(&row, &mut notes)?;
        json!({ "project": project, "partners": partners })
    };
    if notes.odd_rows() > 0 {
        read["odd"] = json!(true);
    }
    Ok(read)
}
