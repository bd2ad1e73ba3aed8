//! Rate limits by client address, in bounded memory.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use time::OffsetDateTime;

use crate::http_server::{self, network};
use crate::minute_limit::MinuteLimit;

/// Addresses that are counted at a time. Further ones wait for the next minute.
const MAX_ADDRESSES: usize = 50_000;

/// The requests of each network in the current minute.
pub(super) struct Visits(MinuteLimit<IpAddr>);

impl Default for Visits {
    fn default() -> Self {
        Self(MinuteLimit::new(MAX_ADDRESSES))
    }
}

impl Visits {
    /// Counts a visit; `most` is the limit per minute, 0 for none. Requests without an address are not limited.
    ///
    /// # Errors
    /// The network of the address has reached its limit. The value is the number of seconds until the next minute, at
    /// least 1.
    pub(super) fn admit(
        &self,
        address: Option<IpAddr>,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<(), u64> {
        address.map_or(Ok(()), |address| self.0.admit(network(address), most, now))
    }
}

/// The visitor who sent a request. Empty without a connection, as in tests of the router.
pub(crate) struct Client(Option<http_server::Client>);

impl Client {
    /// The address that limits count.
    pub(crate) fn counted(&self) -> Option<IpAddr> {
        self.0.map(|client| client.counted)
    }

    /// The visitor's own address, if it is known.
    pub(super) fn known(&self) -> Option<IpAddr> {
        self.0.and_then(|client| client.known)
    }

    /// Whether the visitor's connection uses TLS.
    pub(super) fn is_secure(&self) -> bool {
        self.0.is_some_and(|client| client.is_secure)
    }
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.extensions.get().copied()))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use time::macros::datetime;

    use super::*;

    #[test]
    fn visits_are_bounded_per_network() {
        let visits = Visits::default();
        let now = datetime!(2026-01-15 08:00:58 UTC);
        let address = |last: u16| {
            let address = Ipv6Addr::new(0x2001, 0xdb8, 0, 1, 0, 0, 0, last);
            Some(IpAddr::V6(address))
        };
        assert_eq!(visits.admit(address(1), 2, now), Ok(()));
        assert_eq!(visits.admit(address(2), 2, now), Ok(()));
        assert_eq!(visits.admit(address(3), 2, now), Err(2));
        let other = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
        assert_eq!(visits.admit(other, 2, now), Ok(()));
        assert_eq!(visits.admit(address(3), 0, now), Ok(()), "no limit");
    }
}
