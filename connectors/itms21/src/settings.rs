//! The operator's settings of the connector.

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Number of rows that are requested at once.
        page_size: u32 [1..=1000] = 100,
        /// Link to a project in sections; `{id}` stands for its number. The address of the page for people is not
        /// known, so that the default is the address of the API.
        project_url: String = "https://api.itms21.sk/public/v1/projekt/id/{id}",
        /// Link to an application in sections; `{id}` stands for its number.
        application_url: String = "https://api.itms21.sk/public/v1/zonfp/id/{id}",
        /// Details of a project that did not change are requested again after this many days, because changes of its
        /// collections do not change the day of its last change.
        reread_days: u16 [1..=3_650] = 30,
        /// A run requests details of projects for this many minutes; further details follow in the next runs. Must be
        /// less than the host's limit for a run.
        run_minutes: i64 [0..] = 45,
        /// Path of the list of irregularities, as an assumption: the register has announced it.
        irregularity_list: String = "nezrovnalost",
        /// Path of the list of receivables, as an assumption: the register has announced it.
        receivable_list: String = "pohladavkovydoklad",
        /// What the states of settled irregularities and receivables begin with. Case and diacritics make no
        /// difference.
        settled_states: Vec<String> = ["Vysporiadan"],
        /// What the states of irregularities and receivables begin with that are no debt, such as a suspicion.
        no_debt_states: Vec<String> = ["Podozrenie", "Nepotvrdené", "Bez finančného dopadu", "Nezrovnalosť bez finančného dopadu", "Stiahnut", "Zrušen"],
        /// If the newest reading of a list is older than this number of days, sections report that it is behind.
        stale_after_days: i64 [1..] = 21,
    }
}
