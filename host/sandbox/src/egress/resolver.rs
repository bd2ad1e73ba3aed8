//! Resolves names and refuses special addresses.
//!
//! The client connects only to the addresses returned here, so there is no second look-up between check and connection.
//! One special address among several refuses the whole name, because the public ones may be bait.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::special::special_range;

/// Resolves a name to addresses with port 0. Tests supply a table.
pub type Lookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The resolver of the operating system.
pub fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    })
}

/// Which addresses may be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Public,
    /// Public and loopback addresses, for local trials.
    Loopback,
    /// Any address, for hosts that the operator granted by name.
    Any,
}

impl Reach {
    /// The name of the special range, if the address must not be connected to.
    #[must_use]
    pub fn refuses(self, address: IpAddr) -> Option<&'static str> {
        match self {
            Self::Any => None,
            Self::Loopback if address.to_canonical().is_loopback() => None,
            Self::Public | Self::Loopback => special_range(address),
        }
    }
}

/// The resolver that the HTTP client uses.
pub struct Resolver {
    pub lookup: Lookup,
    /// Which addresses are allowed.
    pub reach: Reach,
}

/// A name that resolves to a special address.
#[derive(Debug, thiserror::Error)]
#[error("{address} is {range}")]
pub struct Special {
    pub address: String,
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

/// The special address that made a request fail.
pub(super) fn special_in(error: &reqwest::Error) -> Option<&Special> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(special) = error.downcast_ref::<Special>() {
            return Some(special);
        }
        cause = error.source();
    }
    None
}
