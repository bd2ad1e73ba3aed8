//! The operator's settings.

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// GLEIF's codes of registration authorities whose numbers are an IČO. By default the Slovak registers of
        /// companies, traders and associations.
        authorities: Vec<String> = ["RA000526", "RA000670", "RA000527"],
        /// Address of a record's public page, to which the LEI is appended.
        record_page: String = "https://search.gleif.org/#/record/",
    }
}
