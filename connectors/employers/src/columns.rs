//! The columns of the list.

lustra_sdk::columns! {
    /// What the columns are called: the setting `columns`. One of the last three must be there.
    Columns {
        /// The registration number (IČO) of the employer.
        required ico: ["IČO"],
        /// The name of the employer.
        optional name: ["Názov zamestnávateľa", "Názov", "Obchodné meno", "Zamestnávateľ"],
        /// The first day as an employer.
        optional registered_at: ["Dátum registrácie", "Registrovaný od", "Dátum prihlásenia"],
        /// The last day as an employer.
        optional deregistered_at: ["Dátum odhlásenia", "Registrovaný do", "Dátum zániku registrácie"],
        /// About how many people are employed, as a text.
        optional bracket: ["Veľkostná kategória", "Kategória počtu zamestnancov", "Interval počtu zamestnancov"],
        /// The code of the class of size (code list 0073).
        optional class: ["Kód kategórie", "Kód veľkostnej kategórie", "KATP"],
        /// How many people are employed.
        optional employees: ["Počet zamestnancov"],
    }
}
