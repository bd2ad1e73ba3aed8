//! Webhooks that try to make the service connect to internal addresses: none succeeds, in any spelling and through
//! any entry.

use std::net::{Ipv6Addr, SocketAddr};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use lustra_tests::lustra::config::Config;
use lustra_tests::lustra::connectors::egress::Lookup;
use lustra_tests::lustra::notifications::{Notifier, Target, TargetTest};
use lustra_tests::lustra::sealing::Sealer;
use lustra_tests::lustra::store::{AccountId, AttemptOutcome, DeliveryFilter, State};
use lustra_tests::{Behaviour, Builder, Received, Receiver, World, answered, client};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use crate::command_line::{lustra, program};
use crate::hostile_targets::{LEADING_INSIDE, recognised_by_their_text};
use crate::notified::{found_in_the_store, subscribed_in_the_store};

/// Sends an example to a webhook, for the world's account.
async fn tried(notifier: &Notifier, url: &str) -> TargetTest {
    let test = notifier
        .test_target(AccountId::new(1), Target::Webhook(url))
        .await;
    test.expect("the store works")
}

/// Listens on one port of every local address and counts connections.
struct Trap {
    port: u16,
    connections: Arc<AtomicUsize>,
    tasks: Vec<tokio::task::JoinHandle<()>>,
}

impl Trap {
    async fn set() -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").await.expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let mut listeners = vec![listener];
        // Only if the machine has IPv6.
        listeners.extend(TcpListener::bind((Ipv6Addr::LOCALHOST, port)).await.ok());
        let connections = Arc::new(AtomicUsize::new(0));
        let tasks = listeners.into_iter().map(|listener| {
            let connections = Arc::clone(&connections);
            tokio::spawn(async move {
                while let Ok((connection, _)) = listener.accept().await {
                    connections.fetch_add(1, Ordering::SeqCst);
                    drop(connection);
                }
            })
        });
        Self {
            port,
            tasks: tasks.collect(),
            connections,
        }
    }

    /// Asserts that nothing connected. First connects itself once, to prove that the trap works.
    async fn is_untouched(&self) {
        let own = TcpStream::connect(("127.0.0.1", self.port)).await;
        drop(own.expect("it listens"));
        while self.connections.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(self.connections.load(Ordering::SeqCst), 1);
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// A world with the default: webhooks may use public addresses only.
fn public() -> Builder {
    World::new()
        .nothing_imported()
        .without_index()
        .settings(|config| {
            config.notifications.allow_loopback = false;
            config.requests.other_calls_per_minute = 1_000_000;
        })
}

/// A notifier of the world with its own name resolution.
fn notifier(world: &World, lookup: Lookup) -> Notifier {
    let config: &Config = world.config();
    let key = config.notifications.sealing_key();
    let sealer = Sealer::open(key, &config.data).expect("the key can be read");
    let made = Notifier::with_lookup(
        world.importer.context().clone(),
        world.importer.companies().clone(),
        world.mailer.clone(),
        config.notifications.clone(),
        Arc::new(sealer),
        lookup,
    );
    made.expect("the settings are right")
}

/// A resolver that returns these lists of addresses for every name, in turn.
fn leading(answers: &'static [&'static [&'static str]]) -> Lookup {
    let asked = Arc::new(AtomicUsize::new(0));
    Arc::new(move |_name| {
        let turn = asked.fetch_add(1, Ordering::SeqCst) % answers.len();
        let addresses = answers[turn].iter().map(|address| {
            let address = address.parse().expect("an address");
            SocketAddr::new(address, 0)
        });
        let addresses: Vec<SocketAddr> = addresses.collect();
        Box::pin(async move { Ok(addresses) })
    })
}

#[tokio::test]
async fn hostile_targets_are_rejected_without_connecting() {
    let (one, two) = (Trap::set().await, Trap::set().await);
    let world = public().start().await;
    let mut targets = recognised_by_their_text(one.port);
    targets.extend(recognised_by_their_text(two.port));
    assert!(targets.len() >= 800, "{}", targets.len());
    for some in targets.chunks(32) {
        let asks = some.iter().flat_map(|target| {
            let subscribed = json!({ "ico": "99999994", "webhook_url": target });
            let bodies = [
                ("/v1/notifications", subscribed),
                ("/v1/notifications/test", json!({ "url": target })),
            ];
            bodies.map(|(path, body)| {
                let world = &world;
                async move { (path, target, world.post(path, &body).await) }
            })
        });
        for (path, target, answer) in join_all(asks).await {
            assert_eq!(answer.status, 422, "{path} {target:?}: {}", answer.body);
            let names = ["/errors/webhook_url/0", "/errors/url/0"];
            let why = names.iter().find_map(|name| answer.at(name).as_str());
            assert!(why.is_some(), "{path} {target:?}: {}", answer.body);
        }
    }
    one.is_untouched().await;
    two.is_untouched().await;
    world.end().await;
}

#[tokio::test]
async fn stored_hostile_target_is_blocked_when_sending() {
    let trap = Trap::set().await;
    let world = public().start().await;
    // Every name resolves to this machine, and the attempt is still blocked.
    let notifier = notifier(&world, leading(&[&["127.0.0.1", "::1"]]));
    let mut targets = recognised_by_their_text(trap.port);
    let port = format!(":{}", trap.port);
    targets.extend(LEADING_INSIDE.map(|target| target.replace("{port}", &port)));
    assert!(targets.len() >= 400, "{}", targets.len());
    let mut numbers = Vec::new();
    for (number, target) in targets.iter().enumerate() {
        let ico = format!("{:08}", 10_000_000 + number);
        // `PostgreSQL` stores no NUL, so no stored text can contain one.
        let target = target.replace('\0', "\u{1}");
        numbers.push(subscribed_in_the_store(&world, &ico, &target).await);
        found_in_the_store(&world, &ico, &[format!("evt_{number}")]).await;
    }
    while notifier.fan_out().await.expect("the store is there") > 0 {}
    let mut attempts = 0;
    loop {
        match notifier.send_due().await.expect("the store is there") {
            0 => break,
            some => attempts += some,
        }
    }
    assert_eq!(attempts, targets.len());
    let of = world.store.deliveries_of(world.account().await.id);
    for (number, target) in numbers.into_iter().zip(&targets) {
        let (deliveries, total) = of
            .list(&DeliveryFilter::of(number), 10, 0)
            .await
            .expect("the store is there");
        assert_eq!(total, 1, "{target:?}");
        let tries: Vec<(AttemptOutcome, Option<i64>)> = deliveries[0]
            .tries
            .iter()
            .map(|one| (one.outcome, one.status))
            .collect();
        assert_eq!(tries, [(AttemptOutcome::Blocked, None)], "{target:?}");
        assert_eq!(deliveries[0].state, State::Waiting, "it may be mended");
    }
    trap.is_untouched().await;
    world.end().await;
}

#[tokio::test]
async fn rebound_dns_name_is_blocked_when_connecting() {
    let trap = Trap::set().await;
    let world = public().start().await;
    let target = format!("http://rebind.example:{}/hooks", trap.port);
    const BAIT: &str = "93.184.215.14";
    let rebinding: [&'static [&'static [&'static str]]; 4] = [
        &[&[BAIT], &["127.0.0.1"]],
        &[&[BAIT], &["::1"]],
        &[&[BAIT], &["::ffff:127.0.0.1"]],
        &[&[BAIT], &[BAIT, "127.0.0.1"]],
    ];
    for answers in rebinding {
        let notifier = notifier(&world, leading(answers));
        let checked = notifier.check_webhook(&target).await;
        assert!(checked.is_ok(), "it was public then: {checked:?}");
        let test = tried(&notifier, &target).await;
        assert_eq!(test.outcome, "blocked", "{answers:?}: {:?}", test.answer);
    }
    let at_once: [&'static [&'static [&'static str]]; 3] = [
        &[&[BAIT, "127.0.0.1"]],
        &[&["::1", BAIT]],
        &[&["2606:4700:4700::1111", "169.254.169.254"]],
    ];
    for answers in at_once {
        let notifier = notifier(&world, leading(answers));
        assert!(
            notifier.check_webhook(&target).await.is_err(),
            "{answers:?}"
        );
        let test = tried(&notifier, &target).await;
        assert_eq!(test.outcome, "blocked", "{answers:?}: {:?}", test.answer);
    }
    trap.is_untouched().await;
    world.end().await;
}

#[tokio::test]
async fn unresolvable_name_is_a_dns_failure() {
    let world = public().start().await;
    let notifier = notifier(&world, leading(&[&[]]));
    let target = "http://nowhere.example/hooks";
    assert!(notifier.check_webhook(target).await.is_ok());
    let test = tried(&notifier, target).await;
    let why = test.answer;
    assert_eq!((test.outcome, test.status), ("dns", None), "{why:?}");
    world.end().await;
}

#[tokio::test]
async fn redirect_to_a_local_address_is_not_followed() {
    let trap = Trap::set().await;
    // The receiver is on this machine, so its redirects could reach local addresses too.
    let world = World::new()
        .nothing_imported()
        .without_index()
        .start()
        .await;
    let receiver = Receiver::start().await;
    let statuses = [300, 301, 302, 303, 307, 308];
    let places = [
        format!("http://127.0.0.1:{}/", trap.port),
        format!("http://[::1]:{}/", trap.port),
        format!("//localhost:{}/", trap.port),
        format!("http://127.1:{}/", trap.port),
        "file:///etc/passwd".to_owned(),
        "/elsewhere".to_owned(),
        "http://".to_owned(),
    ];
    for status in statuses {
        for place in &places {
            let head = format!(
                "HTTP/1.1 {status} Elsewhere\r\nlocation: {place}\r\nrefresh: 0;url={place}\r\ncontent-length: 0\r\n\r\n"
            );
            receiver.behave(move |_| Behaviour::Bytes(head.clone().into_bytes()));
            let url = receiver.url();
            let test = tried(&world.notifier, &url).await;
            assert_eq!(
                (test.outcome, test.status),
                ("http_error", Some(status)),
                "{place}"
            );
            assert_eq!(receiver.take().len(), 1, "{place}");
        }
    }
    trap.is_untouched().await;
    world.end().await;
}

#[tokio::test]
async fn proxies_of_the_environment_are_ignored() {
    let (trap, receiver) = (Trap::set().await, Receiver::start().await);
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let config = folder.path().join("lustra.toml");
    let (data, components) = (folder.path().join("data"), folder.path().join("components"));
    std::fs::create_dir_all(&components).expect("tests can write temporary files");
    let text = format!(
        "listen = \"127.0.0.1:0\"\ndata = {data:?}\ncomponents = {components:?}\n[operator]\non = false\n\
         [imports]\nscheduled = false\n[reload]\nwatch = false\n[notifications]\nallow_loopback = true\n"
    );
    std::fs::write(&config, text).expect("tests can write temporary files");
    let file = config.display().to_string();
    let of_key = [
        "key",
        "create",
        "--config",
        &file,
        "--account",
        "acme",
        "--plan",
        "business",
    ];
    let key = lustra(&of_key).await.printed().trim().to_owned();
    let proxy = format!("http://127.0.0.1:{}", trap.port);
    let names = [
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ];
    let mut host = Command::new(program())
        .args(["serve", "--config", &file])
        .envs(names.map(|name| (name, &proxy)))
        .env_remove("no_proxy")
        .env_remove("NO_PROXY")
        .env("RUST_LOG", "lustra=info")
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("it was just built");
    let mut log = BufReader::new(host.stderr.take().expect("it was asked for")).lines();
    let mut lines: Vec<String> = Vec::new();
    let url = loop {
        let line = log
            .next_line()
            .await
            .expect("text")
            .expect("it says where it serves");
        if let Some((_, rest)) = line.split_once("serving on ") {
            break rest.split([',', ' ']).next().unwrap_or_default().to_owned();
        }
        lines.push(line);
    };
    tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
    let request = client()
        .post(format!("{url}/notifications/test"))
        .header("x-api-key", key)
        .json(&json!({ "webhook_url": receiver.url() }));
    let answer = answered(request).await;
    assert_eq!(answer.at("/delivered"), true, "{} {lines:?}", answer.body);
    let received: Vec<Value> = receiver.take().iter().map(Received::json).collect();
    assert_eq!(received[0]["test"], true);
    trap.is_untouched().await;
    host.kill().await.expect("it is ours");
}
