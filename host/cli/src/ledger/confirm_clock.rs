//! `lustra ledger confirm-clock`.

use serde_json::Value;

use super::super::connector::running;
use super::super::{CliError, ConfigFile, print};
use lustra::operator::HEADER;

/// Confirm that the running host's clock is right.
///
/// After a jump of the clock the host books at the old time until the clock is confirmed, so that a wrong clock starts
/// no new months. On PostgreSQL the database's clock decides instead. Without an operator address, restart the host
/// with `lustra serve --confirm-clock`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: lustra ledger confirm-clock --config lustra.toml")]
pub struct ConfirmClock {
    #[command(flatten)]
    config: ConfigFile,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

impl ConfirmClock {
    pub(super) async fn run(self) -> Result<(), CliError> {
        let config = self.config.read()?;
        if !config.operator.on {
            return Err(CliError(
                "operator.on is false in the settings: restart the host with `lustra serve --confirm-clock`"
                    .to_owned(),
            ));
        }
        let address = running::address(&config);
        let client = running::client(Some(&config))?;
        let request = client.post(format!("{address}/clock/confirm"));
        let request = request.header(HEADER, "confirm-clock");
        let Some(answer) = running::ask::<Value>(request).await? else {
            return Err(CliError(format!("no host answers at {address}")));
        };
        if self.json {
            print(&answer.to_string());
        } else {
            print("the host's clock is trusted: credits are booked by it");
        }
        Ok(())
    }
}
