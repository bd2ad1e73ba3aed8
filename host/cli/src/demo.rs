//! `lustra demo`.

mod account;
mod notice;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::{CliError, asked_to_end, print, say, start_log};
use lustra::accounts::sign_in_links::link;
use lustra::server::Host;
use lustra_demo::{self as demo, Receiver, Tried};
use lustra_sandbox::build::BuildError;
use lustra_sandbox::catalogue::{Catalogue, EntryState};

/// Try everything without contacting a real register.
///
/// Builds the connectors and starts a simulator of the registers with made-up companies, a host on SQLite and a webhook
/// receiver. Then imports the lists, and prints an API key with commands to try and a sign-in link for the pages. The simulator's date, which the host
/// uses too, can be advanced.
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
    /// Print one line of JSON for programs once everything is ready.
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
        let data = self.data.unwrap_or_else(|| temporary.path().to_owned());
        let components = match self.components {
            Some(directory) => directory,
            None => build(&tried, data.join("components")).await?,
        };

        say(&format!(
            "· starting the register simulator with {} companies",
            self.companies
        ));
        let now = time::OffsetDateTime::now_utc();
        let (simulator, clock) = demo::simulator(self.companies, self.seed, now).await?;
        // Clients compare `retry_at` and signature times with their own clocks, which the demo does not control.
        let clock = clock.beside(time::OffsetDateTime::now_utc);
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
        let importer = host.importer.clone();
        let server = tokio::spawn(host.serve(listener, operator, async {
            asked_to_end().await;
        }));
        report(&importer).await?;
        say(&format!(
            "· ready after {:.1} s",
            started.elapsed().as_secs_f64()
        ));

        let sign_in_url = link(pages_url(&base_url), &sign_in);
        let icos = simulator.population().showcase();
        let subscription = notice::subscribe(&base_url, &key, &receiver, &icos).await?;
        if self.json {
            let line = serde_json::json!({
                "base_url": base_url, "pages_url": pages_url(&base_url), "sign_in_url": sign_in_url, "operator_url": operator_url, "api_key": key, "sandbox_key": sandbox_key,
                "simulator_url": simulator.url(), "receiver_url": receiver.url(), "icos": icos,
                "components": components,
            });
            print(&line.to_string());
        } else {
            print(&lines_of_pages(&base_url, &sign_in_url, &icos));
            print(&lines_to_try(
                &base_url,
                &key,
                &simulator.url(),
                &receiver.url(),
                &icos,
            ));
            print(&lines_of_notifications(
                &base_url,
                &key,
                &simulator.url(),
                &icos,
                &subscription,
            ));
            print(&lines_for_operators(&operator_url));
            let first = icos.first().map_or("", String::as_str);
            for one in tried.iter() {
                print(&lines_of(one, &base_url, &key, first, &components));
            }
        }
        if !self.json {
            notice::show(&simulator, receiver, &icos).await;
        }
        let served = server.await?;
        simulator.shutdown().await;
        if kept {
            say(&format!("· the data are kept in {}", data.display()));
        }
        Ok(served?)
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

/// Builds the connectors of the source tree and the tried ones to a directory of this demo, which other builds do not
/// change.
async fn build(tried: &Arc<Vec<Tried>>, components: PathBuf) -> Result<PathBuf, CliError> {
    let tried = Arc::clone(tried);
    let building = tokio::task::spawn_blocking(move || {
        let mut say = |line: &str| say(&format!("· {line}"));
        let (_, built) = demo::build_connectors(&mut say)?;
        demo::copy_components(&built, &components)?;
        for one in tried.iter() {
            one.build(&components, &mut say)?;
        }
        Ok::<_, BuildError>(components)
    });
    let built = building.await?;
    Ok(built?)
}

/// The address of the pages for people, without a slash at the end.
fn pages_url(base_url: &str) -> &str {
    base_url.trim_end_matches("/v1")
}

fn lines_of_pages(base_url: &str, sign_in: &str, icos: &[String]) -> String {
    let pages = pages_url(base_url);
    let company = |at: usize| {
        let ico = icos.get(at).map_or("", String::as_str);
        format!("{pages}/company/{ico}")
    };
    format!(
        "\nOpen in a browser:\n  {pages}/  (search for a company)\n  {}  (a company)\n  \
         {}  (a debtor in liquidation)\n  {pages}/status  (the state of the sources)\n  {sign_in}\n  \
         (the pages of the account; the link signs in once, a key at {pages}/account any time)",
        company(0),
        company(5)
    )
}

fn lines_of_notifications(
    base_url: &str,
    key: &str,
    simulator: &str,
    icos: &[String],
    subscription: &serde_json::Value,
) -> String {
    let first = icos.first().map_or("", String::as_str);
    let id = subscription["id"].as_str().unwrap_or_default();
    format!(
        "\n# the receiver is subscribed to {first}: its deliveries, the changes, and the same events as a stream\n\
         curl -s -H 'X-API-Key: {key}' {base_url}/notifications/{id}/deliveries\n\
         curl -s -H 'X-API-Key: {key}' {base_url}/notifications/history/{first}\n\
         curl -sN -H 'X-API-Key: {key}' '{base_url}/notifications/stream?after=0'\n\n\
         # change the company tomorrow and advance the date: seat-moved, name-changed, debtor-appeared-tax, …\n\
         curl -s -X POST -H 'content-type: application/json' -d '{{\"ico\":\"{first}\",\"kind\":\"seat-moved\"}}' {simulator}/control/change\n\
         curl -s -X POST -H 'content-type: application/json' -d '{{\"days\":1}}' {simulator}/control/advance"
    )
}

fn lines_for_operators(operator: &str) -> String {
    format!(
        "\n# for operators: the page {operator}/, every connector, the metrics for Prometheus, and a rescan of the\n\
         # components right now\n\
         curl -s {operator}/connectors\n\
         curl -s {operator}/metrics\n\
         lustra connector list --operator {operator}\n\
         lustra connector reload --operator {operator}"
    )
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

/// Prints the results of the first imports, so that a failed list is visible.
async fn report(importer: &lustra::datasets::Importer) -> Result<(), CliError> {
    for state in importer.context().store.datasets().states().await? {
        let name = format!("{}/{}", state.connector, state.dataset);
        match (&state.failure, state.imported_at) {
            (Some(why), _) => say(&format!("  {name}: failed: {why}")),
            (None, Some(_)) => say(&format!("  {name}: {} records", state.records)),
            (None, None) => say(&format!("  {name}: not imported yet")),
        }
    }
    Ok(())
}

fn lines_to_try(
    base_url: &str,
    key: &str,
    simulator: &str,
    receiver: &str,
    icos: &[String],
) -> String {
    let (first, second) = (
        icos.first().map_or("", String::as_str),
        icos.get(5).map_or("", String::as_str),
    );
    let docs = base_url.trim_end_matches("/v1");
    format!(
        "\nLustra answers at {base_url} (documentation: {docs}/docs). Everything is made up.\n\n\
         # a company with all its scopes\n\
         curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{first}?scope=all'\n\n\
         # one that is on every debtor list\n\
         curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{second}?scope=debtor_status'\n\n\
         # companies by an incomplete name, and by a name with a typo\n\
         curl -s -H 'X-API-Key: {key}' '{base_url}/search/autocomplete?q=vzorost'\n\
         curl -s -H 'X-API-Key: {key}' '{base_url}/search/name?q=cucoriedka+vzorostva'\n\n\
         # several companies at once\n\
         curl -s -H 'X-API-Key: {key}' -H 'content-type: application/json' -d '{{\"icos\":[\"{first}\",\"{second}\"]}}' {base_url}/batch/ico\n\n\
         # the credits used, and those left\n\
         curl -s -H 'X-API-Key: {key}' {base_url}/account/quota\n\
         curl -s -H 'X-API-Key: {key}' {base_url}/account/usage\n\n\
         # a demo company of the sandbox, without a key\n\
         curl -s {base_url}/sandbox/company/ico/99100118\n\n\
         # the registers' state\n\
         curl -s {base_url}/status\n\n\
         # advance the date by 31 days: the answer is stale, a refresh starts, and an officer has changed\n\
         curl -s -X POST -H 'content-type: application/json' -d '{{\"days\":31}}' {simulator}/control/advance\n\
         curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{first}'\n\n\
         # make a register fail, and recover with the mode off: down, html-200, throttled, …\n\
         curl -s -X POST -H 'content-type: application/json' -d '{{\"register\":\"orsr\",\"mode\":\"down\"}}' {simulator}/control/fault\n\n\
         Companies to look up: {icos}\nA receiver for webhooks listens at {receiver}. Ctrl-C ends the demo.",
        icos = icos.join(" "),
    )
}

/// Instructions for calling a tried connector and for loading a change of it.
fn lines_of(one: &Tried, base_url: &str, key: &str, ico: &str, components: &Path) -> String {
    let id = &one.manifest.id;
    let scopes: Vec<&str> = one
        .manifest
        .scopes
        .iter()
        .map(|scope| scope.scope.as_str())
        .collect();
    let asked = if scopes.is_empty() {
        String::new()
    } else {
        let scopes = scopes.join(",");
        format!(
            "\n# the section of {id}\n\
             curl -s -H 'X-API-Key: {key}' '{base_url}/company/ico/{ico}?scope={scopes}'\n"
        )
    };
    format!(
        "{asked}\n# components are loaded from {components}; after a change of {id}, build it there\n\
         {program} connector build {directory} --output {components}",
        components = quoted(components),
        directory = quoted(&one.directory),
        program = quoted(&this_program()),
    )
}

/// The program's name if the shell found it in `PATH`, otherwise its path.
fn this_program() -> PathBuf {
    let named = std::env::args_os().next().map(PathBuf::from);
    let bare = named.filter(|named| named.components().count() == 1);
    bare.or_else(|| std::env::current_exe().ok())
        .unwrap_or_else(|| PathBuf::from("lustra"))
}

/// A path quoted for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+".contains(letter);
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
