//! The decision about each table: what bounds it.

/// What bounds a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Old rows are deleted; the setting says when.
    Setting(&'static str),
    /// Rows are deleted when they are used up or expired, after a fixed time. Holds what ends them.
    Expires(&'static str),
    /// Rows exist as long as something else does. Holds what that is.
    PerObject(&'static str),
    /// A fixed number of rows.
    Fixed,
    /// Rows are never deleted. Holds why.
    Never(&'static str),
}

/// The decision about one table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRule {
    pub table: &'static str,
    /// Whether the table is in the file of credits, on `SQLite`.
    pub in_billing: bool,
    pub bound: Bound,
}

const fn rule(table: &'static str, bound: Bound) -> TableRule {
    TableRule {
        table,
        in_billing: false,
        bound,
    }
}

const fn of_billing(table: &'static str, bound: Bound) -> TableRule {
    TableRule {
        table,
        in_billing: true,
        bound,
    }
}

const EVENTS: Bound = Bound::Setting("notifications.keep_days");

/// Every table of the store, on both databases. The guide *Operating* has the same list for operators.
pub const TABLES: &[TableRule] = &[
    rule("account", Bound::PerObject("accounts")),
    rule("account_member", Bound::PerObject("people of accounts")),
    rule("api_key", Bound::Setting("retention.ended_keys_days")),
    rule("attempt", EVENTS),
    rule("batch", Bound::Setting("batch.results_hours")),
    rule("batch_part", Bound::Setting("batch.results_hours")),
    of_billing("billing_account", Bound::PerObject("accounts")),
    of_billing("billing_threshold", Bound::PerObject("accounts")),
    rule("change", EVENTS),
    rule("company", Bound::PerObject("companies of the registers")),
    rule(
        "company_details",
        Bound::PerObject("companies and connectors"),
    ),
    rule("counter", Bound::Fixed),
    of_billing(
        "credit_grant",
        Bound::Never("balances are computed from the grants"),
    ),
    rule("dataset", Bound::PerObject("lists of connectors")),
    rule(
        "dataset_record",
        Bound::PerObject("records of the newest two readings of each list"),
    ),
    of_billing("deleted_usage", Bound::PerObject("accounts")),
    rule("delivery", EVENTS),
    rule(
        "endpoint",
        Bound::Expires("deliveries to a host that are on their way"),
    ),
    rule("event", EVENTS),
    rule("host", Bound::Expires("heartbeats of 30 s")),
    rule(
        "idempotency_key",
        Bound::Setting("requests.idempotency_hours"),
    ),
    rule("import_run", Bound::Setting("imports.keep_runs_days")),
    rule("lease", Bound::Expires("a day after the lease")),
    rule("ledger_check", Bound::Fixed),
    of_billing(
        "ledger_entry",
        Bound::Never("the ledger proves every balance"),
    ),
    of_billing("mail", Bound::Setting("retention.mail_days")),
    rule("operator_action", Bound::Setting("operator.audit_days")),
    rule("queue_sample", Bound::Expires("24 hours")),
    of_billing("rate_window", Bound::PerObject("accounts")),
    rule(
        "recipient",
        Bound::Never("an address that unsubscribed stays known"),
    ),
    rule("schema_change", Bound::Fixed),
    rule("section", Bound::PerObject("companies and scopes")),
    rule("sending", Bound::Expires("two days after the count began")),
    rule(
        "sentinel",
        Bound::PerObject("companies of `sentinel.companies`"),
    ),
    rule("sign_in_link", Bound::Setting("web.link_minutes")),
    rule("source_state", Bound::Setting("operator.incident_days")),
    rule("source_state_recording", Bound::Fixed),
    rule("store_identity", Bound::Fixed),
    rule("store_size", Bound::Fixed),
    rule("subscription", EVENTS),
    rule("subscription_email", EVENTS),
    rule("upstream_hold", Bound::Expires("the end of the pause")),
    of_billing("usage_day", Bound::Setting("retention.usage_days")),
    rule("watch", Bound::PerObject("watched companies")),
    rule("watch_import", Bound::Setting("files.report_hours")),
    rule("watch_import_company", Bound::Setting("files.report_hours")),
    rule("watch_import_part", Bound::Setting("files.report_hours")),
    rule("web_session", Bound::Setting("web.session_days")),
];
