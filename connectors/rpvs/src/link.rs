//! Links to the rest of a list. Only links below the upstream's own address are followed.

use lustra_sdk::{Failure, malformed};

/// The text behind the service's address in `@odata.context`.
const METADATA: &str = "$metadata";

/// The service's address from an answer's `@odata.context`, with a slash at the end.
#[must_use]
pub fn root_of(context: &str) -> Option<&str> {
    let root = context.split_once(METADATA)?.0;
    (root.contains("://") && root.ends_with('/')).then_some(root)
}

/// The path of a link below the upstream's address. The path must be one of `allowed`.
///
/// The service writes whole addresses. The address of the operator's upstream is not known here. So a link must begin
/// with the service's address in the same answer, and only the rest is requested.
///
/// # Errors
/// [`Failure::Malformed`] for a link to another host or path.
pub fn below(
    link: &str,
    root: Option<&str>,
    allowed: &[String],
    place: &str,
) -> Result<String, Failure> {
    let elsewhere = || {
        malformed(
            place,
            format!("a link to {} of the same service", allowed.join(" or ")),
            link,
        )
    };
    let rest = if link.contains("://") || link.starts_with("//") {
        root.and_then(|root| link.strip_prefix(root))
    } else {
        Some(link)
    };
    let rest = rest.ok_or_else(elsewhere)?;
    let path = rest.split('?').next().unwrap_or_default();
    let is_clean = rest
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'#' && byte != b'\\');
    if is_clean && allowed.iter().any(|one| one == path) {
        Ok(format!("/{rest}"))
    } else {
        Err(elsewhere())
    }
}
