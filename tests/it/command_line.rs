//! The program as users run it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::OnceLock;

use lustra_demo as demo;
use lustra_tests::register_simulator::Simulator;
use lustra_tests::{START, client, components};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

/// The program under its real name.
pub fn program() -> &'static Path {
    static NAMED: OnceLock<PathBuf> = OnceLock::new();
    NAMED.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_lustra-under-test"));
        let named = built.with_file_name("under-test").join("lustra");
        std::fs::create_dir_all(named.parent().expect("a folder")).expect("tests can write there");
        match std::os::unix::fs::symlink(built, &named) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => panic!("{error}"),
            Ok(()) | Err(_) => named,
        }
    })
}

/// Result of a command.
pub struct Ran {
    pub succeeded: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            succeeded: output.status.success(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Output of a command that must succeed.
    pub fn printed(self) -> String {
        assert!(self.succeeded, "{}\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// Error output of a command that must fail.
    pub fn refused(self) -> String {
        assert!(!self.succeeded, "{}\n{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "", "standard output is for results");
        self.stderr
    }
}

pub async fn lustra(arguments: &[&str]) -> Ran {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .env_remove("LUSTRA_CONFIG")
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    Ran::of(&command.output().await.expect("it was just built"))
}

/// Starts a host. Returns it and the address that it prints.
pub async fn serve(config: &Path) -> (Child, String) {
    // A host blocks if nothing reads its log.
    serve_with_log(config, drop).await
}

/// Like [`serve`]; `read` receives each further line of the host's log.
pub async fn serve_with_log(
    config: &Path,
    mut read: impl FnMut(String) + Send + 'static,
) -> (Child, String) {
    let mut serving = Command::new(program())
        .args(["serve", "--config"])
        .arg(config)
        .env("RUST_LOG", "lustra=info")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it was just built");
    let mut log = BufReader::new(serving.stderr.take().expect("it was asked for")).lines();
    let url = loop {
        let line = log
            .next_line()
            .await
            .expect("text")
            .expect("it says where it serves");
        if let Some((_, rest)) = line.split_once("serving on ") {
            break rest.split([',', ' ']).next().unwrap_or_default().to_owned();
        }
    };
    tokio::spawn(async move {
        while let Ok(Some(line)) = log.next_line().await {
            read(line);
        }
    });
    (serving, url)
}

/// Like [`serve`]; also returns the log until the host ends.
async fn serve_logged(config: &Path) -> (Child, String, JoinHandle<Vec<String>>) {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let (serving, url) = serve_with_log(config, move |line| drop(sender.send(line))).await;
    let lines = tokio::spawn(async move {
        let mut lines = Vec::new();
        while let Some(line) = receiver.recv().await {
            lines.push(line);
        }
        lines
    });
    (serving, url, lines)
}

/// An operator's folder, with registers to import from.
pub struct Operator {
    pub folder: tempfile::TempDir,
    pub simulator: Simulator,
}

impl Operator {
    pub async fn new() -> Self {
        let folder = tempfile::tempdir().expect("tests can write temporary files");
        let (simulator, _) = demo::simulator(60, 1, START)
            .await
            .expect("the simulator starts");
        let operator = Self { folder, simulator };
        operator.configure("");
        operator
    }

    pub fn config(&self) -> String {
        self.folder.path().join("lustra.toml").display().to_string()
    }

    /// The settings of a host with one connector, and that connector's further lines.
    pub fn configure(&self, of_connector: &str) {
        let (data, url) = (self.folder.path().join("data"), self.simulator.url());
        let components = components();
        let compiled = components.join("../compiled-for-tests");
        let upstream = |name: &str| {
            format!("{name} = {{ address = \"{url}/{name}\", requests_per_second = 1000 }}\n")
        };
        let text = format!(
            "listen = \"127.0.0.1:0\"\ndata = {data:?}\ncomponents = {components:?}\ncompiled = {compiled:?}\n\
             [operator]\non = false\n[imports]\nscheduled = false\n\
             [connector.tax-authority]\n{of_connector}\n[connector.tax-authority.upstreams]\n{}{}{}",
            upstream("fs-reports"),
            upstream("fs-api"),
            upstream("vies"),
        );
        self.write(&text);
    }

    pub fn granted(&self) {
        self.granted_with("");
    }

    /// The settings of a host whose connector may reach the simulator, with that connector's further lines.
    pub fn granted_with(&self, of_connector: &str) {
        let url = self.simulator.url();
        self.configure(&format!("grants = [\"{url}\"]\n{of_connector}"));
    }

    pub fn write(&self, text: &str) {
        std::fs::write(self.folder.path().join("lustra.toml"), text)
            .expect("tests can write temporary files");
    }

    /// The settings of a host without connectors, on the database of the URL, with further lines.
    pub fn configure_on(&self, store: &str, further: &str) {
        let data = self.folder.path().join("data");
        self.write(&format!(
            "listen = \"127.0.0.1:0\"\ndata = {data:?}\nstore = {store:?}\n{further}"
        ));
    }

    pub async fn run(&self, arguments: &[&str]) -> Ran {
        let config = self.config();
        lustra(&[arguments, &["--config", &config]].concat()).await
    }
}

/// The only line of a command's result, as JSON.
pub fn json(printed: &str) -> Value {
    let lines = lines(printed);
    assert_eq!(lines.len(), 1, "{printed}");
    serde_json::from_str(lines[0]).expect("JSON")
}

/// The lines of a text that are not empty.
pub fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect()
}

#[tokio::test]
async fn unknown_plan_and_account_are_named() {
    let operator = Operator::new().await;
    let said = operator
        .run(&["key", "create", "--account", "acme", "--plan", "gold"])
        .await
        .refused();
    assert!(
        said.contains("gold") && said.contains("business"),
        "it says what there is: {said}"
    );
    let said = operator
        .run(&["key", "list", "--account", "nobody"])
        .await
        .refused();
    assert!(said.contains("nobody"), "{said}");
}

#[tokio::test]
async fn missing_grant_is_listed_with_the_line_to_add() {
    let operator = Operator::new().await;
    operator.configure("grants = []");
    let listed = operator.run(&["connector", "list"]).await.printed();
    let line = listed
        .split("grants = ")
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    let line = format!(
        "grants = {}]",
        line.unwrap_or_else(|| panic!("no line to add: {listed}"))
    );
    assert!(
        line.contains(&operator.simulator.url()) && listed.contains("[connector.tax-authority]"),
        "{listed}"
    );
    assert!(listed.contains("refused"), "{listed}");
    // Copied word for word from the output, as an operator would.
    operator.configure(&line);
    let listed = operator
        .run(&["connector", "list", "--json"])
        .await
        .printed();
    let of_connector = |id: &str| -> Value {
        let all = listed
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("an object a line"));
        all.into_iter()
            .find(|connector| connector["id"] == id)
            .unwrap_or_default()
    };
    assert_eq!(
        of_connector("tax-authority")["state"],
        "serving",
        "{listed}"
    );
    assert_eq!(of_connector("tax-authority")["reason"], Value::Null);
    assert_eq!(of_connector("orsr")["state"], "not enabled");
}

#[tokio::test]
async fn disabled_connector_is_listed_with_how_to_enable_it() {
    let operator = Operator::new().await;
    operator.granted();
    let listed = operator.run(&["connector", "list"]).await.printed();
    assert!(
        listed.contains("serving") && listed.contains("tax_reliability"),
        "{listed}"
    );
    assert!(
        listed.contains("lustra connector enable") && listed.contains("not enabled"),
        "{listed}"
    );
}

#[tokio::test]
async fn settings_mistakes_are_named_with_their_place() {
    let operator = Operator::new().await;
    for (text, named) in [
        (
            "listen = \"127.0.0.1:0\"\nstore_connections = \"many\"\n",
            vec!["store_connections", "line 2"],
        ),
        (
            "[freshness]\n\ndetail_days = 3\n",
            vec!["detail_days", "line 3"],
        ),
        ("listen = \"nowhere\"\n", vec!["listen", "line 1"]),
        (
            "[connector.rpo]\ngrants = \"https://x.sk\"\n",
            vec!["grants", "line 2"],
        ),
        ("listen = 127.0.0.1\n", vec!["line 1"]),
        (
            "store_connections = 0\n[pool]\ninstances = 0\n",
            vec!["store_connections", "pool.instances", "2 mistakes"],
        ),
        (
            "store = \"env:LUSTRA_TEST_IS_NOT_SET\"\n",
            vec!["store", "LUSTRA_TEST_IS_NOT_SET"],
        ),
        (
            "[connector.rpo.datasets]\ncompanies = { schedule = \"hourly\" }\n",
            vec!["connector.rpo.datasets.companies.schedule"],
        ),
    ] {
        operator.write(text);
        let said = operator.run(&["connector", "list"]).await.refused();
        for name in [vec![operator.config().as_str()], named].concat() {
            assert!(said.contains(name), "{name} is not in: {said}");
        }
    }
}

#[tokio::test]
async fn missing_settings_file_is_named() {
    for command in [
        &["serve"][..],
        &["dataset", "list"],
        &["dataset", "import", "--due"],
        &["dataset", "history", "x"],
        &["key", "list", "--account", "x"],
        &["connector", "list"],
    ] {
        let said = lustra(&[command, &["--config", "/nowhere/lustra.toml"]].concat())
            .await
            .refused();
        assert!(said.contains("/nowhere/lustra.toml"), "{said}");
    }
}

#[tokio::test]
async fn serve_accepts_created_key_and_stops_on_signal() {
    let operator = Operator::new().await;
    operator.granted();
    let key = operator
        .run(&["key", "create", "--account", "acme"])
        .await
        .printed();
    let (mut serving, url, log) = serve_logged(Path::new(&operator.config())).await;
    let client = client();
    let health = client
        .get(format!("{url}/health"))
        .send()
        .await
        .expect("it answers");
    assert_eq!(health.status(), 200);
    let asked = client
        .get(format!("{url}/company/1"))
        .bearer_auth(key.trim())
        .send()
        .await
        .expect("it answers");
    assert_eq!(
        asked.status(),
        404,
        "the key is taken, the company is not there"
    );
    // Kept-alive connections would delay the shutdown.
    drop(client);
    let id = serving.id().expect("it runs").to_string();
    let asked_to_end = Command::new("kill")
        .args(["-TERM", &id])
        .status()
        .await
        .expect("there is kill");
    assert!(asked_to_end.success());
    assert!(
        serving.wait().await.expect("it is ours").success(),
        "an orderly end"
    );
    let log = log.await.expect("it was read");
    let at = |words: &str| log.iter().position(|line| line.ends_with(words));
    let (asked, stopped) = (at("shutting down: SIGTERM"), at("stopped"));
    assert!(asked.is_some() && asked < stopped, "{log:?}");
}

/// The subcommands in a command's help.
fn below(help: &str) -> Vec<String> {
    let listed = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_command_help_has_an_example() {
    let mut waiting = vec![Vec::<String>::new()];
    let mut leaves = Vec::new();
    while let Some(path) = waiting.pop() {
        let arguments: Vec<&str> = path.iter().map(String::as_str).chain(["--help"]).collect();
        let help = lustra(&arguments).await.printed();
        let names = below(&help);
        if names.is_empty() {
            let example = format!("lustra {}", path.join(" "));
            let examples = help
                .split_once("Example")
                .map(|(_, examples)| examples)
                .unwrap_or_default();
            assert!(
                examples.contains(&example),
                "no example of {example}: {help}"
            );
            leaves.push(path.join(" "));
        }
        waiting.extend(
            names
                .into_iter()
                .map(|name| [path.clone(), vec![name]].concat()),
        );
    }
    leaves.sort();
    let expected = [
        "account create",
        "account list",
        "account overage",
        "account plan",
        "account show",
        "config check",
        "connector build",
        "connector check",
        "connector dev",
        "connector list",
        "connector new",
        "connector record",
        "connector test",
        "credit adjust",
        "credit grant",
        "dataset history",
        "dataset import",
        "dataset list",
        "demo",
        "key create",
        "key list",
        "key revoke",
        "key rotate",
        "ledger export",
        "ledger verify",
        "plan list",
        "serve",
    ];
    for command in expected {
        assert!(
            leaves.iter().any(|leaf| leaf == command),
            "{command} is not among {leaves:?}"
        );
    }
}

#[tokio::test]
async fn closed_standard_output_does_not_panic() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let settings = folder.path().join("lustra.toml");
    let data = folder.path().join("data");
    std::fs::write(&settings, format!("data = {data:?}\n")).expect("a fresh folder");
    let mut listing = Command::new(program())
        .args(["plan", "list", "--config"])
        .arg(&settings)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was just built");
    // Nothing reads the output.
    drop(listing.stdout.take());
    let output = listing.wait_with_output().await.expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    assert_eq!(output.status.code(), Some(141), "{errors}");
}
