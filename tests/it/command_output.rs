//! What commands print: to a closed pipe, on errors, and for shells and `man`.

use std::path::Path;
use std::process::Stdio;

use lustra_tests::lustra::store::testing::TestDatabase;
use serde_json::Value;
use tokio::process::Command;

use crate::command_line::{Operator, lustra, program};

#[tokio::test]
async fn closed_standard_output_does_not_panic() {
    let operator = Operator::new().await;
    operator.granted();
    operator
        .run(&["key", "create", "--account", "acme"])
        .await
        .printed();
    let config = operator.config();
    for arguments in [
        &["plan", "list"][..],
        &["account", "list"],
        &["account", "show", "--account", "acme"],
        &["key", "list", "--account", "acme"],
        &["dataset", "list"],
        &["dataset", "list", "--json"],
        &["dataset", "history", "reliability", "--json"],
        &["connector", "list"],
        &["connector", "inspect", "tax-authority"],
        &["ledger", "verify"],
        &["config", "reference"],
        &["doctor", "--offline"],
        &["doctor", "--offline", "--json"],
    ] {
        assert_eq!(
            closed(&[arguments, &["--config", &config]].concat()).await,
            141,
            "{arguments:?}"
        );
    }
    for arguments in [
        &["completions", "bash"][..],
        &["config", "reference", "--json"],
    ] {
        assert_eq!(closed(arguments).await, 141, "{arguments:?}");
    }
    // These write without a result line, or end successfully when their reader has enough.
    for arguments in [&["ledger", "export"][..], &["config", "check"]] {
        let arguments = [arguments, &["--config", &config]].concat();
        assert_ne!(closed(&arguments).await, 101, "{arguments:?}");
    }
}

/// The exit code of a command whose output nothing reads.
async fn closed(arguments: &[&str]) -> i32 {
    let mut listing = Command::new(program())
        .args(arguments)
        .env_remove("LUSTRA_CONFIG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it was just built");
    drop(listing.stdout.take());
    let output = listing.wait_with_output().await.expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
    output.status.code().expect("it is not killed")
}

#[tokio::test]
async fn errors_are_printed_with_their_causes() {
    let operator = Operator::new().await;
    let file = operator.folder.path().join("lustra.db");
    std::fs::write(
        &file,
        "this is text and no database, and it is long enough for a header. ".repeat(20),
    )
    .expect("tests can write temporary files");
    let corrupt = format!("sqlite:{}", file.display());
    let unused = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = unused.local_addr().expect("it is bound").port();
    drop(unused);
    let mut cases = vec![
        (
            corrupt,
            vec![
                "lustra.db",
                "the file is not a database",
                "caused by: ",
                "code",
            ],
        ),
        (
            format!("postgres://lustra:hush@127.0.0.1:{port}/lustra"),
            vec!["connection refused", "caused by: ", "os error"],
        ),
    ];
    if let Some(database) = TestDatabase::postgres().await {
        let (base, query) = database
            .url()
            .split_once('?')
            .unwrap_or((database.url(), ""));
        let (server, _) = base.rsplit_once('/').expect("a path");
        let (_, place) = server.split_once("://").expect("a scheme");
        let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
        cases.push((
            format!("{server}/no_such_database?{query}"),
            vec!["no such database", "caused by: ", "no_such_database"],
        ));
        cases.push((
            format!("postgres://stranger:hush@{place}/postgres?{query}"),
            vec!["refused the login", "caused by: ", "stranger"],
        ));
    }
    for (store, said) in cases {
        operator.configure_on(&store, "[database]\nacquire_ms = 1000\n");
        for command in [&["plan", "list"][..], &["serve"]] {
            let failed = operator.run(command).await;
            assert!(!failed.succeeded, "{store}");
            for part in &said {
                assert!(
                    failed.stderr.contains(part),
                    "{part} is not in: {}",
                    failed.stderr
                );
            }
            assert!(!failed.stderr.contains("hush"), "{}", failed.stderr);
        }
    }
}

#[tokio::test]
async fn completions_and_manual_pages_name_every_command() {
    for (shell, said) in [
        ("bash", "lustra__subcmd__dataset"),
        ("zsh", "#compdef lustra"),
        ("fish", "complete -c lustra"),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        let script = lustra(&["completions", shell]).await.printed();
        assert!(
            script.contains(said) || script.contains("lustra__dataset"),
            "{shell}"
        );
        assert!(
            script.contains("pause") && script.contains("doctor"),
            "{shell}"
        );
    }
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let output = folder.path().join("man1").display().to_string();
    let printed = lustra(&["man", "--output", &output, "--json"])
        .await
        .printed();
    let files: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    for name in [
        "lustra",
        "lustra-serve",
        "lustra-dataset-pause",
        "lustra-connector-list",
    ] {
        let file = format!("{output}/{name}.1");
        assert!(
            files.iter().any(|line| line["file"] == *file),
            "{name}: {printed}"
        );
        let page = std::fs::read_to_string(&file).expect("it was written");
        assert!(page.contains(".TH") && page.contains(".SH"), "{page}");
    }
    let pause = std::fs::read_to_string(format!("{output}/lustra-dataset-pause.1"));
    assert!(pause.expect("it was written").contains("Pause the imports"));
    let hidden = Path::new(&output).join("lustra-connector-compile.1");
    assert!(!hidden.exists(), "hidden commands have no page");
}
