//! Requests pages of the register, and recognises pages that replace them during an outage.

use lustra_sdk::http::Request;
use lustra_sdk::{Failure, malformed};

use crate::names::UPSTREAM;
use crate::settings::Settings;

/// Requests a page. `None` if the register states that it does not exist.
pub fn page(path: &str, settings: &Settings) -> Result<Option<String>, Failure> {
    let mut request = Request::get(UPSTREAM, path);
    if !settings.cookie.is_empty() {
        request = request.header("cookie", settings.cookie.as_str());
    }
    let response = request.send()?;
    match response.status {
        200..=299 => response.body.text(None).map(Some),
        404 | 410 => Ok(None),
        _ => Err(response.status_failure()),
    }
}

/// Checks that a text is a page and that the page is complete.
pub fn whole(page: &str, what: &str) -> Result<(), Failure> {
    let lower = page.to_ascii_lowercase();
    if !lower.contains("<html") && !lower.contains("<body") {
        return Err(malformed(what, "a page of HTML", kind(page)));
    }
    if lower.contains("</html") {
        return Ok(());
    }
    Err(malformed(what, "a complete page", "one without its end"))
}

/// The failure for a page without anything of the register, such as a maintenance page or a firewall's.
pub fn foreign() -> Failure {
    Failure::Unavailable(format!(
        "{UPSTREAM} answered with a page that is not one of the register"
    ))
}

fn kind(page: &str) -> &'static str {
    if page.trim().is_empty() {
        "nothing"
    } else {
        "something else"
    }
}
