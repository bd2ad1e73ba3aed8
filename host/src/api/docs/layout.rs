//! The page frame of a guide: navigation, table of contents, search.

use std::fmt::Write;

use serde_json::json;

use super::REFERENCE;
use super::render::Page;
use crate::html::escaped;

/// The HTML document of a guide.
pub(super) fn document(pages: &[Page], at: usize) -> String {
    let page = &pages[at];
    let mut content = page.html.clone();
    content.push_str(&neighbours(pages, at));
    frame(
        &page.title,
        &navigation(pages, Some(page)),
        &content,
        &contents(page),
    )
}

/// The HTML document for an unknown address.
pub(super) fn not_found(pages: &[Page]) -> String {
    let content = "<h1>Page not found</h1>\n<p>There is no such page in the documentation. Use the search or the \
                   navigation, or start at the <a href=\"/docs/\">overview</a>.</p>\n";
    frame("Page not found", &navigation(pages, None), content, "")
}

/// The search index: one entry for each section of each guide.
pub(super) fn search_index(pages: &[Page]) -> String {
    let entries = pages.iter().flat_map(|page| {
        page.sections.iter().map(|section| {
            let address = if section.id.is_empty() {
                page.address()
            } else {
                format!("{}#{}", page.address(), section.id)
            };
            json!({"address": address, "page": page.title, "heading": section.heading, "text": section.text})
        })
    });
    json!(entries.collect::<Vec<_>>()).to_string()
}

fn frame(title: &str, navigation: &str, content: &str, contents: &str) -> String {
    let title = escaped(title);
    format!(
        r##"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Lustra</title>
<link rel="stylesheet" href="/docs/style.css">
<script src="/docs/search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="home" href="/docs/">Lustra</a>
<form id="search" role="search" action="/docs/" hidden>
<input type="search" name="q" aria-label="Search the documentation" placeholder="Search" autocomplete="off">
<div id="results" aria-live="polite" hidden></div>
</form>
<a class="menu" href="#navigation">Menu</a>
</header>
<div class="columns">
<main id="content">
{content}</main>
{contents}<nav id="navigation" aria-label="Guides">
{navigation}</nav>
</div>
</body>
</html>
"##
    )
}

fn navigation(pages: &[Page], current: Option<&Page>) -> String {
    let mut list = String::new();
    let mut group = "";
    for page in pages {
        if page.group != group {
            if !group.is_empty() {
                list.push_str("</ul>\n");
            }
            group = page.group;
            line(&mut list, format_args!("<h2>{group}</h2>\n<ul>"));
            if group == "API" {
                line(
                    &mut list,
                    format_args!("<li><a href=\"{REFERENCE}\">API reference</a></li>"),
                );
            }
        }
        if group.is_empty() {
            continue;
        }
        let is_current = current.is_some_and(|current| current.slug == page.slug);
        let mark = if is_current {
            " aria-current=\"page\""
        } else {
            ""
        };
        let (address, title) = (page.address(), escaped(&page.title));
        line(
            &mut list,
            format_args!("<li><a href=\"{address}\"{mark}>{title}</a></li>"),
        );
    }
    list.push_str("</ul>\n");
    list
}

/// The table of contents, for pages with at least three sections.
fn contents(page: &Page) -> String {
    let headings: Vec<_> = page
        .sections
        .iter()
        .filter(|section| section.is_chapter)
        .collect();
    if headings.len() < 3 {
        return String::new();
    }
    let mut list = "<aside aria-label=\"On this page\">\n<h2>On this page</h2>\n<ul>\n".to_owned();
    for section in headings {
        let (id, heading) = (&section.id, escaped(&section.heading));
        line(
            &mut list,
            format_args!("<li><a href=\"#{id}\">{heading}</a></li>"),
        );
    }
    list.push_str("</ul>\n</aside>\n");
    list
}

/// Links to the guides before and after this one.
fn neighbours(pages: &[Page], at: usize) -> String {
    let mut links = "<p class=\"neighbours\">".to_owned();
    if let Some(page) = at.checked_sub(1).and_then(|at| pages.get(at)) {
        let (address, title) = (page.address(), escaped(&page.title));
        line(
            &mut links,
            format_args!("<a rel=\"prev\" href=\"{address}\">← {title}</a>"),
        );
    }
    if let Some(page) = pages.get(at + 1) {
        let (address, title) = (page.address(), escaped(&page.title));
        line(
            &mut links,
            format_args!("<a rel=\"next\" href=\"{address}\">{title} →</a>"),
        );
    }
    links.push_str("</p>\n");
    links
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("writing into a String cannot fail");
}
