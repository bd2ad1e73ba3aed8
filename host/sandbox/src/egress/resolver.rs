//! Names to addresses, and none of them special.
//!
//! The client connects only to what this gives, so there is no second look-up between check and connection. One bad
//! address among several refuses the name: a public one beside it may be bait.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::special::special_range;

/// Asks for the addresses of a name; ports are 0. Tests give a table.
pub type Lookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The system's resolver.
pub fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    })
}

/// Which addresses may be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Public ones.
    Public,
    /// Public ones and those of this machine, for trials.
    Loopback,
    /// Any, for hosts that the operator granted by name.
    Any,
}

impl Reach {
    /// The special range of an address that must not be connected to.
    #[must_use]
    pub fn refuses(self, address: IpAddr) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Loopback if address.to_canonical().is_loopback() => None,
            Self::Public | Self::Loopback => special_range(address),
        }
    }
}

/// What the client asks for addresses.
pub struct Resolver {
    /// What knows names.
    pub lookup: Lookup,
    /// What may be connected to.
    pub reach: Reach,
}

/// A name with a special address.
#[derive(Debug, thiserror::Error)]
#[error("{address} is {range}")]
pub struct Special {
    /// The address.
    pub address: String,
    /// The name of its range.
    pub range: &'static str,
}

/// A name that could not be resolved.
#[derive(Debug, thiserror::Error)]
#[error("the name could not be resolved")]
pub struct Unresolved(#[source] pub io::Error);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let asked = (self.lookup)(name.as_str().to_owned());
        let reach = self.reach;
        Box::pin(async move {
            let addresses = asked.await.map_err(Unresolved)?;
            if addresses.is_empty() {
                return Err(Unresolved(io::ErrorKind::NotFound.into()).into());
            }
            check(&addresses, reach)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

fn check(addresses: &[SocketAddr], reach: Reach) -> Result<(), Special> {
    for address in addresses {
        if let Some(range) = reach.refuses(address.ip()) {
            return Err(Special {
                address: address.ip().to_string(),
                range,
            });
        }
    }
    Ok(())
}
