//! `register-simulator [--listen ADDRESS] [--companies NUMBER] [--seed NUMBER]`: runs until interrupted.

use std::io::Write;
use std::net::SocketAddr;
use std::process::ExitCode;

use register_simulator::{Options, Simulator};
use time::OffsetDateTime;

const USAGE: &str =
    "usage: register-simulator [--listen 127.0.0.1:7070] [--companies 10000] [--seed 1]";

/// An error in the command line.
#[derive(Debug, thiserror::Error)]
enum UsageError {
    #[error("{0} needs a value")]
    NoValue(String),
    #[error("unknown option {0}")]
    UnknownOption(String),
    #[error("{value} is not a valid value of {option}")]
    BadValue { option: String, value: String },
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Options, UsageError> {
    let mut options = Options {
        companies: 10_000,
        seed: 1,
        listen: SocketAddr::from(([127, 0, 0, 1], 7070)),
        start: OffsetDateTime::now_utc(),
    };
    while let Some(option) = arguments.next() {
        let Some(value) = arguments.next() else {
            return Err(UsageError::NoValue(option));
        };
        let is_taken = match option.as_str() {
            "--listen" => value.parse().map(|listen| options.listen = listen).is_ok(),
            "--companies" => value
                .parse()
                .map(|companies| options.companies = companies)
                .is_ok(),
            "--seed" => value.parse().map(|seed| options.seed = seed).is_ok(),
            _ => return Err(UsageError::UnknownOption(option)),
        };
        if !is_taken {
            return Err(UsageError::BadValue { option, value });
        }
    }
    Ok(options)
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => return complain(&format!("{error}\n{USAGE}")),
    };
    let simulator = match Simulator::start(options).await {
        Ok(simulator) => simulator,
        Err(error) => return complain(&format!("cannot listen: {error}")),
    };
    let line = format!(
        "{} companies at {}\n",
        simulator.population().len(),
        simulator.url()
    );
    if std::io::stdout().write_all(line.as_bytes()).is_err() {
        return ExitCode::FAILURE;
    }
    if let Err(error) = tokio::signal::ctrl_c().await {
        return complain(&format!("cannot wait for an interruption: {error}"));
    }
    simulator.shutdown().await;
    ExitCode::SUCCESS
}

fn complain(text: &str) -> ExitCode {
    // A failed write to standard error cannot be reported anywhere.
    drop(std::io::stderr().write_all(format!("{text}\n").as_bytes()));
    ExitCode::FAILURE
}
