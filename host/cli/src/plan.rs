//! `lustra plan`.

use super::{CliError, ConfigFile, many, print, say};
use lustra::config::Plan as PlanConfig;

/// Show the plans of the settings.
#[derive(Debug, clap::Subcommand)]
pub enum Plan {
    List(List),
}

/// List the plans of the settings and how many accounts are on each.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra plan list --config lustra.toml")]
pub struct List {
    #[command(flatten)]
    config: ConfigFile,
    /// Print JSON, one object a line.
    #[arg(long)]
    json: bool,
}

impl Plan {
    pub(super) async fn run(self) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run().await,
        }
    }
}

impl List {
    async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let mut counts = store.keys().count_accounts().await?;
        for (name, plan) in &config.plans {
            let accounts = counts.remove(name).unwrap_or_default();
            if self.json {
                print(&as_json(name, plan, accounts).to_string());
            } else {
                print(&format!(
                    "{name:<12} {}; {}",
                    given(plan),
                    many(accounts, "account", "accounts")
                ));
                print(&format!("    {}", allowed(plan)));
            }
        }
        // Requests with their keys fail until the accounts are moved to another plan.
        for (name, accounts) in counts {
            let accounts = many(accounts, "account", "accounts");
            say(&format!(
                "{accounts} on the plan {name}, which the settings do not have"
            ));
        }
        Ok(())
    }
}

fn as_json(name: &str, plan: &PlanConfig, accounts: i64) -> serde_json::Value {
    serde_json::json!({
        "plan": name, "metering": plan.metering(), "credits": plan.credits, "quota": plan.quota,
        "rollover": plan.rollover, "overage": plan.overage, "scopes": plan.scopes, "features": plan.features,
        "batch_items": plan.batch.then_some(plan.batch_items), "requests_per_minute": plan.requests_per_minute,
        "requests_per_day": plan.requests_per_day, "watched_companies": plan.watched_companies, "accounts": accounts,
    })
}

fn given(plan: &PlanConfig) -> String {
    match (plan.credits, plan.quota) {
        (Some(credits), _) => {
            let rolls = match plan.rollover {
                0 => "none roll over".to_owned(),
                most => format!("up to {most} roll over"),
            };
            let overage = if plan.overage {
                "overage allowed"
            } else {
                "no overage"
            };
            format!("{credits} credits a month, {rolls}, {overage}")
        }
        (None, Some(quota)) => format!("a quota of {quota} calls a month"),
        (None, None) => "not metered".to_owned(),
    }
}

fn allowed(plan: &PlanConfig) -> String {
    let mut parts = vec![format!("scopes {}", plan.scopes.join(", "))];
    let features = plan.features.as_ref();
    parts.extend(features.map(|features| format!("features {}", features.join(", "))));
    parts.push(if plan.batch {
        format!("batches of up to {}", plan.batch_items)
    } else {
        "no batches".to_owned()
    });
    for (limit, span) in [
        (plan.requests_per_minute, "minute"),
        (plan.requests_per_day, "day"),
    ] {
        parts.extend(limit.map(|limit| format!("{limit} requests a {span}")));
    }
    parts.push(format!("{} watched companies", plan.watched_companies));
    parts.join("; ")
}
