//! The operator's settings.

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Numbers of the courts that are queried, one after another, for a record id without its court.
        courts: Vec<u8> = [2, 3, 4, 5, 6, 7, 8, 9],
        /// Phrases in result rows and extracts that mean that the file moved to another court.
        ceded_phrases: Vec<String> = ["miestnej nepríslušnosti", "odstúpený na iný registrový súd"],
        /// Whether full extracts are requested, which also state former deposits and shares. They are up to ten times
        /// as long as those of what is valid now.
        full_extracts: bool = true,
    }
}
