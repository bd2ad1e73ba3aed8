//! The operator's settings.

use lustra_sdk::sheet::Headers;

lustra_sdk::settings! {
    /// Where the list comes from.
    pub choice Source {
        /// The pages of the register.
        Page = "page",
        /// A file that the operator supplies.
        File = "file",
    }
}

lustra_sdk::settings! {
    /// The source of the list.
    pub struct Settings {
        /// Source of the list: the register's pages, whose form is assumed, or the operator's file
        /// illegal-employment-list.
        source: Source = Source::Page,
        /// Headers of the columns: texts that a header equals or contains, without regard to case and diacritics. A
        /// column that is left out keeps its default.
        columns: Columns = Columns::default(),
    }
}

lustra_sdk::settings! {
    /// The requests for the register's pages.
    pub struct Pages {
        /// Path of the list, with a query if one is needed.
        page_path: String = "/app/registerNZ/",
        /// Query parameter with the number of the page.
        page_parameter: String = "strana",
        /// Number of the first page.
        first_page: u64 [0..=1] = 1,
        /// Text before the total number of rows on each page, without regard to case and diacritics. The rows of all
        /// pages must add up to that number.
        total_label: String = "Počet záznamov",
    }
}

lustra_sdk::settings! {
    /// The headers of the columns.
    pub group Columns {
        /// The name of the employer. Required, and not stored.
        name: Headers = ["názov", "obchodné meno", "meno"],
        /// The IČO. Required; empty for a natural person.
        ico: Headers = ["ičo"],
        /// The address of the employer.
        address: Headers = ["sídlo", "adresa"],
        /// The day of the violation.
        violation_date: Headers = ["dátum porušenia", "dátum zistenia"],
        /// The day on which the decision became final. Required.
        decision_date: Headers = ["dátum právoplatnosti", "dátum rozhodnutia", "dátum"],
        /// The number of the decision.
        decision_number: Headers = ["číslo rozhodnutia"],
        /// The provision that was violated.
        legal_basis: Headers = ["porušenie", "porušené ustanovenie", "zistenie"],
        /// The inspectorate that decided.
        inspectorate: Headers = ["inšpektorát"],
    }
}
