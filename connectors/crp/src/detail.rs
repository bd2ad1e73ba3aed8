//! Reads the page of a project by its labels.

use lustra_sdk::html::{self, scraper::Html, selector};
use lustra_sdk::text::{fold, squeeze};
use lustra_sdk::{Failure, amount, date, ico, malformed};

use crate::project::Project;
use crate::settings::Settings;
use crate::site;

/// A project and its recipient.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detail {
    /// The number in the register.
    pub id: String,
    /// Who received the aid.
    pub recipient: Recipient,
    pub project: Project,
}

/// Who received the aid, as far as sections need it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// A recipient with this IČO, 8 digits.
    Ico(String),
    /// A recipient without a number.
    Without,
    /// A recipient with another kind of number, such as a foreign one.
    Other,
    /// A number that starts like an IČO but is invalid.
    Unreadable,
}

/// Reads the page at a path.
///
/// # Errors
/// [`Failure::Unavailable`] for a page without anything of a project, [`Failure::Malformed`] for a page of another
/// shape. Failures quote no values except a day and an amount.
pub fn read(text: &str, path: &str, settings: &Settings) -> Result<Detail, Failure> {
    let page = Page {
        place: format!("project {path}"),
        document: html::parse(text),
        settings,
    };
    site::whole(text, &page.place)?;
    let parts = [".area1", ".area3", ".area4"];
    if parts.iter().all(|part| !page.has(part)) {
        return Err(site::foreign());
    }
    if let Some(missing) = parts.iter().find(|part| !page.has(part)) {
        return Err(malformed(page.part(missing), "part of the page", "none"));
    }
    page.read(path)
}

/// The recipient's IČO on a page that [`read`] refuses, if at least that is readable.
#[must_use]
pub fn recipient(text: &str, settings: &Settings) -> Option<String> {
    let page = Page {
        place: String::new(),
        document: html::parse(text),
        settings,
    };
    let parties = page.pairs(".area3 tr");
    find(&parties, &settings.labels.recipient_ico).and_then(ico::parse)
}

/// Labels and values of a part of the page.
type Pairs = Vec<(String, String)>;

struct Page<'a> {
    place: String,
    document: Html,
    settings: &'a Settings,
}

impl Page<'_> {
    fn has(&self, css: &'static str) -> bool {
        self.document.select(&selector(css)).next().is_some()
    }

    fn part(&self, part: &str) -> String {
        format!("{}: {part}", self.place)
    }

    fn read(&self, path: &str) -> Result<Detail, Failure> {
        let labels = &self.settings.labels;
        let parties = self.pairs(".area3 tr");
        let dates = self.pairs(".area1 tr");
        let heading = selector("h1");
        let headings = self.document.select(&heading);
        let Some(name) = headings.map(html::text).find(|text| !text.is_empty()) else {
            return Err(malformed(self.part("h1"), "the project's name", "none"));
        };
        let Some(id) = self.required(&parties, "id", &labels.id)? else {
            return Err(malformed(self.part("id"), "the project's number", "none"));
        };
        let days = [
            &labels.published_at,
            &labels.signed_at,
            &labels.start,
            &labels.end,
        ];
        // Any single day may be missing. If all are missing, the labels have changed.
        if days.iter().all(|texts| find(&dates, texts).is_none()) {
            let expected = "a label of the settings";
            return Err(malformed(self.part(".area1"), expected, "none of them"));
        }
        let recipient = match self.required(&parties, "recipient_ico", &labels.recipient_ico)? {
            None => Recipient::Without,
            Some(raw) => match ico::parse(&raw) {
                Some(ico) => Recipient::Ico(ico),
                None if raw.starts_with(|c: char| c.is_ascii_digit()) => Recipient::Unreadable,
                None => Recipient::Other,
            },
        };
        let day = |texts| self.day(find(&dates, texts).or_else(|| find(&parties, texts)));
        let project = Project {
            name,
            provider: self.required(&parties, "provider", &labels.provider)?,
            help_type: self.required(&parties, "help_type", &labels.help_type)?,
            amount: self.amount()?,
            published_at: day(&labels.published_at)?,
            signed_at: day(&labels.signed_at)?,
            start: day(&labels.start)?,
            end: day(&labels.end)?,
            path: path.to_owned(),
        };
        Ok(Detail {
            id,
            recipient,
            project,
        })
    }

    /// The rows of a table with a label and a value.
    fn pairs(&self, rows: &'static str) -> Pairs {
        let (rows, cells) = (selector(rows), selector("th, td"));
        let pair = |row: html::scraper::ElementRef<'_>| {
            let cells = row.select(&cells).map(html::text);
            let cells: Vec<String> = cells.take(2).collect();
            let [label, value]: [String; 2] = cells.try_into().ok()?;
            Some((fold(&label), value))
        };
        self.document.select(&rows).filter_map(pair).collect()
    }

    /// The value behind a label that every project has. The value itself may be absent.
    fn required(
        &self,
        pairs: &Pairs,
        name: &str,
        texts: &[String],
    ) -> Result<Option<String>, Failure> {
        match find(pairs, texts) {
            None => Err(malformed(self.part(name), "its label", "none")),
            Some(value) if self.settings.is_absent(value) => Ok(None),
            Some(value) => Ok(Some(value.to_owned())),
        }
    }

    fn day(&self, value: Option<&str>) -> Result<Option<String>, Failure> {
        match value.filter(|value| !self.settings.is_absent(value)) {
            None => Ok(None),
            Some(raw) => match date::parse(raw) {
                Some(day) => Ok(Some(day)),
                None => Err(malformed(self.part("date"), "a day", raw)),
            },
        }
    }

    /// The total amount. It may stand behind other words.
    fn amount(&self) -> Result<Option<String>, Failure> {
        let total = selector(".area4");
        let parts = self.document.select(&total);
        let text = squeeze(&parts.map(html::text).collect::<Vec<_>>().join(" "));
        let begin = text.find(|c: char| c.is_ascii_digit());
        let Some(begin) = begin else {
            let value = text.rsplit(':').next().unwrap_or_default();
            if self.settings.is_absent(value) {
                return Ok(None);
            }
            return Err(malformed(self.part(".area4"), "an amount", text));
        };
        let (before, number) = text.split_at(begin);
        let sign = if before.ends_with(['-', '−']) {
            "-"
        } else {
            ""
        };
        match amount::parse(&format!("{sign}{number}")) {
            Some(amount) => Ok(Some(amount)),
            None => Err(malformed(self.part(".area4"), "an amount", number)),
        }
    }
}

/// The value behind any of the labels. A value with text wins over an empty one.
fn find<'a>(pairs: &'a Pairs, texts: &[String]) -> Option<&'a str> {
    let mut values = pairs
        .iter()
        .filter(|(label, _)| texts.iter().any(|text| fold(text) == *label))
        .map(|(_, value)| value.as_str());
    let first = values.next()?;
    Some(if first.is_empty() {
        values.find(|value| !value.is_empty()).unwrap_or(first)
    } else {
        first
    })
}
