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
        /// A run requests details of projects for this many minutes; further details follow in the next runs. Every
        /// run ends ten minutes later at the latest and resumes at its cursor: with those ten minutes, this must be
        /// less than the host's limit for a run.
        run_minutes: i64 [0..] = 45,
        /// Path of the list of irregularities, as an assumption: the register has announced it.
        irregularity_list: String = "nezrovnalost",
        /// Path of the list of receivables, as an assumption: the register has announced it.
        receivable_list: String = "pohladavkovydoklad",
        /// The states of settled irregularities and receivables, as recorded answers of ITMS2014+ have them. States
        /// are compared as whole texts; case and diacritics make no difference.
        settled_states: Vec<String> = ["Vysporiadaná", "Vysporiadaný"],
        /// The states of irregularities and receivables that are no debt, such as a suspicion, from the same answers.
        no_debt_states: Vec<String> = ["Podozrenie z nezrovnalosti", "Nepotvrdené podozrenie", "Odoslané na posúdenie", "Bez finančného dopadu", "Nezrovnalosť bez finančného dopadu ukončená", "Stiahnutý (K)"],
        /// The states of irregularities and receivables that are open debts, from the same answers. An entry with a
        /// state that is on none of the three lists counts as an open debt, and the section names it in `unread`.
        open_states: Vec<String> = ["Odoslaný dlžníkovi", "Nehospodárne vymáhanie"],
        /// The states of withdrawn procurements, as a client of 2026 has them. Withdrawn procurements are not stored.
        withdrawn_states: Vec<String> = ["Stiahnuté"],
        /// Further known states of procurements, as a recorded answer of ITMS2014+ has them. A procurement with a state
        /// that is on neither list is stored and counted as `unknown_states`.
        procurement_states: Vec<String> = ["Ukončené"],
        /// If the newest reading of a list is older than this number of days, sections report that it is behind.
        stale_after_days: i64 [1..] = 21,
    }
}
