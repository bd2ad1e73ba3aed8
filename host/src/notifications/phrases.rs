//! Wording of e-mails, per language.

use crate::changes::{Line, LineChange, day, in_sentence};
use crate::clock::rfc3339;
use crate::language::Language;
use crate::store::{CompanyStatus, FailingWebhook};

#[derive(Debug, Clone, Copy)]
pub(super) struct Phrases(pub Language);

impl Phrases {
    pub fn subject(self, company: &str, headline: &str) -> String {
        let begin = self.0.pick("Zmena v spoločnosti", "Change at");
        format!("{begin} {company}: {headline}")
    }

    /// One change in a few words, and how many others the e-mail contains.
    pub fn headline(self, kind: &str, line: &Line, part: &str, others: usize) -> String {
        let first = self.named(kind, line).unwrap_or_else(|| {
            let label = if line.label.is_empty() {
                part
            } else {
                &line.label
            };
            let label = in_sentence(label.split(" – ").next().unwrap_or(label));
            if line.happened != LineChange::ItemAdded || line.item.is_empty() {
                return label;
            }
            let item = shortened(&line.item);
            self.0.pick(
                format!("{label}, nový záznam: {item}"),
                format!("{label}, new: {item}"),
            )
        });
        let more = self.0.pick("a ďalšie zmeny", "and more");
        match others {
            0 => first,
            others => format!("{first} {more} ({others})"),
        }
    }

    /// Event kinds that have a phrase of their own.
    fn named(self, kind: &str, line: &Line) -> Option<String> {
        let phrase = |slovak: &str, english: &str| Some(self.0.pick(slovak, english).to_owned());
        match (kind, line.happened) {
            ("officers.changed", LineChange::ItemAdded | LineChange::ItemRemoved) => {
                let role = if line.role.is_empty() {
                    in_sentence(&line.label)
                } else {
                    line.role.clone()
                };
                let item = shortened(&line.item);
                Some(match (line.happened == LineChange::ItemAdded, self.0) {
                    (true, Language::Slovak) => format!("nový {role} {item}"),
                    (true, Language::English) => format!("new {role} {item}"),
                    (false, Language::Slovak) => format!("končí {role} {item}"),
                    (false, Language::English) => format!("{role} {item} left"),
                })
            }
            ("address.changed", _) => phrase("nové sídlo", "new registered seat"),
            ("debtor.added", _) => phrase("nový zápis v zozname dlžníkov", "listed as a debtor"),
            ("insolvency.opened", _) => phrase("insolvenčné konanie", "insolvency proceedings"),
            ("sanctions.match", _) => {
                phrase("nález v sankčnom zozname", "found on a sanctions list")
            }
            ("debarred.updated", _) => phrase(
                "zákaz účasti vo verejnom obstarávaní",
                "ban from public procurement",
            ),
            ("ted_tender.published", _) => {
                phrase("nové oznámenie v TED", "new procurement notice in TED")
            }
            _ => None,
        }
    }

    pub fn sentence(self, line: &Line, part: &str) -> String {
        let label = if line.label.is_empty() {
            part
        } else {
            &line.label
        };
        let Line { before, after, .. } = line;
        match (line.happened, self.0) {
            (LineChange::ItemAdded, Language::Slovak) => format!("{label}: nový záznam – {after}."),
            (LineChange::ItemAdded, Language::English) => format!("{label}: new – {after}."),
            (LineChange::ItemRemoved, Language::Slovak) => {
                format!("{label}: už neplatí – {before}.")
            }
            (LineChange::ItemRemoved, Language::English) => {
                format!("{label}: no longer there – {before}.")
            }
            (LineChange::Added, Language::Slovak) => {
                format!("{label}: teraz {after}, predtým neuvedené.")
            }
            (LineChange::Added, Language::English) => {
                format!("{label}: now {after}, not stated before.")
            }
            (LineChange::Removed, Language::Slovak) => {
                format!("{label}: už neuvedené, predtým {before}.")
            }
            (LineChange::Removed, Language::English) => {
                format!("{label}: no longer stated, before {before}.")
            }
            (LineChange::Changed, Language::Slovak) => {
                format!("{label}: predtým {before}, teraz {after}.")
            }
            (LineChange::Changed, Language::English) => {
                format!("{label}: before {before}, now {after}.")
            }
        }
    }

    pub fn ico(self, ico: &str) -> String {
        format!("{} {ico}", self.0.pick("IČO", "registration number"))
    }

    pub fn city(self) -> &'static str {
        self.0.pick("Obec", "Municipality")
    }

    pub fn status(self) -> &'static str {
        self.0.pick("Stav", "Status")
    }

    /// A company's state in words.
    pub fn company_status(self, status: CompanyStatus) -> &'static str {
        match status {
            CompanyStatus::Active => self.0.pick("aktívna", "active"),
            CompanyStatus::Terminated => self.0.pick("zaniknutá", "terminated"),
            CompanyStatus::Deleted => self.0.pick("vymazaná", "deleted"),
        }
    }

    pub fn noticed(self) -> &'static str {
        self.0.pick("Zistené", "Noticed")
    }

    /// The date part of an RFC 3339 time, formatted for reading.
    pub fn day(self, time: &str) -> String {
        let date = time.split('T').next().unwrap_or_default();
        day(date, self.0).unwrap_or_else(|| time.to_owned())
    }

    pub fn company_link(self) -> &'static str {
        self.0.pick("Údaje o spoločnosti", "The company's data")
    }

    pub fn unsubscribe(self) -> &'static str {
        self.0
            .pick("Už mi neposielať tieto správy", "End these messages")
    }

    /// Subject and text of the notice that a webhook was paused.
    pub fn paused(self, webhook: &FailingWebhook) -> (String, String) {
        let FailingWebhook {
            ico,
            id,
            webhook_url: url,
            failing_since,
            ..
        } = webhook;
        let since = self.day(&rfc3339(*failing_since));
        self.0.pick(
            (
                format!("Webhook pre spoločnosť {ico} je pozastavený"),
                format!(
                    "Na {url} už nič neposielame: od {since} zlyhal každý pokus o doručenie.\n\n\
                     Udalosti, ktoré medzitým nastanú, uchovávame. Keď bude príjemca opäť fungovať, obnovte odber\n\
                     (POST /v1/notifications s tou istou spoločnosťou) a zmeškané udalosti si vyžiadajte\n\
                     (POST /v1/notifications/{id}/resend).\n"
                ),
            ),
            (
                format!("The webhook for company {ico} is paused"),
                format!(
                    "Nothing is sent to {url} any more: every attempt has failed since {since}.\n\n\
                     Events that happen meanwhile are kept. Once the receiver works again, resume the subscription\n\
                     (POST /v1/notifications with the same company), then request the missed events\n\
                     (POST /v1/notifications/{id}/resend).\n"
                ),
            ),
        )
    }

    /// Subject prefix of test e-mails.
    pub fn trial(self) -> &'static str {
        self.0.pick("Skúška", "Test")
    }
}

/// Shortens a text to fit into a subject.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST).collect();
    format!("{kept} …")
}
