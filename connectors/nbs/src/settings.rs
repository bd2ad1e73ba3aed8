//! The operator's settings.

use crate::agents::AgentsColumns;

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Maximum share, in percent, of licences in force that may be missing from a new list. A list that lacks more
        /// is refused. Ended licences are kept, so the number of records never falls and `max_shrink_percent` cannot
        /// detect half a list.
        most_vanished_percent: u64 [0..=100] = 20,
        /// Names of the members of a row of the list of payment services. One that is left out keeps its default.
        psd2_members: Psd2Members = Psd2Members::default(),
        /// The texts that the headers of the operator's list of agents may have, without regard to case, diacritics and
        /// punctuation. A header that equals a text wins over one that contains it. A column that is left out keeps its
        /// default.
        agents_columns: AgentsColumns = AgentsColumns::default(),
    }
}

lustra_sdk::settings! {
    /// The names of the members of a row of the list of payment services.
    pub group Psd2Members {
        /// The number of the institution.
        id: String = "id",
        /// The country of the institution.
        country: String = "country",
        /// The payment service that is licensed.
        service: String = "service",
        /// The first day of the licence.
        date_from: String = "date_from",
        /// The last day of the licence.
        date_to: String = "date_to",
    }
}
