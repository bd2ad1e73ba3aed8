//! `lustra health`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use serde_json::Value;

use super::connector::running::{ask, client_of};
use super::{CliError, ConfigFile, print};

/// Ask the host that runs with these settings whether it is healthy.
///
/// Asks `/v1/health` at `listen`, and fails if the host does not answer or is not healthy. For health checks of
/// containers, whose images have no HTTP client.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra health --config lustra.toml")]
pub struct Health {
    #[command(flatten)]
    config: ConfigFile,
    /// Print the answer as JSON.
    #[arg(long)]
    json: bool,
}

impl Health {
    pub(super) async fn run(&self) -> Result<(), CliError> {
        let config = self.config.parse()?;
        let address = reachable(config.listen);
        let certificate = config.tls.certificate.as_deref();
        let scheme = if certificate.is_some() {
            "https"
        } else {
            "http"
        };
        let request = client_of(certificate)?.get(format!("{scheme}://{address}/v1/health"));
        let Some(health) = ask::<Value>(request).await? else {
            return Err(CliError(format!("no host answers at {address}")));
        };
        if self.json {
            print(&health.to_string());
            return Ok(());
        }
        print(health["status"].as_str().unwrap_or("unknown"));
        for warning in health["warnings"].as_array().into_iter().flatten() {
            print(&format!(
                "warning: {}",
                warning.as_str().unwrap_or_default()
            ));
        }
        Ok(())
    }
}

/// The address at which this machine reaches a host that listens on all its addresses.
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    if listen.ip().is_unspecified() {
        listen.set_ip(match listen.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    listen
}
