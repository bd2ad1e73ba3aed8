//! Autocomplete in its target select box: Select2 from npm in headless Chromium.
//!
//! Needs `chromium` and, on the first run, `npm`. If they are unavailable, the test prints so and passes.

pub mod driver;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use lustra_tests::World;
use lustra_tests::lustra::names;
use serde_json::Value;

/// The widget and its dependency on npm.
const PACKAGES: [(&str, &str); 2] = [("select2", "4.1.0"), ("jquery", "3.7.1")];

/// The path of each file within its package.
const FILES: [(&str, &str); 3] = [
    ("jquery.js", "jquery/dist/jquery.min.js"),
    ("select2.js", "select2/dist/js/select2.min.js"),
    ("select2.css", "select2/dist/css/select2.min.css"),
];

#[expect(
    clippy::print_stderr,
    reason = "shown to the person who runs the tests"
)]
fn say(line: &str) {
    eprintln!("· {line}");
}

/// The folder of unpacked packages, below `target`.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("npm")
}

/// A file of a package on npm, which is unpacked once. `None` if the package is unavailable.
pub fn npm_file(name: &str, version: &str, file: &str) -> Option<PathBuf> {
    let wanted = folder().join(file);
    if wanted.is_file() {
        return Some(wanted);
    }
    say(&format!(
        "fetching {name} from npm for tests in the browser (once)"
    ));
    let package = folder().join(name);
    std::fs::create_dir_all(&package).expect("a folder of our own");
    let packed = Command::new("npm")
        .current_dir(&package)
        .args(["pack", "--silent", &format!("{name}@{version}")])
        .output();
    let unpacked = packed.is_ok_and(|packed| packed.status.success())
        && Command::new("tar")
            .current_dir(&package)
            .args(["--strip-components=1", "-xzf"])
            .arg(format!("{name}-{version}.tgz"))
            .status()
            .is_ok_and(|status| status.success());
    if !unpacked {
        say(&format!(
            "SKIPPED: tests in a browser, because {name} is not to be had from npm"
        ));
        return None;
    }
    Some(wanted)
}

/// The packages of the select box. `None` if they are unavailable.
fn packages() -> Option<PathBuf> {
    for (_, file) in FILES {
        let name = file.split('/').next().unwrap_or_default();
        let (name, version) = PACKAGES.iter().find(|package| package.0 == name)?;
        npm_file(name, version, file)?;
    }
    Some(folder())
}

/// The browser's program. `None` if there is none.
pub fn chromium() -> Option<&'static str> {
    // Found once, because each program is started for it.
    static FOUND: OnceLock<Option<&str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        // The first has no window to draw, and takes about two thirds of the processor time of the second.
        let programs = [
            "chromium-headless-shell",
            "chromium",
            "chromium-browser",
            "google-chrome",
        ];
        let found = programs.into_iter().find(|program| {
            let asked = Command::new(program).arg("--version").output();
            asked.is_ok_and(|answer| answer.status.success())
        });
        if found.is_none() {
            say("SKIPPED: tests in a browser, because there is no chromium");
        }
        found
    })
}

/// Serves the page from another origin than the API's, as a shop would.
async fn serve(packages: &Path) -> SocketAddr {
    let file = |text: String, kind: &'static str| {
        get(move || async move { ([(CONTENT_TYPE, kind)], text) })
    };
    let page = include_str!("browser/select2.html").to_owned();
    let mut router = Router::new().route("/", file(page, "text/html; charset=utf-8"));
    for (name, path) in FILES {
        let text = std::fs::read_to_string(packages.join(path)).expect("it was unpacked");
        let kind = if name.ends_with("css") {
            "text/css"
        } else {
            "text/javascript"
        };
        router = router.route(&format!("/{name}"), file(text, kind));
    }
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(axum::serve(listener, router).into_future());
    address
}

/// Opens a page and returns its document after its scripts have run, and the browser's log.
pub fn dom(chromium: &str, url: &str) -> (String, String) {
    let profile = tempfile::tempdir().expect("tests can write temporary files");
    let output = Command::new(chromium)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .args([
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
        ])
        .args(["--virtual-time-budget=60000", "--window-size=800,600"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(["--dump-dom", url])
        .output()
        .expect("the browser starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// Opens a page and returns the text that it ends with.
fn outcome(chromium: &str, url: &str) -> Value {
    let (page, log) = dom(chromium, url);
    let text = page
        .split_once("<pre id=\"outcome\">")
        .and_then(|(_, rest)| rest.split_once("</pre>"))
        .map(|(text, _)| {
            text.replace("&amp;", "&")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
        });
    let text = text.unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}\n{page}\n{log}"))
}

/// Three letters with more matching names than one page shows.
async fn begin_of_many(world: &World) -> String {
    let companies = world
        .store
        .companies()
        .to_find_since(0, "former_names", 10_000)
        .await;
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for company in companies.expect("the store is there") {
        let begin: String = names::fold(&company.name).chars().take(3).collect();
        *counts.entry(begin).or_default() += 1;
    }
    let (letters, count) = counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .expect("companies");
    assert!(count > 12, "{letters} begins {count} names");
    letters
}

async fn chosen(world: &World, page: SocketAddr, base: String, key: &str, typed: &str) -> Value {
    let Some(chromium) = chromium() else {
        return Value::Null;
    };
    let url = format!("http://{page}/?base={base}&key={key}&typed={typed}");
    let outcome = tokio::task::spawn_blocking(move || outcome(chromium, &url));
    let outcome = outcome.await.expect("the browser ends");
    assert!(world.search().progress().ready);
    outcome
}

#[tokio::test(flavor = "multi_thread")]
async fn select2_can_choose_a_company() {
    let Some(packages) = packages() else {
        return;
    };
    let page = serve(&packages).await;
    let world = World::new()
        .companies(400)
        .settings(move |config| config.requests.origins = vec![format!("http://{page}")])
        .start()
        .await;
    let typed = begin_of_many(&world).await;
    let base = format!("{}/v1", world.url());
    let outcome = chosen(&world, page, base, &world.key, &typed).await;
    if outcome.is_null() {
        return;
    }
    let names = |pointer: &str| {
        let names = outcome.pointer(pointer).and_then(Value::as_array);
        names.unwrap_or_else(|| panic!("{outcome}")).clone()
    };
    let (first, second) = (names("/first"), names("/second"));
    assert_eq!(first.len(), 10);
    assert_eq!(
        second[..10],
        first[..],
        "the second page is appended to the first"
    );
    assert!(
        second[10..].iter().all(|name| !first.contains(name)),
        "{outcome}"
    );
    for name in &second {
        let name = name.as_str().expect("a text");
        let words = names::words(name);
        assert!(words.iter().any(|word| word.starts_with(&typed)), "{name}");
    }
    assert_eq!(outcome["picked"]["text"], second[10]);
    assert_eq!(outcome["picked"]["id"], outcome["company"]["ico"]);
    assert_eq!(outcome["picked"]["text"], outcome["company"]["name"]);
    world.end().await;
}
