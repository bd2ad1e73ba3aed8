//! Distinguishes the office's own pages from replacement pages during an outage.
//!
//! A page is accepted only if it is complete and names the office, as the office's titles do. A page that does
//! so but contains nothing of the requested kind either has a changed format or is an outage page; see
//! [`strange`].

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Html};
use lustra_sdk::text::{fold, squeeze};
use lustra_sdk::{Failure, malformed};

use crate::names::UPSTREAM;

/// The office's name, folded.
const OFFICE: &str = "urad pre verejne obstaravanie";

/// Elements of register pages: lists, tables, labels, and links to entries.
const CONTENT: &str = "table, dl, .pag-info, .result, .label, .subtitle, a[href*='/detail/']";

/// Maximum length of an outage page in visible characters: a heading and a few sentences. A longer page has a
/// changed format.
const STAND_IN: usize = 1_000;

/// A complete page of the office.
#[derive(Debug)]
pub struct Page {
    pub document: Html,
    /// The visible text on one line.
    pub text: String,
}

/// Reads a page.
///
/// # Errors
/// [`Failure::Malformed`] if it is not HTML or is truncated; [`Failure::Unavailable`] if it is not the office's
/// page.
pub fn page(text: &str) -> Result<Page, Failure> {
    let what = format!("answer of {UPSTREAM}");
    let lower = text.to_ascii_lowercase();
    if !["<html", "<!doctype html", "<body"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        return Err(malformed(what, "a page of HTML", "something else"));
    }
    if !fold(text).contains(OFFICE) {
        return Err(Failure::Unavailable(format!(
            "{UPSTREAM} answered with a page that is not the office's own"
        )));
    }
    if !lower.contains("</html") {
        return Err(malformed(what, "a complete page", "one that was cut off"));
    }
    let document = html::parse(text);
    let text = squeeze(&lines(document.root_element()).join(" "));
    Ok(Page { document, text })
}

/// The failure for an office page without the expected content: `what` names the place.
///
/// An outage is recognized by the structure of the page, never by its words, because notices and entries may
/// contain any words.
#[must_use]
pub fn strange(page: &Page, what: &str, expected: &str) -> Failure {
    let has_content = page
        .document
        .select(&html::selector(CONTENT))
        .next()
        .is_some();
    if !has_content && page.text.chars().count() <= STAND_IN {
        return Failure::Unavailable(format!(
            "{UPSTREAM} answered with a short page without lists, tables and labels, as during an outage"
        ));
    }
    malformed(what, expected, "another page of the office")
}

/// The visible text of an element, one line for each stretch that only inline elements interrupt.
#[must_use]
pub fn lines(element: ElementRef<'_>) -> Vec<String> {
    let mut lines = vec![String::new()];
    gather(element, &mut lines);
    lines
        .iter()
        .map(|line| squeeze(line))
        .filter(|line| !line.is_empty())
        .collect()
}

fn gather(element: ElementRef<'_>, lines: &mut Vec<String>) {
    const UNSEEN: [&str; 5] = ["script", "style", "template", "noscript", "head"];
    const INLINE: [&str; 8] = ["a", "abbr", "b", "em", "i", "small", "strong", "u"];
    for child in element.children() {
        if let Some(text) = child.value().as_text()
            && let Some(line) = lines.last_mut()
        {
            line.push_str(text);
        }
        let Some(below) = ElementRef::wrap(child) else {
            continue;
        };
        let name = below.value().name();
        if UNSEEN.contains(&name) {
            continue;
        }
        let is_inline = INLINE.contains(&name);
        if !is_inline {
            lines.push(String::new());
        }
        gather(below, lines);
        if !is_inline {
            lines.push(String::new());
        }
    }
}

/// The path below the upstream of a link on a page. Links start at the root of the office's site, with or
/// without its public address.
///
/// # Errors
/// [`Failure::Malformed`] for a link to another site.
pub fn path_of(href: &str, site: &str) -> Result<String, Failure> {
    let path = href.strip_prefix(site).unwrap_or(href);
    if path.starts_with('/') && !path.starts_with("//") {
        return Ok(path.to_owned());
    }
    Err(malformed(
        "link to a detail",
        "a path of the office's site",
        href,
    ))
}

/// The public address of a link on a page. `None` for a link to another site.
#[must_use]
pub fn address_of(href: &str, site: &str) -> Option<String> {
    let path = path_of(href, site).ok()?;
    Some(format!("{site}{path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_own(text: &str) -> Result<(), Failure> {
        page(text).map(drop)
    }

    #[test]
    fn only_whole_pages_of_the_office_count() {
        let own = "<html><head><title>Zoznam - Úrad pre verejné obstarávanie</title></head><body><p>x</p></body>";
        assert!(is_own(&format!("{own}</html>")).is_ok());
        assert!(matches!(is_own(own), Err(Failure::Malformed(_))));
        assert!(matches!(
            is_own("<html><body>Odstávka</body></html>"),
            Err(Failure::Unavailable(_))
        ));
        for text in ["", "{}", "Úrad pre verejné obstarávanie"] {
            assert!(matches!(is_own(text), Err(Failure::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn outage_words_in_content_are_not_an_outage() {
        let strange_of = |body: &str| {
            let text = format!(
                "<html><title>Úrad pre verejné obstarávanie</title><body>{body}</body></html>"
            );
            page(&text).map(|page| strange(&page, "place", "a label"))
        };
        let notice = "<h1>Oznámenie 740 - MUT</h1><div class=\"subtitle\"><span class=\"code\">II.1.2)</span></div>\
                      <p>Údržba a odstávka serverov, dočasne nedostupné</p>";
        let long = format!("<p>{}</p>", "Plánovaná údržba. ".repeat(100));
        for content in [
            notice,
            "<dl><dt>Predmet</dt><dd>Údržba ciest</dd></dl>",
            &long,
        ] {
            assert!(
                matches!(strange_of(content), Ok(Failure::Malformed(_))),
                "{content}"
            );
        }
        for outage in [
            "<h1>Odstávka</h1><p>Prebieha údržba.</p>",
            "<p>Ospravedlňujeme sa.</p>",
        ] {
            assert!(
                matches!(strange_of(outage), Ok(Failure::Unavailable(_))),
                "{outage}"
            );
        }
    }

    #[test]
    fn hidden_elements_are_not_text() {
        let page = html::parse(
            "<html><body><script>x</script><p>a <b>b</b><br>c</p><div>d<span>e</span></div></body></html>",
        );
        assert_eq!(lines(page.root_element()), ["a b", "c", "d", "e"]);
    }

    #[test]
    fn links_stay_within_the_site() {
        let site = "https://office.example";
        for (href, path) in [
            ("/a/b?c=1", Some("/a/b?c=1")),
            ("https://office.example/a", Some("/a")),
            ("https://elsewhere.example/a", None),
            ("//elsewhere.example/a", None),
            ("javascript:void(0)", None),
        ] {
            assert_eq!(path_of(href, site).ok().as_deref(), path, "{href}");
        }
    }
}
