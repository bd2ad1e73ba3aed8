//! The forms of companies since 2014.

use super::LineContent::{
    Accruals, Assets, BeforeTax, Equity, Expenses, FinancialExpenses, FinancialIncome,
    FinancialResult, Goods, Liabilities, Nothing, OperatingResult, Products, Profit,
    ProfitInEquity, Revenue, Services, Sources, Tax, Turnover,
};
use super::{Columns, Form, table};

/// The form of micro companies.
pub(super) const MICRO: Form = Form {
    id: 687,
    name: "Úč MUJ",
    valid_from: "2014-01-01",
    tables: &[
        table(
            "Strana aktív",
            "Assets",
            Columns::Years,
            (1, 23),
            &[
                (1, Assets, "SPOLU MAJETOK r. 02 + r. 14"),
                (2, Nothing, "Neobežný majetok r. 03 + r. 04 + r. 09"),
                (14, Nothing, "Obežný majetok r. 15 + r. 16 + r. 17 + r. 21"),
                (22, Nothing, "Finančné účty"),
            ],
        ),
        table(
            "Strana pasív",
            "Liabilities and equity",
            Columns::Years,
            (24, 45),
            &[
                (24, Sources, "SPOLU VLASTNÉ IMANIE A ZÁVÄZKY r. 25 + r. 34"),
                (25, Equity, "Vlastné imanie r. 26 + r. 29 + r. 30 + r. 33"),
                (26, Nothing, "Základné imanie súčet (r. 27 a r. 28)"),
                (
                    33,
                    ProfitInEquity,
                    "Výsledok hospodárenia za účtovné obdobie po zdanení /+-/",
                ),
                (
                    34,
                    Liabilities,
                    "Záväzky r. 35 + r. 36 + r. 37 + r. 38 + r. 44 + r. 45",
                ),
            ],
        ),
        table(
            "Výkaz ziskov a strát",
            "Income statement",
            Columns::Years,
            (1, 38),
            &[
                (
                    1,
                    Revenue,
                    "Výnosy z hospodárskej činnosti spolu súčet (r. 02 až r. 07)",
                ),
                (2, Goods, "Tržby z predaja tovaru"),
                (3, Products, "Tržby z predaja vlastných výrobkov a služieb"),
                (
                    8,
                    Expenses,
                    "Náklady na hospodársku činnosť spolu súčet (r. 09 až r. 17)",
                ),
                (
                    18,
                    OperatingResult,
                    "Výsledok hospodárenia z hospodárskej činnosti (+/-)",
                ),
                (
                    20,
                    FinancialIncome,
                    "Výnosy z finančnej činnosti spolu súčet (r. 21 až r. 26)",
                ),
                (
                    27,
                    FinancialExpenses,
                    "Náklady na finančnú činnosť spolu súčet (r. 28 až r. 33)",
                ),
                (31, Nothing, "Nákladové úroky"),
                (
                    34,
                    FinancialResult,
                    "Výsledok hospodárenia z finančnej činnosti (+/-)",
                ),
                (
                    35,
                    BeforeTax,
                    "Výsledok hospodárenia za účtovné obdobie pred zdanením (+/-)",
                ),
                (36, Tax, "Daň z príjmov"),
                (
                    38,
                    Profit,
                    "Výsledok hospodárenia za účtovné obdobie po zdanení (+/-)",
                ),
            ],
        ),
    ],
};

/// The form of all other companies.
pub(super) const COMPANY: Form = Form {
    id: 699,
    name: "Úč POD",
    valid_from: "2014-01-01",
    tables: &[
        table(
            "Strana aktív",
            "Assets",
            Columns::Gross,
            (1, 78),
            &[
                (1, Assets, "SPOLU MAJETOK r. 02 + r. 33 + r. 74"),
                (2, Nothing, "Neobežný majetok r. 03 + r. 11 + r. 21"),
                (
                    33,
                    Nothing,
                    "Obežný majetok r. 34 + r. 41 + r. 53 + r. 66 + r. 71",
                ),
                (74, Nothing, "Časové rozlíšenie súčet (r. 75 až r. 78)"),
            ],
        ),
        table(
            "Strana pasív",
            "Liabilities and equity",
            Columns::Years,
            (79, 145),
            &[
                (
                    79,
                    Sources,
                    "SPOLU VLASTNÉ IMANIE A ZÁVÄZKY r. 80 + r. 101 + r. 141",
                ),
                (
                    80,
                    Equity,
                    "Vlastné imanie r. 81 + r. 85 + r. 86 + r. 87 + r. 90 + r. 93 + r. 97 + r. 100",
                ),
                (81, Nothing, "Základné imanie súčet (r. 82 až r. 84)"),
                (
                    100,
                    ProfitInEquity,
                    "Výsledok hospodárenia za účtovné obdobie po zdanení /+-/ r. 01 - (r. 81 + r. 141)",
                ),
                (
                    101,
                    Liabilities,
                    "Záväzky r. 102 + r. 118 + r. 121 + r. 122 + r. 136 + r. 139 + r. 140",
                ),
                (
                    102,
                    Nothing,
                    "Dlhodobé záväzky súčet (r. 103 + r. 107 až r. 117)",
                ),
                (141, Accruals, "Časové rozlíšenie súčet (r. 142 až r. 145)"),
            ],
        ),
        table(
            "Výkaz ziskov a strát",
            "Income statement",
            Columns::Years,
            (1, 61),
            &[
                (1, Turnover, "Čistý obrat (časť účt. tr. 6 podľa zákona)"),
                (
                    2,
                    Revenue,
                    "Výnosy z hospodárskej činnosti spolu súčet (r. 03 až r. 09)",
                ),
                (3, Goods, "Tržby z predaja tovaru"),
                (4, Products, "Tržby z predaja vlastných výrobkov"),
                (5, Services, "Tržby z predaja služieb"),
                (
                    10,
                    Expenses,
                    "Náklady na hospodársku činnosť spolu (r. 11 až r. 26)",
                ),
                (
                    27,
                    OperatingResult,
                    "Výsledok hospodárenia z hospodárskej činnosti (+/-) (r. 02 - r. 10)",
                ),
                (
                    29,
                    FinancialIncome,
                    "Výnosy z finančnej činnosti spolu (r. 30 až r. 44)",
                ),
                (
                    45,
                    FinancialExpenses,
                    "Náklady na finančnú činnosť spolu (r. 46 až r. 54)",
                ),
                (
                    55,
                    FinancialResult,
                    "Výsledok hospodárenia z finančnej činnosti (+/-) (r. 29 - r. 45)",
                ),
                (57, Tax, "Daň z príjmov (r. 58 + r. 59)"),
                (
                    56,
                    BeforeTax,
                    "Výsledok hospodárenia za účtovné obdobie pred zdanením (+/-) (r. 27 + r. 55)",
                ),
                (
                    61,
                    Profit,
                    "Výsledok hospodárenia za účtovné obdobie po zdanení (+/-) (r. 56 - r. 57 - r. 60)",
                ),
            ],
        ),
    ],
};
