//! Requests pages within the limit of requests.

use lustra_sdk::http::Request;
use lustra_sdk::{Evidence, Failure};

use crate::names::UPSTREAM;
use crate::site::{self, Page};

/// The requests of one call.
#[derive(Debug)]
pub struct Asking {
    left: u64,
    /// The answers read so far.
    pub evidence: Vec<Evidence>,
}

impl Asking {
    /// Creates a budget of requests.
    #[must_use]
    pub fn within(requests: u64) -> Self {
        Self {
            left: requests,
            evidence: Vec::new(),
        }
    }

    /// True if one more request is allowed.
    #[must_use]
    pub fn may_go_on(&self) -> bool {
        self.left > 0
    }

    /// Requests the page at a path.
    ///
    /// # Errors
    /// The site is out of order, or the page is not the office's own.
    pub fn page(&mut self, path: impl Into<String>) -> Result<Page, Failure> {
        self.left = self.left.saturating_sub(1);
        let response = Request::get(UPSTREAM, path).fetch()?;
        let text = response.body.text(None)?;
        let page = site::page(&text)?;
        self.evidence.push(response.body.evidence());
        Ok(page)
    }
}
