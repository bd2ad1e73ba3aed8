//! The account's pages in headless Chromium: signing in and making a key with and without scripts, and axe.
//!
//! With `LUSTRA_SCREENSHOTS=DIR`, `account_pages_are_accessible` writes a picture of every page in both widths, in
//! Slovak with light colours and in English with dark ones, to that folder. Without Chromium, or axe-core from npm, the
//! tests print so and pass.

use std::path::PathBuf;

use lustra_tests::lustra::store::MemberRole;
use lustra_tests::{Behaviour, Receiver, World, answered};
use serde_json::{Value, json};

use crate::account_support::{member, new_link};
use crate::browser::driver::Browser;
use crate::browser::npm_file;
use crate::notifications_support::{deliveries, officer_replaced, watch};
use crate::owner_keys::managing_key;
use crate::pages_browser::{AXE, WIDTHS, browsing, checked};

async fn world() -> World {
    let world = World::new().companies(12).nothing_imported();
    world.without_index().start().await
}

/// Presses the button of a form by keyboard and waits for the next page.
fn submit(browser: &mut Browser, button: &str) {
    browser.value(&format!("document.querySelector('{button}').focus()"));
    browser.press("Enter", 13);
    browser.wait_until_loaded();
}

/// Fills a field in.
fn fill(browser: &mut Browser, field: &str, text: &str) {
    browser.value(&format!("document.getElementById('{field}').focus()"));
    browser.insert(text);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_is_made_with_and_without_scripts() {
    let world = world().await;
    let account = world.account().await.id;
    let eva = member(&world, account, "eva@mlyn.example", MemberRole::Owner).await;
    for has_scripts in [true, false] {
        let (url, token) = (world.url(), new_link(&world, eva).await);
        browsing(move |browser| {
            if !has_scripts {
                browser.without_scripts();
            }
            browser.open(&format!("{url}/account/sign-in/link?token={token}&lang=sk"));
            submit(browser, "main button");
            assert_eq!(browser.value("location.pathname"), "/account");
            browser.open(&format!("{url}/account/keys"));
            fill(browser, "name", "web shop");
            submit(browser, "main form[action=\"/account/keys\"] button");
            let secret = browser.value("document.getElementById('secret').textContent");
            let secret = secret.as_str().expect("a secret").to_owned();
            assert!(secret.starts_with("lst_live_"), "{secret}");
            // Going back and forward does not make another key.
            browser.open(&format!("{url}/account/keys"));
            let body = browser.value("document.body.textContent");
            let body = body.as_str().expect("a text");
            assert!(body.contains("web shop") && !body.contains(&secret));
            submit(browser, "form[action=\"/account/sign-out\"] button");
            assert_eq!(browser.value("location.pathname"), "/account/sign-in");
        })
        .await;
    }
    world.end().await;
}

/// The account's pages: a name and a path.
fn pages(key: i64) -> Vec<(&'static str, String)> {
    let plain = [
        ("overview", "/account"),
        ("keys", "/account/keys"),
        ("people", "/account/people"),
        ("ledger", "/account/ledger"),
        ("plan", "/account/plan"),
        ("try", "/account/try"),
        ("choose", "/account/choose"),
        ("sign-in", "/account/sign-in"),
        ("link-ended", "/account/sign-in/link"),
        ("no-key", "/account/keys/0"),
    ];
    let pages = plain.map(|(name, path)| (name, path.to_owned()));
    let mut pages = pages.to_vec();
    pages.push(("key", format!("/account/keys/{key}")));
    pages
}

/// Makes a watched company with deliveries, a report on a list and a batch. Returns their pages.
async fn watched_pages(world: &World) -> Vec<(&'static str, String)> {
    let receiver = Receiver::behaving(|_| Behaviour::Status(500)).await;
    let ico = &world.icos[0];
    let body = json!({
        "ico": ico, "webhook_url": receiver.url(), "notification_emails": ["risk@mlyn.example"],
    });
    let id = watch(world, &body).await;
    officer_replaced(world, ico).await;
    world.send_due().await;
    let delivery = deliveries(world, &id).await.remove(0);
    let file = format!("{ico}\n{}\nrubbish\n{ico}\n", world.icos[1]);
    let sent = async |path: &str| {
        let request = world.posting(path).header("content-type", "text/csv");
        answered(request.body(file.clone())).await
    };
    let import = sent("/v1/notifications/imports?notification_emails=a@mlyn.example").await;
    let batch = sent("/v1/batch/ico?scope=tax,debtor_status").await;
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    let (import, batch) = (
        text(import.at("/meta/id")),
        text(batch.at("/meta/batch_id")),
    );
    let delivery = text(&delivery["id"]);
    vec![
        ("watching", "/account/watching".to_owned()),
        ("watched", format!("/account/watching/{ico}")),
        ("import", format!("/account/watching/imports/{import}")),
        ("delivery", format!("/account/deliveries/{delivery}")),
        ("deliveries", "/account/deliveries".to_owned()),
        ("deliveries-wrong", "/account/deliveries?ico=12".to_owned()),
        ("events", "/account/events".to_owned()),
        ("files", "/account/files".to_owned()),
        ("file", format!("/account/files/{batch}")),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn company_is_watched_with_and_without_scripts() {
    let world = world().await;
    let account = world.account().await.id;
    let eva = member(&world, account, "eva@mlyn.example", MemberRole::Owner).await;
    for (has_scripts, place) in [(true, 0), (false, 1)] {
        let (url, token) = (world.url(), new_link(&world, eva).await);
        let ico = world.icos[place].clone();
        browsing(move |browser| {
            if !has_scripts {
                browser.without_scripts();
            }
            browser.open(&format!("{url}/account/sign-in/link?token={token}&lang=en"));
            submit(browser, "main button");
            browser.open(&format!("{url}/account/watching"));
            fill(browser, "list", &ico);
            fill(browser, "emails", "risk@mlyn.example");
            submit(browser, "form[enctype] button");
            let body = browser.value("document.body.textContent");
            let body = body.as_str().expect("a text");
            assert!(
                body.contains("The list is processed") && body.contains(&ico),
                "{body}"
            );
            browser.open(&format!("{url}/account/watching/{ico}"));
            submit(browser, "form[action$=\"/end\"] button");
            let body = browser.value("document.body.textContent");
            assert!(
                body.as_str()
                    .is_some_and(|body| body.contains("The subscription has ended"))
            );
        })
        .await;
    }
    world.end().await;
}

fn picture(browser: &mut Browser, folder: Option<&PathBuf>, name: &str) {
    let Some(folder) = folder else {
        return;
    };
    std::fs::create_dir_all(folder).expect("the folder can be written");
    let file = folder.join(format!("account-{name}.png"));
    std::fs::write(file, browser.screenshot()).expect("it can be written");
}

#[tokio::test(flavor = "multi_thread")]
async fn account_pages_are_accessible() {
    let (name, version, file) = AXE;
    let Some(axe) = npm_file(name, version, file) else {
        return;
    };
    let axe = std::fs::read_to_string(axe).expect("it was unpacked");
    let folder = std::env::var_os("LUSTRA_SCREENSHOTS").map(PathBuf::from);
    let world = world().await;
    managing_key(&world).await;
    let ico = &world.icos[0];
    for _ in 0..3 {
        world.get(&format!("/v1/company/ico/{ico}")).await;
    }
    let account = world.account().await.id;
    let eva = member(&world, account, "eva@mlyn.example", MemberRole::Owner).await;
    member(&world, account, "jan@mlyn.example", MemberRole::Developer).await;
    let keys = world.store.keys_of(account).list().await;
    let mut pages = pages(keys.expect("the store is there")[0].id);
    pages.extend(watched_pages(&world).await);
    let (url, token) = (world.url(), new_link(&world, eva).await);
    let wrong = browsing(move |browser| {
        let mut wrong = Vec::new();
        let mut check = |browser: &mut Browser, name: &str| {
            let found = checked(browser, &axe);
            wrong.extend(found.iter().map(|one| format!("{name}: {one}")));
        };
        browser.open(&format!("{url}/account/sign-in/link?token={token}"));
        check(browser, "link");
        submit(browser, "main button");
        for (name, path) in pages {
            // Colours do not depend on the language.
            for (language, scheme) in [("sk", "light"), ("en", "dark")] {
                for width in WIDTHS {
                    let name = format!("{name}-{language}-{width}-{scheme}");
                    browser.colours(scheme);
                    browser.resize(width, 800);
                    let separator = if path.contains('?') { '&' } else { '?' };
                    browser.open(&format!("{url}{path}{separator}lang={language}"));
                    picture(browser, folder.as_ref(), &name);
                    check(browser, &name);
                }
            }
        }
        browser.open(&format!("{url}/account/try?lang=sk"));
        fill(browser, "ico", "12");
        submit(browser, "form[action=\"/account/try\"] button");
        picture(browser, folder.as_ref(), "wrong");
        check(browser, "wrong");
        browser.open(&format!("{url}/account/keys?lang=sk"));
        fill(browser, "name", "shop");
        submit(browser, "main form[action=\"/account/keys\"] button");
        check(browser, "secret");
        wrong
    });
    let wrong = wrong.await.unwrap_or_default();
    assert!(wrong.is_empty(), "{wrong:#?}");
    world.end().await;
}
