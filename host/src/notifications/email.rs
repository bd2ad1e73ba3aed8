//! Renders the e-mail about one reading's changes: plain text and HTML with the same content, in the account's
//! language.
//!
//! The sentences were written in every language when the change was found; this module only arranges them. Text
//! from registers is untrusted: control characters are removed and HTML is escaped.

use std::collections::BTreeSet;

use super::phrases::Phrases;
use crate::changes::{Line, UPDATED, WebhookEvent, Wording};
use crate::html::escaped;
use crate::language::Language;
use crate::mail::one_line;
use crate::store::DeliveredEvent;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailBody {
    /// One line without control characters.
    pub subject: String,
    pub text: String,
    pub html: String,
}

/// An event that an e-mail announces.
#[derive(Debug, Clone)]
pub struct Announced {
    /// The same event that webhooks receive.
    pub event: WebhookEvent,
    pub wording: Wording,
}

impl Announced {
    /// Reads an event as the store keeps it. The wording may be absent, because the event itself has the facts.
    ///
    /// # Errors
    /// The payload is not a published event.
    pub fn read(stored: &DeliveredEvent) -> Result<Self, serde_json::Error> {
        Ok(Self {
            event: serde_json::from_str(&stored.payload)?,
            wording: serde_json::from_str(&stored.content).unwrap_or_default(),
        })
    }
}

#[derive(Debug, Clone, Default)]
pub struct Links {
    pub company: Option<String>,
    /// URL of the unsubscribe page. `None`: the settings have no public URL.
    pub unsubscribe: Option<String>,
}

/// A line and the kinds of the events that announce it.
struct AnnouncedLine<'a> {
    kinds: BTreeSet<&'a str>,
    line: Line,
}

/// Renders the e-mail about the events of one reading of one company.
#[must_use]
pub fn email(
    first: &Announced,
    others: &[Announced],
    language: Language,
    links: &Links,
) -> EmailBody {
    let phrases = Phrases(language);
    let data = &first.event.data;
    let part = first.wording.part.get(language);
    let announced = lines_of(std::iter::once(first).chain(others), language);
    let said = |text: &Option<String>| text.clone().unwrap_or_default();
    let (ico, name) = (&data.ico, said(&data.company.name));
    let company = if name.is_empty() { ico } else { &name };
    let subject = phrases.subject(company, &headline(&announced, part, &phrases));
    let sentences: Vec<String> = announced
        .iter()
        .map(|announced| phrases.sentence(&announced.line, part))
        .collect();
    // A payload without a status leaves the line out.
    let status = data.company.status;
    let status = status.map(|status| phrases.company_status(status));
    let facts = [
        (phrases.city(), said(&data.company.city)),
        (phrases.status(), status.unwrap_or_default().to_owned()),
        (phrases.noticed(), phrases.day(&data.finding.detected_at)),
    ];
    let facts: Vec<(&str, String)> = facts
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .collect();
    let heading = if name.is_empty() {
        phrases.ico(ico)
    } else {
        format!("{name} ({})", phrases.ico(ico))
    };
    let page = Page {
        heading: &heading,
        part,
        sentences: &sentences,
        facts: &facts,
        links,
        phrases,
    };
    EmailBody {
        subject: one_line(&subject),
        text: page.text(),
        html: page.html(),
    }
}

/// The lines of all events, without repetitions.
fn lines_of<'a>(
    events: impl Iterator<Item = &'a Announced> + Clone,
    language: Language,
) -> Vec<AnnouncedLine<'a>> {
    let mut found: Vec<AnnouncedLine<'a>> = Vec::new();
    for Announced { event, wording } in events.clone() {
        for line in wording.lines.get(language) {
            match found.iter_mut().find(|announced| announced.line == *line) {
                Some(announced) => {
                    announced.kinds.insert(&event.event);
                }
                None => found.push(AnnouncedLine {
                    kinds: BTreeSet::from([event.event.as_str()]),
                    line: line.clone(),
                }),
            }
        }
    }
    if found.is_empty() {
        found.extend(events.filter_map(unlined));
    }
    found
}

/// A line for an event that an earlier version stored without lines.
fn unlined(announced: &Announced) -> Option<AnnouncedLine<'_>> {
    let finding = &announced.event.data.finding;
    let (before, after) = (finding.old_value.clone(), finding.new_value.clone());
    (before != after).then(|| AnnouncedLine {
        kinds: BTreeSet::from([announced.event.event.as_str()]),
        line: Line::plain(&finding.field, before, after),
    })
}

/// The subject: the most important line, and the number of the others.
fn headline(announced: &[AnnouncedLine<'_>], part: &str, phrases: &Phrases) -> String {
    // Prefer a specific kind to a general update, and an addition to a removal.
    let weight = |announced: &AnnouncedLine<'_>| {
        let is_named = announced.kinds.iter().any(|kind| *kind != UPDATED);
        (!is_named, announced.line.happened)
    };
    let Some(first) = announced.iter().min_by_key(|announced| weight(announced)) else {
        return part.to_owned();
    };
    let kind = first.kinds.iter().find(|kind| **kind != UPDATED);
    let kind = kind.copied().unwrap_or(UPDATED);
    phrases.headline(kind, &first.line, part, announced.len() - 1)
}

struct Page<'a> {
    heading: &'a str,
    part: &'a str,
    sentences: &'a [String],
    facts: &'a [(&'static str, String)],
    links: &'a Links,
    phrases: Phrases,
}

impl Page<'_> {
    fn text(&self) -> String {
        let mut lines = vec![one_line(self.heading), String::new(), one_line(self.part)];
        let sentences = self.sentences.iter();
        lines.extend(sentences.map(|sentence| format!("- {}", one_line(sentence))));
        lines.push(String::new());
        let facts = self.facts.iter();
        lines.extend(facts.map(|(name, value)| format!("{name}: {}", one_line(value))));
        let company = self.links.company.as_ref();
        lines.extend(company.map(|url| format!("{}: {url}", self.phrases.company_link())));
        if let Some(url) = &self.links.unsubscribe {
            lines.push(String::new());
            lines.push(format!("{}: {url}", self.phrases.unsubscribe()));
        }
        lines.join("\n")
    }

    fn html(&self) -> String {
        let phrases = &self.phrases;
        let items = self.sentences.iter();
        let items: String = items
            .map(|sentence| format!("<li>{}</li>\n", escaped(sentence)))
            .collect();
        let facts = self.facts.iter();
        let facts: Vec<String> = facts
            .map(|(name, value)| format!("{name}: {}", escaped(value)))
            .collect();
        let link = |url: &Option<String>, words: &str| {
            let url = url.as_deref().map(escaped);
            url.map_or_else(String::new, |url| {
                format!("<p><a href=\"{url}\">{words}</a></p>\n")
            })
        };
        format!(
            "<!doctype html>\n<html lang=\"{}\">\n<head><meta charset=\"utf-8\"></head>\n<body>\n<h1>{}</h1>\n<h2>{}</h2>\n\
             <ul>\n{items}</ul>\n<p>{}</p>\n{}{}</body>\n</html>\n",
            phrases.0.code(),
            escaped(self.heading),
            escaped(self.part),
            facts.join("<br>\n"),
            link(&self.links.company, phrases.company_link()),
            link(&self.links.unsubscribe, phrases.unsubscribe()),
        )
    }
}

#[cfg(test)]
mod tests;
