//! Every message is sent once, despite failing servers and hosts.

mod files;

use std::time::Duration;

use lustra_tests::lustra::config::{Config, Secret};
use lustra_tests::lustra::store::{MailOutcome, MailState, NewMail};
use lustra_tests::{Builder, DatabaseKind, Mailbox, Mood, ReceivedEmail, World};

const RECIPIENT: &str = "Jana.Nová@firma.sk";
const PLAIN: &str = "jana@firma.sk";
const OCCASION: &str = "threshold:1";

/// A host that sends to this server. Lists are not needed.
fn sending(url: String) -> impl Fn(DatabaseKind) -> Builder {
    move |kind| {
        let url = url.clone();
        World::new()
            .on(kind)
            .nothing_imported()
            .without_index()
            .settings(move |config| {
                config.mail.smtp = Some(Secret::new(url));
                config.mail.from = "Ľustra <info@lustra.example>".to_owned();
            })
    }
}

/// A world on each kind of database, each with its own server.
async fn with_mailbox(body: impl AsyncFn(&World, &Mailbox)) {
    for kind in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let mailbox = Mailbox::start().await;
        if let Some(world) = sending(mailbox.url())(kind).start_if_possible().await {
            Box::pin(body(&world, &mailbox)).await;
            world.end().await;
        }
    }
}

async fn add(world: &World, occasion: &str, recipient: &str) {
    let mail = NewMail {
        occasion: occasion.to_owned(),
        recipient: recipient.to_owned(),
        subject: "Lustra: 80 % of the credits of Mäkčeň & spol. are used".to_owned(),
        body: "Dobrý deň,\n\n.\n80 % of the credits are used.\n".to_owned(),
        sealed: false,
        account: None,
        created_at: world.now(),
    };
    let added = world.store.mail().add(&mail).await;
    added.expect("the store is there");
}

async fn state(world: &World, recipient: &str) -> MailState {
    let state = world.store.mail().state(OCCASION, recipient).await;
    state.expect("the store is there").expect("it was added")
}

async fn waiting(world: &World) -> i64 {
    let waiting = world.store.mail().waiting().await;
    waiting.expect("the store is there")
}

/// The failure of a message that is not retried.
async fn failed(world: &World, recipient: &str) -> String {
    let state = state(world, recipient).await;
    assert_eq!((state.due_at, state.sent_at), (None, None), "{state:?}");
    assert!(state.failed_at.is_some(), "{state:?}");
    state.failure.expect("it says why")
}

/// The failure of a message that is retried in this many seconds. The clock keeps running meanwhile.
async fn later(world: &World, recipient: &str, after: std::ops::RangeInclusive<i64>) -> String {
    let state = state(world, recipient).await;
    assert_eq!((state.sent_at, state.failed_at), (None, None), "{state:?}");
    let due_at = state.due_at.expect("it is tried again");
    let seconds = (due_at - world.now()).whole_seconds();
    assert!(after.contains(&seconds), "{seconds} s");
    state.failure.expect("it says why")
}

fn header(message: &ReceivedEmail, name: &str) -> String {
    message
        .header(name)
        .unwrap_or_else(|| panic!("no {name} in {}", message.text))
}

#[tokio::test]
async fn message_arrives_with_its_headers() {
    with_mailbox(async |world, mailbox| {
        add(world, OCCASION, PLAIN).await;
        add(world, OCCASION, PLAIN).await;
        assert_eq!(waiting(world).await, 1, "the same message is queued once");
        assert!(world.mail_step().await);
        assert!(!world.mail_step().await);
        let messages = mailbox.emails();
        let [message] = messages.as_slice() else {
            panic!("one message: {messages:?}");
        };
        assert_eq!(message.from, "info@lustra.example");
        assert_eq!(message.to, [PLAIN]);
        let id = header(message, "Message-ID");
        let name = id
            .strip_prefix('<')
            .and_then(|id| id.strip_suffix("@lustra.example>"));
        assert!(name.is_some_and(|name| name.len() == 32), "{id}");
        for (name, value) in [
            ("From", "=?utf-8?b?xL11c3RyYQ==?= <info@lustra.example>"),
            ("To", PLAIN),
            (
                "Subject",
                "Lustra: 80 % of the credits of =?utf-8?b?TcOka8SNZcWI?= & spol. are used",
            ),
            ("Auto-Submitted", "auto-generated"),
            ("MIME-Version", "1.0"),
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Content-Transfer-Encoding", "quoted-printable"),
        ] {
            assert_eq!(header(message, name), value, "{}", message.text);
        }
        let date = header(message, "Date");
        let today = date.starts_with("Thu, 15 Jan 2026 08:") && date.ends_with(" +0000");
        assert!(today, "{date}");
        assert_eq!(
            message.body(),
            "Dobr=C3=BD de=C5=88,\r\n\r\n.\r\n80 % of the credits are used.\r\n"
        );
        let state = state(world, PLAIN).await;
        assert!(state.sent_at.is_some());
        assert_eq!((state.due_at, state.failure), (None, None));
    })
    .await;
}

#[tokio::test]
async fn temporary_rejection_is_retried() {
    with_mailbox(async |world, mailbox| {
        add(world, OCCASION, PLAIN).await;
        mailbox.next(Mood::Answer(451));
        mailbox.next(Mood::Answer(451));
        assert!(world.mail_step().await);
        let failure = later(world, PLAIN, 30..=72).await;
        assert!(failure.contains("451"), "{failure}");
        assert!(!failure.contains(PLAIN), "{failure}");
        assert!(!world.mail_step().await, "not yet");
        world.advance(1);
        assert!(world.mail_step().await);
        later(world, PLAIN, 200..=360).await;
        world.advance(1);
        assert!(world.mail_step().await);
        assert_eq!(mailbox.emails().len(), 1);
        assert!(state(world, PLAIN).await.sent_at.is_some());
    })
    .await;
}

#[tokio::test]
async fn permanent_rejection_is_not_retried() {
    with_mailbox(async |world, mailbox| {
        add(world, OCCASION, PLAIN).await;
        add(world, "another", PLAIN).await;
        mailbox.next(Mood::Answer(550));
        assert!(world.mail_step().await);
        let failure = failed(world, PLAIN).await;
        assert!(failure.contains("550"), "{failure}");
        assert!(!failure.contains(PLAIN), "{failure}");
        assert!(world.mail_step().await);
        assert_eq!(
            (mailbox.emails().len(), mailbox.connections()),
            (1, 1),
            "the refusal of one message does not affect the next"
        );
        world.advance(1);
        assert!(!world.mail_step().await);
    })
    .await;
}

#[tokio::test]
async fn broken_connection_is_retried() {
    with_mailbox(async |world, mailbox| {
        add(world, OCCASION, PLAIN).await;
        mailbox.next(Mood::Close);
        assert!(world.mail_step().await);
        later(world, PLAIN, 30..=72).await;
        world.advance(1);
        assert!(world.mail_step().await);
        assert_eq!((mailbox.emails().len(), mailbox.connections()), (1, 2));
    })
    .await;
}

#[tokio::test]
async fn silent_server_times_out_and_is_disconnected() {
    let mailbox = Mailbox::start().await;
    let world = sending(mailbox.url())(DatabaseKind::Sqlite)
        .settings(|config| config.mail.seconds = 1)
        .start()
        .await;
    add(&world, OCCASION, PLAIN).await;
    mailbox.next(Mood::Silence);
    assert!(world.mail_step().await);
    let failure = later(&world, PLAIN, 30..=72).await;
    assert!(failure.contains("1 s"), "{failure}");
    world.advance(1);
    assert!(world.mail_step().await);
    assert_eq!((mailbox.emails().len(), mailbox.connections()), (1, 2));
    world.end().await;
}

#[tokio::test]
async fn message_is_given_up_after_its_last_attempt() {
    let mailbox = Mailbox::start().await;
    let world = sending(mailbox.url())(DatabaseKind::Sqlite)
        .settings(|config| config.mail.attempts = 3)
        .start()
        .await;
    add(&world, OCCASION, PLAIN).await;
    for _ in 0..3 {
        mailbox.next(Mood::Answer(452));
        assert!(world.mail_step().await);
        world.advance(1);
    }
    assert!(!world.mail_step().await);
    let failure = failed(&world, PLAIN).await;
    assert!(
        failure.contains("3 attempts") && failure.contains("452"),
        "{failure}"
    );
    assert_eq!(waiting(&world).await, 0);
    world.end().await;
}

#[tokio::test]
async fn messages_of_a_dead_host_are_sent_by_another() {
    with_mailbox(async |world, mailbox| {
        add(world, OCCASION, PLAIN).await;
        let neighbour = world.neighbour().await;
        // The host crashes in the middle of a session.
        mailbox.next(Mood::Silence);
        let mailer = neighbour.mailer.clone();
        let dying = tokio::spawn(async move { mailer.step().await });
        mailbox.silenced().await;
        dying.abort();
        assert!(!world.mail_step().await, "the claim of the dead host holds");
        world.advance(1);
        // Another host only seemed dead and resumes after the message was sent.
        let mails = world.store.mail();
        let claimed = mails.claim(Duration::from_secs(60), world.now()).await;
        let claimed = claimed.expect("the store is there").expect("it is due");
        assert_eq!(claimed.attempt, 2);
        world.advance(1);
        assert!(world.mail_step().await);
        let why = "too late".to_owned();
        let finished = mails
            .finish(&claimed, &MailOutcome::Failed { why }, world.now())
            .await;
        assert!(!finished.expect("the store is there"));
        assert!(state(world, PLAIN).await.sent_at.is_some());
        assert_eq!(mailbox.emails().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn two_hosts_send_each_message_once() {
    with_mailbox(async |world, mailbox| {
        let mut recipients: Vec<String> = (0..20).map(|n| format!("n{n:02}@firma.sk")).collect();
        for recipient in &recipients {
            add(world, OCCASION, recipient).await;
        }
        let neighbour = world.neighbour().await;
        tokio::join!(async { while world.mail_step().await {} }, async {
            while neighbour.mail_step().await {}
        },);
        let messages = mailbox.emails();
        let mut sent: Vec<String> = messages
            .iter()
            .flat_map(|message| message.to.clone())
            .collect();
        sent.sort_unstable();
        recipients.sort_unstable();
        assert_eq!(sent, recipients);
        assert_eq!(waiting(world).await, 0);
        assert!(mailbox.connections() <= 2, "one for all of a host's");
    })
    .await;
}

#[tokio::test]
async fn message_sent_twice_keeps_its_message_id() {
    let mailbox = Mailbox::start().await;
    let world = sending(mailbox.url())(DatabaseKind::Sqlite).start().await;
    add(&world, OCCASION, PLAIN).await;
    mailbox.next(Mood::TakeAndClose);
    assert!(world.mail_step().await);
    later(&world, PLAIN, 30..=72).await;
    world.advance(1);
    add(&world, "another", PLAIN).await;
    while world.mail_step().await {}
    let messages = mailbox.emails();
    let ids: Vec<String> = messages
        .iter()
        .map(|message| header(message, "Message-ID"))
        .collect();
    assert_eq!(ids.len(), 3);
    assert_eq!(ids[0], ids[1]);
    assert_ne!(ids[1], ids[2]);
    world.end().await;
}

#[tokio::test]
async fn hostile_recipient_is_never_sent_to() {
    let mailbox = Mailbox::start().await;
    let world = sending(mailbox.url())(DatabaseKind::Sqlite).start().await;
    let hostile = [
        "jana@firma.sk\r\nRCPT TO:<all@firma.sk>",
        "jana@firma.sk\nBcc: all@firma.sk",
        "jana@firma.sk>\r\nDATA",
        "jana@firma.sk, all@firma.sk",
        "Jana <jana@firma.sk>",
        "no-domain",
        "",
    ];
    for recipient in hostile {
        add(&world, OCCASION, recipient).await;
    }
    // The server supports only ASCII, which is a permanent failure of the message, not of the server.
    add(&world, OCCASION, RECIPIENT).await;
    while world.mail_step().await {}
    for recipient in hostile.into_iter().chain([RECIPIENT]) {
        let failure = failed(&world, recipient).await;
        assert!(!failure.contains("firma"), "{failure}");
    }
    assert!(mailbox.emails().is_empty());
    let heard = mailbox.heard();
    assert!(
        heard
            .iter()
            .all(|line| !line.starts_with("RCPT") && !line.starts_with("DATA")),
        "{heard:?}"
    );
    world.end().await;
}

#[tokio::test]
async fn refused_password_loses_no_message() {
    let mailbox = Mailbox::start().await;
    let url = mailbox.url_of("lustra", "p%40ss");
    let world = sending(url)(DatabaseKind::Sqlite).start().await;
    add(&world, OCCASION, PLAIN).await;
    mailbox.refuse_login(true);
    assert!(world.mail_step().await);
    let failure = later(&world, PLAIN, 30..=72).await;
    assert!(failure.contains("535"), "{failure}");
    mailbox.refuse_login(false);
    world.advance(1);
    assert!(world.mail_step().await);
    assert_eq!(mailbox.emails().len(), 1);
    // "\0lustra\0p@ss" in base64.
    let login = "AUTH PLAIN AGx1c3RyYQBwQHNz".to_owned();
    assert!(mailbox.heard().contains(&login), "{:?}", mailbox.heard());
    world.end().await;
}

#[tokio::test]
async fn server_without_required_tls_gets_no_message() {
    let mailbox = Mailbox::start().await;
    let url = format!("{}?tls=required", mailbox.url_of("lustra", "secret"));
    let world = sending(url)(DatabaseKind::Sqlite).start().await;
    add(&world, OCCASION, PLAIN).await;
    assert!(world.mail_step().await);
    later(&world, PLAIN, 30..=72).await;
    let heard = mailbox.heard();
    assert!(
        heard.iter().all(|line| line.starts_with("EHLO")),
        "{heard:?}"
    );
    world.end().await;
}

#[test]
fn mail_server_settings_are_checked_at_start() {
    let text = "[mail]\nsmtp = \"smtps://lustra@mail.example\"\n";
    let mistakes = Config::read(text, |_| None).expect_err("there is no password");
    assert!(mistakes.to_string().contains("mail.smtp"), "{mistakes}");
}
