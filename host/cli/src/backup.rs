//! `lustra backup` and `lustra restore`.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::{CliError, ConfigFile, many, print, say};
use lustra::backup::{Progress, RestoreOptions, SecretsKey, Stage, create, restore};
use lustra_sandbox::clock::rfc3339;

/// Write a backup of a SQLite store into one file, while servers may run.
///
/// Copies lustra.db and lustra-billing.db as they are at one moment, together with secrets.key, compresses them, reads
/// the archive again, compares digests, checks every page and recomputes the ledger. Only then does FILE exist. It
/// contains all data and the key of the webhook secrets: it is created with mode 0600; keep it as safe as the server.
///
/// The folder of FILE needs free space of twice the size of the store. For PostgreSQL see the guide "Backup and
/// restore".
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra backup --config lustra.toml --output /backup/lustra-2026-07-01.zip"
)]
pub struct Backup {
    #[command(flatten)]
    config: ConfigFile,
    /// The archive to write.
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Replace an existing file, once the new one is verified.
    #[arg(long)]
    force: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

/// Replace the store by a backup. Stop the server first.
///
/// Refuses while any process uses the store, and if the backup is from a newer program. Digests, pages and the ledger
/// are checked before anything changes; the replaced files are kept aside until the new ones are in place. Deletes the
/// name index, which the server rebuilds. What happened after the backup is lost.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: lustra restore /backup/lustra-2026-07-01.zip --config lustra.toml --force"
)]
pub struct Restore {
    /// The archive that `lustra backup` wrote.
    #[arg(value_name = "FILE")]
    archive: PathBuf,
    #[command(flatten)]
    config: ConfigFile,
    /// Replace an existing store.
    #[arg(long)]
    force: bool,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Backup {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let clock = ConfigFile::clock(&config);
        let bar = Bar::new();
        let made = create(
            &config,
            &self.output,
            self.force,
            clock.now(),
            bar.progress(),
        )
        .await;
        bar.end();
        let made = made?;
        let manifest = &made.manifest;
        let file = self.output.display().to_string();
        if self.json {
            let result = json!({
                "file": file, "bytes": made.bytes, "manifest": manifest,
                "ledger": {
                    "accounts": made.ledger.accounts, "entries": made.ledger.entries,
                    "credits": made.ledger.credits, "mistakes": 0,
                },
            });
            print(&result.to_string());
            return Ok(());
        }
        print(&format!(
            "{file}: {} MiB from {} MiB, schema {}, verified: {} with {} in the ledger",
            mib(made.bytes),
            mib(manifest.bytes()),
            manifest.schema,
            many(made.ledger.accounts, "account", "accounts"),
            many(made.ledger.entries, "entry", "entries"),
        ));
        match manifest.secrets_key {
            SecretsKey::Included => {
                say("the backup contains secrets.key, which decrypts the webhook secrets");
            }
            SecretsKey::Settings => {
                say("notifications.secrets_key is not part of the backup; keep it separately");
            }
            SecretsKey::None => {}
        }
        Ok(())
    }
}

impl Restore {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        let bar = Bar::new();
        let options = RestoreOptions { force: self.force };
        let restored = restore(&config, &self.archive, options, bar.progress()).await;
        bar.end();
        let restored = restored?;
        let (manifest, ledger) = (&restored.manifest, &restored.ledger);
        let store = restored.store.display().to_string();
        if self.json {
            let mistakes = ledger.mistakes.iter();
            let mistakes = mistakes
                .map(|mistake| json!({"account_id": mistake.account_id, "what": mistake.what}));
            let result = json!({
                "store": store, "replaced": restored.replaced, "manifest": manifest,
                "ledger": {
                    "accounts": ledger.accounts, "entries": ledger.entries, "credits": ledger.credits,
                    "mistakes": mistakes.collect::<Vec<_>>(),
                },
            });
            print(&result.to_string());
            return Ok(());
        }
        print(&format!(
            "{store}: restored as of {} (lustra {}, schema {}), {} with {} in the ledger",
            rfc3339(manifest.created_at),
            manifest.program,
            manifest.schema,
            many(ledger.accounts, "account", "accounts"),
            many(ledger.entries, "entry", "entries"),
        ));
        if manifest.secrets_key == SecretsKey::Settings {
            say(
                "the backup has no secrets.key: the server needs the same notifications.secrets_key as before",
            );
        }
        if !ledger.mistakes.is_empty() {
            let mistakes = many(ledger.mistakes.len(), "mistake", "mistakes");
            say(&format!(
                "the ledger of the backup has {mistakes}; `lustra ledger verify` lists them"
            ));
        }
        Ok(())
    }
}

fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

/// Progress bar of each stage, shown on a terminal.
struct Bar(Arc<Mutex<Option<(Stage, ProgressBar)>>>);

impl Bar {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn progress(&self) -> Progress {
        let shown = Arc::clone(&self.0);
        let is_terminal = std::io::stderr().is_terminal();
        Arc::new(move |stage, done, total| {
            if !is_terminal {
                return;
            }
            let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
            let is_same = shown.as_ref().is_some_and(|(of, _)| *of == stage);
            if !is_same {
                if let Some((_, bar)) = shown.take() {
                    bar.finish_and_clear();
                }
                *shown = Some((stage, bar_of(stage, total)));
            }
            if let Some((_, bar)) = shown.as_ref() {
                bar.set_length(total);
                bar.set_position(done);
            }
        })
    }

    fn end(&self) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bar)) = shown.take() {
            bar.finish_and_clear();
        }
    }
}

fn bar_of(stage: Stage, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {percent}% {msg} [{elapsed}]") {
        bar.set_style(style);
    }
    bar.set_message(stage.word());
    bar
}
