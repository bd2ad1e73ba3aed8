//! The operator's settings.

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Number of days for which the bucket keeps daily dumps, as documented. An import that is further behind
        /// starts over with the newest full dump.
        retention_days: i64 [1..=3_650] = 45,
    }
}
