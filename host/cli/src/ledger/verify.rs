//! `lustra ledger verify`.

use std::collections::BTreeMap;
use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use super::super::{CliError, ConfigFile, many, print};
use super::accounts;
use lustra::billing::verify::{Findings, verify};
use lustra_store::AccountId;

/// Recompute every balance from the ledger entries, and list the differences.
///
/// Each account is read in one snapshot, so hosts may keep booking meanwhile. The command fails if there is a mistake,
/// and prints the first ten mistakes of an account; the first usually causes the others.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra ledger verify --config lustra.toml")]
pub struct Verify {
    #[command(flatten)]
    config: ConfigFile,
    /// Name of the account. Default: all accounts.
    #[arg(long)]
    account: Option<String>,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(in super::super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let store = config.open_store(2).await?;
        let accounts: BTreeMap<AccountId, String> = accounts(&store, self.account.as_deref())
            .await?
            .into_iter()
            .collect();
        let bar = bar(accounts.len());
        let mut findings = Findings::default();
        for id in accounts.keys() {
            verify(&store, *id, &mut findings).await?;
            bar.inc(1);
        }
        bar.finish_and_clear();
        let name = |id: AccountId| accounts.get(&id).cloned().unwrap_or_else(|| id.to_string());
        if self.json {
            let mistakes = findings.mistakes.iter().map(|mistake| {
                serde_json::json!({"account": name(mistake.account_id), "what": mistake.what})
            });
            print(&serde_json::json!({
                "accounts": findings.accounts, "entries": findings.entries, "credits": findings.credits,
                "mistakes": mistakes.collect::<Vec<_>>(),
            }).to_string());
        } else {
            for mistake in &findings.mistakes {
                print(&format!("{}: {}", name(mistake.account_id), mistake.what));
            }
            print(&format!(
                "accounts: {}, entries: {}, credits left: {}, mistakes: {}",
                findings.accounts,
                findings.entries,
                findings.credits,
                findings.mistakes.len()
            ));
        }
        if findings.mistakes.is_empty() {
            return Ok(());
        }
        let mistakes = many(findings.mistakes.len(), "mistake", "mistakes");
        Err(CliError(format!("{mistakes} in the ledger")))
    }
}

/// Progress bar, shown on a terminal.
fn bar(accounts: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(u64::try_from(accounts).unwrap_or_default());
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} accounts [{elapsed}]")
    {
        bar.set_style(style);
    }
    bar
}
