//! Limits open connections and requests in progress, in total and per client address.
//!
//! A connection of HTTP/1.1 has one request at a time, so there the limits of connections bound the requests too. One
//! of HTTP/2, or one of a reverse proxy, carries many requests; so requests are counted by themselves, of a proxy by
//! the address of the client that it names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::Connections;

/// Connections of one listener, for `/metrics`.
#[derive(Debug, Default)]
pub struct ConnectionCounts {
    open: AtomicU64,
    accepted: AtomicU64,
    refused: AtomicU64,
    requests_refused: [AtomicU64; Refused::ALL.len()],
    handshakes_failed: AtomicU64,
    cut_off: [AtomicU64; CutOff::ALL.len()],
}

/// Why a request gets no answer of the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The client has as many requests in progress as one address may have.
    ClientLimit,
    /// This address of the host has as many requests in progress as it may have.
    HostLimit,
    /// The headers are too large. HTTP/1.1 refuses them before a request exists.
    Headers,
}

impl Refused {
    pub const ALL: [Self; 3] = [Self::ClientLimit, Self::HostLimit, Self::Headers];

    /// The word in metrics.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ClientLimit => "client_limit",
            Self::HostLimit => "host_limit",
            Self::Headers => "headers",
        }
    }
}

/// Why the host ended a connection of HTTP/2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutOff {
    /// It had no request for the time limit of headers.
    Idle,
    /// The client did not read a response for the time limit of writes.
    Unread,
    /// The client cancelled most of its requests.
    Cancelling,
}

impl CutOff {
    pub const ALL: [Self; 3] = [Self::Idle, Self::Unread, Self::Cancelling];

    /// The word in metrics and in the log.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Unread => "unread",
            Self::Cancelling => "cancelling",
        }
    }
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

    /// Number of requests that were refused before the router saw them, by reason.
    pub fn requests_refused(&self) -> [(Refused, u64); Refused::ALL.len()] {
        Refused::ALL.map(|why| {
            let count = &self.requests_refused[why as usize];
            (why, count.load(Ordering::Relaxed))
        })
    }

    /// Number of TLS handshakes that failed or took too long.
    #[must_use]
    pub fn handshakes_failed(&self) -> u64 {
        self.handshakes_failed.load(Ordering::Relaxed)
    }

    /// Number of HTTP/2 connections that the host ended, by reason.
    pub fn cut_off(&self) -> [(CutOff, u64); CutOff::ALL.len()] {
        CutOff::ALL.map(|why| {
            let count = &self.cut_off[why as usize];
            (why, count.load(Ordering::Relaxed))
        })
    }

    pub(super) fn count_failed_handshake(&self) {
        self.handshakes_failed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_refused_request(&self, why: Refused) {
        self.requests_refused[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_cut_off(&self, why: CutOff) {
        self.cut_off[why as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// Admits connections and requests within the limits.
pub(super) struct Admission {
    slots: Arc<Semaphore>,
    most: usize,
    each_address: usize,
    connections: Tally,
    requests: Tally,
    counts: Arc<ConnectionCounts>,
}

/// A permit for one open connection, taken before its client is known.
pub(super) struct Slot {
    _permit: OwnedSemaphorePermit,
}

/// An admitted connection. Dropping it releases its permit and its address's count.
pub(super) struct AdmittedConnection {
    _slot: Slot,
    /// `None` for a reverse proxy, whose clients are counted by their requests.
    _of_address: Option<Counted>,
    counts: Arc<ConnectionCounts>,
}

impl Admission {
    pub(super) fn new(bounds: &Connections, counts: Arc<ConnectionCounts>) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(bounds.most.max(1))),
            most: bounds.most.max(1),
            each_address: bounds.most_each_address.max(1),
            connections: Tally::default(),
            requests: Tally::default(),
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

    /// Admits a connection. `None`: its address has reached its limit. A trusted proxy has only the limit in total.
    pub(super) fn enter(
        &self,
        slot: Slot,
        address: IpAddr,
        is_proxy: bool,
    ) -> Option<AdmittedConnection> {
        let of_address = if is_proxy {
            None
        } else {
            let counted = self
                .connections
                .enter(address, self.each_address, usize::MAX);
            if counted.is_err() {
                self.counts.refused.fetch_add(1, Ordering::Relaxed);
            }
            Some(counted.ok()?)
        };
        self.counts.accepted.fetch_add(1, Ordering::Relaxed);
        self.counts.open.fetch_add(1, Ordering::Relaxed);
        Some(AdmittedConnection {
            _slot: slot,
            _of_address: of_address,
            counts: Arc::clone(&self.counts),
        })
    }

    /// Admits a request of a client.
    ///
    /// # Errors
    /// A limit is reached.
    pub(super) fn request(&self, client: IpAddr) -> Result<Counted, Refused> {
        self.requests.enter(client, self.each_address, self.most)
    }

    pub(super) fn counts(&self) -> &ConnectionCounts {
        &self.counts
    }
}

impl Drop for AdmittedConnection {
    fn drop(&mut self) {
        self.counts.open.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts by client, see [`network`].
#[derive(Debug, Clone, Default)]
struct Tally(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    by_network: HashMap<IpAddr, usize>,
}

/// One counted connection or request, until it is dropped.
#[derive(Debug)]
pub(super) struct Counted {
    tally: Tally,
    network: IpAddr,
}

impl Tally {
    fn enter(&self, address: IpAddr, each: usize, most: usize) -> Result<Counted, Refused> {
        let network = network(address);
        let mut counts = self.lock();
        if counts.all >= most {
            return Err(Refused::HostLimit);
        }
        let of_network = counts.by_network.entry(network).or_default();
        if *of_network >= each {
            return Err(Refused::ClientLimit);
        }
        *of_network += 1;
        counts.all += 1;
        Ok(Counted {
            tally: self.clone(),
            network,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut counts = self.tally.lock();
        counts.all -= 1;
        if let Entry::Occupied(mut of_network) = counts.by_network.entry(self.network) {
            *of_network.get_mut() -= 1;
            if *of_network.get() == 0 {
                of_network.remove();
            }
        }
    }
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
        let enter = async |from: &str| {
            let slot = admission.slot().await;
            admission.enter(slot, address(from), false)
        };
        let (first, second) = (enter("192.0.2.1").await, enter("::ffff:192.0.2.1").await);
        assert!(first.is_some() && second.is_some());
        assert!(enter("192.0.2.1").await.is_none());
        let other = enter("192.0.2.2").await;
        assert!(other.is_some());
        assert_eq!(
            (admission.counts.open(), admission.counts.refused()),
            (3, 1)
        );
        let proxy = admission.enter(admission.slot().await, address("192.0.2.1"), true);
        assert!(proxy.is_some(), "clients of a proxy are counted themselves");
        drop(first);
        let again = enter("192.0.2.1").await;
        assert!(again.is_some());
        drop((second, other, again, proxy));
        assert_eq!(admission.counts.open(), 0);
        assert!(admission.connections.lock().by_network.is_empty());
        assert_eq!(admission.slots.available_permits(), 10);
    }

    #[test]
    fn requests_are_limited_per_client_and_in_total() {
        let admission = admission(3, 2);
        let request = |from: &str| admission.request(address(from));
        let held = [request("192.0.2.1"), request("192.0.2.1")];
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(request("192.0.2.1").err(), Some(Refused::ClientLimit));
        let other = request("192.0.2.2");
        assert!(other.is_ok());
        assert_eq!(request("192.0.2.3").err(), Some(Refused::HostLimit));
        drop((held, other));
        assert!(request("192.0.2.1").is_ok());
        assert!(admission.requests.lock().by_network.is_empty());
    }

    #[test]
    fn ipv6_clients_are_counted_by_their_network() {
        let one = network(address("2001:db8:1:2:3:4:5:6"));
        assert_eq!(one, network(address("2001:db8:1:2:ffff::1")));
        assert_ne!(one, network(address("2001:db8:1:3::1")));
    }
}
