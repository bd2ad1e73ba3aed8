//! The command line: arguments and execution of each command. `main.rs` only starts it.

mod account;
pub mod allocator;
mod audit;
mod backup;
mod completions;
mod config;
mod connector;
mod credit;
mod dataset;
#[cfg(feature = "demo")]
mod demo;
mod doctor;
mod health;
mod key;
mod ledger;
mod man;
mod plan;
mod serve;
mod settings_help;
#[cfg(feature = "otlp")]
mod telemetry;
#[cfg(all(test, feature = "demo"))]
mod tests;

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use lustra::config::Config;
use lustra_sandbox::clock::{Clock, rfc3339};
use lustra_sandbox::time_slice;

/// Slovak company data as one JSON API, read by sandboxed connectors.
#[derive(Debug, Parser)]
#[command(name = "lustra", version, about, max_term_width = 110)]
#[command(
    after_help = "Try it: `lustra demo` needs no settings and contacts no real register.\n\
    Run it: `lustra key create --config lustra.toml --account me --plan business`, then `lustra serve --config lustra.toml`."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "demo")]
    Demo(demo::Demo),
    Serve(serve::Serve),
    Doctor(doctor::Doctor),
    Health(health::Health),
    #[command(subcommand)]
    Dataset(dataset::Dataset),
    #[command(subcommand)]
    Config(config::Config),
    #[command(subcommand)]
    Plan(plan::Plan),
    #[command(subcommand)]
    Account(account::Account),
    #[command(subcommand)]
    Key(key::Key),
    #[command(subcommand)]
    Credit(credit::Credit),
    #[command(subcommand)]
    Ledger(ledger::Ledger),
    #[command(subcommand)]
    Connector(connector::Connector),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Argument of every command that works on a host's store.
#[derive(Debug, clap::Args)]
struct ConfigFile {
    /// The settings file; `lustra config reference` documents every setting. Default: `lustra.toml` in the current
    /// directory, or else `/etc/lustra/lustra.toml`.
    #[arg(
        long,
        value_name = "FILE",
        env = "LUSTRA_CONFIG",
        default_value_os_t = default_config(),
        hide_default_value = true
    )]
    config: PathBuf,
}

/// The settings file of a command that names none: in the directory where an archive was unpacked, or of the package.
fn default_config() -> PathBuf {
    let mut names = settings_help::DEFAULT_FILES.into_iter();
    let found = names.find(|name| Path::new(name).is_file());
    PathBuf::from(found.unwrap_or(settings_help::DEFAULT_FILES[0]))
}

impl Default for ConfigFile {
    fn default() -> Self {
        Self {
            config: default_config(),
        }
    }
}

impl ConfigFile {
    /// Text of the settings file, for the lines of findings. Empty if it cannot be read.
    fn text(&self) -> String {
        std::fs::read_to_string(&self.config).unwrap_or_default()
    }

    /// Reads the settings for a command that opens the store.
    fn read(&self) -> Result<Config, CliError> {
        let config = self.parse()?;
        refuse_root(&config)?;
        Ok(config)
    }

    fn parse(&self) -> Result<Config, CliError> {
        Config::read_file(&self.config).map_err(|error| {
            let help =
                settings_help::of(&error, &self.config, Path::new(settings_help::OF_SERVICE));
            let CliError(said) = error.into();
            CliError(said + &help.unwrap_or_default())
        })
    }

    /// The clock of every command on a host's store, so that all commands use the same time.
    fn clock(config: &Config) -> Clock {
        let hours = config.clock_ahead_hours;
        if hours == 0 {
            return Clock::system();
        }
        let clock = Clock::ahead(hours);
        let now = rfc3339(clock.now());
        say(&format!(
            "test clock: clock_ahead_hours = {hours}, so the time is {now}"
        ));
        clock
    }
}

/// Refuses a command of root on a store of another user. It would create files that the service's user cannot write,
/// and so stop the service.
#[cfg(unix)]
fn refuse_root(config: &Config) -> Result<(), CliError> {
    use std::os::unix::fs::MetadataExt;
    let files = [config.data.join("lustra.db"), config.data.clone()];
    let found = files.iter().find_map(|file| std::fs::metadata(file).ok());
    let owner = found.map_or(0, |found| found.uid());
    if owner == 0 || !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    Err(CliError(format!(
        "the data directory {} belongs to user {owner}, and root would create files there that this user cannot write; \
         run the command as that user, such as: runuser -u lustra -- lustra …",
        config.data.display()
    )))
}

#[cfg(not(unix))]
fn refuse_root(_config: &Config) -> Result<(), CliError> {
    Ok(())
}

/// An error message for the user, with its causes. It is no [`Error`], so that every error can become one.
#[derive(Debug)]
pub struct CliError(String);

impl CliError {
    /// An error about something, such as a file, with all causes.
    fn caused(about: impl Display, error: &dyn Error) -> Self {
        Self(format!("{about}: {}", with_causes(error)))
    }
}

impl Display for CliError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl<E: Error> From<E> for CliError {
    fn from(error: E) -> Self {
        Self(with_causes(&error))
    }
}

/// An error and its causes, one a line. A cause that the text above it contains is not repeated.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let said = cause.to_string();
        if !text.contains(&said) {
            text.push_str("\n  caused by: ");
            text.push_str(&said);
        }
        next = cause.source();
    }
    text
}

impl Cli {
    #[must_use]
    pub fn run(self) -> ExitCode {
        // Both before the runtime starts threads.
        allocator::return_memory_soon();
        let inherited = serve::Inherited::take();
        // Where the system forbids this, answers wait longer beside guests that compute.
        drop(time_slice::shorten());
        let runtime = match tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(error) => return fail(&CliError::caused("no runtime", &error)),
        };
        let outcome = runtime.block_on(async {
            match self.command {
                // This future is too large for the stack.
                #[cfg(feature = "demo")]
                Command::Demo(demo) => Box::pin(demo.run()).await,
                Command::Doctor(doctor) => Box::pin(doctor.run()).await,
                Command::Serve(serve) => Box::pin(serve.run(inherited)).await,
                Command::Health(health) => health.run().await,
                Command::Dataset(dataset) => Box::pin(dataset.run()).await,
                Command::Config(config) => config.run(),
                Command::Plan(plan) => plan.run().await,
                Command::Account(account) => account.run().await,
                Command::Key(key) => key.run().await,
                Command::Credit(credit) => credit.run().await,
                Command::Ledger(ledger) => ledger.run().await,
                Command::Connector(connector) => Box::pin(connector.run()).await,
                Command::Backup(backup) => Box::pin(backup.run()).await,
                Command::Restore(restore) => Box::pin(restore.run()).await,
                Command::Completions(completions) => {
                    completions.run();
                    Ok(())
                }
                Command::Man(man) => man.run(),
            }
        });
        match outcome {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        }
    }
}

fn fail(error: &CliError) -> ExitCode {
    say(&format!("error: {error}"));
    ExitCode::FAILURE
}

/// Number with noun: `1 account`, `2 accounts`.
fn many(count: impl Display, one: &str, more: &str) -> String {
    let count = count.to_string();
    let what = if count == "1" { one } else { more };
    format!("{count} {what}")
}

/// Prints a message for people on standard error; standard output is for machines.
fn say(line: &str) {
    // If standard error cannot be written, the error cannot be reported anywhere.
    drop(writeln!(std::io::stderr(), "{line}"));
}

/// Prints a result line on standard output. Exits if the reader is gone, as in `lustra … | head -1`.
fn print(line: &str) {
    let Err(error) = writeln!(std::io::stdout(), "{line}") else {
        return;
    };
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        // The exit code that a shell reports for a process killed by SIGPIPE (13).
        std::process::exit(128 + 13);
    }
    say(&format!("error: the result cannot be written: {error}"));
    std::process::exit(1);
}

/// Something that receives what the program reports about itself: the log, or traces.
type LogLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts the log on standard error. `RUST_LOG` overrides the filter `default`; `json` writes JSON lines.
fn start_log(default: &str, json: bool) {
    start_log_and(default, json, None);
}

/// Like [`start_log`], with traces beside the log.
fn start_log_and(default: &str, json: bool, traces: Option<LogLayer>) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt::layer()
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let log = if json {
        log.json().boxed()
    } else {
        log.compact().boxed()
    };
    let started = match traces {
        // A filter of the layer alone loses lines: a library that only asks whether a line is enabled leaves the
        // answer behind, and the next line of the thread gets it.
        None => Registry::default().with(log.and_then(filter)).try_init(),
        // With two filters that differ, each line is checked again.
        Some(traces) => {
            let layers: Vec<LogLayer> = vec![traces, log.with_filter(filter).boxed()];
            Registry::default().with(layers).try_init()
        }
    };
    if let Err(error) = started {
        say(&format!("no log: {error}"));
    }
}

/// Waits for a termination signal and returns its name.
#[cfg(feature = "demo")]
async fn asked_to_end() -> &'static str {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        let terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate());
        if let Ok(mut terminate) = terminate {
            return tokio::select! {
                _ = interrupt => "SIGINT",
                _ = terminate.recv() => "SIGTERM",
            };
        }
    }
    if interrupt.await.is_err() {
        std::future::pending::<()>().await;
    }
    "SIGINT"
}
