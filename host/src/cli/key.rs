//! `lustra key`.

use super::{CliError, ConfigFile, print, say};
use crate::billing::NewKey;
use crate::clock::{Clock, rfc3339};
use crate::store::{Account, Store};

/// Create, list and revoke API keys.
#[derive(Debug, clap::Subcommand)]
pub enum Key {
    Create(Create),
    List(List),
    Revoke(Revoke),
}

/// Create a key for an account, and the account if there is none of the name.
///
/// The key is printed once and cannot be shown again: only its digest is stored.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra key create --config lustra.toml --account acme --plan business"
)]
pub struct Create {
    #[command(flatten)]
    config: ConfigFile,
    /// The account's name.
    #[arg(long)]
    account: String,
    /// The plan of a new account, one of the settings' `plans`.
    #[arg(long, default_value = "free")]
    plan: String,
    /// What the key is for, as lists show it.
    #[arg(long, default_value = "default")]
    name: String,
    /// Days until the key ends by itself.
    #[arg(long)]
    days: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// List an account's keys, without their texts.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra key list --config lustra.toml --account acme")]
pub struct List {
    #[command(flatten)]
    config: ConfigFile,
    /// The account's name.
    #[arg(long)]
    account: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// End a key of an account for good, within a second on every host.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra key revoke --config lustra.toml --account acme 3")]
pub struct Revoke {
    #[command(flatten)]
    config: ConfigFile,
    /// The account's name.
    #[arg(long)]
    account: String,
    /// The number that `key list` shows before it.
    id: i64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Key {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::Create(create) => create.run().await,
            Self::List(list) => list.run().await,
            Self::Revoke(revoke) => revoke.run().await,
        }
    }
}

impl Create {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        if !config.plans.contains_key(&self.plan) {
            let plans: Vec<&str> = config.plans.keys().map(String::as_str).collect();
            return Err(CliError(format!(
                "there is no plan {}; there are {}",
                self.plan,
                plans.join(", ")
            )));
        }
        let store = Store::connect(&config.store_url(), 2).await?;
        let now = Clock::system().now();
        let account = match store.keys().find_account(&self.account).await? {
            Some(account) => account,
            None => {
                store
                    .keys()
                    .create_account(&self.account, &self.plan, now)
                    .await?
            }
        };
        if account.plan != self.plan {
            say(&format!(
                "the account {} is on the plan {}, which stays",
                account.name, account.plan
            ));
        }
        let key = NewKey::live();
        let expires_at = self
            .days
            .map(|days| now + time::Duration::days(i64::from(days)));
        store
            .keys()
            .create_key(
                account.id,
                &self.name,
                &key.prefix,
                &key.text.hash(),
                expires_at,
                now,
            )
            .await?;
        if self.json {
            print(&serde_json::json!({
                "account": account.name, "plan": account.plan, "name": self.name, "key": key.text.reveal(),
                "expires_at": expires_at.map(rfc3339),
            }).to_string());
        } else {
            say(&format!(
                "a key of {} on the plan {}; it is not shown again:",
                account.name, account.plan
            ));
            print(key.text.reveal());
        }
        Ok(())
    }
}

impl List {
    async fn run(self) -> Result<(), CliError> {
        let store = Store::connect(&self.config.read()?.store_url(), 2).await?;
        let account = find(&store, &self.account).await?;
        let now = Clock::system().now();
        for key in store.keys().list_keys(account.id).await? {
            let expired = key.expires_at.is_some_and(|at| at <= now);
            let state = match (key.revoked_at.is_some(), expired) {
                (true, _) => "revoked",
                (false, true) => "expired",
                (false, false) => "valid",
            };
            if self.json {
                print(&serde_json::json!({
                    "id": key.id, "name": key.name, "prefix": key.prefix, "state": state,
                    "created_at": rfc3339(key.created_at), "expires_at": key.expires_at.map(rfc3339),
                    "last_used_at": key.last_used_at.map(rfc3339),
                }).to_string());
            } else {
                let used = key.last_used_at.map_or_else(
                    || "never used".to_owned(),
                    |at| format!("used {}", rfc3339(at)),
                );
                print(&format!(
                    "{:>4}  {}…  {:<8} {}  {}",
                    key.id, key.prefix, state, key.name, used
                ));
            }
        }
        Ok(())
    }
}

impl Revoke {
    async fn run(self) -> Result<(), CliError> {
        let store = Store::connect(&self.config.read()?.store_url(), 2).await?;
        let account = find(&store, &self.account).await?;
        // By the account too, so that a mistyped number ends nobody else's key.
        let keys = store.keys().list_keys(account.id).await?;
        let Some(key) = keys.into_iter().find(|key| key.id == self.id) else {
            let (name, id) = (&self.account, self.id);
            return Err(CliError(format!("the account {name} has no key {id}")));
        };
        let ended = store
            .keys()
            .revoke_key(key.id, Clock::system().now())
            .await?;
        if self.json {
            let told = serde_json::json!({
                "id": key.id, "name": key.name, "prefix": key.prefix, "state": "revoked", "changed": ended,
            });
            print(&told.to_string());
        } else if ended {
            print(&format!("{}… ({}) is revoked", key.prefix, key.name));
        } else {
            print(&format!(
                "{}… ({}) was revoked before",
                key.prefix, key.name
            ));
        }
        Ok(())
    }
}

async fn find(store: &Store, account: &str) -> Result<Account, CliError> {
    let found = store.keys().find_account(account).await?;
    found.ok_or_else(|| CliError(format!("there is no account {account}")))
}
