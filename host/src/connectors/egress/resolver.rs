//! Names to addresses, and none of them special.
//!
//! The client connects only to what this gives, so there is no second look-up between check and connection. One bad
//! address among several refuses the name: a public one beside it may be bait.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::special::special_range;

/// Asks for the addresses of a name; ports are 0. Tests give a table.
pub(super) type Lookup =
    Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The system's resolver.
pub(super) fn system() -> Lookup {
    Arc::new(|name| {
        Box::pin(async move { Ok(tokio::net::lookup_host((name, 0)).await?.collect()) })
    })
}

/// What the client asks for addresses.
pub(super) struct Resolver {
    pub(super) lookup: Lookup,
    /// False for hosts that the operator granted by name.
    pub(super) public_only: bool,
}

/// A name with a special address.
#[derive(Debug, thiserror::Error)]
#[error("{address} is {range}")]
pub(super) struct Special {
    pub(super) address: String,
    pub(super) range: &'static str,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let asked = (self.lookup)(name.as_str().to_owned());
        let public_only = self.public_only;
        Box::pin(async move {
            let addresses = asked.await?;
            if addresses.is_empty() {
                return Err(io::Error::from(io::ErrorKind::NotFound).into());
            }
            if public_only {
                check(&addresses)?;
            }
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

fn check(addresses: &[SocketAddr]) -> Result<(), Special> {
    for address in addresses {
        if let Some(range) = special_range(address.ip()) {
            return Err(Special {
                address: address.ip().to_string(),
                range,
            });
        }
    }
    Ok(())
}
