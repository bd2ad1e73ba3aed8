//! The columns of the list.

lustra_sdk::columns! {
    /// The headers of the columns: the setting `columns`. One of the last three columns must exist.
    Columns {
        required ico: ["IČO"],
        optional name: ["Názov zamestnávateľa", "Názov", "Obchodné meno", "Zamestnávateľ"],
        /// The first day as an employer.
        optional registered_at: ["Dátum registrácie", "Registrovaný od", "Dátum prihlásenia"],
        optional deregistered_at: ["Dátum odhlásenia", "Registrovaný do", "Dátum zániku registrácie"],
        /// The bracket of the number of employees, as a text.
        optional bracket: ["Veľkostná kategória", "Kategória počtu zamestnancov", "Interval počtu zamestnancov"],
        /// The code of the size class (code list 0073).
        optional class: ["Kód kategórie", "Kód veľkostnej kategórie", "KATP"],
        /// The number of employees.
        optional employees: ["Počet zamestnancov"],
    }
}
