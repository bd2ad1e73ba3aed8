//! `lustra credit`.

use time::OffsetDateTime;

use super::account::{customer, find, ledger};
use super::{CliError, ConfigFile, audit, many, print};
use lustra::billing::account_ledger::NewGrant;
use lustra::billing::{AccountState, Customer, Ledger, Metering, operator};
use lustra_sandbox::clock::{parse_iso_date, rfc3339};
use lustra_store::{GrantKind, OperatorAction, Store};

/// Largest amount of one operation. More is probably a typing error; sums stay far below the integer limit.
const MAX_AMOUNT: i64 = 1_000_000_000;

/// Grant credits to an account, or remove them.
#[derive(Debug, clap::Subcommand)]
pub enum Credit {
    Grant(Grant),
    Adjust(Adjust),
}

/// Grant credits to an account, once for each reference.
///
/// The command is idempotent: if it is uncertain whether a grant was booked, run it again with the same reference.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra credit grant --config lustra.toml --account acme --credits 10000 \
    --reference invoice-2026-117 --expires 2027-12-31"
)]
pub struct Grant {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Number of credits to grant.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_AMOUNT))]
    credits: i64,
    /// Reference of the grant, such as an invoice number. Each reference is booked once per account.
    #[arg(long)]
    reference: String,
    /// Whether the credits were bought or given.
    #[arg(long, default_value = "purchase")]
    kind: Kind,
    /// Day on which the credits expire, at 00:00 UTC. Default: they do not expire.
    #[arg(long, value_name = "YYYY-MM-DD")]
    expires: Option<String>,
    /// Text of the ledger entry. Default: the reference.
    #[arg(long, value_name = "TEXT")]
    about: Option<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Remove credits from an account, once for each reference. The credits that expire first are removed first.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra credit adjust --config lustra.toml --account acme --take 500 \
    --reference case-81 --reason \"granted by mistake\""
)]
pub struct Adjust {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Number of credits to remove. If the account has fewer, none are removed.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(1..=MAX_AMOUNT))]
    take: i64,
    /// Reference of the removal. Each reference is booked once per account.
    #[arg(long)]
    reference: String,
    /// Text of the ledger entry.
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Why the operator grants credits.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Kind {
    Purchase,
    Adjustment,
}

impl Credit {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::Grant(grant) => grant.run().await,
            Self::Adjust(adjust) => adjust.run().await,
        }
    }
}

/// An account on a credit plan, with its ledger.
struct OnCredits {
    store: Store,
    ledger: Ledger,
    customer: Customer,
}

impl OnCredits {
    async fn of(config: &ConfigFile, account: &str) -> Result<Self, CliError> {
        let config = config.read()?;
        let store = config.open_store(2).await?;
        let customer = customer(&config, &find(&store, account).await?)?;
        let why = match customer.metering {
            Metering::Credits => {
                return Ok(Self {
                    ledger: ledger(&config, &store).await?,
                    store,
                    customer,
                });
            }
            Metering::Quota => "which counts calls against a quota",
            Metering::Unmetered => "which is not metered",
        };
        let plan = &customer.terms.plan;
        Err(CliError(format!(
            "the account {account} is on the plan {plan}, {why}; it has no credits"
        )))
    }

    /// Sum of the bookings of an operation.
    async fn amount(&self, operation: &str) -> Result<i64, CliError> {
        let billing = self.store.billing();
        let entries = billing
            .entries_of(self.customer.account_id, operation)
            .await?;
        Ok(entries.iter().map(|entry| entry.amount).sum())
    }

    async fn state(self) -> Result<AccountState, CliError> {
        Ok(self.ledger.state(&self.customer).await?)
    }
}

/// The trimmed text, which must not be empty.
fn named(option: &str, text: &str) -> Result<String, CliError> {
    match text.trim() {
        "" => Err(CliError(format!("{option}: it must not be empty"))),
        text => Ok(text.to_owned()),
    }
}

/// The start of a day in the future.
fn end(text: &str, now: OffsetDateTime) -> Result<OffsetDateTime, CliError> {
    let day = parse_iso_date(text)
        .ok_or_else(|| CliError(format!("--expires {text}: expected a date, YYYY-MM-DD")))?;
    let at = day.midnight().assume_utc();
    if at <= now {
        return Err(CliError(format!(
            "--expires {text}: the day must be in the future"
        )));
    }
    Ok(at)
}

impl Grant {
    async fn run(self) -> Result<(), CliError> {
        let reference = named("--reference", &self.reference)?;
        let account = OnCredits::of(&self.config, &self.account).await?;
        let now = account.ledger.now();
        let expires_at = self
            .expires
            .as_deref()
            .map(|text| end(text, now))
            .transpose()?;
        let new = NewGrant {
            kind: match self.kind {
                Kind::Purchase => GrantKind::Purchase,
                Kind::Adjustment => GrantKind::Adjustment,
            },
            credits: self.credits,
            expires_at,
            source: format!("grant:{reference}"),
            about: self.about.unwrap_or_else(|| reference.clone()),
        };
        let booked = operator::grant(&account.store, &account.customer, &new, now).await?;
        let credits = account.amount(&new.source).await?;
        let name = account.customer.account.clone();
        if booked {
            let until = expires_at.map_or_else(|| "no end".to_owned(), rfc3339);
            let about = format!("{credits}, {}, {reference}, {until}", new.kind.word());
            let action = OperatorAction::GrantCredits;
            audit::done(&account.store, action, &name, &about, now).await;
        }
        let balance = account.state().await?.account.balance;
        if self.json {
            print(&serde_json::json!({
                "account": name, "reference": reference, "booked": booked, "credits": credits, "balance": balance,
            }).to_string());
        } else if booked {
            let ends = expires_at.map_or_else(
                || "which do not expire".to_owned(),
                |at| format!("which expire at {}", rfc3339(at)),
            );
            let credits = many(credits, "credit", "credits");
            print(&format!(
                "{name} got {credits}, {ends}; it has {balance} now"
            ));
        } else {
            let credits = many(credits, "credit", "credits");
            print(&format!(
                "{credits} were already booked for {reference}, so nothing was booked; {name} has {balance}"
            ));
        }
        Ok(())
    }
}

impl Adjust {
    async fn run(self) -> Result<(), CliError> {
        let reference = named("--reference", &self.reference)?;
        let reason = named("--reason", &self.reason)?;
        let account = OnCredits::of(&self.config, &self.account).await?;
        let operation = format!("adjust:{reference}");
        let (store, customer) = (&account.store, &account.customer);
        let now = account.ledger.now();
        let booked = operator::take(store, customer, self.take, &operation, &reason, now).await?;
        let taken = -account.amount(&operation).await?;
        let name = account.customer.account.clone();
        if booked {
            let about = format!("−{taken}, {reference}, {reason}");
            audit::done(store, OperatorAction::AdjustCredits, &name, &about, now).await;
        }
        let balance = account.state().await?.account.balance;
        if self.json {
            print(&serde_json::json!({
                "account": name, "reference": reference, "booked": booked, "taken": taken, "balance": balance,
            }).to_string());
        } else if booked {
            let taken = many(taken, "credit", "credits");
            print(&format!(
                "{taken} were taken from {name}; it has {balance} now"
            ));
        } else {
            let taken = many(taken, "credit", "credits");
            print(&format!(
                "{taken} were already taken for {reference}, so nothing was booked; {name} has {balance}"
            ));
        }
        Ok(())
    }
}
