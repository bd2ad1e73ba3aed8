//! The columns of the list.

lustra_sdk::columns! {
    /// What the columns are called: the setting `columns`.
    Columns {
        /// The registration number (IČO) of the holder.
        required ico: ["IČO"],
        /// The number of the licence, permit or concession.
        required number: ["Číslo licencie/povolenia", "Číslo licencie", "Číslo povolenia"],
        /// The kind of licence, permit or concession.
        required kind: ["Druh", "Druh licencie", "Druh povolenia"],
        /// The day on which it was issued.
        optional issued_on: ["Dátum vydania"],
        /// The first day, where it is not that of issue.
        optional valid_from: ["Platnosť od"],
        /// The last day of the licence.
        required valid_to: ["Platnosť do"],
        /// How many vehicles it is for.
        optional vehicles: ["Počet overených kópií / vozidiel", "Počet vozidiel", "Počet overených kópií"],
        /// The office that issued it.
        optional authority: ["Vydal", "Vydávajúci orgán"],
        /// The status, in a word that `status_words` has.
        optional status: ["Stav"],
    }
}
