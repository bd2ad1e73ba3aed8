//! The operator's pages: what needs attention, sources, workers, reload, and who may see them.
//!
//! With `LUSTRA_SCREENSHOTS=DIR`, `operator_pages_are_accessible` writes pictures to that folder.

use std::path::PathBuf;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Answer, Builder, DatabaseKind, World};
use reqwest::Method;

use crate::account_support::{html, member};
use crate::browser::driver::Browser;
use crate::browser::npm_file;
use crate::faults_support::on_each_kind;
use crate::pages_browser::{AXE, WIDTHS, browsing, checked};

const ENGLISH: (&str, &str) = ("accept-language", "en");
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

fn small(kind: DatabaseKind) -> Builder {
    let world = World::new().on(kind).companies(12).nothing_imported();
    world
        .connectors(&["orsr", "commercial-bulletin"])
        .without_index()
}

async fn page(world: &World, path: &str) -> String {
    let answer = world.operator(Method::GET, path, &[ENGLISH]).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    html(&answer).to_owned()
}

async fn post(world: &World, path: &str) -> Answer {
    world.operator(Method::POST, path, &[ENGLISH, OWN]).await
}

#[tokio::test]
async fn overview_names_what_needs_attention() {
    on_each_kind(
        |kind| small(kind).changeable(),
        async |world| {
            let overview = page(world, "/").await;
            for text in [
                "Waiting deliveries",
                "No import is under way",
                "/sources/orsr",
            ] {
                assert!(overview.contains(text), "{text}: {overview}");
            }
            let broken = world.components().join("broken.wasm");
            std::fs::write(broken, b"<script>no component</script>").expect("a folder of the test");
            let reloaded = post(world, "/actions/reload").await;
            assert!(html(&reloaded).contains("broken"), "{reloaded:?}");
            let settings = std::fs::read_to_string(world.settings_file()).expect("it is there");
            std::fs::write(world.settings_file(), format!("{settings}\nnonsense = 1\n"))
                .expect("a folder of the test");
            assert_eq!(post(world, "/actions/reload").await.status, 200);
            let overview = page(world, "/").await;
            assert!(
                overview.contains("changed settings were rejected"),
                "{overview}"
            );
            assert!(
                overview.contains("broken") && overview.contains("refused"),
                "{overview}"
            );
            assert!(!overview.contains("<script>no"), "{overview}");
        },
    )
    .await;
}

#[tokio::test]
async fn source_shows_its_addresses_and_lists() {
    let world = small(DatabaseKind::Sqlite).start().await;
    let orsr = page(&world, "/sources/orsr").await;
    for text in ["serving", "Addresses of the register", "http://127.0.0.1"] {
        assert!(orsr.contains(text), "{text}: {orsr}");
    }
    let bulletin = page(&world, "/sources/commercial-bulletin").await;
    assert!(bulletin.contains("serving"), "{bulletin}");
    let unknown = world.operator(Method::GET, "/sources/nothing", &[]).await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
    world.end().await;
}

#[tokio::test]
async fn accounts_are_shown_without_their_secrets() {
    on_each_kind(small, async |world| {
        let account = world.account().await;
        member(world, account.id, "eva@mlyn.example", MemberRole::Owner).await;
        let list = page(world, "/accounts?name=tes").await;
        let path = format!("/accounts/{}", account.id);
        assert!(list.contains(&path), "{list}");
        let others = page(world, "/accounts?name=zzz").await;
        assert!(!others.contains(&path), "{others}");
        let shown = page(world, &path).await;
        for text in ["eva@mlyn.example", &account.plan, &world.key[..13]] {
            assert!(shown.contains(text), "{text}: {shown}");
        }
        assert!(!shown.contains(&world.key[..14]), "{shown}");
        for other in ["/accounts/0", "/accounts/x"] {
            let answer = world.operator(Method::GET, other, &[]).await;
            assert_eq!(answer.status, 404, "{other}");
        }
    })
    .await;
}

#[tokio::test]
async fn forms_of_other_sites_do_nothing() {
    let world = small(DatabaseKind::Sqlite).start().await;
    let restarted = post(&world, "/actions/workers/disk").await;
    assert_eq!(restarted.status, 200, "the page after it: {restarted:?}");
    assert_eq!(post(&world, "/actions/workers/nothing").await.status, 404);
    for headers in [
        [("sec-fetch-site", "cross-site")],
        [("origin", "https://evil.example")],
    ] {
        for path in ["/actions/reload", "/actions/clock", "/actions/workers/disk"] {
            let refused = world.operator(Method::POST, path, &headers).await;
            assert_eq!(refused.status, 403, "{path} {headers:?}: {refused:?}");
        }
    }
    let misdirected = world
        .operator(Method::GET, "/", &[("host", "evil.example")])
        .await;
    assert_eq!(misdirected.status, 421, "{misdirected:?}");
    world.end().await;
}

#[tokio::test]
async fn pages_need_the_key_of_the_operator() {
    let set = |config: &mut Config| {
        let key = serde_json::from_value("a key: 16 characters".into());
        config.operator.key = Some(key.expect("a text"));
    };
    let world = small(DatabaseKind::Sqlite).settings(set).start().await;
    let basic = |key: &str| format!("Basic {}", BASE64_STANDARD.encode(format!("eva:{key}")));
    for (key, expected) in [("a key: 16 characters", 200), ("another key", 401)] {
        let header = basic(key);
        for path in ["/", "/sources/orsr"] {
            let headers = [("authorization", header.as_str())];
            let answer = world.operator(Method::GET, path, &headers).await;
            assert_eq!(answer.status, expected, "{path}: {answer:?}");
        }
    }
    let asked = world.operator(Method::GET, "/", &[]).await;
    assert_eq!(asked.status, 401, "{asked:?}");
    assert!(
        asked
            .header("www-authenticate")
            .is_some_and(|asks| asks.starts_with("Basic"))
    );
    assert_eq!(post(&world, "/actions/reload").await.status, 401);
    let metrics = world.operator(Method::GET, "/metrics", &[]).await;
    assert_eq!(metrics.status, 200, "monitoring needs no key");
    world.end().await;
    // On an address that other machines reach, there are no pages without a key.
    let open = |config: &mut Config| config.operator.listen = ([0, 0, 0, 0], 0).into();
    let world = small(DatabaseKind::Sqlite).settings(open).start().await;
    let refused = world.operator(Method::GET, "/", &[]).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    world.end().await;
}

#[tokio::test]
async fn wrong_keys_are_limited_by_address() {
    let set = |config: &mut Config| {
        let key = serde_json::from_value("a key: 16 characters".into());
        config.operator.key = Some(key.expect("a text"));
        config.operator.wrong_keys_per_minute = 3;
    };
    let world = small(DatabaseKind::Sqlite).settings(set).start().await;
    let asked = async |key: &str| {
        let header = format!("Basic {}", BASE64_STANDARD.encode(format!("eva:{key}")));
        let headers = [("authorization", header.as_str()), ENGLISH];
        world.operator(Method::GET, "/", &headers).await
    };
    let right = "a key: 16 characters";
    for (key, expected) in [
        ("a", 401),
        (right, 200),
        ("b", 401),
        ("c", 401),
        ("d", 429),
        (right, 429),
    ] {
        let answer = asked(key).await;
        assert_eq!(answer.status, expected, "{key}: {answer:?}");
    }
    let limited = asked(right).await;
    assert!(
        html(&limited).contains("Too many wrong keys"),
        "{limited:?}"
    );
    let wait = limited
        .header("retry-after")
        .and_then(|wait| wait.parse().ok());
    assert!(
        wait.is_some_and(|wait: u64| (1..=60).contains(&wait)),
        "{wait:?}"
    );
    let without = world.operator(Method::GET, "/", &[]).await;
    assert_eq!(without.status, 401, "without a key it is not an attempt");
    world.advance(1);
    assert_eq!(asked(right).await.status, 200, "in another minute");
    world.end().await;
}

#[tokio::test]
async fn errors_are_pages_in_the_reader_s_language() {
    let world = small(DatabaseKind::Sqlite).start().await;
    for (path, language, text) in [
        ("/sources/nothing", "en", "There is no such connector"),
        ("/sources/nothing", "sk", "Taký konektor nie je"),
        ("/nothing/at/all", "sk", "Taká stránka nie je"),
        ("/accounts/x", "en", "There is no such account"),
    ] {
        let headers = [("accept-language", language)];
        let answer = world.operator(Method::GET, path, &headers).await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(html(&answer).contains(text), "{path}: {answer:?}");
    }
    let other_site = [ENGLISH, ("sec-fetch-site", "cross-site")];
    let refused = world
        .operator(Method::POST, "/actions/reload", &other_site)
        .await;
    assert!(
        html(&refused).contains("came from another site"),
        "{refused:?}"
    );
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_pages_are_accessible() {
    let (name, version, file) = AXE;
    let Some(axe) = npm_file(name, version, file) else {
        return;
    };
    let axe = std::fs::read_to_string(axe).expect("it was unpacked");
    let folder = std::env::var_os("LUSTRA_SCREENSHOTS").map(PathBuf::from);
    let world = World::new().companies(12).without_index().start().await;
    world.company(&world.icos[0], "all").await;
    let url = world.operator_url();
    let account = format!("/accounts/{}", world.account().await.id);
    let wrong = browsing(move |browser| {
        let mut wrong = Vec::new();
        let mut check = |browser: &mut Browser, name: &str| {
            let found = checked(browser, &axe);
            wrong.extend(found.iter().map(|one| format!("{name}: {one}")));
        };
        for (name, path) in [
            ("overview", "/"),
            ("live", "/sources/orsr"),
            ("lists", "/sources/debtors"),
            ("off", "/sources/executions"),
            ("accounts", "/accounts"),
            ("account", account.as_str()),
        ] {
            for (language, scheme) in [("sk", "light"), ("en", "dark")] {
                for width in WIDTHS {
                    let name = format!("operator-{name}-{language}-{width}");
                    browser.colours(scheme);
                    browser.resize(width, 800);
                    browser.open(&format!("{url}{path}?lang={language}"));
                    if let Some(folder) = &folder {
                        std::fs::create_dir_all(folder).expect("it can be written");
                        let file = folder.join(format!("{name}.png"));
                        std::fs::write(file, browser.screenshot()).expect("it can be written");
                    }
                    check(browser, &name);
                }
            }
        }
        browser.without_scripts();
        browser.open(&format!("{url}/?lang=en"));
        browser.value("document.querySelector('form[action=\"/actions/reload\"] button').focus()");
        browser.press("Enter", 13);
        browser.wait_until_loaded();
        assert_eq!(browser.value("location.pathname"), "/actions/reload");
        wrong
    });
    let wrong = wrong.await.unwrap_or_default();
    assert!(wrong.is_empty(), "{wrong:#?}");
    world.end().await;
}
