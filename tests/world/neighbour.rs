//! Another host on a world's store.

use std::net::SocketAddr;

use reqwest::Method;

use crate::Answer;
use crate::answer::{ask, company_path};

/// Another host on a world's store. It accepts the same keys.
pub struct Neighbour {
    /// Runs imports inside its process.
    pub importer: lustra::datasets::Importer,
    /// Processes batches; only on the test's request.
    pub batches: lustra::batches::Batches,
    /// Imports watch lists; long ones only on the test's request.
    pub watch_lists: lustra::watch_lists::WatchLists,
    /// Sends messages; only on the test's request.
    pub mailer: lustra::mail::Mailer,
    /// Refreshes, fans out and delivers.
    pub notifier: lustra::notifications::Notifier,
    pub ledger: lustra::billing::Ledger,
    /// The address of the operator endpoints.
    pub(crate) operator: SocketAddr,
    pub(crate) membership: lustra::membership::Membership,
    pub(crate) search: lustra::search::Search,
    pub(crate) key: String,
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
    pub(crate) server: tokio::task::JoinHandle<()>,
}

impl Neighbour {
    /// Its URL, without a trailing slash.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[must_use]
    pub fn search(&self) -> &lustra::search::Search {
        &self.search
    }

    /// `GET` with the world's key.
    pub async fn get(&self, path: &str) -> Answer {
        let url = format!("http://{}{path}", self.address);
        ask(&self.client, url, Method::GET, &[("x-api-key", &self.key)]).await
    }

    /// Sends a request to its operator's address.
    ///
    /// # Panics
    /// If there is no response.
    pub async fn operator(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let url = format!("http://{}{path}", self.operator);
        ask(&self.client, url, method, headers).await
    }

    /// Processes one part of a batch, if one can be claimed.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn batch_step(&self) -> bool {
        self.batches.step().await.expect("the store is there")
    }

    /// Attempts to send one message, if one is due.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn mail_step(&self) -> bool {
        self.mailer.step().await.expect("the store is there")
    }

    /// Brings its name index up to date.
    ///
    /// # Panics
    /// If it fails.
    pub async fn indexed(&self) -> lustra::search::Stepped {
        self.search.step().await.expect("the index follows")
    }

    /// One company with the given scopes, by the world's key.
    pub async fn company(&self, ico: &str, scope: &str) -> Answer {
        let url = format!("http://{}{}", self.address, company_path(ico, scope));
        ask(&self.client, url, Method::GET, &[("x-api-key", &self.key)]).await
    }

    /// Sends its heartbeat and exchanges state with the other hosts on its store. Returns the number of hosts.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn heartbeat(&self) -> u32 {
        self.membership.step().await.expect("the store is there")
    }

    /// Waits until none of its refreshes is running.
    pub async fn wait_idle(&self) {
        self.importer.companies().wait_idle().await;
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.server.abort();
    }
}
