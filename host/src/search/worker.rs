//! The worker that keeps the index up to date, one step after the other.

use std::time::{Duration, Instant};

use super::follow::{Search, reason};
use super::writing::COMMIT_EVERY;

/// Pause before the next step for each company of the last one.
const PAUSE_PER_COMPANY: Duration = Duration::from_millis(1);

impl Search {
    /// Follows the store until the task ends.
    pub async fn run(self) {
        let poll = self.poll();
        let mut is_reported = false;
        loop {
            let started = Instant::now();
            let mut companies = 0;
            match self.step().await {
                Ok(stepped) => {
                    is_reported = false;
                    companies = stepped.companies;
                    if stepped.made || stepped.companies >= 10_000 {
                        tracing::info!(
                            companies = stepped.companies,
                            "indexed {} companies in {:.1} s",
                            stepped.companies,
                            started.elapsed().as_secs_f64()
                        );
                    }
                }
                // Log a repeated failure at debug level only.
                Err(error) if is_reported => {
                    tracing::debug!(error = %reason(&error), "updating the search index failed again");
                }
                Err(error) => {
                    is_reported = true;
                    tracing::error!(error = %reason(&error), "updating the search index failed; retrying");
                }
            }
            tokio::time::sleep(pause(poll, companies)).await;
        }
    }
}

/// The pause after a step that wrote so many companies. After a few, the next change is visible soon. During an import
/// it grows to the interval of commits.
fn pause(poll: Duration, companies: u64) -> Duration {
    let companies = u32::try_from(companies).unwrap_or(u32::MAX);
    let longest = COMMIT_EVERY.max(poll);
    poll.saturating_add(PAUSE_PER_COMPANY.saturating_mul(companies))
        .min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pause_grows_with_the_companies_of_a_step() {
        let pauses = |poll| {
            [0, 100, 100_000, u64::MAX].map(|companies| {
                let pause = pause(Duration::from_millis(poll), companies);
                pause.as_millis()
            })
        };
        assert_eq!(pauses(500), [500, 600, 5_000, 5_000]);
        assert_eq!(pauses(7_000), [7_000; 4]);
    }
}
