//! `lustra account plan` and `lustra account overage`.

use super::super::{CliError, ConfigFile, audit, print, say};
use super::{find, ledger, plan_of};
use lustra::billing::account_ledger::ROLLOVER_MONTHS;
use lustra::billing::operator::{self, LeftAtChange, PlanChange};
use lustra::billing::{AccountState, Customer, Metering};
use lustra_sandbox::clock::rfc3339;
use lustra_store::{Account, OperatorAction};

/// Change the plan of an account.
///
/// A full month of the new plan begins at once. Unused credits of the old plan's month roll over, at most as many as
/// the old plan's `rollover`. Purchased credits and earlier rollovers stay. Use the same command to move an account
/// that was created before credits existed to a plan with credits.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra account plan --config lustra.toml --account acme --plan business"
)]
pub struct ChangePlan {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// The new plan, one of the settings' `plans`.
    #[arg(long)]
    plan: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Allow or refuse overage: calls that are answered and billed after an account's credits are used up.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra account overage --config lustra.toml --account acme on")]
pub struct Overage {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// `on` allows overage, `off` refuses it.
    wanted: Switch,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// A setting that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

impl ChangePlan {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        plan_of(&config, &self.plan)?;
        let store = config.open_store(2).await?;
        let ledger = ledger(&config, &store).await?;
        let before = find(&store, &self.account).await?;
        let PlanChange {
            changed,
            account,
            customer,
            left,
            state,
        } = operator::change_plan(&store, &ledger, &config, before.id, &self.plan).await?;
        if changed {
            let about = format!("{} → {}", before.plan, account.plan);
            let (name, now) = (&account.name, ledger.now());
            audit::done(&store, OperatorAction::ChangePlan, name, &about, now).await;
        }
        if self.json {
            print(&serde_json::json!({
                "account": account.name, "plan": account.plan, "plan_before": before.plan, "changed": changed,
                "left": left.left, "rolled_over": left.rolled_over, "monthly": state.account.monthly,
                "balance": state.account.balance, "period_end": rfc3339(state.account.period_end),
            }).to_string());
        } else if changed {
            let counted_before = Customer::of(&before, &config).map(|before| before.metering);
            print_result(&before, counted_before, left, &customer, &state);
        } else {
            print(&format!(
                "{} was on the plan {} before",
                account.name, account.plan
            ));
        }
        if account.overage && customer.metering == Metering::Credits && !customer.terms.overage {
            say("the account has overage on, which the new plan does not allow");
        }
        Ok(())
    }
}

fn print_result(
    before: &Account,
    counted_before: Option<Metering>,
    LeftAtChange { left, rolled_over }: LeftAtChange,
    customer: &Customer,
    state: &AccountState,
) {
    let plan = &customer.terms.plan;
    print(&format!(
        "{} is on the plan {plan} now; it was on {}",
        before.name, before.plan
    ));
    let what = match counted_before {
        Some(Metering::Quota) => "calls",
        Some(Metering::Credits | Metering::Unmetered) | None => "credits",
    };
    print(&match (left, rolled_over) {
        (0, _) => "nothing rolls over".to_owned(),
        (left, 0) => format!("the {left} {what} left of its month have expired"),
        (left, rolled_over) => format!(
            "of {left} {what} left of its month, {rolled_over} roll over and are valid for {ROLLOVER_MONTHS} months"
        ),
    });
    let (monthly, balance) = (state.account.monthly, state.account.balance);
    let end = rfc3339(state.account.period_end);
    print(&match customer.metering {
        Metering::Credits => {
            format!(
                "a full month of {plan} has begun: {monthly} credits until {end}; {balance} in all"
            )
        }
        Metering::Quota => {
            format!(
                "a full month of {plan} has begun: {monthly} calls until {end}; {balance} in all"
            )
        }
        Metering::Unmetered => "its calls are not metered".to_owned(),
    });
}

impl Overage {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let account = find(&store, &self.account).await?;
        let wanted = self.wanted == Switch::On;
        if wanted && !plan_of(&config, &account.plan)?.overage {
            let (name, plan) = (&account.name, &account.plan);
            return Err(CliError(format!(
                "the account {name} is on the plan {plan}, which does not allow overage"
            )));
        }
        store.keys().set_overage(account.id, wanted).await?;
        let changed = wanted != account.overage;
        if changed {
            let about = if wanted { "on" } else { "off" };
            let (name, now) = (&account.name, ConfigFile::clock(&config).now());
            audit::done(&store, OperatorAction::ChangeOverage, name, about, now).await;
        }
        if self.json {
            print(&serde_json::json!({
                "account": account.name, "plan": account.plan, "overage": wanted, "changed": changed,
            }).to_string());
        } else {
            let becomes = if wanted {
                "answered and billed as overage"
            } else {
                "refused"
            };
            print(&format!(
                "calls of {} beyond its credits are {becomes}",
                account.name
            ));
        }
        Ok(())
    }
}
