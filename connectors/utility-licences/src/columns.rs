//! The columns of the list.

lustra_sdk::columns! {
    /// What the columns are called: the setting `columns`.
    Columns {
        /// The registration number (IČO) of the holder.
        required ico: ["IČO"],
        /// The number of the decision.
        required number: ["Číslo povolenia", "Číslo rozhodnutia", "Číslo potvrdenia"],
        /// The segment, as a word or a letter.
        optional sector: ["Odvetvie", "Sektor", "Oblasť"],
        /// What may be done.
        optional activity: ["Predmet podnikania (činnosť)", "Činnosť", "Predmet podnikania"],
        /// Whether it is a permit or a confirmation.
        optional kind: ["Druh", "Druh dokladu", "Typ"],
        /// The day on which it was issued.
        optional issued_on: ["Dátum vydania"],
        /// The first day, where it is not that of issue.
        optional valid_from: ["Platnosť od"],
        /// The last day, where there is one.
        optional valid_to: ["Platnosť do"],
        /// The status, in a word that `status_words` has.
        required status: ["Stav"],
    }
}
