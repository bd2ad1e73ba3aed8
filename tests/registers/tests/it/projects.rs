//! The register of projects: its list, its pages, and its answer to clients that are not browsers.

use axum::http::{Method, StatusCode};
use register_simulator::Population;
use register_simulator::population::projects::projects;
use time::macros::date;

use crate::{Answer, Site};

const COOKIE: [(&str, &str); 1] = [("cookie", "ys-browserCheck=b%3A1")];

async fn page(site: &Site, path: &str) -> Answer {
    site.send(Method::GET, &format!("/crp{path}"), &COOKIE, "")
        .await
}

/// The links of the list's rows.
fn links(page: &str) -> Vec<&str> {
    let cells = page.split("<td class=\"cell2\"><a href=\"").skip(1);
    cells.filter_map(|cell| cell.split('"').next()).collect()
}

#[tokio::test]
async fn client_without_cookie_gets_a_script() {
    let site = Site::new(12);
    for path in [
        "/crp/5-sk/register-projektov/?page=0",
        "/crp/900000-sk/projekt/",
    ] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert!(answer.text().contains("<script>"), "{path}");
        assert!(!answer.text().contains("area3"), "{path}");
    }
}

#[tokio::test]
async fn list_has_twenty_linked_projects_per_page() {
    let site = Site::new(60);
    let (mut all, mut number) = (Vec::new(), 0);
    loop {
        let answer = page(&site, &format!("/5-sk/register-projektov/?page={number}")).await;
        let found = links(answer.text());
        assert!(found.len() <= 20);
        all.extend(found.into_iter().map(str::to_owned));
        number += 1;
        if !answer.text().contains(&format!("?page={number}\"")) {
            break;
        }
        assert_eq!(
            all.len(),
            20 * number,
            "a page is full where there is another"
        );
    }
    let population = Population::new(60, 7, date!(2026 - 01 - 15));
    let known = (0..60).flat_map(|index| projects(&population.company(index, 0)));
    assert_eq!(all.len(), known.count());
    assert!(all.len() > 30, "{}", all.len());
    for link in &all {
        let answer = page(&site, link).await;
        assert_eq!(answer.status, StatusCode::OK, "{link}");
        for part in ["<h1>", "area1", "area3", "area4", "Poskytovateľ:"] {
            assert!(answer.text().contains(part), "{link}: {part}");
        }
    }
    let unknown = page(&site, "/899999-sk/projekt/").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn showcase_covers_missing_facts() {
    let site = Site::new(12);
    let of = async |index: u32| {
        let path = format!("/{}-sk/projekt/", 900_000 + 64 * index);
        page(&site, &path).await.text().to_owned()
    };
    assert!(of(1).await.contains("pomoci:</strong> neuvedené"));
    assert!(of(3).await.contains("<td>99&nbsp;999&nbsp;9"));
    assert!(of(5).await.contains("Dátum zverejnenia:</th><td>neuvedené"));
    assert!(of(6).await.contains("<td>000124</td>"));
    assert!(of(7).await.contains("&amp;&nbsp;kompostov"));
    assert!(of(9).await.contains("prijímateľa:</th><td>neuvedené"));
}
