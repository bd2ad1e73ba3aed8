//! Wrong settings: each stops the start or is reported at it, with line, setting and what would be right.

mod list;

use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use lustra::config::{Config, check};
use lustra_tests::components;
use serde_json::Value;

use self::list::{FINDINGS, MISTAKES};
use crate::command_line::{Operator, lustra};

#[test]
fn mistakes_name_line_setting_and_what_is_right() {
    let mut wrong = Vec::new();
    for (text, line, setting, said) in MISTAKES {
        let mistakes = match Config::read(text, |_| None) {
            Ok(_) => Vec::new(),
            Err(error) => error.0,
        };
        let is_found = mistakes.iter().any(|mistake| {
            let place = (mistake.line, mistake.setting.as_str());
            place == (Some(line), setting) && mistake.problem.to_string().contains(said)
        });
        if !is_found {
            wrong.push(format!("{text:?}: {mistakes:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn several_mistakes_are_reported_in_order() {
    let text = "lisen = \"x\"\n[pool]\ninstances = 0\n[mail]\non = \"yes\"\n";
    let error = Config::read(text, |_| None).expect_err("three are wrong");
    let lines: Vec<Option<usize>> = error.0.iter().map(|mistake| mistake.line).collect();
    assert_eq!(lines, [Some(1), Some(3), Some(5)], "{error}");
}

#[test]
fn mistakes_do_not_repeat_secrets() {
    for text in [
        "store = \"postgres://u:hush@host:port/db\"",
        "store = 123456789",
        "[mail]\nsmtp = \"smtp://u:hush@mail.sk?tls=yes\"",
        "[operator]\nkey = \"hush\"",
        "[operator]\nkey = hush",
        "[notifications]\nsecrets_key = \"hush\"",
    ] {
        let error = Config::read(text, |_| None).expect_err("it is wrong");
        let said = error.to_string();
        assert!(
            !said.contains("hush") && !said.contains("123456789"),
            "{said}"
        );
    }
}

#[test]
fn findings_name_line_setting_and_what_is_right() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let directory = folder.path();
    let few = directory.join("components");
    std::fs::create_dir_all(&few).expect("a fresh folder");
    for name in ["orsr", "commercial-bulletin"] {
        let file = format!("{name}.wasm");
        std::os::unix::fs::symlink(components().join(&file), few.join(&file))
            .expect("a fresh name");
    }
    std::fs::write(directory.join("file"), "").expect("a fresh name");
    std::fs::create_dir(directory.join("open")).expect("a fresh name");
    std::fs::write(directory.join("open/secrets.key"), "x").expect("a fresh name");
    let busy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = busy.local_addr().expect("it is bound").to_string();
    let file = directory.join("lustra.toml");
    let mut wrong = Vec::new();
    for (text, line, setting, said) in FINDINGS {
        let place = directory.display().to_string();
        let text = text.replace("DIR", &place).replace("BUSY", &address);
        // Settings that the case does not have, as the last lines of the top level.
        let own = |name: &str| text.lines().any(|line| line.starts_with(name));
        let mut whole = String::new();
        for (name, value) in [
            ("listen", "127.0.0.1:0".to_owned()),
            ("operator.listen", "127.0.0.1:0".to_owned()),
            ("components", few.display().to_string()),
            ("data", format!("{place}/data")),
        ] {
            if !own(&format!("{name} ")) {
                whole.push_str(&format!("{name} = {value:?}\n"));
            }
        }
        let before = whole.lines().count();
        whole.push_str(&text);
        std::fs::write(&file, &whole).expect("it can be replaced");
        let config = Config::read(&whole, |_| None).unwrap_or_else(|error| panic!("{error}"));
        let findings = check::findings(&config, &file, &whole);
        let is_found = findings.iter().any(|finding| {
            let place = (finding.line, finding.setting.as_str());
            place == (Some(before + line), setting) && finding.problem.to_string().contains(said)
        });
        if !is_found {
            wrong.push(format!("{text:?}: {findings:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn private_secrets_are_no_finding() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("lustra.toml");
    let text = format!(
        "listen = \"127.0.0.1:0\"\ndata = {:?}\ncomponents = {:?}\n\
         operator.listen = \"127.0.0.1:0\"\noperator.key = \"0123456789abcdefg\"\n",
        folder.path().join("data"),
        folder.path()
    );
    std::fs::write(&file, &text).expect("a fresh name");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("it is ours");
    let config = Config::read(&text, |_| None).expect("nothing is wrong");
    assert_eq!(check::findings(&config, &file, &text), []);
}

#[tokio::test]
async fn start_stops_at_a_mistake_with_its_place() {
    let operator = Operator::new().await;
    let busy = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = busy.local_addr().expect("it is bound");
    let file = operator.folder.path().join("file");
    std::fs::write(&file, "").expect("a fresh name");
    let data = operator.folder.path().join("data");
    for (text, said) in [
        ("\nlisen = \"127.0.0.1:0\"\n".to_owned(), "line 2: lisen"),
        (
            format!("data = {data:?}\n\nlisten = \"{address}\"\noperator.on = false\n"),
            "line 3, listen: cannot listen on",
        ),
        (
            format!("data = {data:?}\nlisten = \"127.0.0.1:0\"\noperator.listen = \"{address}\"\n"),
            "line 3, operator.listen: cannot listen on",
        ),
        (
            format!("data = {file:?}\n"),
            "line 1, data: the data directory",
        ),
    ] {
        operator.write(&text);
        let ran = operator.run(&["serve"]).await;
        assert!(!ran.succeeded, "{text}");
        assert!(
            ran.stderr.contains(said) && ran.stderr.contains(&operator.config()),
            "{said}: {}",
            ran.stderr
        );
        let checked = operator.run(&["config", "check"]).await;
        assert!(!checked.succeeded, "{text}: {}", checked.stdout);
    }
}

#[tokio::test]
async fn start_reports_findings_and_a_summary() {
    let operator = Operator::new().await;
    operator
        .granted_with("datasets.reliability = { schedule = \"daily 04:05\" }\n[connector.orrsr]\n");
    let (sender, mut lines) = tokio::sync::mpsc::unbounded_channel();
    let config = operator.config();
    let ran = tokio::process::Command::new(crate::command_line::program())
        .args(["serve", "--config", &config])
        .env("RUST_LOG", "warn,lustra_cli=info")
        .stderr(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut ran = ran.expect("it was just built");
    let log = ran.stderr.take().expect("it was asked for");
    tokio::spawn(async move {
        use tokio::io::AsyncBufReadExt;
        let mut log = tokio::io::BufReader::new(log).lines();
        while let Ok(Some(line)) = log.next_line().await {
            drop(sender.send(line));
        }
    });
    let mut before = Vec::new();
    let summary = loop {
        let line = lines.recv().await.expect("it says where it serves");
        if line.contains("serving on ") {
            break line;
        }
        before.push(line);
    };
    let finding = before.iter().find(|line| line.contains("connector.orrsr"));
    let finding = finding.unwrap_or_else(|| panic!("{before:?}"));
    assert!(
        finding.contains(&config) && finding.contains("line "),
        "{finding}"
    );
    assert!(
        summary.contains("version ")
            && summary
                .contains("1 of 1 connectors serve; 6 lists: 6 never imported, 0 failed, 0 paused"),
        "{summary}"
    );
    assert!(before.len() <= 3, "a start is short: {before:#?}");
}

#[tokio::test]
async fn config_check_prints_mistakes_as_json() {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("lustra.toml");
    std::fs::write(&file, "lisen = \"x\"\n[pool]\ninstances = 0\n").expect("a fresh name");
    let file = file.display().to_string();
    let checked = lustra(&["config", "check", "--json", "--config", &file]).await;
    assert!(!checked.succeeded, "{}", checked.stdout);
    let printed = checked.stdout.lines().map(serde_json::from_str::<Value>);
    let printed: Vec<Value> = printed.map(|line| line.expect("JSON")).collect();
    let codes: Vec<&Value> = printed.iter().map(|line| &line["code"]).collect();
    assert_eq!(codes, ["unknown_setting", "rule_broken"], "{printed:?}");
    assert_eq!(
        (&printed[0]["line"], &printed[0]["file"]),
        (&Value::from(1), &Value::from(file))
    );
    assert!(Path::new(printed[0]["file"].as_str().expect("a path")).is_absolute());
}
