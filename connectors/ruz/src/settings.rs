//! The operator's settings: the words by which the lines of a form are recognised, and the register's public address.

lustra_sdk::settings! {
    /// Labels of lines, by what the line holds. The first label that a table has counts, so totals precede their parts.
    pub group Labels {
        /// The sum of all assets.
        total_assets: Vec<String> = ["Spolu majetok", "Majetok spolu", "Majetok celkom"],
        /// Equity, or own sources of a non-profit unit.
        total_equity: Vec<String> = [
            "Vlastné zdroje krytia majetku spolu",
            "Vlastné zdroje krytia majetku",
            "Vlastné imanie",
        ],
        /// The sum of liabilities, without accruals.
        total_liabilities: Vec<String> = [
            "Záväzky celkom",
            "Záväzky spolu",
            "Cudzie zdroje spolu",
            "Cudzie zdroje",
            "Záväzky",
        ],
        /// Accruals beside equity and liabilities.
        accruals: Vec<String> = ["Časové rozlíšenie spolu", "Časové rozlíšenie"],
        /// Total revenue from operating activity.
        operating_revenue: Vec<String> = ["Výnosy z hospodárskej činnosti spolu"],
        /// All revenue, in forms without a line for operating revenue.
        total_revenue: Vec<String> = ["Výnosy spolu", "Výnosy celkom", "Účtovná trieda 6 spolu"],
        /// Net turnover, as the form states it.
        net_turnover: Vec<String> = ["Čistý obrat"],
        /// Receipts of single-entry accounting.
        receipts: Vec<String> = ["Príjmy celkom", "Príjmy spolu"],
        /// The result of the year after tax.
        net_profit: Vec<String> = [
            "Výsledok hospodárenia za účtovné obdobie po zdanení",
            "Výsledok hospodárenia po zdanení",
        ],
    }
}

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Labels of lines in forms other than Úč POD and Úč MUJ of 2014. Case, diacritics, formulas behind a label and
        /// the word súčet do not matter. The first label of a list that a table has counts, so totals precede their
        /// parts. A list that is left out keeps its default.
        labels: Labels = Labels::default(),
        /// Address of the register's public pages, for links in sections, without a slash at the end.
        site: String = "https://www.registeruz.sk/cruz-public",
    }
}
