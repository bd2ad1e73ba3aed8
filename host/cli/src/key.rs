//! `lustra key`.

use time::OffsetDateTime;

use super::account::{find, plan_of};
use super::{CliError, ConfigFile, audit, print, say};
use lustra::billing::NewKey;
use lustra_sandbox::clock::rfc3339;
use lustra_store::{AccountId, ApiKey, KeyLimits, NewKeyOfAccount, OperatorAction, Store};

/// Create, list, rotate and revoke API keys.
#[derive(Debug, clap::Subcommand)]
pub enum Key {
    Create(Create),
    List(List),
    Rotate(Rotate),
    Revoke(Revoke),
}

/// Create a key for an account, and the account if it does not exist.
///
/// The key is printed once. It cannot be shown again, because only its digest is stored.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra key create --config lustra.toml --account acme --plan business"
)]
pub struct Create {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Plan of a new account, one of the settings' `plans`. Default: free.
    #[arg(long)]
    plan: Option<String>,
    /// Name of the key, as shown in lists.
    #[arg(long, default_value = "default")]
    name: String,
    /// Days until the key expires. Default: it does not expire.
    #[arg(long)]
    days: Option<u32>,
    /// Let the key manage its account: keys, people and the plan.
    #[arg(long)]
    manage: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// List an account's keys, without the secret part.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra key list --config lustra.toml --account acme")]
pub struct List {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Replace a key. The old key stays valid for a grace period, so that clients can change over.
///
/// The new key has the name and the expiry of the old one. It is printed once and cannot be shown again.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra key rotate --config lustra.toml --account acme 3 --grace-hours 48"
)]
pub struct Rotate {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Number of the key, as shown by `key list`.
    id: i64,
    /// Hours for which the old key stays valid. 0 revokes it at once.
    #[arg(long, value_name = "HOURS", default_value_t = 24)]
    grace_hours: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Revoke a key of an account permanently. Takes effect on every host within a second.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra key revoke --config lustra.toml --account acme 3")]
pub struct Revoke {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account.
    #[arg(long)]
    account: String,
    /// Number of the key, as shown by `key list`.
    id: i64,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Key {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::Create(create) => create.run().await,
            Self::List(list) => list.run().await,
            Self::Rotate(rotate) => rotate.run().await,
            Self::Revoke(revoke) => revoke.run().await,
        }
    }
}

impl Create {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let now = ConfigFile::clock(&config).now();
        let days = self.days.map(|days| time::Duration::days(days.into()));
        let expires_at = days.map(|days| after(now, days, "--days")).transpose()?;
        let store = config.open_store(2).await?;
        let account = match store.keys().find_account(&self.account).await? {
            Some(account) => account,
            None => {
                let plan = self.plan.as_deref().unwrap_or("free");
                plan_of(&config, plan)?;
                let keys = store.keys();
                let account = keys.create_account(&self.account, plan, now).await?;
                let action = OperatorAction::CreateAccount;
                audit::done(&store, action, &account.name, plan, now).await;
                account
            }
        };
        if self.plan.as_ref().is_some_and(|plan| *plan != account.plan) {
            say(&format!(
                "the account {} keeps its plan {}; change it with `lustra account plan`",
                account.name, account.plan
            ));
        }
        let key = NewKey::live();
        let new = NewKeyOfAccount {
            name: self.name.clone(),
            prefix: key.prefix.clone(),
            hash: key.text.hash(),
            manage: self.manage,
            limits: KeyLimits {
                expires_at,
                ..KeyLimits::default()
            },
        };
        // The operator is not limited in the number of keys.
        let of_account = store.keys_of(account.id);
        of_account.create(&new, u32::MAX, None, now).await?;
        let about = about(&self.name, &key.prefix, expires_at);
        audit::done(
            &store,
            OperatorAction::CreateKey,
            &account.name,
            &about,
            now,
        )
        .await;
        if self.json {
            print(&serde_json::json!({
                "account": account.name, "plan": account.plan, "name": self.name, "key": key.text.reveal(),
                "expires_at": expires_at.map(rfc3339), "manage": self.manage,
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
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let account = find(&store, &self.account).await?;
        let now = ConfigFile::clock(&config).now();
        for key in store.keys_of(account.id).list().await? {
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
                    "last_used_at": key.last_used_at.map(rfc3339), "manage": key.manage,
                    "scopes": key.scopes, "addresses": key.addresses,
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

impl Rotate {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let now = ConfigFile::clock(&config).now();
        let grace = time::Duration::hours(self.grace_hours.into());
        let grace_ends_at = after(now, grace, "--grace-hours")?;
        let store = config.open_store(2).await?;
        let account = find(&store, &self.account).await?;
        let old = key_of(&store, account.id, &self.account, self.id).await?;
        let key = NewKey::live();
        let made = store
            .keys()
            .rotate_key(&old, &key.prefix, &key.text.hash(), grace_ends_at, now)
            .await?;
        let Some(made) = made else {
            let (id, name) = (old.id, &account.name);
            return Err(CliError(format!(
                "the key {id} of {name} was revoked or has expired; `lustra key create` makes one"
            )));
        };
        let old_ends_at = old
            .expires_at
            .map_or(grace_ends_at, |at| at.min(grace_ends_at));
        let replaced = about(&old.name, &old.prefix, Some(old_ends_at));
        let about = format!("{}… in place of {replaced}", key.prefix);
        audit::done(
            &store,
            OperatorAction::RotateKey,
            &account.name,
            &about,
            now,
        )
        .await;
        if self.json {
            print(
                &serde_json::json!({
                    "account": account.name, "plan": account.plan, "id": made.id, "name": made.name,
                    "key": key.text.reveal(), "expires_at": made.expires_at.map(rfc3339),
                    "replaces": old.id, "replaced_expires_at": rfc3339(old_ends_at),
                })
                .to_string(),
            );
        } else {
            say(&format!(
                "a key of {} in place of {}… ({}), which ends at {}; it is not shown again:",
                account.name,
                old.prefix,
                old.name,
                rfc3339(old_ends_at)
            ));
            print(key.text.reveal());
            if let Some(at) = made.expires_at {
                say(&format!("it ends at {}", rfc3339(at)));
            }
        }
        Ok(())
    }
}

impl Revoke {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let account = find(&store, &self.account).await?;
        let key = key_of(&store, account.id, &self.account, self.id).await?;
        let now = ConfigFile::clock(&config).now();
        let ended = store.keys().revoke_key(key.id, now).await?;
        if ended {
            let about = about(&key.name, &key.prefix, None);
            let action = OperatorAction::RevokeKey;
            audit::done(&store, action, &account.name, &about, now).await;
        }
        if self.json {
            let line = serde_json::json!({
                "id": key.id, "name": key.name, "prefix": key.prefix, "state": "revoked", "changed": ended,
            });
            print(&line.to_string());
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

/// The key with this number. It must belong to the given account, so that a mistyped number cannot revoke another
/// account's key.
async fn key_of(
    store: &Store,
    account_id: AccountId,
    account: &str,
    id: i64,
) -> Result<ApiKey, CliError> {
    let keys = store.keys().list_keys(account_id).await?;
    keys.into_iter()
        .find(|key| key.id == id)
        .ok_or_else(|| CliError(format!("the account {account} has no key {id}")))
}

/// What the audit log says of a key: never its secret.
fn about(name: &str, prefix: &str, expires_at: Option<OffsetDateTime>) -> String {
    let until = expires_at.map_or_else(String::new, |at| format!(", until {}", rfc3339(at)));
    format!("{prefix}… ({name}){until}")
}

fn after(
    now: OffsetDateTime,
    span: time::Duration,
    option: &str,
) -> Result<OffsetDateTime, CliError> {
    now.checked_add(span)
        .ok_or_else(|| CliError(format!("{option}: the date is out of range")))
}
