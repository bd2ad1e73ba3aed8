//! The forms of non-profit units, of persons with single entry, and of IFRS, which has only a file.

use super::LineContent::{
    Accruals, Assets, BeforeTax, Equity, Expenditures, Expenses, Goods, Liabilities, Nothing,
    OtherTax, Part, Products, Profit, ProfitInEquity, PropertyLessDebts, ReceiptsLessExpenditures,
    Revenue, Services, Sources, Tax,
};
use super::{Columns, Form, table};

/// The form of non-profit units.
pub(super) const NON_PROFIT: Form = Form {
    id: 385,
    name: "Úč NUJ",
    valid_from: "2013-01-01",
    tables: &[
        table(
            "Strana aktív",
            "Assets",
            Columns::Gross,
            (1, 60),
            &[
                (57, Nothing, "ČASOVÉ ROZLÍŠENIE SPOLU r. 058 a r. 059"),
                (60, Assets, "MAJETOK SPOLU r. 001 + r. 029 + r. 057"),
            ],
        ),
        table(
            "Strana pasív",
            "Liabilities",
            Columns::Years,
            (61, 104),
            &[
                (
                    61,
                    Equity,
                    "VLASTNÉ ZDROJE KRYTIA MAJETKU SPOLU r. 062 + r. 068 + r. 072 + r. 073",
                ),
                (
                    73,
                    ProfitInEquity,
                    "Výsledok hospodárenia za účtovné obdobie r. 060 - (r. 062 + r. 068)",
                ),
                (
                    74,
                    Liabilities,
                    "CUDZIE ZDROJE SPOLU r. 075 + r. 079 + r. 087 + r. 097",
                ),
                (101, Accruals, "ČASOVÉ ROZLÍŠENIE SPOLU r. 102 a r. 103"),
                (
                    104,
                    Sources,
                    "VLASTNÉ ZDROJE A CUDZIE ZDROJE SPOLU r. 061 + r. 074 + r. 101",
                ),
            ],
        ),
        table(
            "Náklady",
            "Expenses",
            Columns::Activities,
            (1, 38),
            &[(38, Expenses, "Účtovná trieda 5 spolu r. 01 až r. 37")],
        ),
        table(
            "Výnosy",
            "Revenue",
            Columns::Activities,
            (39, 78),
            &[
                (39, Products, "Tržby za vlastné výrobky"),
                (40, Services, "Tržby z predaja služieb"),
                (41, Goods, "Tržby za predaný tovar"),
                (74, Revenue, "Účtovná trieda 6 spolu r. 39 až r. 73"),
                (
                    75,
                    BeforeTax,
                    "Výsledok hospodárenia pred zdanením r. 74 - r. 38",
                ),
                (76, Tax, "Daň z príjmov"),
                (77, OtherTax, "Dodatočné odvody dane z príjmov"),
                (
                    78,
                    Profit,
                    "Výsledok hospodárenia po zdanení (r. 75 - (r. 76 + r. 77)) (+/-)",
                ),
            ],
        ),
    ],
};

/// The form of IFRS.
pub(super) const IFRS: Form = Form {
    id: 703,
    name: "IFRS účtovná závierka",
    valid_from: "2013-01-01",
    tables: &[],
};

/// The form of persons with single entry.
pub(super) const SINGLE_ENTRY: Form = Form {
    id: 716,
    name: "Úč FO",
    valid_from: "2014-01-01",
    tables: &[
        table(
            "Príjmy",
            "Receipts",
            Columns::Year,
            (1, 4),
            &[
                (1, Nothing, "Predaj tovaru"),
                (2, Nothing, "Predaj výrobkov a služieb"),
                (3, Nothing, "Ostatné príjmy"),
                (4, Revenue, "Príjmy celkom (r. 01 + r. 02 + r. 03)"),
            ],
        ),
        table(
            "Výdavky",
            "Expenditure",
            Columns::Year,
            (5, 12),
            &[
                (5, Nothing, "Zásoby"),
                (6, Nothing, "Služby"),
                (7, Nothing, "Mzdy"),
                (10, Nothing, "Ostatné výdavky"),
                (11, Expenditures, "Výdavky celkom (súčet r. 05 až r. 10)"),
                (
                    12,
                    ReceiptsLessExpenditures,
                    "Rozdiel príjmov a výdavkov (r. 04 - r. 11)",
                ),
            ],
        ),
        table(
            "Majetok",
            "Assets",
            Columns::YearsTurned,
            (1, 15),
            &[
                (1, Nothing, "Dlhodobý nehmotný majetok"),
                (2, Nothing, "Dlhodobý hmotný majetok"),
                (3, Nothing, "Dlhodobý finančný majetok"),
                (15, Assets, "Majetok celkom (súčet r. 01 až r. 14)"),
            ],
        ),
        table(
            "Záväzky",
            "Liabilities",
            Columns::YearsTurned,
            (16, 21),
            &[
                (16, Nothing, "Rezervy"),
                (17, Part, "Záväzky"),
                (18, Nothing, "Úvery"),
                (20, Liabilities, "Záväzky celkom (súčet r. 16 až r. 19)"),
                (
                    21,
                    PropertyLessDebts,
                    "Rozdiel majetku a záväzkov (r. 15 - r. 20)",
                ),
            ],
        ),
    ],
};
