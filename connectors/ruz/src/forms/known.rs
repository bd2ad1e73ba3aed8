//! The forms of companies since 2014, by their line numbers.

use super::{Form, FormTable, Line};

/// Templates of IFRS statements, which are files only.
pub const IFRS: [u64; 8] = [441, 445, 683, 695, 703, 704, 709, 717];

/// A form whose lines are built in: 699 (`Úč POD`) and 687 (`Úč MUJ`).
#[must_use]
pub fn known(template: u64) -> Option<Form> {
    match template {
        699 => Some(company()),
        687 => Some(micro_company()),
        _ => None,
    }
}

/// The rows of a table from line `first` on, with the lines by their numbers.
fn table(
    name: &str,
    (first, last): (usize, usize),
    columns: usize,
    current: usize,
    lines: &[(Line, usize)],
) -> FormTable {
    FormTable {
        name: name.to_owned(),
        rows: last - first + 1,
        columns,
        current: Some(current),
        lines: lines
            .iter()
            .map(|(line, number)| (*line, number - first))
            .collect(),
    }
}

fn company() -> Form {
    Form {
        name: "Úč POD".to_owned(),
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
