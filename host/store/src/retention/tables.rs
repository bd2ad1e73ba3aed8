//! The decision about each table: what bounds it.

/// What bounds a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionBound {
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
    pub bound: RetentionBound,
}

const fn rule(table: &'static str, bound: RetentionBound) -> TableRule {
    TableRule {
        table,
        in_billing: false,
        bound,
    }
}

const fn of_billing(table: &'static str, bound: RetentionBound) -> TableRule {
    TableRule {
        table,
        in_billing: true,
        bound,
    }
}

const EVENTS: RetentionBound = RetentionBound::Setting("notifications.keep_days");

/// Every table of the store, on both databases. The guide *Operating* has the same list for operators.
pub const TABLES: &[TableRule] = &[
    rule("account", RetentionBound::PerObject("accounts")),
    rule(
        "account_member",
        RetentionBound::PerObject("people of accounts"),
    ),
    rule(
        "api_key",
        RetentionBound::Setting("retention.ended_keys_days"),
    ),
    rule("attempt", EVENTS),
    rule("batch", RetentionBound::Setting("batch.results_hours")),
    rule("batch_part", RetentionBound::Setting("batch.results_hours")),
    of_billing("billing_account", RetentionBound::PerObject("accounts")),
    of_billing("billing_threshold", RetentionBound::PerObject("accounts")),
    rule("change", EVENTS),
    rule(
        "company",
        RetentionBound::PerObject("companies of the registers"),
    ),
    rule(
        "company_details",
        RetentionBound::PerObject("companies and connectors"),
    ),
    rule("counter", RetentionBound::Fixed),
    of_billing(
        "credit_grant",
        RetentionBound::Never("balances are computed from the grants"),
    ),
    rule("dataset", RetentionBound::PerObject("lists of connectors")),
    rule(
        "dataset_record",
        RetentionBound::PerObject("records of the newest two readings of each list"),
    ),
    of_billing("deleted_usage", RetentionBound::PerObject("accounts")),
    rule("delivery", EVENTS),
    rule(
        "endpoint",
        RetentionBound::Expires("deliveries to a host that are on their way"),
    ),
    rule("event", EVENTS),
    rule("host", RetentionBound::Expires("heartbeats of 30 s")),
    rule(
        "idempotency_key",
        RetentionBound::Setting("requests.idempotency_hours"),
    ),
    rule(
        "import_run",
        RetentionBound::Setting("imports.keep_runs_days"),
    ),
    rule("lease", RetentionBound::Expires("a day after the lease")),
    rule("ledger_check", RetentionBound::Fixed),
    of_billing(
        "ledger_entry",
        RetentionBound::Never("the ledger proves every balance"),
    ),
    of_billing("mail", RetentionBound::Setting("retention.mail_days")),
    rule(
        "operator_action",
        RetentionBound::Setting("operator.audit_days"),
    ),
    rule("queue_sample", RetentionBound::Expires("24 hours")),
    of_billing("rate_window", RetentionBound::PerObject("accounts")),
    rule(
        "recipient",
        RetentionBound::Never("an address that unsubscribed stays known"),
    ),
    rule("schema_change", RetentionBound::Fixed),
    rule("section", RetentionBound::PerObject("companies and scopes")),
    rule(
        "sending",
        RetentionBound::Expires("two days after the count began"),
    ),
    rule(
        "sentinel",
        RetentionBound::PerObject("companies of `sentinel.companies`"),
    ),
    rule("sign_in_link", RetentionBound::Setting("web.link_minutes")),
    rule(
        "source_state",
        RetentionBound::Setting("operator.incident_days"),
    ),
    rule("source_state_recording", RetentionBound::Fixed),
    rule("store_identity", RetentionBound::Fixed),
    rule("store_size", RetentionBound::Fixed),
    rule("subscription", EVENTS),
    rule("subscription_email", EVENTS),
    rule(
        "upstream_hold",
        RetentionBound::Expires("the end of the pause"),
    ),
    of_billing("usage_day", RetentionBound::Setting("retention.usage_days")),
    rule("watch", RetentionBound::PerObject("watched companies")),
    rule(
        "watch_import",
        RetentionBound::Setting("files.report_hours"),
    ),
    rule(
        "watch_import_company",
        RetentionBound::Setting("files.report_hours"),
    ),
    rule(
        "watch_import_part",
        RetentionBound::Setting("files.report_hours"),
    ),
    rule("web_session", RetentionBound::Setting("web.session_days")),
];
