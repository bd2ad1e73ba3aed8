//! Threads for work in the background: tasks that call connectors, imports, the search index.

use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;
use tracing::dispatcher;

use crate::time_slice;

/// Added to the nice value of the threads (`nice(2)`). On a busy machine they then get about a third of the time of the
/// API's threads, so that guests neither delay answers nor starve.
const NICE: i32 = 5;

/// Runs tasks on threads of their own and with a lower priority, so that guests and other work that computes do not
/// delay the API's answers. Threads that such a task starts have this priority too. Clones share the threads, which end
/// with the last clone.
#[derive(Clone)]
pub struct BackgroundRuntime(Arc<Threads>);

struct Threads {
    handle: Handle,
    /// `None`: the tasks share the runtime that created this.
    runtime: Option<Runtime>,
}

impl BackgroundRuntime {
    /// Starts as many threads as there are cores.
    ///
    /// # Errors
    /// The system's, if threads cannot be created.
    pub fn start() -> io::Result<Self> {
        // An absolute value: a thread for blocking work inherits the nice value of the thread that starts it, which may
        // be one of these.
        let nice = rustix::process::getpriority_process(None)? + NICE;
        let subscriber = dispatcher::get_default(Clone::clone);
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("background")
            .on_thread_start(move || {
                // The threads log where the starting thread does. The subscriber stays for the life of the thread.
                std::mem::forget(dispatcher::set_default(&subscriber));
                let lowered = rustix::process::setpriority_process(None, nice).map_err(io::Error::from);
                if let Err(error) = lowered.and_then(|()| time_slice::reset()) {
                    tracing::warn!(%error, "the priority of a thread for work in the background could not be lowered");
                }
            })
            .build()?;
        Ok(Self(Arc::new(Threads {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })))
    }

    /// Uses the current runtime and its threads, for programs that serve no API.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn current() -> Self {
        Self(Arc::new(Threads {
            handle: Handle::current(),
            runtime: None,
        }))
    }

    /// Starts a task, which continues if the returned handle is dropped.
    pub fn spawn<T: Send + 'static>(
        &self,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        self.0.handle.spawn(task)
    }

    /// The runtime of the threads.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.0.handle
    }
}

impl fmt::Debug for BackgroundRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackgroundRuntime")
            .field("has_own_threads", &self.0.runtime.is_some())
            .finish_non_exhaustive()
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last clone may be dropped within a task, where waiting for threads panics.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn tasks_run_on_threads_of_lower_priority() {
        let threads = BackgroundRuntime::start().expect("threads can be created");
        let nice = || rustix::process::getpriority_process(None).expect("it can be read");
        let here = nice();
        let there = threads
            .spawn(async move {
                let blocking = tokio::task::spawn_blocking(move || {
                    let started = std::thread::spawn(nice);
                    (nice(), started.join().ok())
                });
                (nice(), blocking.await.ok())
            })
            .await;
        let lower = (here + NICE).min(19);
        assert_eq!(there.ok(), Some((lower, Some((lower, Some(lower))))));
        let shared = BackgroundRuntime::current();
        assert_eq!(shared.spawn(async move { nice() }).await.ok(), Some(here));
    }

    #[tokio::test]
    async fn last_clone_can_be_dropped_within_a_task() {
        let threads = BackgroundRuntime::start().expect("threads can be created");
        let last = threads.clone();
        let task = threads.spawn(async move { drop(last) });
        drop(threads);
        // Either it ended, or the runtime was shut down before.
        assert!(
            task.await
                .map_or_else(|ended| ended.is_cancelled(), |()| true)
        );
    }
}
