//! A company's page, made from the answer of the API and the manifests of the connectors.

use askama::Template;
use serde_json::{Map, Value};

use super::answer::{CompanyAnswer, Meta, Origin, State, Unread};
use super::facts::{Layout, UNREAD};
use super::frame::Frame;
use super::parts::{Part, parts};
use super::shown::Facts;
use super::texts::{Texts, reason};
use super::warnings::{Warning, warning};
use crate::changes::{Detail, Guide, Writer, base_schema, is_hit};
use crate::companies::Ico;
use crate::connectors::call_failure::unread_kind;
use crate::connectors::catalogue::Catalogue;
use crate::store::FailureKind;

/// A source that could not be read.
#[derive(Debug)]
pub(super) struct Gap {
    pub(super) what: String,
    pub(super) why: &'static str,
    /// Whether the operator switched the source off. Verdicts do not depend on such a source.
    pub(super) is_off: bool,
}

/// A part of the page.
#[derive(Debug)]
pub(super) struct Section {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) register: String,
    /// The day for which it is valid, for people and as ISO 8601.
    pub(super) day: Option<(String, String)>,
    pub(super) is_stale: bool,
    /// Whether it was read and has nothing on the company.
    pub(super) is_empty: bool,
    pub(super) facts: Facts,
    /// Sources of it that were not read.
    pub(super) gaps: Vec<Gap>,
}

/// A part that was not read, or that does not apply.
#[derive(Debug)]
pub(super) struct Missing {
    pub(super) title: String,
    pub(super) register: String,
    pub(super) why: &'static str,
}

#[derive(Debug, Template)]
#[template(path = "company.html")]
pub(super) struct CompanyPage {
    frame: Frame,
    t: &'static Texts,
    name: String,
    ico: String,
    is_invented: bool,
    /// What the company is: a label and a text each.
    summary: Vec<(&'static str, String)>,
    warnings: Vec<Warning>,
    /// Titles of the parts that warn of companies and were read.
    checked: Vec<String>,
    /// Whether a part that warns of companies was not read completely.
    is_unsure: bool,
    missing: Vec<Missing>,
    is_under_way: bool,
    sections: Vec<Section>,
    not_applicable: Vec<Missing>,
    built: Option<String>,
    curl: String,
}

impl CompanyPage {
    /// The page of an answer. `base` is the address of the API.
    pub(super) fn new(
        frame: Frame,
        ico: &Ico,
        answer: &CompanyAnswer,
        catalogue: &Catalogue,
        base: &str,
    ) -> Self {
        let (language, t) = (frame.language, frame.t);
        let layout = Layout::new(language);
        let (data, meta) = (&answer.data, &answer.meta);
        let name = text(data, "name");
        let mut page = Self {
            t,
            ico: ico.to_string(),
            is_invented: meta.sandbox,
            summary: summary(data, meta, layout),
            warnings: ended(data, meta, layout).into_iter().collect(),
            checked: Vec::new(),
            is_unsure: false,
            missing: Vec::new(),
            is_under_way: false,
            sections: Vec::new(),
            not_applicable: Vec::new(),
            built: meta
                .profile_built_at
                .as_deref()
                .and_then(|at| layout.writer().date(at)),
            curl: curl(base, ico, meta.sandbox),
            frame: frame.titled(&format!("{name} – {ico}")),
            name,
        };
        for part in parts(data, meta, catalogue, language) {
            page.add(&part, layout);
        }
        // What has something to say comes first.
        page.sections.sort_by_key(|section| section.is_empty);
        page
    }

    fn add(&mut self, part: &Part<'_>, layout: Layout) {
        let (t, language) = (layout.t, self.frame.language);
        let warns = part.warns();
        let missing = |why| Missing {
            title: part.title.clone(),
            register: part.origin.register.clone(),
            why,
        };
        match (&part.value, part.origin.state) {
            (_, State::NotApplicable) => self.not_applicable.push(missing(t.not_applicable)),
            (None, _) | (Some(_), State::Unread) => {
                let code = part.origin.reason.as_deref().unwrap_or("not_in_time");
                self.is_under_way |= code == "not_in_time";
                self.is_unsure |= warns;
                self.missing.push(missing(reason(code, language)));
            }
            (Some(value), State::Fresh | State::Stale) => {
                let section = section(part, value, layout);
                if warns {
                    self.is_unsure |= section.gaps.iter().any(|gap| !gap.is_off);
                    self.checked.push(part.title.clone());
                }
                let day = section.day.as_ref().map(|(words, _)| words.clone());
                self.warnings.extend(warning(part, value, day, layout));
                self.sections.push(section);
            }
        }
    }
}

fn section(part: &Part<'_>, value: &Value, layout: Layout) -> Section {
    let facts = match value.as_object() {
        Some(members) => layout.facts(members, &part.guide),
        None => layout.whole(&part.title, value, &part.guide),
    };
    let day = part.origin.as_deref_day();
    Section {
        id: part.id.clone(),
        title: part.title.clone(),
        register: part.origin.register.clone(),
        day: day.and_then(|iso| Some((layout.writer().date(iso)?, iso.to_owned()))),
        is_stale: part.origin.state == State::Stale,
        is_empty: part.is_section && !says_something(value, &part.guide),
        facts,
        gaps: gaps(part, value, layout),
    }
}

/// Whether a section says something about the company: a member other than what describes the reading has a value
/// that is a hit, and not a constant.
fn says_something(value: &Value, guide: &Guide<'_>) -> bool {
    match value.as_object() {
        Some(members) => members.iter().any(|(name, value)| {
            let is_about_reading = name.ends_with("currency") || guide.member(name).is_volatile();
            !is_about_reading && is_hit(value, "")
        }),
        None => is_hit(value, ""),
    }
}

/// The sources of a section that were not read: those that it names itself, and those of `meta`.
fn gaps(part: &Part<'_>, value: &Value, layout: Layout) -> Vec<Gap> {
    let language = layout.writer().language;
    let named = value.get(UNREAD).cloned().unwrap_or_default();
    let named: Vec<Unread> = serde_json::from_value(named).unwrap_or_default();
    let of_meta = part.origin.unread.iter().flatten();
    let guide = part.guide.member(UNREAD).items().member("source");
    let gap = |unread: &Unread| {
        let source = Value::from(unread.source.as_str());
        let of_words = part.words_of_source(&unread.source, language);
        let what = of_words.map_or_else(
            || {
                layout
                    .writer()
                    .value(&source, "source", None, &guide, Detail::Brief)
            },
            str::to_owned,
        );
        let kind = unread_kind(&unread.why);
        Gap {
            what,
            why: reason(kind.word(), language),
            is_off: kind == FailureKind::Off,
        }
    };
    named.iter().chain(of_meta).map(gap).collect()
}

/// What the company is, in a few lines of the base record.
fn summary(data: &Map<String, Value>, meta: &Meta, layout: Layout) -> Vec<(&'static str, String)> {
    let (t, writer) = (layout.t, layout.writer());
    let guide = Guide::of(base_schema());
    let of = |name: &str| worded(data, name, &guide, writer);
    let status = [of("status"), of("legal_form")];
    let status: Vec<String> = status.into_iter().flatten().collect();
    let days = [("established_date", t.since), ("terminated_date", t.until)];
    let days = days.map(|(name, word)| of(name).map(|day| format!("{word} {day}")));
    let days: Vec<String> = days.into_iter().flatten().collect();
    let activity = [of("nace_code"), of("nace_description")];
    let activity: Vec<String> = activity.into_iter().flatten().collect();
    let register = meta.registers.first().map(|origin| {
        let day = origin.as_deref_day().and_then(|day| writer.date(day));
        match day {
            Some(day) => format!("{} ({} {day})", origin.register, t.as_of),
            None => origin.register.clone(),
        }
    });
    let lines = [
        (t.state, status.join(", ")),
        (t.seat, of("address").unwrap_or_default()),
        (t.established, days.join(" ")),
        (t.activity, activity.join(" – ")),
        (t.base_register, register.unwrap_or_default()),
    ];
    let lines = lines.into_iter().filter(|(_, text)| !text.is_empty());
    lines.collect()
}

/// The warning that the company ended, by its base record.
fn ended(data: &Map<String, Value>, meta: &Meta, layout: Layout) -> Option<Warning> {
    let status = text(data, "status");
    if status.is_empty() || status == crate::store::CompanyStatus::Active.word() {
        return None;
    }
    let (guide, writer) = (Guide::of(base_schema()), layout.writer());
    let of = |name: &str| worded(data, name, &guide, writer);
    let origin = meta.registers.first();
    let day = origin.and_then(Origin::as_deref_day);
    Some(Warning {
        target: None,
        title: layout.t.warning_ended.to_owned(),
        lines: [of("status"), of("terminated_date")]
            .into_iter()
            .flatten()
            .collect(),
        register: origin
            .map(|origin| origin.register.clone())
            .unwrap_or_default(),
        day: day.and_then(|day| writer.date(day)),
    })
}

fn worded(
    data: &Map<String, Value>,
    name: &str,
    guide: &Guide<'_>,
    writer: Writer,
) -> Option<String> {
    let value = data.get(name)?;
    let text = writer.value(value, name, None, &guide.member(name), Detail::Full);
    (!text.is_empty()).then_some(text)
}

fn text(data: &Map<String, Value>, name: &str) -> String {
    let text = data.get(name).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The call that returns the same.
fn curl(base: &str, ico: &Ico, is_invented: bool) -> String {
    if is_invented {
        format!("curl -s '{base}/v1/sandbox/company/ico/{ico}'")
    } else {
        format!("curl -s -H \"X-API-Key: $KEY\" '{base}/v1/company/ico/{ico}?scope=all'")
    }
}
