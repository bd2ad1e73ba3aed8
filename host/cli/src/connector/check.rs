//! `lustra connector check`.

use std::path::PathBuf;

use super::super::{CliError, print, start_log};
use super::bench::{self, BenchArgs};
use super::test::spinner;
use lustra_author::cassette;
use lustra_author::checks::{self, Checked, Found};
use lustra_sandbox::build::Profile;

/// Run the conformance suite that every connector should pass.
///
/// The suite needs no network. It replays the registers' answers from the cassettes (`lustra connector record`) and
/// derives faults from them. A check without a suitable cassette is skipped, with the reason.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    lustra connector check connectors/orsr\n  \
    lustra connector check components/orsr.wasm --cassettes connectors/orsr/cassettes --json")]
pub struct Check {
    /// Directory of a connector's crate, which is built first, or a component file.
    #[arg(value_name = "DIR|FILE")]
    component: PathBuf,
    /// Directory of the cassettes. Default: `cassettes` in the crate.
    #[arg(long, value_name = "DIR")]
    cassettes: Option<PathBuf>,
    /// Cache directory for compiled components. Default: in the build directory of the connectors, if there is one.
    #[arg(long, value_name = "DIR")]
    compiled: Option<PathBuf>,
    /// Print JSON, one object a check.
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) async fn run(self) -> Result<(), CliError> {
        start_log("off", false);
        let directory = bench::cassettes(&self.component, self.cassettes.as_ref());
        let mut cassettes = Vec::new();
        // Without cassettes most requirements are skipped, and the list shows that for each.
        for (path, cassette) in directory
            .map(|directory| cassette::below(&directory))
            .unwrap_or(Ok(Vec::new()))?
        {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            cassettes.push((name, cassette?));
        }
        let file = bench::component(&self.component, Profile::Shipped).await?;
        let bench = BenchArgs::quiet_bench(self.compiled.as_ref()).await?;
        let bar = spinner(&file.display().to_string());
        let checked = checks::all(&bench, &file, &cassettes, &mut || bar.inc(1)).await?;
        bar.finish_and_clear();
        for check in &checked {
            if self.json {
                print(&serde_json::to_string(check).unwrap_or_default());
            } else {
                show(check);
            }
        }
        let count =
            |is: fn(&Found) -> bool| checked.iter().filter(|check| is(&check.found)).count();
        let failed = count(|found| matches!(found, Found::Failed { .. }));
        if !self.json {
            print(&format!(
                "{} passed, {failed} failed, {} skipped",
                count(|found| matches!(found, Found::Passed { .. })),
                count(|found| matches!(found, Found::Skipped { .. })),
            ));
        }
        match failed {
            0 => Ok(()),
            1 => Err(CliError("a check failed".to_owned())),
            more => Err(CliError(format!("{more} checks failed"))),
        }
    }
}

fn show(check: &Checked) {
    let line = |word: &str, more: &str| {
        let more = if more.is_empty() {
            String::new()
        } else {
            format!(": {more}")
        };
        print(&format!(
            "{:>2} {word:<8} {}{more}",
            check.number, check.title
        ));
    };
    match &check.found {
        Found::Passed { how } => line("passed", how),
        Found::Skipped { why } => line("skipped", why),
        Found::Failed { mistakes } => {
            line("FAILED", "");
            for mistake in mistakes {
                print(&format!(
                    "      {}\n          {}",
                    mistake.place, mistake.why
                ));
            }
        }
    }
}
