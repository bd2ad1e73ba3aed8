//! The operator's forms in headless Chromium: lists, versions, the ledger and the audit log, with axe.
//!
//! With `LUSTRA_SCREENSHOTS=DIR`, `operator_forms_are_accessible` writes a picture of every page in both languages,
//! widths and colour schemes to that folder.

use std::path::PathBuf;

use lustra_tests::lustra::context::Context;
use lustra_tests::lustra::operator::QueueRecorder;
use lustra_tests::lustra::store::QueueSample;
use lustra_tests::{DatabaseKind, World};

use crate::account_support::Visitor;
use crate::browser::driver::Browser;
use crate::browser::npm_file;
use crate::operator_lists::{FORM, digest, list_of, published, rows, sent, with_file};
use crate::pages_browser::{AXE, WIDTHS, browsing, checked};
use crate::workers::until;

/// Samples of a day: a hill of deliveries, a gap of two hours, and quiet queues.
async fn sampled(world: &World) {
    let context = Context::new(world.store.clone(), world.clock(), world.config());
    let recorder = QueueRecorder::new(context, "tests".to_owned());
    recorder.step().await.expect("the store is there");
    let samples = world.store.queue_samples();
    let newest = samples.since(time::OffsetDateTime::UNIX_EPOCH).await;
    let now = newest.expect("the store is there")[0].at;
    for number in 1..280_i64 {
        if (100..124).contains(&number) {
            continue;
        }
        let sample = QueueSample {
            at: now - time::Duration::minutes(5 * number),
            deliveries: (140 - (number - 140).abs()) * 9,
            mail: number % 7,
            batches: i64::from(number > 200) * 40,
            events: 0,
        };
        let put = samples.put(&sample, sample.at).await;
        put.expect("the store is there");
    }
}

/// A list that was taken, one that waits, and one without a file.
async fn prepared(world: &World, visitor: &Visitor) {
    for until in ["31.12.2026", "31.12.2027"] {
        let page = sent(visitor, &list_of(&rows(until))).await;
        let fields = [("digest", digest(&page))];
        visitor.post(&format!("{FORM}/take"), &fields).await;
    }
    published(world, 10, 2).await;
    visitor.post("/actions/ledger", &[]).await;
    until(
        || visitor.page("/ledger"),
        |page| !page.contains("data-live"),
    )
    .await;
    visitor.post("/actions/workers/nothing", &[]).await;
    sampled(world).await;
}

fn picture(browser: &mut Browser, folder: Option<&PathBuf>, name: &str) {
    let Some(folder) = folder else {
        return;
    };
    std::fs::create_dir_all(folder).expect("it can be written");
    let file = folder.join(format!("{name}.png"));
    std::fs::write(file, browser.screenshot()).expect("it can be written");
}

/// Opens pages in both languages, widths and colour schemes. Returns what is wrong with them.
pub async fn looked_at(url: String, pages: &'static [(&str, &str)]) -> Vec<String> {
    let (name, version, file) = AXE;
    let Some(axe) = npm_file(name, version, file) else {
        return Vec::new();
    };
    let axe = std::fs::read_to_string(axe).expect("it was unpacked");
    let folder = std::env::var_os("LUSTRA_SCREENSHOTS").map(PathBuf::from);
    let wrong = browsing(move |browser| {
        let mut wrong = Vec::new();
        for (name, path) in pages {
            for (language, scheme) in [("sk", "light"), ("en", "dark")] {
                for width in WIDTHS {
                    let name = format!("operator-{name}-{language}-{width}");
                    browser.colours(scheme);
                    browser.resize(width, 800);
                    browser.open(&format!("{url}{path}?lang={language}"));
                    picture(browser, folder.as_ref(), &name);
                    let found = checked(browser, &axe);
                    wrong.extend(found.iter().map(|one| format!("{name}: {one}")));
                }
            }
        }
        wrong
    });
    wrong.await.unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_forms_are_accessible() {
    let world = with_file(DatabaseKind::Sqlite).start().await;
    let visitor = Visitor::at(world.operator_url());
    prepared(&world, &visitor).await;
    sent(&visitor, &list_of(&rows("31.12.2028"))).await;
    let mut wrong = looked_at(
        world.operator_url(),
        &[
            ("plots", "/"),
            ("list-accepted", "/sources/security-licences"),
            ("list-lines", "/sources/employers"),
            ("ledger", "/ledger"),
            ("audit", "/audit"),
            ("problem", "/sources/nothing"),
        ],
    )
    .await;
    sent(&visitor, b"nothing;of\nthis;fits\n").await;
    let rejected = looked_at(
        world.operator_url(),
        &[("list-rejected", "/sources/security-licences")],
    );
    wrong.extend(rejected.await);
    assert!(wrong.is_empty(), "{wrong:#?}");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_taken_without_scripts() {
    let world = with_file(DatabaseKind::Sqlite).start().await;
    let visitor = Visitor::at(world.operator_url());
    sent(&visitor, &list_of(&rows("31.12.2027"))).await;
    let url = world.operator_url();
    browsing(move |browser| {
        browser.without_scripts();
        browser.open(&format!("{url}/sources/security-licences?lang=en"));
        browser.value("document.querySelector('form[action$=\"/take\"] button').focus()");
        browser.press("Enter", 13);
        browser.wait_until_loaded();
        let note = browser.value("document.querySelector('.note').textContent");
        assert!(
            note.as_str()
                .is_some_and(|note| note.contains("The file is replaced")),
            "{note}"
        );
        browser.open(&format!("{url}/ledger?lang=en"));
        browser.value("document.querySelector('main form button').focus()");
        browser.press("Enter", 13);
        browser.wait_until_loaded();
        assert_eq!(browser.value("location.pathname"), "/ledger");
    })
    .await;
    world.end().await;
}
