//! The forms of non-profit units, of persons with single entry, and of IFRS, which is a file alone.

use super::Holds::{
    Accruals, Assets, Equity, Liabilities, Nothing, Profit, ProfitInEquity, Revenue, Sources,
};
use super::{Columns, Form, table};

/// Of non-profit units.
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
                (57, Nothing, "Časové rozlíšenie spolu r. 058 a r. 059"),
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
                    "Vlastné zdroje krytia majetku spolu r. 062 + r. 068 + r. 072 + r. 073",
                ),
                (
                    73,
                    ProfitInEquity,
                    "Výsledok hospodárenia za účtovné obdobie r. 060 - (r. 062 + r. 068)",
                ),
                (
                    74,
                    Liabilities,
                    "Cudzie zdroje spolu r. 075 + r. 079 + r. 087 + r. 097",
                ),
                (101, Accruals, "Časové rozlíšenie spolu r. 102 a r. 103"),
                (
                    104,
                    Sources,
                    "Vlastné zdroje a cudzie zdroje spolu r. 061 + r. 074 + r. 101",
                ),
            ],
        ),
        table(
            "Náklady",
            "Expenses",
            Columns::Activities,
            (1, 38),
            &[(38, Nothing, "Účtovná trieda 5 spolu r. 01 až r. 37")],
        ),
        table(
            "Výnosy",
            "Revenue",
            Columns::Activities,
            (39, 78),
            &[
                (74, Revenue, "Účtovná trieda 6 spolu r. 39 až r. 73"),
                (
                    75,
                    Nothing,
                    "Výsledok hospodárenia pred zdanením r. 74 - r. 38",
                ),
                (
                    78,
                    Profit,
                    "Výsledok hospodárenia po zdanení (r. 75 - (r. 76 + r. 77)) (+/-)",
                ),
            ],
        ),
    ],
};

/// Of IFRS.
pub(super) const IFRS: Form = Form {
    id: 703,
    name: "IFRS účtovná závierka",
    valid_from: "2013-01-01",
    tables: &[],
};

/// Of persons with single entry.
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
            &[(4, Revenue, "Príjmy celkom (r. 01 + r. 02 + r. 03)")],
        ),
        table(
            "Výdavky",
            "Expenditure",
            Columns::Year,
            (5, 12),
            &[(12, Nothing, "Výdavky celkom (r. 05 až r. 11)")],
        ),
        table(
            "Majetok",
            "Assets",
            Columns::Years,
            (1, 15),
            &[(15, Assets, "Majetok celkom (r. 01 + r. 02)")],
        ),
        table(
            "Záväzky",
            "Liabilities",
            Columns::Years,
            (16, 20),
            &[(20, Liabilities, "Záväzky celkom (r. 16 až r. 19)")],
        ),
    ],
};
