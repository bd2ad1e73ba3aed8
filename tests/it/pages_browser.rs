//! The pages for people in headless Chromium: by keyboard, without scripts, on a narrow screen, and checked by axe.
//!
//! With `LUSTRA_SCREENSHOTS=DIR`, `pages_are_accessible_and_fit_every_screen` writes a picture of every page in both
//! languages and widths, and as it is printed, to that folder. Without Chromium, or axe-core from npm, the tests print
//! so and pass.

use std::path::PathBuf;

use lustra_tests::World;
use serde_json::Value;

use crate::browser::driver::Browser;
use crate::browser::{chromium, npm_file};
use crate::support::reading;

/// The checker of accessibility on npm.
pub const AXE: (&str, &str, &str) = ("axe-core", "4.14.1", "axe-core/axe.min.js");

/// Widths of a phone and of a desk's screen.
pub const WIDTHS: [u32; 2] = [360, 1_280];

/// Width of a sheet between its margins.
const PRINTED_WIDTH: u32 = 720;

/// Runs a test with a browser, in a thread of its own. Skipped without a browser.
pub async fn browsing<T: Send + 'static>(
    test: impl FnOnce(&mut Browser) -> T + Send + 'static,
) -> Option<T> {
    let chromium = chromium()?;
    let run = tokio::task::spawn_blocking(move || {
        let mut browser = Browser::start(chromium);
        browser.resize(1_280, 900);
        test(&mut browser)
    });
    Some(run.await.expect("the test in the browser passes"))
}

/// Every kind of page: a name and a path.
fn pages(world: &World) -> Vec<(&'static str, String)> {
    let company = |place: usize| format!("/company/{}", world.icos[place]);
    vec![
        ("home", "/".to_owned()),
        ("results", "/?q=vzor".to_owned()),
        ("no-results", "/?q=qqqqqqq".to_owned()),
        ("company", company(0)),
        ("sole-trader", company(3)),
        ("ended-company", company(4)),
        ("debtor", company(5)),
        ("status", "/status".to_owned()),
        ("invalid-number", "/company/12".to_owned()),
        ("no-company", "/company/00000000".to_owned()),
        // A name that the company had before, as the register of legal persons writes it.
        ("former-name", "/?q=vzorostav+sro".to_owned()),
    ]
}

#[test]
fn printed_company_is_a_report_with_its_sources() {
    reading(async |world| {
        let (url, ico) = (world.url(), world.icos[0].clone());
        browsing(move |browser| {
            browser.resize(PRINTED_WIDTH, 800);
            browser.open(&format!("{url}/company/{ico}?lang=sk"));
            let shown = |browser: &mut Browser, selector: &str| {
                let script = format!(
                    "[...document.querySelectorAll('{selector}')].filter(one => one.checkVisibility({{contentVisibilityAuto: true}})).length"
                );
                browser.value(&script).as_u64().expect("a number")
            };
            // On the screen long lists are folded; printed, nothing is hidden behind a click.
            let folded = shown(browser, "details li, details tr");
            browser.printed(true);
            for hidden in ["header", "nav", ".no-print", "button", ".skip"] {
                assert_eq!(shown(browser, hidden), 0, "{hidden}");
            }
            assert!(shown(browser, "h1") == 1 && shown(browser, ".facts") > 0);
            assert!(shown(browser, "details li, details tr") >= folded);
            let all = browser.value("document.querySelectorAll('details li, details tr').length");
            assert_eq!(Some(shown(browser, "details li, details tr")), all.as_u64());
            let text = browser.value("document.body.innerText");
            let text = text.as_str().expect("a text");
            assert!(text.contains("Register právnických osôb"), "{text}");
            let is_cut = browser.value("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(is_cut, false, "the report is wider than its paper");
        })
        .await;
    });
}

#[test]
fn search_is_used_by_keyboard_alone() {
    reading(async |world| {
        let (url, ico) = (world.url(), world.icos[0].clone());
        browsing(move |browser| {
            browser.open(&format!("{url}/?lang=sk"));
            browser.wait_until_keys_work();
            // The first key leads to the link that skips the navigation.
            browser.press("Tab", 9);
            assert_eq!(browser.value("document.activeElement.className"), "skip");
            browser.value("document.getElementById('q').focus()");
            browser.insert("vzorostav cuc");
            browser.value(
                "new Promise(done => { const list = document.getElementById('suggestions'); \
                 const look = () => list.querySelector('[data-ico]') && done(); \
                 new MutationObserver(look).observe(list, { childList: true }); look(); })",
            );
            browser.press("ArrowDown", 40);
            let active = browser.value(
                "document.getElementById(document.getElementById('q').getAttribute('aria-activedescendant')).dataset.ico",
            );
            assert_eq!(active, Value::from(ico.as_str()));
            browser.press("Enter", 13);
            browser.wait_until_loaded();
            assert_eq!(browser.value("location.pathname"), format!("/company/{ico}"));
        })
        .await;
    });
}

#[test]
fn search_works_without_scripts() {
    reading(async |world| {
        let (url, ico) = (world.url(), world.icos[0].clone());
        browsing(move |browser| {
            browser.without_scripts();
            browser.open(&format!("{url}/?lang=en"));
            browser.value("document.getElementById('q').focus()");
            browser.insert("vzorostav cuc");
            browser.press("Enter", 13);
            browser.wait_until_loaded();
            let link = format!("document.querySelector('a[href=\"/company/{ico}\"]')");
            assert_eq!(browser.value(&format!("{link} !== null")), true);
            browser.value(&format!("{link}.focus()"));
            browser.press("Enter", 13);
            browser.wait_until_loaded();
            assert_eq!(
                browser.value("location.pathname"),
                format!("/company/{ico}")
            );
            let heading = browser.value("document.querySelector('h1').textContent");
            assert!(
                heading
                    .as_str()
                    .is_some_and(|name| name.contains("Vzorostav")),
                "{heading}"
            );
        })
        .await;
    });
}

/// Checks a page and returns what is wrong with it.
pub fn checked(browser: &mut Browser, axe: &str) -> Vec<String> {
    let mut wrong = too_wide(browser);
    browser.value(&format!("{axe}; undefined"));
    let found = browser.value(
        "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.map(one => \
         one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html.slice(0, 200)).join(' | ')))",
    );
    let found = found.as_array().expect("a list of findings");
    wrong.extend(found.iter().map(|one| format!("axe: {one}")));
    wrong
}

/// Whether a page is wider than the screen, as a list with at most one complaint.
fn too_wide(browser: &mut Browser) -> Vec<String> {
    let by = browser
        .value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
    let is_wide = by != 0;
    is_wide
        .then(|| format!("wider than the screen by {by}"))
        .into_iter()
        .collect()
}

#[test]
fn pages_are_accessible_and_fit_every_screen() {
    reading(async |world| {
        let (name, version, file) = AXE;
        let Some(axe) = npm_file(name, version, file) else {
            return;
        };
        let axe = std::fs::read_to_string(axe).expect("it was unpacked");
        let folder = std::env::var_os("LUSTRA_SCREENSHOTS").map(PathBuf::from);
        let (url, pages) = (world.url(), pages(world));
        let wrong = browsing(move |browser| {
            let mut wrong = Vec::new();
            for (name, path) in pages {
                for language in ["sk", "en"] {
                    let separator = if path.contains('?') { '&' } else { '?' };
                    let address = format!("{url}{path}{separator}lang={language}");
                    for width in WIDTHS {
                        browser.resize(width, 800);
                        browser.open(&address);
                        if let Some(folder) = &folder {
                            std::fs::create_dir_all(folder).expect("the folder can be written");
                            let file = folder.join(format!("{name}-{language}-{width}.png"));
                            std::fs::write(file, browser.screenshot()).expect("it can be written");
                            if width == WIDTHS[1] {
                                browser.resize(PRINTED_WIDTH, 800);
                                browser.printed(true);
                                let file = folder.join(format!("{name}-{language}-print.png"));
                                let picture = browser.screenshot();
                                std::fs::write(file, picture).expect("it can be written");
                                browser.printed(false);
                                browser.resize(width, 800);
                            }
                        }
                        // What axe finds depends on the language or on the width, so two of the four pairs are enough.
                        let found = match (language, width == WIDTHS[0]) {
                            ("sk", true) | ("en", false) => checked(browser, &axe),
                            _ => too_wide(browser),
                        };
                        wrong.extend(
                            found
                                .iter()
                                .map(|one| format!("{name} {language} {width}: {one}")),
                        );
                    }
                }
            }
            wrong
        });
        let wrong = wrong.await.unwrap_or_default();
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}
