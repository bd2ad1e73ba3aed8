//! Another host on a world's store.

use std::net::SocketAddr;

use reqwest::Method;

use crate::Answer;
use crate::answer::{ask, company_path};

/// Another host on a world's store, which takes the same keys.
pub struct Neighbour {
    /// Its inside.
    pub importer: lustra::datasets::Importer,
    /// What it carries batches out with.
    pub batches: lustra::batches::Batches,
    /// What it sends messages with.
    pub mailer: lustra::mail::Mailer,
    /// What notices changes and tells of them.
    pub notifier: lustra::notifications::Notifier,
    /// Credits, as it books them.
    pub ledger: lustra::billing::Ledger,
    /// Where its operators ask.
    pub(crate) operator: SocketAddr,
    pub(crate) presence: lustra::presence::Presence,
    pub(crate) search: lustra::search::Search,
    pub(crate) key: String,
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
    pub(crate) server: tokio::task::JoinHandle<()>,
}

impl Neighbour {
    /// Its address, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// `GET` with the world's key.
    pub async fn get(&self, path: &str) -> Answer {
        let url = format!("http://{}{path}", self.address);
        ask(&self.client, url, Method::GET, &[("x-api-key", &self.key)]).await
    }

    /// Asks its operator's address.
    ///
    /// # Panics
    /// When no answer comes.
    pub async fn operator(&self, method: Method, path: &str, headers: &[(&str, &str)]) -> Answer {
        let url = format!("http://{}{path}", self.operator);
        ask(&self.client, url, method, headers).await
    }

    /// Carries out one part of a batch, if there is one to be claimed.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn batch_step(&self) -> bool {
        self.batches.step().await.expect("the store is there")
    }

    /// Tries to send one message, if there is one that is due.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn mail_step(&self) -> bool {
        self.mailer.step().await.expect("the store is there")
    }

    /// Brings its name index up to date.
    ///
    /// # Panics
    /// When it fails.
    pub async fn indexed(&self) -> lustra::search::Stepped {
        self.search.step().await.expect("the index follows")
    }

    /// One company with the given scopes, by the world's key.
    pub async fn company(&self, ico: &str, scope: &str) -> Answer {
        let url = format!("http://{}{}", self.address, company_path(ico, scope));
        ask(&self.client, url, Method::GET, &[("x-api-key", &self.key)]).await
    }

    /// Lets it tell the other hosts what it knows, and learn what they know; how many hosts there are.
    ///
    /// # Panics
    /// When the store fails.
    pub async fn meet(&self) -> u32 {
        self.presence.step().await.expect("the store is there")
    }

    /// Waits until it has no refresh under way.
    pub async fn settled(&self) {
        self.importer.companies().wait_idle().await;
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.server.abort();
    }
}
