//! The operator's settings: every fact about the site that no recorded page confirms.
//!
//! Texts of headers, labels, states and marks are compared without case, diacritics and punctuation.

/// The placeholder for the number in a path.
pub const ICO: &str = "{ico}";
/// The placeholder for the register's selector in a path.
pub const SEARCH_TYPE: &str = "{search_type}";

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Public address of the site, for links in sections, without a slash at the end.
        site: String = "https://www.uvo.gov.sk",
        /// Maximum number of requests of one look-up. The host refuses more than its own limit for a call.
        most_requests: u64 [2..=20] = 10,
        /// Maximum share, in percent, of listed bans in force that may be missing from a new register of barred
        /// persons. A register that lacks more is refused. Former bans are kept, so the number of records never falls
        /// and `max_shrink_percent` cannot detect half a list.
        most_vanished_percent: u64 [0..=100] = 60,
        /// Facts that all lists of the site share. What is left out keeps its default, here and below.
        lists: Lists = Lists::default(),
        /// The register of barred persons: its page, the class and mark of its blocks, and their labels.
        debarred: Debarred = Debarred::default(),
        /// The list of economic subjects: its search, columns and states.
        suppliers: Suppliers = Suppliers::default(),
        /// The profiles of contracting authorities: their searches, and the labels of their pages.
        authorities: Authorities = Authorities::default(),
        /// The references: their search, columns, states and the labels of their pages.
        references: References = References::default(),
    }
}

lustra_sdk::settings! {
    /// What all lists have in common.
    pub group Lists {
        /// Sentences of an empty list. Nothing else counts as an empty list.
        nothing_found: Vec<String> = ["Zadaný výraz nebol nájdený."],
        /// Query parameter with the number of a page.
        page_parameter: String = "pageNo",
        /// Number of the first page, which is requested without the parameter.
        first_page: u64 = 1,
        /// Part of a link that identifies details.
        detail_mark: String = "/detail/",
    }
}

impl Lists {
    /// The path of another page of a list.
    #[must_use]
    pub fn further(&self, path: &str, number: u64) -> String {
        let join = if path.contains('?') { '&' } else { '?' };
        format!("{path}{join}{}={number}", self.page_parameter)
    }
}

lustra_sdk::settings! {
    /// The register of barred persons: its page and the texts of its blocks.
    pub group Debarred {
        /// Path of the first page.
        path: String = "/zaujemca-uchadzac/registre-o-hospodarskych-subjektoch/register-osob-so-zakazom",
        /// Class of a block's element.
        block_class: String = "result",
        /// Type text that occurs once in each block.
        mark: String = "Osoba so zákazom",
        /// Texts in the end field of a ban without an end.
        open_ends: Vec<String> = ["neurčito", "na neurčito", "natrvalo"],
        /// Countries at the end of a seat whose numbers are not those of Slovakia.
        foreign_countries: Vec<String> = [
            "Česká republika",
            "Česko",
            "ČR",
            "Maďarsko",
            "Nemecko",
            "Poľsko",
            "Rakúsko",
            "Rumunsko",
            "Ukrajina",
        ],
        /// Labels of the IČO.
        ico: Vec<String> = ["IČO"],
        /// Labels of the seat.
        seat: Vec<String> = ["Sídlo", "Adresa", "Adresa sídla", "Miesto podnikania"],
        /// Labels of the first day of the ban.
        banned_from: Vec<String> = ["Zákaz od", "Zákaz platí od", "Platnosť zákazu od"],
        /// Labels of the last day of the ban.
        banned_until: Vec<String> = ["do", "Zákaz do", "Zákaz platí do", "Platnosť zákazu do"],
        /// Labels of the number of the decision.
        decision_number: Vec<String> = ["Číslo rozhodnutia", "Rozhodnutie č."],
        /// Labels of the day of the decision.
        decision_date: Vec<String> = ["Dátum rozhodnutia", "Rozhodnutie zo dňa"],
        /// Labels of the day on which the decision became final.
        final_on: Vec<String> = ["Právoplatnosť", "Dátum právoplatnosti", "Právoplatné dňa"],
        /// Labels of the legal basis.
        legal_basis: Vec<String> = ["Právny základ", "Ustanovenie zákona"],
        /// Labels of the reason.
        violation_reason: Vec<String> = ["Dôvod", "Dôvod zákazu", "Porušenie"],
        /// Labels of related persons.
        related_persons: Vec<String> = ["Štatutárny orgán", "Súvisiace osoby", "Prepojené osoby"],
    }
}

lustra_sdk::settings! {
    /// The list of economic subjects: its search, columns and states.
    pub group Suppliers {
        /// The list's selector in the office's search. It is not known; while it is empty, no request is made and the
        /// section says so.
        search_type: String = "",
        /// Path of the search; `{ico}` stands for the number and `{search_type}` for the selector.
        search: String = "/vyhladavanie/globalne-vyhladavanie?globalSearch={ico}&searchType={search_type}",
        /// Headers of the registration number.
        registration_id: Vec<String> = ["Registračné číslo"],
        /// Headers of the IČO.
        ico: Vec<String> = ["IČO"],
        /// Headers of the first day of the entry.
        valid_from: Vec<String> = ["Dátum zápisu", "Platnosť zápisu od"],
        /// Headers of the last day of the entry.
        valid_to: Vec<String> = ["Platnosť zápisu do", "Platnosť do"],
        /// Headers of the state.
        status: Vec<String> = ["Stav"],
        /// States of a valid entry.
        registered_states: Vec<String> = ["zapísaný"],
        /// States of a suspended entry.
        suspended_states: Vec<String> = ["pozastavený"],
        /// States of an entry that was struck off.
        struck_off_states: Vec<String> = ["vyčiarknutý"],
    }
}

lustra_sdk::settings! {
    /// The profiles of contracting authorities: their searches, and the labels of their pages.
    pub group Authorities {
        /// Path of the search for orders, whose rows link to the profiles of their buyer; `{ico}` stands for the
        /// number. Empty: this search is skipped.
        orders: String = "/vyhladavanie/vyhladavanie-zakaziek?obstarIco={ico}",
        /// Headers of the buyer in the table of orders.
        buyer_column: Vec<String> = ["Názov obstarávateľa"],
        /// Part of a link that identifies a profile.
        profile_mark: String = "/vyhladavanie-profilov/detail/",
        /// Path of the search for profiles, which is used if there are no orders; `{ico}` stands for the number.
        search: String = "/vyhladavanie/vyhladavanie-profilov?ico={ico}",
        /// Headers of the IČO in the table of profiles.
        ico_column: Vec<String> = ["IČO"],
        /// Labels of the name.
        name: Vec<String> = ["Názov", "Úradný názov"],
        /// Labels of the IČO.
        ico: Vec<String> = ["IČO"],
        /// Labels of the classification by law.
        classification: Vec<String> = [
            "Typ obstarávateľa",
            "Zatriedenie obstarávajúceho subjektu podľa zákona",
        ],
        /// Labels of the main activity.
        activity: Vec<String> = ["Hlavný predmet činnosti"],
        /// Labels of the website.
        website: Vec<String> = ["Internetová adresa (URL)", "Internetová adresa"],
    }
}

lustra_sdk::settings! {
    /// The references: their search, columns, states and labels.
    pub group References {
        /// Path of the search; `{ico}` stands for the supplier's number.
        search: String = "/vyhladavanie/vyhladavanie-referencii?icoDodavatela={ico}",
        /// Headers of the number of the reference.
        number: Vec<String> = ["Evidenčné číslo referencie", "Evidenčné číslo"],
        /// Headers of the supplier's IČO.
        supplier_ico: Vec<String> = ["IČO dodávateľa"],
        /// Headers of the buyer's name.
        buyer_name: Vec<String> = ["Odberateľ", "Verejný obstarávateľ"],
        /// Headers of the subject of the contract.
        subject: Vec<String> = ["Predmet zákazky", "Názov zákazky", "Názov / predmet zákazky"],
        /// Headers of the price, or else its labels on the reference's page.
        price: Vec<String> = ["Zmluvná cena bez DPH", "Zmluvná cena"],
        /// Headers of the day of publication.
        published_at: Vec<String> = ["Dátum vyhotovenia", "Dátum zverejnenia"],
        /// Headers of the state.
        status: Vec<String> = ["Stav"],
        /// Labels of the rating on the reference's page.
        rating: Vec<String> = ["Hodnotenie", "Celkové hodnotenie"],
        /// Labels of the document on the reference's page.
        document: Vec<String> = ["Dokument", "Referencia (dokument)", "Príloha"],
        /// States of a valid reference.
        published_states: Vec<String> = ["zverejnená"],
        /// States of a cancelled reference.
        cancelled_states: Vec<String> = ["zrušená"],
    }
}
