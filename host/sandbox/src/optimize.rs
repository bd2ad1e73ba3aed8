//! Replaces the code of the single-pass compiler by optimized code while connectors serve.
//!
//! The worker waits until no version has changed for a moment, so that it neither slows down the next reload nor
//! compiles a version that is about to be replaced. One component is compiled at a time, by a process of the lowest
//! priority. Versions, counters and circuit breakers stay; only the code of new calls changes.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cache::Origin;
use super::code::LoadContext;
use super::component::Loaded;
use super::running::Connectors;

/// How long no version must have changed before the worker compiles.
const QUIET: Duration = Duration::from_secs(2);

impl Connectors {
    /// Worker loop that optimizes the code of new versions.
    pub async fn optimize(self: Arc<Self>) {
        let mut changes = self.changes();
        loop {
            while let Ok(Ok(())) = tokio::time::timeout(QUIET, changes.changed()).await {}
            let unchanged = || !changes.has_changed().unwrap_or(true);
            self.optimize_while(unchanged).await;
            if changes.changed().await.is_err() {
                return;
            }
        }
    }

    /// Optimizes all code that the single-pass compiler made, also of versions that were replaced and may be restored.
    /// Code that the optimizing compiler refuses stays as it is until the next call.
    pub async fn optimize_all(&self) {
        self.optimize_while(|| true).await;
    }

    async fn optimize_while(&self, go_on: impl Fn() -> bool) {
        let (started, mut optimized) = (Instant::now(), 0_u32);
        let mut refused = BTreeSet::new();
        while go_on()
            && let Some(loaded) = self.next_to_optimize(&refused)
        {
            let (linker, cache) = (self.linker.clone(), Arc::clone(&self.cache));
            let (compiler, of) = (Arc::clone(&self.compiler), Arc::clone(&loaded));
            let optimizing = tokio::task::spawn_blocking(move || {
                of.optimize(&LoadContext {
                    linker: &linker,
                    single_pass: None,
                    cache: &cache,
                    compiler: &compiler,
                })
                .map_err(|refusal| refusal.reason())
            });
            let result = optimizing.await;
            if let Err(why) = result.unwrap_or_else(|panic| Err(panic.to_string())) {
                let id = loaded.manifest.id.as_str();
                tracing::error!(connector.id = id, digest = %loaded.digest, "the code of {id} was not optimized: {why}");
                refused.insert(loaded.digest.clone());
            } else {
                optimized += 1;
            }
        }
        if self.next_to_optimize(&BTreeSet::new()).is_none() {
            self.single_pass.release();
        }
        if optimized > 0 {
            let seconds = started.elapsed().as_secs_f64();
            tracing::info!("optimized the code of {optimized} connectors in {seconds:.1} s");
        }
    }

    fn next_to_optimize(&self, refused: &BTreeSet<String>) -> Option<Arc<Loaded>> {
        let catalogue = self.catalogue();
        let loaded = catalogue.entries.values().flat_map(|entry| {
            let previous = entry.probation.as_ref();
            let previous = previous.map(|probation| &probation.previous);
            entry.serving().into_iter().chain(previous)
        });
        let mut unoptimized = loaded
            .filter(|loaded| loaded.origin() == Origin::SinglePass)
            .filter(|loaded| !refused.contains(&loaded.digest));
        unoptimized.next().cloned()
    }
}
