//! Mistakes, help, and a host that is started and stopped from the command line.

use std::path::Path;

use lustra_tests::client;
use serde_json::Value;
use tokio::process::Command;

use super::{Operator, lustra, serve_logged};

#[tokio::test]
async fn unknown_plan_and_account_are_named() {
    let operator = Operator::new().await;
    let said = operator
        .run(&["key", "create", "--account", "acme", "--plan", "gold"])
        .await
        .refused();
    assert!(
        said.contains("gold") && said.contains("business"),
        "it lists the existing plans: {said}"
    );
    let said = operator
        .run(&["key", "list", "--account", "missing"])
        .await
        .refused();
    assert!(said.contains("missing"), "{said}");
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
        "the key is accepted; the company does not exist"
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
        "the host ends without an error"
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
        "completions",
        "credit grant",
        "dataset history",
        "dataset import",
        "dataset list",
        "dataset pause",
        "dataset resume",
        "demo",
        "doctor",
        "key create",
        "key list",
        "key revoke",
        "key rotate",
        "ledger export",
        "ledger verify",
        "man",
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
