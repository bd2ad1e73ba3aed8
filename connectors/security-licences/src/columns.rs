//! The columns of the list.

lustra_sdk::columns! {
    /// What the columns are called: the setting `columns`.
    Columns {
        /// The registration number (IČO) of the holder.
        required ico: ["IČO"],
        /// The number of the licence.
        required number: ["Číslo licencie", "Licencia číslo", "Licencia č."],
        /// The kinds of activity. Commas, semicolons, slashes and plus signs separate several kinds in one cell.
        optional kind: ["Druh", "Druh licencie", "Typ licencie"],
        /// The police directorate that issued it.
        optional issued_by: ["Útvar", "Vydal", "Krajské riaditeľstvo"],
        /// The day on which it was issued.
        optional issued_on: ["Dátum vydania", "Vydaná dňa"],
        /// The first day, where it is not that of issue.
        optional valid_from: ["Platnosť od", "Platná od"],
        /// The last day of the licence.
        required valid_to: ["Platnosť do", "Platná do"],
        /// The status, in a word that `status_words` has.
        required status: ["Stav"],
    }
}
