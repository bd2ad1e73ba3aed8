//! The operator's settings: what the register's description does not confirm, with what is assumed.

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Address of a registration's public page, to which the id of the register file is appended.
        detail_page: String = "https://rpvs.gov.sk/rpvs/Partner/Partner/Detail/",
        /// Whether the same request also searches the number as 00 000 000, because some stored numbers contain spaces.
        spaced_ico: bool = true,
        /// Verifications of the owners' identity. The names of the columns are assumed.
        verifications: Verifications = Verifications::default(),
        /// The end of a registration by erasure.
        erasure: Erasure = Erasure::default(),
        /// Fines that the register recorded. The names of the columns are assumed.
        fines: Fines = Fines::default(),
    }
}

lustra_sdk::settings! {
    /// Where the service has verifications. An empty `expand`: they are not requested.
    pub group Verifications {
        /// The navigation property of `Partneri`. Empty: it is not requested and is reported as unread.
        expand: String = "OverenieIdentifikacieKUV",
        /// The column with the day of the verification.
        verified_on: String = "DatumOverenia",
        /// The column with the first day on which the verification is valid.
        valid_from: String = "PlatnostOd",
        /// The column with the last day on which the verification is valid.
        valid_to: String = "PlatnostDo",
        /// The column with the register's statement about the verification.
        statement: String = "Poznamka",
    }
}

lustra_sdk::settings! {
    /// Where the service has erasures. An empty `expand`: they are not requested.
    pub group Erasure {
        /// The navigation property of `Partneri`. Empty: it is not requested and is reported as unread.
        expand: String = "Vymaz",
        /// The column with the day of the erasure.
        erased_on: String = "Datum",
        /// The column with the reason of the erasure.
        reason: String = "Dovod",
    }
}

lustra_sdk::settings! {
    /// Where the service has fines. An empty `expand`: they are not requested.
    pub group Fines {
        /// The navigation property of `Partneri`. Empty: it is not requested and is reported as unread.
        expand: String = "Pokuta",
        /// The column with the day on which the register recorded the fine.
        recorded_on: String = "DatumVytvorenia",
        /// The column with the register's note.
        note: String = "Poznamka",
    }
}

impl Settings {
    /// The navigation properties beside the confirmed ones, as far as they are asked for.
    pub fn further_expansions(&self) -> impl Iterator<Item = &str> {
        [
            &self.verifications.expand,
            &self.erasure.expand,
            &self.fines.expand,
        ]
        .into_iter()
        .map(String::as_str)
        .filter(|expand| !expand.is_empty())
    }
}
