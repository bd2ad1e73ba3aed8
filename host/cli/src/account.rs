//! `lustra account`.

mod change;
mod show;

use std::collections::BTreeMap;

use super::{CliError, ConfigFile, audit, print, say};
use lustra::billing::{Customer, Ledger};
use lustra::config::{Config, Plan};
use lustra_sandbox::clock::rfc3339;
use lustra_store::{Account as Stored, AccountBalance, AccountId, OperatorAction, Store};

/// Create, list and show accounts, and change their plan and overage.
#[derive(Debug, clap::Subcommand)]
pub enum Account {
    Create(Create),
    List(List),
    Show(show::Show),
    Plan(change::ChangePlan),
    Overage(change::Overage),
}

/// Create an account without a key.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra account create --config lustra.toml --name acme --plan starter"
)]
pub struct Create {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account; it must be unique.
    #[arg(long, visible_alias = "account")]
    name: String,
    /// Plan of the account, one of the settings' `plans`.
    #[arg(long)]
    plan: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// List all accounts with their plans and their credits at the last booking.
///
/// A running host books expired credits within a minute. `account show` includes them at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra account list --config lustra.toml")]
pub struct List {
    #[command(flatten)]
    config: ConfigFile,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
}

impl Account {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::Create(create) => create.run().await,
            Self::List(list) => list.run().await,
            Self::Show(show) => show.run().await,
            Self::Plan(change) => change.run().await,
            Self::Overage(overage) => overage.run().await,
        }
    }
}

impl Create {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        plan_of(&config, &self.plan)?;
        if self.name.trim().is_empty() {
            return Err(CliError("--name: it must not be empty".to_owned()));
        }
        let store = config.open_store(2).await?;
        let now = ConfigFile::clock(&config).now();
        let account = store
            .keys()
            .create_account(&self.name, &self.plan, now)
            .await?;
        let (name, plan) = (&account.name, &account.plan);
        audit::done(&store, OperatorAction::CreateAccount, name, plan, now).await;
        if self.json {
            print(&serde_json::json!({
                "account": account.name, "plan": account.plan, "created_at": rfc3339(account.created_at),
            }).to_string());
        } else {
            print(&format!("{} is on the plan {}", account.name, account.plan));
            say(&format!(
                "its first key: lustra key create --account {}",
                account.name
            ));
        }
        Ok(())
    }
}

impl List {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let balances = store.billing().balances().await?.into_iter();
        let balances: BTreeMap<AccountId, AccountBalance> = balances
            .map(|balance| (balance.account_id, balance))
            .collect();
        let accounts = store.keys().list_accounts().await?;
        for account in &accounts {
            let balance = balances.get(&account.id).map(|row| row.balance);
            if self.json {
                print(
                    &serde_json::json!({
                        "account": account.name, "plan": account.plan, "overage": account.overage,
                        "created_at": rfc3339(account.created_at), "balance": balance,
                    })
                    .to_string(),
                );
            } else {
                let left = balance.map_or_else(
                    || "nothing booked yet".to_owned(),
                    |balance| format!("{balance} left"),
                );
                print(&format!("{:<20} {:<12} {left}", account.name, account.plan));
            }
        }
        if accounts.is_empty() {
            say("there are no accounts; create one with `lustra account create`");
        }
        Ok(())
    }
}

pub(super) async fn find(store: &Store, account: &str) -> Result<Stored, CliError> {
    let found = store.keys().find_account(account).await?;
    found.ok_or_else(|| CliError(format!("there is no account {account}")))
}

pub(super) fn plan_of<'a>(config: &'a Config, name: &str) -> Result<&'a Plan, CliError> {
    config.plans.get(name).ok_or_else(|| {
        let plans: Vec<&str> = config.plans.keys().map(String::as_str).collect();
        let plans = plans.join(", ");
        CliError(format!("there is no plan {name}; there are {plans}"))
    })
}

/// The ledger, whose clock dates the command's bookings. Prints a warning if this host's clock is not trusted.
pub(super) async fn ledger(config: &Config, store: &Store) -> Result<Ledger, CliError> {
    let clock = ConfigFile::clock(config);
    let ledger = Ledger::begin(store.clone(), clock, &config.ledger).await?;
    if !ledger.clock_state().trusted {
        let now = rfc3339(ledger.now());
        say(&format!(
            "this host's clock is not trusted; credits are booked as of {now}"
        ));
    }
    Ok(ledger)
}

/// The account with the terms of its plan.
pub(super) fn customer(config: &Config, account: &Stored) -> Result<Customer, CliError> {
    Customer::of(account, config).ok_or_else(|| {
        let (name, plan) = (&account.name, &account.plan);
        CliError(format!(
            "the account {name} is on the plan {plan}, which the settings do not have; \
             change its plan with `lustra account plan`"
        ))
    })
}
