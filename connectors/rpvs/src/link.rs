//! Links to the rest of a list. They are followed below the upstream's own address and nowhere else.

use lustra_sdk::{Failure, malformed};

/// Behind the service's address in `@odata.context`.
const METADATA: &str = "$metadata";

/// The service's address, as an answer's `@odata.context` has it, with a slash at the end.
#[must_use]
pub fn root_of(context: &str) -> Option<&str> {
    let root = context.split_once(METADATA)?.0;
    (root.contains("://") && root.ends_with('/')).then_some(root)
}

/// The path below the upstream's address that a link leads to, which must be one of `allowed`.
///
/// The service writes whole addresses. Which one the operator's upstream has is not known here, so a link has to begin
/// with the address that the same answer gives for the service itself, and only what is behind that is asked for.
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
