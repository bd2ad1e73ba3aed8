//! The checks of a request that need neither the network nor a grant. Replays apply them too.

use url::Url;

use super::address::{Address, join};
use super::failure::EgressFailure;
use super::hop::Hop;
use super::{Outgoing, Upstream};

/// Address of an upstream that is a file or has none: the recording can be of a host where it has one.
const ANY_ADDRESS: &str = "https://register.invalid";

/// Checks the path and the headers of a request, as [`super::Egress::send`] does before it sends it.
///
/// # Errors
/// [`EgressFailure::Refused`], with the path or the header.
pub fn check_request(upstream: &Upstream, outgoing: Outgoing) -> Result<(), EgressFailure> {
    let base = match &upstream.address {
        Address::Http(base) => base.clone(),
        Address::File(_) | Address::Unset => {
            Url::parse(ANY_ADDRESS).expect("the constant is a URL")
        }
    };
    let url = join(&upstream.name, &base, &outgoing.path)?;
    Hop::first(url, outgoing)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;

    fn refused(address: &Address, path: &str, header: &str) -> bool {
        let upstream = Upstream {
            name: "register".to_owned(),
            address: address.clone(),
            grants: Arc::new([]),
            requests_per_second: 1.0,
            concurrent: 1,
            timeout: Duration::from_secs(1),
            idle: Duration::from_secs(1),
            retry_pauses: Arc::new([]),
        };
        let outgoing = Outgoing {
            method: http::Method::GET,
            path: path.to_owned(),
            headers: vec![(header.to_owned(), "***key***".to_owned())],
            body: None,
            idempotent: true,
        };
        match check_request(&upstream, outgoing) {
            Ok(()) => false,
            Err(EgressFailure::Refused(_)) => true,
            Err(failure) => panic!("{failure}"),
        }
    }

    #[test]
    fn replayed_request_has_the_rules_of_a_live_one() {
        let with_base = Address::parse("https://register.example/base").expect("it is one");
        for address in [&with_base, &Address::Unset] {
            for path in ["", "/companies?key=***key***", "?ico=1"] {
                assert!(!refused(address, path, "x-key"), "{path}");
            }
            assert!(refused(address, "companies", "x-key"));
            for header in ["Accept-Encoding", "host", "expect", "proxy-x", "a b"] {
                assert!(refused(address, "/companies", header), "{header}");
            }
        }
        assert!(refused(&with_base, "/../other", "x-key"));
    }
}
