//! Rate limits by client address, in bounded memory.

use std::convert::Infallible;
use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use time::OffsetDateTime;

use crate::http_server::{PeerAddress, network};
use crate::minute_limit::MinuteLimit;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

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

/// The connection's peer and what a proxy says of the client. `None` without a connection, as in tests of the router.
pub(crate) struct Client {
    peer: Option<IpAddr>,
    forwarded: Option<IpAddr>,
}

impl Client {
    /// The address of the client: of a trusted proxy's requests the last one in `X-Forwarded-For`, otherwise the peer's.
    pub(crate) fn address(&self, proxies: &[IpAddr]) -> Option<IpAddr> {
        let peer = self.peer?.to_canonical();
        let is_proxy = proxies.iter().any(|proxy| proxy.to_canonical() == peer);
        self.forwarded.filter(|_| is_proxy).or(Some(peer))
    }
}

fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?;
    let last = last.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok()
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<PeerAddress>();
        Ok(Self {
            peer: peer.map(|peer| peer.0),
            forwarded: forwarded(&parts.headers),
        })
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

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let proxy = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let mut headers = HeaderMap::new();
        let value = "198.51.100.7, 203.0.113.9";
        headers.insert(FORWARDED_FOR, value.parse().expect("a header's value"));
        let client = Client {
            peer: Some(proxy),
            forwarded: forwarded(&headers),
        };
        let named = "203.0.113.9".parse().ok();
        assert_eq!(client.address(&[proxy]), named);
        assert_eq!(client.address(&[]), Some(proxy));
    }
}
