//! The pages for people, over HTTP: languages, headers, errors, and that they say what the API says.

use lustra_tests::lustra::config::Lookup;
use lustra_tests::register_simulator::{Fault, Register};
use lustra_tests::{Answer, World};
use reqwest::Method;
use tokio::sync::OnceCell;

use crate::support::reading;

pub const SLOVAK: [(&str, &str); 2] = [("accept", "text/html"), ("accept-language", "sk,en;q=0.5")];
const ENGLISH: [(&str, &str); 2] = [("accept", "text/html"), ("accept-language", "en-GB")];

/// The text of a page; checks its type.
fn html(answer: &Answer) -> &str {
    let kind = answer.header("content-type");
    assert_eq!(kind, Some("text/html; charset=utf-8"), "{answer:?}");
    answer.body.as_str().expect("a text")
}

pub async fn page(world: &World, path: &str) -> String {
    let answer = world.get_with(path, &SLOVAK).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    html(&answer).to_owned()
}

/// The links, scripts and styles of a page.
fn targets(page: &str) -> Vec<&str> {
    let attributes = ["href=\"", "src=\"", "action=\""].into_iter();
    let targets = attributes.flat_map(|attribute| page.split(attribute).skip(1));
    targets.filter_map(|rest| rest.split('"').next()).collect()
}

/// A world whose pages show the sandbox, as a fresh installation does.
async fn with_sandbox() -> &'static World {
    static WORLD: OnceCell<World> = OnceCell::const_new();
    let start = async || {
        let world = World::new().settings(|config| config.web.lookup = Lookup::Sandbox);
        world.companies(12).start().await
    };
    WORLD.get_or_init(start).await
}

#[test]
fn language_is_the_browsers_until_one_is_chosen() {
    reading(async |world| {
        let slovak = world.get_with("/status", &SLOVAK).await;
        assert!(html(&slovak).contains("<html lang=\"sk\">"));
        assert!(slovak.header("set-cookie").is_none());
        let english = world.get_with("/status", &ENGLISH).await;
        assert!(html(&english).contains("State of the sources"));
        let chosen = world.get_with("/status?lang=en", &SLOVAK).await;
        assert!(html(&chosen).contains("<html lang=\"en\">"));
        let cookie = chosen.header("set-cookie").expect("it is remembered");
        let (cookie, rules) = cookie.split_once(';').expect("a cookie with rules");
        assert!(rules.contains("HttpOnly") && rules.contains("SameSite=Lax"));
        let kept = [SLOVAK.as_slice(), &[("cookie", cookie)]].concat();
        let kept = world.get_with("/status", &kept).await;
        assert!(html(&kept).contains("<html lang=\"en\">"));
    });
}

#[test]
fn pages_load_nothing_from_other_origins() {
    reading(async |world| {
        let company = format!("/company/{}", world.icos[0]);
        for path in [
            "/",
            "/?q=vzor",
            "/status",
            &company,
            "/company/1",
            "/nothing",
        ] {
            let answer = world.get_with(path, &ENGLISH).await;
            let policy = answer.header("content-security-policy").expect("a policy");
            assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
            let is_strict = !policy.contains("unsafe") && !policy.contains("http");
            assert!(is_strict, "{path}: {policy}");
            for name in ["x-content-type-options", "referrer-policy", "vary"] {
                assert!(answer.header(name).is_some(), "{path}: {name}");
            }
            let page = html(&answer);
            for inline in [" style=\"", "<style", " onclick", "<script>"] {
                assert!(!page.contains(inline), "{path}: {inline}");
            }
            let loaded = page.split("<link").chain(page.split("<script")).skip(1);
            for target in loaded.flat_map(|tag| targets(tag.split('>').next().unwrap_or(""))) {
                assert!(target.starts_with("/assets/"), "{path}: {target}");
            }
        }
    });
}

#[test]
fn assets_are_small_and_kept_for_a_year() {
    reading(async |world| {
        let home = page(world, "/").await;
        let assets = targets(&home)
            .into_iter()
            .filter(|target| target.starts_with("/assets/"));
        let assets: Vec<&str> = assets.collect();
        assert_eq!(assets.len(), 3, "{assets:?}");
        for (path, most) in assets.into_iter().zip([2_000, 30_000, 60_000]) {
            let answer = world.get_with(path, &[]).await;
            let cached = answer.header("cache-control").expect("it is cached");
            assert!(cached.contains("immutable"), "{path}: {cached}");
            let size = answer.body.as_str().expect("a text").len();
            assert!(size > 0 && size <= most, "{path}: {size}");
        }
        let unknown = world.get_with("/assets/style-0.css", &[]).await;
        assert_eq!(unknown.status, 404);
    });
}

#[test]
fn search_finds_names_and_numbers() {
    reading(async |world| {
        let ico = &world.icos[0];
        let target = format!("href=\"/company/{ico}\"");
        assert!(page(world, "/?q=vzorostav+cucor").await.contains(&target));
        let digits = format!("/?q={}", &ico[..6]);
        assert!(page(world, &digits).await.contains("href=\"/company/"));
        let whole = format!("{}/?q={}+{}", world.url(), &ico[..3], &ico[3..]);
        let client = reqwest::Client::builder();
        let client = client.redirect(reqwest::redirect::Policy::none());
        let client = client.build().expect("a client");
        let asked = client.get(whole).header("accept", "text/html");
        let answer = lustra_tests::answered(asked).await;
        assert_eq!(answer.status, 303);
        assert_eq!(
            answer.header("location"),
            Some(format!("/company/{ico}").as_str())
        );
        let fragment = world.get_with("/suggest?q=vzorostav", &SLOVAK).await;
        assert!(html(&fragment).contains(&format!("data-ico=\"{ico}\"")));
        assert!(!html(&fragment).contains("<html"));
        let nothing = page(world, "/?q=qqqqqqqq").await;
        assert!(nothing.contains("Žiadna firma"), "{nothing}");
    });
}

#[test]
fn typed_text_is_escaped() {
    reading(async |world| {
        let typed = "%3Cscript%3E%22%27%26%E2%80%AEabc";
        let page = page(world, &format!("/?q={typed}")).await;
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("<bdi>„&#60;script&#62;"), "{page}");
        let bytes = world.get_with("/?q=%ff%fe%00", &SLOVAK).await;
        assert_eq!(bytes.status, 200, "{bytes:?}");
    });
}

#[test]
fn errors_are_pages_with_the_requests_id() {
    reading(async |world| {
        let long = format!("/?q={}", "a".repeat(5_000));
        let longer = format!("/?q={}", "a".repeat(20_000));
        for (path, status, slovak, english) in [
            ("/company/abc", 422, "presne 8 číslic", "exactly 8 digits"),
            ("/company/123", 422, "presne 8 číslic", "exactly 8 digits"),
            ("/company/%E2%80%AE1", 422, "presne 8", "exactly 8"),
            (
                "/company/00000000",
                404,
                "nepozná žiadny",
                "No register knows",
            ),
            ("/nothing", 404, "neexistuje", "no such page"),
            (&long, 422, "príliš dlhý", "too long"),
            (&longer, 422, "nie je platná", "not valid"),
        ] {
            for (headers, text) in [(SLOVAK, slovak), (ENGLISH, english)] {
                let answer = world.get_with(path, &headers).await;
                assert_eq!(answer.status, status, "{path}");
                let page = html(&answer);
                assert!(page.contains(text), "{path}: {page}");
                let id = answer.header("x-request-id").expect("an id");
                assert!(page.contains(id), "{path}: {page}");
            }
        }
        let posted = world.request(Method::POST, "/status", &ENGLISH).await;
        assert_eq!(posted.status, 405);
        assert!(html(&posted).contains("does not take this method"));
        let spaced = world
            .get_with(&format!("/company/%20{}", world.icos[0]), &SLOVAK)
            .await;
        assert_eq!(
            spaced.status, 200,
            "a number with a space leads to the company"
        );
    });
}

#[test]
fn programs_get_the_errors_of_the_api() {
    reading(async |world| {
        let json = [("accept", "application/json")];
        for path in ["/", "/nothing"] {
            let answer = world.get_with(path, &json).await;
            assert_eq!(answer.status, 404, "{path}");
            assert_eq!(answer.body["error"], "not_found", "{path}");
        }
        let browser = world.get_with("/v1/nothing", &SLOVAK).await;
        assert_eq!(browser.body["error"], "not_found");
    });
}

#[test]
fn unreadable_base_register_is_no_missing_company() {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let world = World::new()
            .companies(12)
            .nothing_imported()
            .without_index()
            // A file in the place of the folder of the index, so that the index is never built.
            .settings(|config| {
                std::fs::create_dir_all(&config.data).expect("a fresh folder");
                std::fs::write(config.data.join("search"), "").expect("a fresh folder");
            })
            .start()
            .await;
        for register in [Register::Rpo, Register::Orsr] {
            world.fault(register, Fault::Down);
        }
        // A sole trader, whom the commercial register does not have either.
        let path = format!("/company/{}", world.icos[3]);
        let answer = world.get_with(&path, &ENGLISH).await;
        assert_eq!(answer.status, 503, "{answer:?}");
        assert_eq!(answer.header("retry-after"), Some("30"));
        assert!(html(&answer).contains("The register could not be read"));
        let search = world.get_with("/?q=vzor", &ENGLISH).await;
        assert_eq!(search.status, 503, "{search:?}");
        assert!(html(&search).contains("The search is being prepared"));
        world.end().await;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn fresh_installation_shows_the_sandbox() {
    let world = with_sandbox().await;
    let home = page(world, "/").await;
    assert_eq!(home.matches("href=\"/company/991").count(), 10, "{home}");
    let company = page(world, "/company/99100444").await;
    for text in [
        "Vymyslená firma",
        "Zoznamy dlžníkov",
        "/v1/sandbox/company/ico/99100444",
    ] {
        assert!(company.contains(text), "{text}: {company}");
    }
    let real = format!("/company/{}", world.icos[0]);
    let real = world.get_with(&real, &ENGLISH).await;
    assert_eq!(real.status, 404);
    assert!(html(&real).contains("No invented company"), "{real:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lookup_can_be_switched_off() {
    let world = World::new().connectors(&[]).companies(12);
    let world = world.nothing_imported().without_index();
    let world = world
        .settings(|config| config.web.lookup = Lookup::Off)
        .start()
        .await;
    let home = page(&world, "/").await;
    assert!(!home.contains("<form"), "{home}");
    for path in ["/company/99100444", "/suggest?q=vzor"] {
        assert_eq!(world.get_with(path, &SLOVAK).await.status, 404, "{path}");
    }
    assert!(page(&world, "/status").await.contains("Stav zdrojov"));
    world.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_are_limited_by_address() {
    let world = World::new().connectors(&[]).companies(12);
    let world = world.nothing_imported().without_index().settings(|config| {
        config.web.lookup = Lookup::Sandbox;
        config.web.companies_per_minute = 2;
        config.web.searches_per_minute = 1;
        config.connections.proxies = vec!["127.0.0.1".to_owned()];
    });
    let world = world.start().await;
    let by = |address: &'static str| [SLOVAK.as_slice(), &[("x-forwarded-for", address)]].concat();
    let mut statuses = Vec::new();
    for address in ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"] {
        let answer = world.get_with("/company/99100444", &by(address)).await;
        statuses.push(answer.status);
        if answer.status == 429 {
            assert!(answer.header("retry-after").is_some());
            assert!(html(&answer).contains("Priveľa požiadaviek"));
        }
    }
    assert_eq!(statuses, [200, 200, 429, 200]);
    let searches = [
        world.get_with("/?q=vzor", &by("192.0.2.3")).await.status,
        world
            .get_with("/suggest?q=vzor", &by("192.0.2.3"))
            .await
            .status,
    ];
    assert_eq!(searches, [200, 429]);
    world.end().await;
}

#[test]
fn status_page_lists_every_source() {
    reading(async |world| {
        let status = world.get_with("/v1/status", &[]).await;
        let sources = status.at("/sources").as_array().expect("a list").clone();
        for headers in [SLOVAK, ENGLISH] {
            let answer = world.get_with("/status", &headers).await;
            let page = html(&answer);
            for source in &sources {
                let id = source["id"].as_str().expect("an id");
                assert!(page.contains(&format!("<li id=\"{id}\">")), "{id}: {page}");
                for list in source["datasets"].as_array().into_iter().flatten() {
                    let title = list["title"].as_str().expect("a title");
                    let title = title.replace('\'', "&#39;");
                    assert!(page.contains(&title), "{id}: {title}");
                }
            }
        }
    });
}
