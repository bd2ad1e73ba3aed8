//! `lustra demo`.

mod account;
mod building;
mod directions;
mod notice;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use register_simulator::Simulator;

use self::building::Others;
use self::directions::{Directions, pages_url};
use super::{CliError, asked_to_end, print, say, start_log};
use lustra::accounts::sign_in_links::link;
use lustra::clock::Clock;
use lustra::datasets::Importer;
use lustra::reload::Reloader;
use lustra::server::Host;
use lustra_demo::{self as demo, Receiver, Tried};
use lustra_sandbox::catalogue::{Catalogue, EntryState};

/// Try everything without contacting a real register.
///
/// Builds the first connectors and starts a simulator of the registers with made-up companies, a host on SQLite and a
/// webhook receiver. Then imports the lists, and prints an API key with commands to try and a sign-in link for the
/// pages. The other connectors are loaded when they are built. The simulator's date, which the host uses too, can be
/// advanced.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  lustra demo\n  lustra demo --companies 100000 --listen 127.0.0.1:9000\n  \
    lustra demo --connector licences --upstream register=licences\n  \
    lustra demo --json | head -1"
)]
pub struct Demo {
    /// Address of the API.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Address of pages, metrics and connector states for operators. Default: a free port.
    #[arg(long, default_value = "127.0.0.1:0")]
    operator: SocketAddr,
    /// Number of made-up companies, 12 to 1,400,000.
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(12..=1_400_000))]
    companies: u32,
    /// Seed of the made-up companies. The first twelve are the same for every seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Directory in which to keep the host's data. Default: a temporary directory, deleted at the end.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Directory of components to use instead of building the connectors.
    #[arg(long, value_name = "DIR")]
    components: Option<PathBuf>,
    /// Build this connector's crate too and enable it with the grants that it requests. May be given several times.
    #[arg(long, value_name = "DIR", conflicts_with = "components")]
    connector: Vec<PathBuf>,
    /// Map an upstream of such a connector to a path of the simulator, as in `register=licences`, or
    /// `licences.register=licences` if several connectors have an upstream of that name. Other upstreams keep the
    /// address of their manifest.
    #[arg(long, value_name = "[CONNECTOR.]NAME=PATH", requires = "connector")]
    upstream: Vec<String>,
    /// Print one line of JSON for programs once all connectors are built and everything is ready.
    #[arg(long)]
    json: bool,
}

impl Demo {
    pub(super) async fn run(self) -> Result<(), CliError> {
        // The log level shows reloads, because authors wait for the result of their change.
        start_log(
            "warn,lustra_sandbox::reload=info,lustra::reload=info",
            false,
        );
        let started = Instant::now();
        for address in [self.listen, self.operator] {
            check_free(address)?;
        }
        let tried = Arc::new(Tried::all(&self.connector, &self.upstream)?);
        let kept = self.data.is_some();
        let temporary = tempfile::TempDir::with_prefix("lustra-demo-")?;
        let data = self
            .data
            .clone()
            .unwrap_or_else(|| temporary.path().to_owned());
        let (components, others) = self.components(&tried, &data).await?;
        let (simulator, clock) = self.simulator().await?;
        let receiver = Receiver::start().await?;

        say("· starting the host and loading the connectors");
        let mut config = demo::config(&simulator.url(), &components, &data, self.listen)?;
        config.operator.listen = self.operator;
        for one in tried.iter() {
            one.enable(&mut config, &simulator.url());
        }
        let (key, sign_in) = account::create(&config.store_url(), clock.now()).await?;
        let sandbox_key = config.sandbox.key.clone();
        let host = Host::prepare(config, clock).await?;
        check(&tried, &host.app.companies.connectors().catalogue())?;
        let listener = host.listen().await?;
        let base_url = format!("http://{}/v1", listener.local_addr()?);
        let operator = host.listen_for_operator().await?;
        let operator_url = match &operator {
            Some(operator) => format!("http://{}", operator.local_addr()?),
            None => String::new(),
        };

        say("· importing the registers' lists");
        host.importer.run_due().await?;
        let (importer, reloader) = (host.importer.clone(), host.reloader.clone());
        let mut server = tokio::spawn(host.serve(listener, operator, async {
            asked_to_end().await;
        }));
        let tour = Tour {
            directions: Directions {
                operator_url,
                simulator_url: simulator.url(),
                receiver_url: receiver.url(),
                key,
                sandbox_key,
                sign_in_url: link(pages_url(&base_url), &sign_in),
                icos: simulator.population().showcase(),
                components,
                base_url,
            },
            tried: &tried,
            simulator: &simulator,
            importer,
            reloader,
            started,
        };
        let served = tokio::select! {
            served = &mut server => served?,
            shown = tour.run(receiver, others, self.json) => {
                shown?;
                server.await?
            }
        };
        simulator.shutdown().await;
        if kept {
            say(&format!("· the data are kept in {}", data.display()));
        }
        Ok(served?)
    }

    /// The directory of the components, and those that are still being built.
    async fn components(
        &self,
        tried: &Arc<Vec<Tried>>,
        data: &Path,
    ) -> Result<(PathBuf, Option<Others>), CliError> {
        if let Some(directory) = &self.components {
            return Ok((directory.clone(), None));
        }
        let directory = data.join("components");
        // Programs begin when they have read the line of JSON.
        let others = building::begin(tried, directory.clone(), self.json).await?;
        Ok((directory, others))
    }

    /// The registers, and the clock of the host.
    async fn simulator(&self) -> Result<(Simulator, Clock), CliError> {
        say(&format!(
            "· starting the register simulator with {} companies",
            self.companies
        ));
        let now = time::OffsetDateTime::now_utc();
        let (simulator, clock) = demo::simulator(self.companies, self.seed, now).await?;
        // Clients compare `retry_at` and signature times with their own clocks, which the demo does not control.
        Ok((simulator, clock.beside(time::OffsetDateTime::now_utc)))
    }
}

/// What the demo shows while its host serves.
struct Tour<'a> {
    directions: Directions,
    tried: &'a [Tried],
    simulator: &'a Simulator,
    importer: Importer,
    reloader: Reloader,
    started: Instant,
}

impl Tour<'_> {
    /// Prints what can be tried and shows a notification. The remaining connectors are loaded before the requests that
    /// need them are printed.
    async fn run(
        self,
        receiver: Receiver,
        others: Option<Others>,
        json: bool,
    ) -> Result<(), CliError> {
        let directions = &self.directions;
        let (base_url, icos) = (&directions.base_url, &directions.icos);
        let reported = report(&self.importer, &BTreeSet::new()).await?;
        self.say_ready(others.is_some());
        let subscription = notice::subscribe(base_url, &directions.key, &receiver, icos).await?;
        if json {
            print(&directions.json());
            return Ok(());
        }
        print(&directions.pages());
        for one in self.tried {
            print(&directions.connector(one));
        }
        notice::show(self.simulator, receiver, icos).await;
        if let Some(others) = others {
            let loaded = others.load(&self.reloader, &self.importer).await;
            report(&self.importer, &reported).await?;
            self.say_ready(false);
            if let Err(error) = loaded {
                say(&format!("· not all connectors are loaded: {error}"));
            }
        }
        print(&directions.requests());
        print(&directions.notifications(&subscription));
        print(&directions.operation());
        Ok(())
    }

    fn say_ready(&self, more_follow: bool) {
        let catalogue = self.importer.companies().connectors().catalogue();
        let serving = catalogue
            .entries
            .values()
            .filter(|entry| entry.serving().is_some())
            .count();
        let seconds = self.started.elapsed().as_secs_f64();
        let follow = if more_follow {
            "; the others are being built, and are loaded when they are"
        } else {
            ""
        };
        say(&format!(
            "· ready after {seconds:.1} s with {serving} connectors{follow}"
        ));
    }
}

/// Fails if an address is in use. Called before the build, which may take minutes.
fn check_free(address: SocketAddr) -> Result<(), CliError> {
    match std::net::TcpListener::bind(address) {
        Ok(listener) => {
            drop(listener);
            Ok(())
        }
        Err(error) => Err(CliError::caused(
            format!("cannot listen on {address}"),
            &error,
        )),
    }
}

/// Fails if a requested connector is missing, and prints which upstreams are real addresses.
fn check(tried: &[Tried], catalogue: &Catalogue) -> Result<(), CliError> {
    for one in tried {
        let id = &one.manifest.id;
        match catalogue.entries.get(id.as_str()).map(|entry| &entry.state) {
            Some(EntryState::Serving(_)) => {}
            Some(EntryState::Refused(why)) => return Err(CliError(format!("{id}: {why}"))),
            Some(EntryState::NotEnabled) | None => {
                let found = catalogue.entries.keys().cloned().collect::<Vec<_>>();
                return Err(CliError(format!(
                    "{id} was built but is not loaded; there are {}",
                    found.join(", ")
                )));
            }
        }
        for (upstream, address) in one.outside() {
            say(&format!(
                "· {id} contacts the real address {address}; --upstream {upstream}=… maps it to the simulator"
            ));
        }
    }
    Ok(())
}

/// Prints the results of the imports of lists that were not reported before, so that a failed one is visible. Returns
/// the names of all lists.
async fn report(
    importer: &Importer,
    reported: &BTreeSet<String>,
) -> Result<BTreeSet<String>, CliError> {
    let mut names = BTreeSet::new();
    for state in importer.context().store.datasets().states().await? {
        let name = format!("{}/{}", state.connector, state.dataset);
        if !reported.contains(&name) {
            match (&state.failure, state.imported_at) {
                (Some(why), _) => say(&format!("  {name}: failed: {why}")),
                (None, Some(_)) => say(&format!("  {name}: {} records", state.records)),
                (None, None) => say(&format!("  {name}: not imported yet")),
            }
        }
        names.insert(name);
    }
    Ok(names)
}
