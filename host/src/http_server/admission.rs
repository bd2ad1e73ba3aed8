//! Limits open connections, in total and per client address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Connections;

/// Connections of one listener, for `/metrics`.
#[derive(Debug, Default)]
pub struct ConnectionCounts {
    open: AtomicU64,
    accepted: AtomicU64,
    refused: AtomicU64,
}

impl ConnectionCounts {
    /// Number of open connections.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// Number of accepted connections since the start.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    /// Number of connections closed because their address exceeded its limit.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

/// Admits connections within the limits.
pub(super) struct Admission {
    slots: Arc<Semaphore>,
    each_address: usize,
    addresses: Arc<Mutex<HashMap<IpAddr, usize>>>,
    counts: Arc<ConnectionCounts>,
}

/// A permit for one open connection, taken before its client is known.
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
}

/// An admitted connection. Dropping it releases its permit and its address's count.
pub(super) struct Place {
    _slot: Slot,
    network: IpAddr,
    addresses: Arc<Mutex<HashMap<IpAddr, usize>>>,
    counts: Arc<ConnectionCounts>,
}

impl Admission {
    pub(super) fn new(bounds: &Connections, counts: Arc<ConnectionCounts>) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(bounds.most.max(1))),
            each_address: bounds.most_each_address.max(1),
            addresses: Arc::default(),
            counts,
        }
    }

    /// Waits for a permit for one more connection.
    pub(super) async fn slot(&self) -> Slot {
        let slots = Arc::clone(&self.slots);
        let permit = slots.acquire_owned().await;
        Slot {
            _permit: permit.expect("the semaphore is never closed"),
        }
    }

    /// Admits a client. `None`: its address has reached its limit.
    pub(super) fn enter(&self, slot: Slot, address: IpAddr) -> Option<Place> {
        let network = network(address);
        {
            let mut addresses = lock(&self.addresses);
            let open = addresses.entry(network).or_default();
            if *open >= self.each_address {
                self.counts.refused.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            *open += 1;
        }
        self.counts.accepted.fetch_add(1, Ordering::Relaxed);
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        Some(Place {
            _slot: slot,
            network,
            addresses: Arc::clone(&self.addresses),
            counts: Arc::clone(&self.counts),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
        if let Entry::Occupied(mut open) = lock(&self.addresses).entry(self.network) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

fn lock(
    addresses: &Mutex<HashMap<IpAddr, usize>>,
) -> std::sync::MutexGuard<'_, HashMap<IpAddr, usize>> {
    addresses.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The unit that counts as one client: an IPv4 address, or the /64 network of an IPv6 address, because each site
/// receives at least a /64 (RFC 6177).
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let prefix = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(prefix))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admission(most: usize, most_each_address: usize) -> Admission {
        let bounds = Connections {
            most,
            most_each_address,
            ..Connections::default()
        };
        Admission::new(&bounds, Arc::default())
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[tokio::test]
    async fn connections_per_address_are_limited() {
        let admission = admission(10, 2);
        let first = admission.enter(admission.slot().await, address("192.0.2.1"));
        let second = admission.enter(admission.slot().await, address("::ffff:192.0.2.1"));
        assert!(first.is_some() && second.is_some());
        let third = admission.enter(admission.slot().await, address("192.0.2.1"));
        assert!(third.is_none());
        let other = admission.enter(admission.slot().await, address("192.0.2.2"));
        assert!(other.is_some());
        assert_eq!(
            (admission.counts.open(), admission.counts.refused()),
            (3, 1)
        );
        drop(first);
        let again = admission.enter(admission.slot().await, address("192.0.2.1"));
        assert!(again.is_some());
        drop((second, other, again));
        assert_eq!(admission.counts.open(), 0);
        assert!(lock(&admission.addresses).is_empty());
        assert_eq!(admission.slots.available_permits(), 10);
    }

    #[test]
    fn ipv6_clients_are_counted_by_their_network() {
        let one = network(address("2001:db8:1:2:3:4:5:6"));
        assert_eq!(one, network(address("2001:db8:1:2:ffff::1")));
        assert_ne!(one, network(address("2001:db8:1:3::1")));
    }
}
