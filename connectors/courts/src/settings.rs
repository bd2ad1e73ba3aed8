//! The operator's settings.

lustra_sdk::settings! {
    /// The settings of a look-up.
    pub struct Settings {
        /// Path of the service that finds decisions.
        path: String = "/pilot/api/ress-isu-service/v1/rozhodnutie",
        /// Number of decisions requested on a page. The service may return fewer.
        page_size: u64 [1..=1_000] = 100,
        /// Maximum number of pages read for one company. If more decisions were found, the section counts those that
        /// were read and says so.
        most_pages: u64 [1..=15] = 5,
        /// Number of the newest decisions that are shown.
        recent: usize [1..=100] = 20,
        /// Address of a decision's document; `{id}` stands for its id.
        document_url: String = "https://obcan.justice.sk/content/public/item/{id}",
        /// Address of a decision's public page; `{id}` stands for its id.
        decision_url: String = "https://www.justice.gov.sk/sudy-a-rozhodnutia/sudy/rozhodnutia/{id}",
    }
}
