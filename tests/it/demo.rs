//! `lustra demo` as a person runs it: what it prints, and in which order.

use std::process::Stdio;

use lustra_tests::components;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;

use crate::command_line::program;

/// Sends each line that the demo prints.
fn follow(output: impl AsyncRead + Unpin + Send + 'static, lines: mpsc::UnboundedSender<String>) {
    let mut printed = BufReader::new(output).lines();
    tokio::spawn(async move {
        while let Ok(Some(line)) = printed.next_line().await {
            lines.send(line).ok();
        }
    });
}

#[tokio::test]
async fn demo_shows_a_webhook_and_then_loads_the_others() {
    // The connectors are built before, so that this test only waits for cargo to find that out.
    assert!(components().is_dir());
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let mut running = Command::new(program())
        .args(["demo", "--companies", "12", "--listen", "127.0.0.1:0"])
        .arg("--data")
        .arg(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it was just built");
    let (lines, mut printed) = mpsc::unbounded_channel();
    follow(running.stdout.take().expect("it is piped"), lines.clone());
    follow(running.stderr.take().expect("it is piped"), lines);
    let mut seen = Vec::new();
    for expected in [
        "with 4 connectors; the others are being built",
        "Open in a browser:",
        "webhook received: officers.changed",
        "with 29 connectors",
        "/control/advance",
        "lustra connector reload --operator http://127.0.0.1:",
    ] {
        loop {
            let line = printed.recv().await;
            let line = line.unwrap_or_else(|| panic!("{expected}: {seen:#?}"));
            let is_it = line.contains(expected);
            seen.push(line);
            if is_it {
                break;
            }
        }
    }
    assert!(
        seen.iter().any(|line| line.contains("(signature valid)")),
        "{seen:#?}"
    );
    let failed = |line: &&String| line.contains(": failed: ") || line.contains("ERROR");
    assert_eq!(seen.iter().find(failed), None);
    let id = running.id().expect("it runs").to_string();
    let asked_to_end = Command::new("kill").args(["-TERM", &id]).status().await;
    assert!(asked_to_end.expect("there is kill").success());
    let ended = running.wait().await.expect("it is ours");
    assert!(ended.success(), "the demo ends without an error");
}
