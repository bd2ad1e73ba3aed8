//! Rate limits by client address, in bounded memory.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use time::OffsetDateTime;

use crate::http_server::{PeerAddress, network};

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

const MINUTE: i64 = 60;

/// Addresses that are counted at a time. Further ones wait for the next minute.
const MAX_ADDRESSES: usize = 50_000;

/// The requests of each address in the current minute.
#[derive(Default)]
pub(super) struct Visits {
    counted: Mutex<Counted>,
}

#[derive(Default)]
struct Counted {
    minute: i64,
    by_address: HashMap<IpAddr, u32>,
}

impl Visits {
    /// Counts a visit; `most` is the limit per minute, 0 for none.
    ///
    /// # Errors
    /// The address has reached its limit. The value is the number of seconds until the next minute, at least 1.
    pub(super) fn admit(
        &self,
        address: Option<IpAddr>,
        most: u32,
        now: OffsetDateTime,
    ) -> Result<(), u64> {
        let (Some(address), true) = (address, most > 0) else {
            return Ok(());
        };
        let seconds = now.unix_timestamp();
        let minute = seconds.div_euclid(MINUTE);
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.minute != minute {
            counted.minute = minute;
            counted.by_address.clear();
        }
        let is_full = counted.by_address.len() >= MAX_ADDRESSES;
        let address = network(address);
        let known = counted.by_address.get(&address).copied();
        let visits = known.unwrap_or_default();
        if visits >= most || (is_full && known.is_none()) {
            return Err((MINUTE - seconds.rem_euclid(MINUTE)).unsigned_abs());
        }
        counted.by_address.insert(address, visits + 1);
        Ok(())
    }
}

/// The connection's peer and what a proxy says of the client. `None` without a connection, as in tests of the router.
pub(super) struct Client {
    peer: Option<IpAddr>,
    forwarded: Option<IpAddr>,
}

impl Client {
    /// The address of the client: of a trusted proxy's requests the last one in `X-Forwarded-For`, otherwise the peer's.
    pub(super) fn address(&self, proxies: &[IpAddr]) -> Option<IpAddr> {
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
    fn visits_are_bounded_per_network_and_minute() {
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
        let next = datetime!(2026-01-15 08:01:00 UTC);
        assert_eq!(visits.admit(address(3), 2, next), Ok(()));
    }

    #[test]
    fn memory_for_addresses_is_bounded() {
        let visits = Visits::default();
        let now = datetime!(2026-01-15 08:00:30 UTC);
        let address = |number: usize| {
            let bits = u32::try_from(number).expect("a small number");
            Some(IpAddr::V4(Ipv4Addr::from_bits(bits)))
        };
        assert!((0..MAX_ADDRESSES).all(|at| visits.admit(address(at), 2, now).is_ok()));
        assert_eq!(visits.admit(address(MAX_ADDRESSES), 2, now), Err(30));
        assert_eq!(visits.admit(address(0), 2, now), Ok(()), "a known address");
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
