//! The columns of the list.

lustra_sdk::columns! {
    /// What the columns are called: the setting `columns`.
    Columns {
        /// The registration number (IČO) of the enterprise.
        required ico: ["IČO"],
        /// The kind of enterprise.
        required kind: ["Druh podniku", "Druh registrovaného sociálneho podniku", "Druh"],
        /// The number of the certificate.
        required certificate: ["Číslo osvedčenia"],
        /// The day on which the status was granted.
        required granted_at: ["Dátum priznania štatútu", "Dátum priznania"],
        /// The last day of the status, where it was taken away; the list must have this column or the next.
        optional revoked_at: ["Dátum zrušenia", "Dátum zrušenia štatútu", "Dátum odňatia"],
        /// The status, in a word that `status_words` has.
        optional status: ["Stav"],
    }
}
