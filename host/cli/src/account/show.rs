//! `lustra account show`.

use time::OffsetDateTime;

use super::super::{CliError, ConfigFile, print, say};
use super::find;
use lustra::billing::{AccountState, Customer, Ledger, Metering};
use lustra_sandbox::clock::rfc3339;
use lustra_store::{Account, ApiKey, Grant, Thresholds};

/// Show the state of an account: its plan, its period, and its credits by grant.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra account show --config lustra.toml --account acme")]
pub struct Show {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

struct Shown {
    account: Account,
    /// Whether the account enabled overage and its plan allows it.
    overage: bool,
    /// `None` if the settings do not contain its plan.
    metering: Option<Metering>,
    /// `None` if nothing was booked yet, so that its first month has not begun.
    state: Option<AccountState>,
    keys: usize,
    valid_keys: usize,
    thresholds: Thresholds,
}

impl Show {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let clock = ConfigFile::clock(&config);
        let store = config.open_store(2).await?;
        let account = find(&store, &self.account).await?;
        let customer = Customer::of(&account, &config);
        if customer.is_none() {
            let plan = &account.plan;
            say(&format!(
                "the settings do not have the plan {plan}; the credits shown are those of the last booking"
            ));
        }
        let keys = store.keys().list_keys(account.id).await?;
        let thresholds = store.billing().thresholds(account.id).await?;
        let now = clock.now();
        let stored = store.billing().find(account.id).await?;
        let state = match (stored, &customer) {
            (None, _) => None,
            (Some((balance, grants)), None) => Some(AccountState {
                account: balance,
                grants,
            }),
            (Some(_), Some(customer)) => Some(Ledger::new(store, clock).state(customer).await?),
        };
        let shown = Shown {
            overage: customer
                .as_ref()
                .is_some_and(|customer| customer.terms.overage),
            metering: customer.map(|customer| customer.metering),
            state,
            keys: keys.len(),
            valid_keys: keys.iter().filter(|key| is_valid(key, now)).count(),
            thresholds,
            account,
        };
        if self.json {
            print(&shown.as_json().to_string());
        } else {
            shown.print_result();
        }
        Ok(())
    }
}

fn is_valid(key: &ApiKey, now: OffsetDateTime) -> bool {
    key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > now)
}

impl Shown {
    fn as_json(&self) -> serde_json::Value {
        let balance = self.state.as_ref().map(|state| &state.account);
        let grants = self.state.iter().flat_map(|state| &state.grants);
        let grant = |grant: &Grant| {
            serde_json::json!({
                "grant": grant.number, "kind": grant.kind.word(), "granted": grant.granted,
                "remaining": grant.remaining, "effective_at": rfc3339(grant.effective_at),
                "expires_at": grant.expires_at.map(rfc3339), "source": grant.source,
            })
        };
        serde_json::json!({
            "account": self.account.name, "plan": self.account.plan, "metering": self.metering,
            "created_at": rfc3339(self.account.created_at), "overage": self.overage,
            "period": balance.map(|balance| serde_json::json!({
                "start": rfc3339(balance.period_start), "end": rfc3339(balance.period_end),
                "monthly": balance.monthly, "used": balance.used, "overage": balance.overage,
            })),
            "balance": balance.map(|balance| balance.balance),
            "grants": grants.map(grant).collect::<Vec<_>>(),
            "keys": self.keys, "valid_keys": self.valid_keys,
            "thresholds": { "percents": self.thresholds.percents, "emails": self.thresholds.emails },
        })
    }

    fn print_result(&self) {
        let Account { name, plan, .. } = &self.account;
        let line = |what: &str, text: &str| print(&format!("  {what:<11} {text}"));
        let metering = self.metering.map_or("not in the settings", Metering::word);
        print(&format!("{name}: plan {plan} ({metering})"));
        let since = rfc3339(self.account.created_at);
        line("created", &since);
        match &self.state {
            Some(state) => self.print_credits(state, &line),
            None => line(
                "credits",
                "nothing booked yet; the first call starts a month",
            ),
        }
        line("overage", if self.overage { "on" } else { "off" });
        line("keys", &format!("{}, {} valid", self.keys, self.valid_keys));
        let Thresholds { percents, emails } = &self.thresholds;
        if percents.is_empty() || emails.is_empty() {
            line("thresholds", "none");
        } else {
            let percents: Vec<String> = percents.iter().map(ToString::to_string).collect();
            let (percents, emails) = (percents.join(", "), emails.join(", "));
            line("thresholds", &format!("{percents} %, notifies {emails}"));
        }
    }

    fn print_credits(&self, state: &AccountState, line: &impl Fn(&str, &str)) {
        let account = &state.account;
        let (start, end) = (rfc3339(account.period_start), rfc3339(account.period_end));
        line("period", &format!("{start} to {end}"));
        let what = match self.metering {
            Some(Metering::Quota) => "calls",
            Some(Metering::Credits | Metering::Unmetered) | None => "credits",
        };
        let (left, used, beyond) = (account.balance, account.used, account.overage);
        line(
            what,
            &format!("{left} left; in this period {used} used and {beyond} calls of overage"),
        );
        for grant in &state.grants {
            let ends = grant.expires_at.map_or_else(
                || "does not expire".to_owned(),
                |at| format!("expires at {}", rfc3339(at)),
            );
            let (kind, left, granted) = (grant.kind.word(), grant.remaining, grant.granted);
            let source = &grant.source;
            line(
                "",
                &format!("{kind:<10} {left} of {granted}, {ends}  {source}"),
            );
        }
    }
}
