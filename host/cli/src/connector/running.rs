//! Requests to a running host over its operator address.

use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::super::{CliError, ConfigFile, refuse_root, start_log};
use super::pinned;
use lustra::config::Config;
use lustra::operator::state::{self, ConnectorState};
use lustra::server::Host;

/// Timeout of a request to a host on this machine. A host that is not running refuses the connection at once.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Where the list of connectors comes from.
pub(super) enum Source {
    /// From a running host at this address.
    Host(String),
    /// From this process, which loaded them like a start would.
    Loaded,
}

/// States of the connectors: from the host at an operator address, from the host that runs with these settings, or from
/// loading them with these settings.
pub(super) async fn states(
    config: Option<&ConfigFile>,
    operator: Option<&str>,
    offline: bool,
) -> Result<(Vec<ConnectorState>, Source), CliError> {
    match (operator, config) {
        (Some(url), _) => states_at(url).await,
        (None, Some(config)) => states_under(&config.parse()?, offline).await,
        (None, None) => states_under(&ConfigFile::default().parse()?, offline).await,
    }
}

async fn states_at(url: &str) -> Result<(Vec<ConnectorState>, Source), CliError> {
    let url = url.trim_end_matches('/');
    let asked = ask(client(None)?.get(format!("{url}/connectors"))).await?;
    let states = asked.ok_or_else(|| CliError(format!("no host answers at {url}")))?;
    Ok((states, Source::Host(url.to_owned())))
}

async fn states_under(
    config: &Config,
    offline: bool,
) -> Result<(Vec<ConnectorState>, Source), CliError> {
    if !offline && config.operator.on {
        let url = format!("{}/connectors", address(config));
        if let Some(answer) = ask(client(Some(config))?.get(&url)).await? {
            return Ok((answer, Source::Host(config.operator.listen.to_string())));
        }
    }
    refuse_root(config)?;
    start_log("off", false);
    let host = Box::pin(Host::prepare(config.clone(), ConfigFile::clock(config))).await?;
    let states = state::all(&host.app.context.store, &host.app.companies);
    Ok((states.await?, Source::Loaded))
}

/// The operator address of the host with these settings.
pub(crate) fn address(config: &Config) -> String {
    let scheme = if config.tls.operator { "https" } else { "http" };
    format!("{scheme}://{}", config.operator.listen)
}

/// A client of a host's operator address. If the settings give that address TLS, it accepts exactly their certificate,
/// which need not name the address.
pub(crate) fn client(config: Option<&Config>) -> Result<reqwest::Client, CliError> {
    let config = config.filter(|config| config.tls.operator);
    client_of(config.and_then(|config| config.tls.certificate.as_deref()))
}

/// A client that accepts exactly this certificate, which need not name the address.
pub(crate) fn client_of(certificate: Option<&Path>) -> Result<reqwest::Client, CliError> {
    // Installing the provider twice returns an error; the first one wins.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut client = reqwest::Client::builder().no_proxy().timeout(TIMEOUT);
    if let Some(file) = certificate {
        client = client.tls_backend_preconfigured(pinned::only(file)?);
    }
    Ok(client.build()?)
}

/// Sends a request; returns `None` if the connection is refused.
pub(crate) async fn ask<T: DeserializeOwned>(
    request: reqwest::RequestBuilder,
) -> Result<Option<T>, CliError> {
    let response = match request.send().await {
        Ok(response) => response,
        Err(error) if error.is_connect() => return Ok(None),
        Err(error) => return Err(CliError::caused("the running host", &error)),
    };
    let status = response.status();
    let text = response
        .text()
        .await
        .map_err(|error| CliError::caused("the running host", &error))?;
    if !status.is_success() {
        return Err(CliError(format!(
            "the running host answered {status}: {text}"
        )));
    }
    let answer = serde_json::from_str(&text);
    answer.map(Some).map_err(|error| {
        CliError(format!(
            "the service at the operator address is not Lustra of this version: {error}"
        ))
    })
}
