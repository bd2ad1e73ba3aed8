//! The forms of companies from 2009 to 2013, with separate reports for balance sheet and result.

use super::LineContent::{
    Accruals, Assets, BeforeTax, Equity, FinancialResult, Goods, Liabilities, Nothing,
    OperatingResult, OtherTax, Products, Profit, ProfitInEquity, Sources, Tax,
};
use super::{Columns, Form, Line, Table, table};

const ASSETS: Table = table(
    "Strana aktív",
    "Assets",
    Columns::Gross,
    (1, 65),
    &[
        (1, Assets, "SPOLU MAJETOK r. 002 + r. 030 + r. 061"),
        (2, Nothing, "Neobežný majetok r. 003 + r. 011 + r. 021"),
        (
            30,
            Nothing,
            "Obežný majetok r. 031 + r. 038 + r. 046 + r. 055",
        ),
        (61, Nothing, "Časové rozlíšenie súčet (r. 062 až r. 065)"),
    ],
);

/// The balance sheet of 2009.
pub(super) const BALANCE_2009: Form = Form {
    id: 20,
    name: "Súvaha Úč POD 1-01",
    valid_from: "2009-01-01",
    tables: &[
        ASSETS,
        sources(
            (66, 125),
            &[
                (
                    66,
                    Sources,
                    "SPOLU VLASTNÉ IMANIE A ZÁVÄZKY r. 067 + r. 088 + r. 121",
                ),
                (
                    67,
                    Equity,
                    "Vlastné imanie r. 068 + r. 073 + r. 080 + r. 084 + r. 087",
                ),
                (
                    87,
                    ProfitInEquity,
                    "Výsledok hospodárenia za účtovné obdobie po zdanení /+-/ r. 001 - (r. 068 + r. 073)",
                ),
                (
                    88,
                    Liabilities,
                    "Záväzky r. 089 + r. 094 + r. 106 + r. 117 + r. 118",
                ),
                (94, Nothing, "Dlhodobé záväzky súčet (r. 095 až r. 105)"),
                (107, Nothing, "Záväzky z obchodného styku (321, 322, 324)"),
                (121, Accruals, "Časové rozlíšenie súčet (r. 122 až r. 125)"),
            ],
        ),
    ],
};

/// The balance sheet of 2011: the same lines with other numbers.
pub(super) const BALANCE_2011: Form = Form {
    id: 21,
    name: "Súvaha Úč POD 1-01",
    valid_from: "2011-01-01",
    tables: &[
        ASSETS,
        sources(
            (66, 123),
            &[
                (
                    66,
                    Sources,
                    "SPOLU VLASTNÉ IMANIE A ZÁVÄZKY r. 067 + r. 086 + r. 119",
                ),
                (
                    67,
                    Equity,
                    "Vlastné imanie r. 068 + r. 073 + r. 080 + r. 085",
                ),
                (
                    85,
                    ProfitInEquity,
                    "Výsledok hospodárenia za účtovné obdobie po zdanení /+-/ r. 001 - (r. 068 + r. 073)",
                ),
                (
                    86,
                    Liabilities,
                    "Záväzky r. 087 + r. 092 + r. 104 + r. 115 + r. 116",
                ),
                (92, Nothing, "Dlhodobé záväzky súčet (r. 093 až r. 103)"),
                (119, Accruals, "Časové rozlíšenie súčet (r. 120 až r. 123)"),
            ],
        ),
    ],
};

/// The result. It has no line for total revenue, neither operating nor overall.
pub(super) const RESULT: Form = Form {
    id: 22,
    name: "Výkaz ziskov a strát Úč POD 2-01",
    valid_from: "2009-01-01",
    tables: &[table(
        "Výkaz ziskov a strát",
        "Income statement",
        Columns::Years,
        (1, 61),
        &[
            (1, Goods, "Tržby z predaja tovaru (604, 607)"),
            (4, Nothing, "Výroba r. 05 + r. 06 + r. 07"),
            (
                5,
                Products,
                "Tržby z predaja vlastných výrobkov a služieb (601, 602, 606)",
            ),
            (
                26,
                OperatingResult,
                "Výsledok hospodárenia z hospodárskej činnosti",
            ),
            (
                46,
                FinancialResult,
                "Výsledok hospodárenia z finančnej činnosti",
            ),
            (48, Tax, "Daň z príjmov z bežnej činnosti (r. 49 + r. 50)"),
            (
                55,
                OtherTax,
                "Daň z príjmov z mimoriadnej činnosti (r. 56 + r. 57)",
            ),
            (
                51,
                ProfitInEquity,
                "Výsledok hospodárenia z bežnej činnosti po zdanení",
            ),
            (
                58,
                Nothing,
                "Výsledok hospodárenia z mimoriadnej činnosti po zdanení",
            ),
            (
                59,
                BeforeTax,
                "Výsledok hospodárenia za účtovné obdobie pred zdanením (+/-)",
            ),
            (
                61,
                Profit,
                "Výsledok hospodárenia za účtovné obdobie po zdanení (+/-) r. 59 - r. 60",
            ),
        ],
    )],
};

const fn sources(lines: (u32, u32), named: &'static [Line]) -> Table {
    table(
        "Strana pasív",
        "Liabilities and equity",
        Columns::Years,
        lines,
        named,
    )
}
