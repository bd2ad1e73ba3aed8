//! The host's background work, which a test runs step by step.

use crate::World;

impl World {
    /// Processes one part of a batch, if one can be claimed.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn batch_step(&self) -> bool {
        self.batches.step().await.expect("the store is there")
    }

    /// Processes all parts that can be claimed. Returns their number.
    pub async fn batch_work(&self) -> usize {
        let mut parts = 0;
        while self.batch_step().await {
            parts += 1;
        }
        parts
    }

    /// Attempts to send one message, if one is due.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn mail_step(&self) -> bool {
        self.mailer.step().await.expect("the store is there")
    }

    /// Refreshes all due watched companies and waits for them. Returns their number.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn refresh_watched(&self) -> usize {
        let mut refreshed = 0;
        loop {
            let some = self.notifier.refresh_due().await;
            match some.expect("the store is there") {
                0 => return refreshed,
                some => refreshed += some,
            }
        }
    }

    /// Fans out all pending events. Returns their number.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn fan_out(&self) -> usize {
        let mut published = 0;
        loop {
            match self.notifier.fan_out().await.expect("the store is there") {
                0 => return published,
                some => published += some,
            }
        }
    }

    /// Sends all due deliveries and waits for them. Returns the number of attempts.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn send_due(&self) -> usize {
        let mut attempts = 0;
        loop {
            match self.notifier.send_due().await.expect("the store is there") {
                0 => return attempts,
                some => attempts += some,
            }
        }
    }

    /// Runs everything that follows from a change in the registers: imports, refreshes of watched companies, fan-out
    /// and deliveries. Returns the number of attempts.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn propagate_changes(&self) -> usize {
        self.import_due().await;
        self.refresh_watched().await;
        self.fan_out().await;
        self.send_due().await
    }

    /// Sends the host's heartbeat and exchanges state with the other hosts on its store. Returns the number of hosts.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn heartbeat(&self) -> u32 {
        self.membership.step().await.expect("the store is there")
    }

    /// Reloads changed components and settings, and waits for it.
    pub async fn reload(&self) -> lustra::reload::Reloaded {
        self.reloader
            .step(lustra::reload::ReloadMode::Changed)
            .await
    }

    /// Imports all due lists and waits for them. Returns their number.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn import_due(&self) -> usize {
        self.importer.run_due().await.expect("the store is there")
    }

    /// Brings the name index up to date.
    ///
    /// # Panics
    /// If it fails.
    pub async fn indexed(&self) -> lustra::search::Stepped {
        self.search.step().await.expect("the index follows")
    }

    /// Waits until no refresh is running.
    pub async fn wait_idle(&self) {
        self.importer.companies().wait_idle().await;
    }
}
