//! The forms of companies since 2014, by their line numbers.

use super::{Form, FormTable, Line, rules};

/// Templates of IFRS statements, which are files only.
pub const IFRS: [u64; 8] = [441, 445, 683, 695, 703, 704, 709, 717];

/// A form whose lines are built in: 699 (`Úč POD`) and 687 (`Úč MUJ`).
#[must_use]
pub fn known(template: u64) -> Option<Form> {
    let form = match template {
        699 => company(),
        687 => micro_company(),
        _ => return None,
    };
    Some(with_figures(form, template))
}

/// The form with the figures of its result, which is the last table and begins with line 1.
fn with_figures(mut form: Form, template: u64) -> Form {
    if let (Some(mapping), Some(result)) = (rules::of(template), form.tables.last_mut()) {
        form.family = Some(mapping.family);
        result.sums = mapping.sums_from(1);
    }
    form
}

/// The rows of a table from line `first` on, with the lines by their numbers.
fn table(
    name: &str,
    (first, last): (u32, u32),
    columns: usize,
    current: usize,
    lines: &[(Line, u32)],
) -> FormTable {
    let numbers = first..=last;
    let row_of = |wanted: u32| numbers.clone().position(|number| number == wanted);
    FormTable {
        name: name.to_owned(),
        rows: numbers.clone().count(),
        columns,
        current: vec![current],
        numbers: numbers.clone().map(Some).collect(),
        lines: lines
            .iter()
            .filter_map(|(line, number)| Some((*line, row_of(*number)?)))
            .collect(),
        sums: Vec::new(),
    }
}

fn company() -> Form {
    Form {
        name: "Úč POD".to_owned(),
        family: None,
        tables: vec![
            // Gross, correction, net, net of the year before.
            table("Strana aktív", (1, 78), 4, 2, &[(Line::Assets, 1)]),
            table(
                "Strana pasív",
                (79, 145),
                2,
                0,
                &[
                    (Line::Equity, 80),
                    (Line::Liabilities, 101),
                    (Line::Accruals, 141),
                    (Line::ProfitInEquity, 100),
                ],
            ),
            table(
                "Výkaz ziskov a strát",
                (1, 61),
                2,
                0,
                &[
                    (Line::OperatingRevenue, 2),
                    (Line::Turnover, 1),
                    (Line::Profit, 61),
                ],
            ),
        ],
    }
}

fn micro_company() -> Form {
    Form {
        name: "Úč MUJ".to_owned(),
        family: None,
        tables: vec![
            table("Strana aktív", (1, 23), 2, 0, &[(Line::Assets, 1)]),
            table(
                "Strana pasív",
                (24, 45),
                2,
                0,
                &[
                    (Line::Equity, 25),
                    (Line::Liabilities, 34),
                    (Line::ProfitInEquity, 33),
                ],
            ),
            table(
                "Výkaz ziskov a strát",
                (1, 38),
                2,
                0,
                &[(Line::OperatingRevenue, 1), (Line::Profit, 38)],
            ),
        ],
    }
}
