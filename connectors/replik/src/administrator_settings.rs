//! The operator's settings of the ministry's list of administrators, whose format is assumed.

lustra_sdk::settings! {
    /// The source of administrators.
    pub choice Source {
        /// The proceedings read so far. Administrators without proceedings are unknown.
        Proceedings = "proceedings",
        /// The ministry's list. A company that is not on it is not an administrator.
        Service = "service",
    }
}

lustra_sdk::settings! {
    /// The settings of the section.
    pub struct Settings {
        /// Source of administrators: the proceedings that were read, so that administrators without proceedings are
        /// unknown; or the service with the ministry's list (dataset administrator-list), so that a company that is not
        /// on it is not an administrator.
        source as "administrators_source": Source = Source::Proceedings,
    }
}

lustra_sdk::settings! {
    /// The request for the list.
    pub struct List {
        /// Path of the list below the upstream administrators. Empty for a file.
        path as "administrators_path": String = "/spravca",
        /// Names of the query parameters. One that is left out keeps its default.
        query as "administrators_query": Query = Query::default(),
        /// Number of the list's first page.
        first_page as "administrators_first_page": u64 [0..] = 1,
        /// Number of rows requested on a page. 0: one answer contains all rows and is requested without query
        /// parameters.
        page_size as "administrators_page_size": u64 [0..=1_000] = 100,
        /// Names of the members of the list's answer; `adresa/obec` is a nested member. One that is left out keeps its
        /// default.
        members as "administrators_members": Members = Members::default(),
    }
}

lustra_sdk::settings! {
    /// The names of the query parameters.
    pub group Query {
        /// The number of the page.
        page: String = "page",
        /// The number of rows on a page.
        size: String = "size",
    }
}

lustra_sdk::settings! {
    /// The names of the answer's members; `adresa/obec` is a nested member.
    pub group Members {
        /// The number of all administrators.
        total: String = "numFound",
        /// The list's own date.
        updated_at: String = "updateDate",
        /// The list of administrators.
        rows: String = "spravcaList",
        /// The mark of the administrator, such as S1234.
        mark: String = "znacka",
        /// The given name of a person.
        given_name: String = "meno",
        /// The family name of a person.
        family_name: String = "priezvisko",
        /// The title before the name.
        title_before: String = "titulPred",
        /// The title behind the name.
        title_after: String = "titulZa",
        /// The name of a company.
        business_name: String = "obchodneMeno",
        /// The IČO of the administrator.
        ico: String = "ico",
        /// The street of the address.
        street: String = "adresa/ulica",
        /// The municipality of the address.
        city: String = "adresa/obec",
        /// The postal code of the address.
        postal_code: String = "adresa/psc",
        /// The region of the address.
        region: String = "adresa/kraj",
        /// The day of the entry.
        valid_from: String = "datumZapisu",
        /// The day on which the entry was struck off.
        valid_to: String = "datumVyciarknutia",
        /// The state of the entry.
        status: String = "stav",
    }
}
