//! The guides agree with the program: links, operations, settings and scopes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::render::Page;
use super::{DOCS, GUIDES, pages};
use crate::api::openapi::with_connectors;
use crate::config::Config;
use crate::connectors::catalogue::Catalogue;
use crate::connectors::manifest::Manifest;
use crate::sandbox_companies::Sandbox;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The values of an attribute in HTML.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let opening = format!(" {name}=\"");
    let values = html.split(opening.as_str()).skip(1);
    values.filter_map(|rest| rest.split('"').next()).collect()
}

/// The code blocks of a Markdown text, each with its language.
fn blocks(markdown: &str) -> Vec<(&str, &str)> {
    let parts = markdown.split("```").skip(1).step_by(2);
    parts.filter_map(|block| block.split_once('\n')).collect()
}

/// The text of every guide with its file's name, and of the README.
fn texts() -> Vec<(&'static str, String)> {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("it is there");
    let guides = GUIDES
        .iter()
        .map(|guide| (guide.file, guide.markdown.to_owned()));
    guides.chain([("README.md", readme)]).collect()
}

#[test]
fn every_file_of_the_folder_is_a_guide() {
    let folder = repository().join("host/docs");
    let files = std::fs::read_dir(folder).expect("the folder is there");
    let files: BTreeSet<String> = files
        .map(|file| {
            file.expect("it can be listed")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    let guides = GUIDES.iter().map(|guide| guide.file.to_owned());
    let guides: BTreeSet<String> = guides.filter(|file| !file.starts_with("..")).collect();
    assert_eq!(files, guides);
}

#[test]
fn every_internal_link_and_anchor_resolves() {
    let pages = pages();
    let of_address: BTreeMap<String, &Page> =
        pages.iter().map(|page| (page.address(), page)).collect();
    let mut checked = 0;
    for page in &pages {
        for link in attributes(&page.html, "href") {
            if link.starts_with("https://") || link == super::REFERENCE {
                continue;
            }
            let (address, id) = link.split_once('#').unwrap_or((link, ""));
            let own = page.address();
            let address = if address.is_empty() {
                own.as_str()
            } else {
                address
            };
            let target = of_address.get(address);
            let target = target.unwrap_or_else(|| panic!("{}: no page for {link}", page.slug));
            let has_section = target.sections.iter().any(|section| section.id == id);
            assert!(has_section, "{}: no section for {link}", page.slug);
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} links");
}

#[test]
fn links_of_the_readme_lead_to_files() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("it is there");
    assert!(readme.lines().count() <= 150, "the README is too long");
    let links = readme
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.starts_with("https://")) {
        let file = link.split('#').next().unwrap_or_default();
        assert!(repository().join(file).is_file(), "README.md: {link}");
    }
}

#[test]
fn pages_load_nothing_from_elsewhere() {
    for (name, file) in &DOCS.files {
        let text = String::from_utf8(file.body.clone()).expect("all files are texts");
        let is_page = text.starts_with("<!DOCTYPE html>");
        assert_eq!(is_page, !name.contains('.'), "{name}");
        if !is_page {
            assert!(!text.contains("//cdn") && !text.contains("url("), "{name}");
            continue;
        }
        let sources = attributes(&text, "src");
        assert!(
            sources.iter().all(|source| source.starts_with("/docs/")),
            "{name}: {sources:?}"
        );
        assert_eq!(text.matches("<link ").count(), 1, "{name}");
        assert_eq!(text.matches("<script").count(), 1, "{name}");
        for inline in ["style=\"", "<style", "onclick=", "javascript:"] {
            assert!(!text.contains(inline), "{name}: {inline}");
        }
    }
}

#[test]
fn search_index_has_every_section() {
    let index: Value = serde_json::from_slice(&DOCS.files["search.json"].body).expect("JSON");
    let indexed: BTreeSet<&str> = index
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["address"].as_str())
        .collect();
    let pages = pages();
    for page in &pages {
        assert!(!page.title.is_empty(), "{}", page.slug);
        assert!(indexed.contains(page.address().as_str()), "{}", page.slug);
    }
    let sections: usize = pages.iter().map(|page| page.sections.len()).sum();
    assert_eq!(indexed.len(), sections);
}

/// Paths of the API in a text, without query and punctuation.
fn paths(text: &str) -> Vec<String> {
    let text = text.replace("$BASE/", "/v1/").replace("{base}/", "/v1/");
    let found = text.split("/v1/").skip(1);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "/{}_-…".contains(c);
    found
        .map(|rest| {
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            format!("/v1/{}", rest[..end].trim_end_matches('/'))
        })
        .filter(|path| !path.contains('…') && path != "/v1/")
        .collect()
}

fn matches(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template
            .iter()
            .zip(&path)
            .all(|(one, other)| one == other || (one.starts_with('{') && !other.is_empty()))
}

#[test]
fn paths_in_guides_are_operations() {
    let sandbox = Sandbox::read().expect("it is part of the program");
    let mut document = with_connectors(&Catalogue::default(), &sandbox);
    let paths_of_all = document["paths"].as_object_mut().expect("an object");
    // A connector's collections are where the sandbox has them.
    let of_sandbox: Vec<(String, Value)> = paths_of_all
        .iter()
        .filter(|(_, operations)| operations["get"]["x-feature"].is_string())
        .map(|(path, operations)| (path.replace("/sandbox", ""), operations.clone()))
        .collect();
    paths_of_all.extend(of_sandbox);
    let operations = document["paths"].as_object().expect("an object");
    // Prefixes that guides mention as such.
    let prefixes = [
        "/v1/account",
        "/v1/notifications",
        "/v1/sandbox",
        "/v1/batch",
    ];
    let mut mentioned = BTreeSet::new();
    for (file, text) in texts() {
        for path in paths(&text) {
            let is_known = path == "/v1/openapi"
                || prefixes.contains(&path.as_str())
                || operations.keys().any(|template| matches(template, &path));
            assert!(is_known, "{file}: {path}");
            mentioned.extend(
                operations
                    .keys()
                    .filter(|template| matches(template, &path))
                    .cloned(),
            );
        }
        // For `POST /v1/…`, check that the method exists too.
        for method in ["GET", "POST", "DELETE"] {
            for rest in text.split(&format!("`{method} /v1/")).skip(1) {
                let path = paths(&format!("/v1/{rest}")).into_iter().next();
                // Skip `POST /v1/batch/…`, which means several operations.
                let Some(path) = path.filter(|path| rest.starts_with(&path["/v1/".len()..])) else {
                    continue;
                };
                let method = method.to_lowercase();
                let mut matching = operations
                    .iter()
                    .filter(|(template, _)| matches(template, &path));
                let is_there = matching.any(|(_, operation)| operation.get(&method).is_some());
                assert!(
                    is_there || prefixes.contains(&path.as_str()),
                    "{file}: {method} {path}"
                );
            }
        }
    }
    // Pages that e-mails link to are the only operations without a guide.
    for path in operations.keys().filter(|path| !mentioned.contains(*path)) {
        let is_of_mail = path.ends_with("/unsubscribe") || path.ends_with("/confirm");
        assert!(is_of_mail, "no guide mentions {path}");
    }
}

#[test]
fn json_bodies_of_requests_are_json() {
    let mut checked = 0;
    for (file, text) in texts() {
        for rest in text.split("--json '").skip(1) {
            let body = rest.split('\'').next().unwrap_or_default();
            let read = serde_json::from_str::<Value>(body);
            assert!(read.is_ok_and(|body| body.is_object()), "{file}: {body}");
            checked += 1;
        }
    }
    assert!(checked >= 6, "{checked} bodies");
}

#[test]
fn settings_in_guides_are_settings() {
    let environment = |name: &str| {
        let value = match name {
            "LUSTRA_SECRETS_KEY" => "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "LUSTRA_OPERATOR_KEY" => "0123456789abcdef",
            "LUSTRA_STORE" => "postgres://user:password@host/database",
            "LUSTRA_SMTP" => "smtps://user:password@host:465",
            _ => "value",
        };
        Some(value.to_owned())
    };
    for (file, text) in texts() {
        for (_, code) in blocks(&text)
            .into_iter()
            .filter(|(language, _)| *language == "toml")
        {
            // A program without traces refuses their settings.
            if code.contains("[telemetry]") && !cfg!(feature = "otlp") {
                continue;
            }
            let read = Config::read(code, environment);
            assert!(read.is_ok(), "{file}: {read:?}");
        }
    }
}

/// The manifests of the shipped connectors.
fn manifests() -> Vec<Manifest> {
    let folders = std::fs::read_dir(repository().join("connectors")).expect("the folder is there");
    folders
        .filter_map(|folder| {
            let file = folder
                .expect("it can be listed")
                .path()
                .join("manifest.json");
            let text = std::fs::read_to_string(file).ok()?;
            Some(Manifest::parse(&text).expect("shipped manifests are valid"))
        })
        .collect()
}

#[test]
fn scope_table_matches_the_manifests() {
    let manifests = manifests();
    let expected: BTreeSet<String> = manifests
        .iter()
        .flat_map(|manifest| manifest.scopes.iter().map(move |scope| (manifest, scope)))
        .map(|(manifest, scope)| {
            let (name, days) = (&scope.scope, scope.max_age_days);
            format!(
                "| `{name}` | {} | {} | {days} |",
                scope.title, manifest.register
            )
        })
        .collect();
    let guide = GUIDES
        .iter()
        .find(|guide| guide.slug == "companies")
        .expect("it is a guide");
    let documented: BTreeSet<String> = guide
        .markdown
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(str::to_owned)
        .collect();
    assert_eq!(documented, expected);
    for scope in manifests.iter().flat_map(|manifest| &manifest.scopes) {
        let exception = format!("`{}`", scope.key);
        let is_named = scope.scope == *scope.key || guide.markdown.contains(&exception);
        assert!(is_named, "{} has the key {}", scope.scope, scope.key);
    }
}

#[test]
fn event_kinds_are_documented() {
    let guide = GUIDES
        .iter()
        .find(|guide| guide.slug == "notifications")
        .expect("it is a guide");
    for kind in crate::changes::KINDS {
        assert!(guide.markdown.contains(&format!("`{kind}`")), "{kind}");
    }
}
