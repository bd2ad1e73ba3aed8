//! The guides at `/docs`, as served to clients and browsers.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use lustra_tests::{Answer, World};
use reqwest::Method;
use serde_json::Value;

use crate::foreign::{runs, say};
use crate::support::reading;

const BROWSER: [(&str, &str); 1] = [("accept", "text/html,*/*;q=0.8")];

/// The text of a response; checks its content type.
fn text<'a>(answer: &'a Answer, content_type: &str) -> &'a str {
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some(content_type));
    answer.body.as_str().expect("a text")
}

/// The link targets of a page.
fn links(page: &str) -> Vec<String> {
    let links = ["href=\"", "src=\""].into_iter();
    let links = links.flat_map(|attribute| page.split(attribute).skip(1));
    let links = links.filter_map(|rest| rest.split('"').next());
    links.map(str::to_owned).collect()
}

/// Every page reachable from the first one, by path.
async fn crawl(world: &World) -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    let mut waiting = BTreeSet::from(["/docs/".to_owned()]);
    while let Some(path) = waiting.pop_first() {
        let answer = world.get_with(&path, &BROWSER).await;
        let page = text(&answer, "text/html; charset=utf-8").to_owned();
        for link in links(&page) {
            let target = link.split(['#', '?']).next().unwrap_or_default().to_owned();
            let is_page = target.starts_with("/docs/") && !target.contains('.');
            if is_page
                && target != "/docs/reference/"
                && !pages.contains_key(&target)
                && target != path
            {
                waiting.insert(target);
            }
        }
        pages.insert(path, page);
    }
    pages
}

#[test]
fn every_guide_and_anchor_is_served() {
    reading(async |world| {
        let pages = crawl(world).await;
        assert!(pages.len() > 20, "{:?}", pages.keys());
        for (path, page) in &pages {
            for link in links(page)
                .iter()
                .filter(|link| !link.starts_with("https://"))
            {
                let (target, id) = link.split_once('#').unwrap_or((link, ""));
                let target = if target.is_empty() { path } else { target };
                let Some(page) = pages.get(target) else {
                    let answer = world.get_with(target, &BROWSER).await;
                    assert_eq!(answer.status, 200, "{path}: {link}");
                    continue;
                };
                let anchor = format!(" id=\"{id}\"");
                assert!(id.is_empty() || page.contains(&anchor), "{path}: {link}");
            }
        }
        let changelog = &pages["/docs/changelog"];
        assert!(changelog.contains("Keep a Changelog"), "{changelog}");
    });
}

#[test]
fn pages_allow_only_this_origin() {
    reading(async |world| {
        for path in [
            "/docs",
            "/docs/",
            "/docs/search",
            "/docs/search.js",
            "/docs/nothing",
        ] {
            let answer = world.get_with(path, &BROWSER).await;
            let policy = answer.header("content-security-policy").expect("a policy");
            assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
            assert!(
                !policy.contains("unsafe") && !policy.contains("http"),
                "{path}: {policy}"
            );
        }
        let reference = world.get_with("/docs/reference/", &BROWSER).await;
        let policy = reference
            .header("content-security-policy")
            .expect("a policy");
        assert!(policy.contains("script-src 'self';"), "{policy}");
    });
}

#[test]
fn unchanged_page_is_304() {
    reading(async |world| {
        let page = world.get_with("/docs/search", &[]).await;
        let etag = page.header("etag").expect("a tag").to_owned();
        let sent = format!("\"other\", W/{etag}");
        let again = world
            .get_with("/docs/search", &[("if-none-match", &sent)])
            .await;
        assert_eq!(
            (again.status, &again.body),
            (304, &Value::from("")),
            "{again:?}"
        );
        assert_eq!(again.header("etag"), Some(etag.as_str()));
        let other = world
            .get_with("/docs/batch", &[("if-none-match", &sent)])
            .await;
        assert_eq!(other.status, 200);
    });
}

#[test]
fn unknown_page_is_404_in_the_callers_form() {
    reading(async |world| {
        let page = world.get_with("/docs/nothing", &BROWSER).await;
        assert_eq!(page.status, 404);
        let page = page.body.as_str().expect("a page");
        assert!(
            page.contains("Page not found") && page.contains("/docs/webhooks"),
            "{page}"
        );
        let error = world.get_with("/docs/nothing", &[]).await;
        assert_eq!(
            (error.status, error.body["error"].as_str()),
            (404, Some("not_found"))
        );
        let wrong = world.request(Method::POST, "/docs/search", &[]).await;
        assert_eq!(wrong.status, 405);
    });
}

#[test]
fn former_addresses_of_the_reference_lead_to_it() {
    reading(async |world| {
        for (former, part) in [
            ("/docs/index.html", "swagger-ui-bundle.js"),
            ("/docs/swagger-initializer.js", "/v1/openapi.json"),
            ("/docs/swagger-ui.css", ".swagger-ui"),
        ] {
            let answer = world.get_with(former, &[]).await;
            assert_eq!(answer.status, 200, "{former}");
            let text = answer.body.as_str().expect("a text");
            assert!(text.contains(part), "{former}");
        }
    });
}

/// A guide's code blocks in a language.
fn code(language: &str) -> Vec<&'static str> {
    let guide = include_str!("../../host/docs/webhooks.md");
    let opening = format!("```{language}\n");
    let blocks = guide.split(opening.as_str()).skip(1);
    blocks
        .filter_map(|block| block.split("```").next())
        .collect()
}

/// A webhook's signature, computed by openssl.
fn signature(secret: &str, body: &str) -> Option<String> {
    let folder = tempfile::tempdir().expect("tests can write temporary files");
    let file = folder.path().join("body.json");
    std::fs::write(&file, body).expect("a fresh folder");
    let command = code("sh")[0].replace("body.json", &file.display().to_string());
    let output = Command::new("sh")
        .args(["-c", &command])
        .env("SECRET", secret)
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let printed = String::from_utf8(output.stdout).expect("openssl prints text");
    Some(printed.trim().rsplit(' ').next()?.to_owned())
}

#[test]
fn webhook_examples_verify_signatures() {
    let (secret, body) = (
        "whsec_dGVzdA==",
        "{\"event\":\"company.updated\",\"data\":\"č\"}",
    );
    if !runs("python3") || !runs("node") {
        say("SKIPPED: the examples for webhooks, because there is no python3 or no node");
        return;
    }
    let Some(signature) = signature(secret, body) else {
        say("SKIPPED: the examples for webhooks, because there is no openssl");
        return;
    };
    let wrong = signature.replace(|c: char| c.is_ascii_digit(), "a");
    for (sent, expected) in [
        (signature.as_str(), "company.updated"),
        (&wrong, "none"),
        ("", "none"),
    ] {
        let python = format!(
            "{}\nevent = event_from({secret:?}, {body:?}.encode(), {{\"x-webhook-signature\": {sent:?}}})\n\
             print(event[\"event\"] if event else \"none\")",
            code("python")[0]
        );
        let javascript = format!(
            "{}\nconst event = eventFrom({secret:?}, Buffer.from({body:?}), {{\"x-webhook-signature\": {sent:?}}});\n\
             console.log(event ? event.event : \"none\");",
            code("js")[0]
        );
        for (program, option, script) in [("python3", "-c", python), ("node", "-e", javascript)] {
            let output = Command::new(program).args([option, &script]).output();
            let output = output.expect("it runs");
            let printed = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(printed.trim(), expected, "{program} {sent}: {errors}");
        }
    }
}

#[test]
fn search_finds_pages_in_a_browser() {
    let Some(chromium) = crate::browser::chromium() else {
        return;
    };
    reading(async |world| {
        let url = format!("{}/docs/?q=idempotency+key", world.url());
        let page = tokio::task::spawn_blocking(move || crate::browser::dom(chromium, &url));
        let (page, _) = page.await.expect("the browser ends");
        let results = page
            .split("id=\"results\"")
            .nth(1)
            .and_then(|rest| rest.split("</form>").next());
        let results = results.expect("the results");
        assert!(
            results.contains("/docs/batch#idempotency-keys"),
            "{results}"
        );
        assert!(results.contains("<mark>"), "{results}");
    });
}

#[test]
fn documented_metrics_exist() {
    reading(async |world| {
        // Request metrics appear with the first request.
        assert_eq!(world.get("/v1/status").await.status, 200);
        let metrics = world.operator(Method::GET, "/metrics", &[]).await;
        let metrics = metrics.body.as_str().expect("a text");
        let guide = concat!(
            include_str!("../../host/docs/operating.md"),
            include_str!("../../host/docs/monitoring.md"),
            include_str!("../../host/docs/deployment.md"),
        );
        let names = guide.split('`').filter(|code| code.starts_with("lustra_"));
        let names: BTreeSet<&str> = names
            .filter_map(|code| code.split([' ', '{']).next())
            .collect();
        assert!(names.len() > 15, "{names:?}");
        for name in names {
            let is_there =
                metrics.contains(&format!("# TYPE {} ", name.trim_end_matches("_total")));
            assert!(is_there, "{name}");
        }
    });
}

/// Appends the source files below a folder.
fn sources(folder: &std::path::Path, found: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push_str(&std::fs::read_to_string(&path).expect("sources are text"));
        }
    }
}

#[test]
fn invariants_name_tests_that_exist() {
    let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = String::new();
    for folder in ["host", "tests/it"] {
        sources(&repository.join(folder), &mut all);
    }
    let architecture = std::fs::read_to_string(repository.join("ARCHITECTURE.md"));
    let architecture = architecture.expect("it is there");
    let section = architecture
        .split("## Invariants")
        .nth(1)
        .and_then(|rest| rest.split("\n## ").next());
    let section = section.expect("invariants");
    let mut numbered = 0;
    for line in section
        .lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))
    {
        numbered += 1;
        assert!(line.starts_with(&format!("{numbered}. ")), "{line}");
        let test = line
            .trim_end_matches('`')
            .rsplit('`')
            .next()
            .unwrap_or_default();
        assert!(all.contains(&format!("fn {test}(")), "{line}");
    }
    assert!(numbered > 40, "{numbered} invariants");
    let terms = architecture
        .split("## Glossary")
        .nth(1)
        .map(|rest| rest.matches("\n| ").count());
    assert!(
        terms.is_some_and(|rows| rows <= 42),
        "40 terms at most: {terms:?}"
    );
}
