//! `lustra import`.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::{CliError, ConfigFile, print, say, start_log};
use crate::datasets::Progress;
use crate::server::Host;

/// Import a dataset now.
///
/// Goes on where an earlier run of it was broken off. The list that was there keeps serving until the new one is
/// complete and has passed its guards.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lustra import rpo/companies --config lustra.toml\n  \
    lustra import vat-payers --config lustra.toml --json\nWithout a dataset it lists what there is."
)]
pub struct Import {
    /// `connector/dataset`, or the dataset alone where only one connector has it.
    dataset: Option<String>,
    #[command(flatten)]
    config: ConfigFile,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("warn", false);
        let config = self.config.read()?;
        let clock = ConfigFile::clock(&config);
        let host = Host::prepare(config, clock).await?;
        let Some(name) = self.dataset else {
            for (loaded, dataset) in host.importer.switched_on() {
                print(&format!(
                    "{}/{}  {}",
                    loaded.manifest.id, dataset.id, dataset.title
                ));
            }
            return Ok(());
        };
        let (connector, dataset) = host.importer.find(&name)?;
        // This process takes its share of the registers' pace while hosts on the same store go on.
        host.presence.step().await?;
        let beating = tokio::spawn(host.presence.clone().run());
        let bar = Bar::new(&format!("{connector}/{dataset}"));
        let outcome = host
            .importer
            .run(&connector, &dataset, &|progress| bar.show(progress))
            .await;
        bar.end();
        beating.abort();
        host.presence.leave().await;
        let imported = outcome?;
        if self.json {
            print(&serde_json::to_string(&imported).unwrap_or_default());
        } else {
            let list = imported.list_date.as_deref().unwrap_or("no date");
            print(&format!(
                "{connector}/{dataset}: {} records imported (list of {list}), {} rows skipped",
                imported.records, imported.skipped
            ));
            for (note, count) in &imported.notes {
                print(&format!("  {note}: {count}"));
            }
        }
        Ok(())
    }
}

/// Progress for people: a bar on a terminal, a line now and then elsewhere.
struct Bar {
    bar: ProgressBar,
    name: String,
    last: Mutex<Instant>,
    terminal: bool,
}

impl Bar {
    fn new(name: &str) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = if terminal {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {prefix}: {human_pos} records, {per_sec} {msg} [{elapsed}]",
        ) {
            bar.set_style(style);
        }
        bar.set_prefix(name.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            name: name.to_owned(),
            last: Mutex::new(Instant::now()),
            terminal,
        }
    }

    fn show(&self, progress: Progress) {
        self.bar.set_position(progress.records);
        let share = progress
            .thousandths
            .map(|share| format!("{}.{} %", share / 10, share % 10))
            .unwrap_or_default();
        self.bar.set_message(share.clone());
        if self.terminal {
            return;
        }
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.elapsed() >= Duration::from_secs(5) {
            *last = Instant::now();
            say(&format!(
                "{}: {} records {share}",
                self.name, progress.records
            ));
        }
    }

    fn end(&self) {
        self.bar.finish_and_clear();
    }
}
