//! Builds the demo's connectors. Some are built before the start, the others while the demo runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::{CliError, say};
use lustra::datasets::Importer;
use lustra::reload::{ReloadMode, Reloader};
use lustra_demo::{self as demo, Tried};
use lustra_sandbox::build::{BuildError, Built};
use lustra_store::DatasetState;

/// How often the states of the imports are read while the demo waits for them.
const POLL: Duration = Duration::from_millis(500);

/// Timeout for the imports of the connectors that were built last.
const IMPORTS: Duration = Duration::from_secs(120);

/// Connectors that are being built while the demo runs.
pub struct Others(mpsc::UnboundedReceiver<Result<Built, BuildError>>);

/// Builds the connectors that the demo starts with and the tried ones to a directory of this demo, which other builds
/// do not change. Then begins to build the others there. With `all_first`, all are built before, and there are no
/// others.
///
/// # Errors
/// A build failed.
pub async fn begin(
    tried: &Arc<Vec<Tried>>,
    components: PathBuf,
    all_first: bool,
) -> Result<Option<Others>, CliError> {
    let tried = Arc::clone(tried);
    let directory = components.clone();
    let first = tokio::task::spawn_blocking(move || {
        let mut say = |line: &str| say(&format!("· {line}"));
        let (mut first, mut others) = demo::connector_crates()?;
        if all_first {
            first.append(&mut others);
        }
        demo::build_of(&demo::connectors_target(), &directory).run(&first, &mut say)?;
        for one in tried.iter() {
            one.build(&directory, &mut say)?;
        }
        Ok::<_, BuildError>(others)
    });
    let others = first.await??;
    if others.is_empty() {
        return Ok(None);
    }
    let (finished, built) = mpsc::unbounded_channel();
    // A thread of its own, because the end of the runtime would wait for a blocking task. Cargo stops when it can no
    // longer report to this process. Nobody receives if the demo has ended.
    let building = std::thread::Builder::new().name("build".to_owned());
    building.spawn(move || {
        let target = demo::connectors_target();
        let mut each = |component| {
            finished.send(Ok(component)).ok();
        };
        let build = demo::build_of(&target, &components);
        let built = build.run_in_background(&others, &mut each);
        if let Err(error) = built {
            finished.send(Err(error)).ok();
        }
    })?;
    Ok(Some(Others(built)))
}

impl Others {
    /// Loads each connector as soon as it is built, and waits until all have imported their lists.
    ///
    /// # Errors
    /// The build or the store failed. What was built before is loaded.
    pub async fn load(mut self, reloader: &Reloader, importer: &Importer) -> Result<(), CliError> {
        let (mut built, mut failure) = (Vec::new(), None);
        while self.0.recv_many(&mut built, usize::MAX).await > 0 {
            failure = built.drain(..).find_map(Result::err).or(failure);
            reloader.step(ReloadMode::Changed).await;
        }
        let deadline = Instant::now() + IMPORTS;
        importer.run_due().await?;
        while is_importing(importer).await? && Instant::now() < deadline {
            tokio::time::sleep(POLL).await;
        }
        failure.map_or(Ok(()), |error| Err(error.into()))
    }
}

/// Whether an enabled list has neither been imported nor failed.
async fn is_importing(importer: &Importer) -> Result<bool, CliError> {
    let states = importer.context().store.datasets().states().await?;
    let waits = |state: &DatasetState| state.imported_at.is_none() && state.failure.is_none();
    Ok(states.iter().any(waits))
}
