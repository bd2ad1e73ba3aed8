//! The columns of the list.

lustra_sdk::columns! {
    /// What the columns are called: the setting `columns`.
    Columns {
        /// The registration number (IČO) of the agency.
        required ico: ["IČO"],
        /// The name of the agency.
        optional name: ["Obchodné meno", "Názov", "Cestovná kancelária"],
        /// The seat of the agency.
        optional address: ["Sídlo", "Adresa"],
        /// The insurer or the bank that protects travellers.
        required provider: ["Poisťovňa / banka", "Poisťovňa", "Poskytovateľ ochrany", "Banka"],
        /// The number of its contract.
        optional contract: ["Číslo poistnej zmluvy", "Číslo zmluvy"],
        /// The contract's first day.
        optional valid_from: ["Platnosť od"],
        /// The last day of the contract.
        required valid_to: ["Platnosť do"],
        /// The sum of the protection, in EUR.
        optional amount: ["Poistná suma", "Výška poistnej sumy", "Suma"],
        /// Whether the agency may not trade, in a word that `ban_words` has.
        optional ban: ["Zákaz činnosti", "Zákaz"],
        /// The status, in a word that `status_words` has or that `ban_words` has for a ban.
        required status: ["Stav"],
    }
}
