//! The layout of an extract: header, sections with their entries, footer.
//!
//! The page is parsed and walked once. Here an entry is lines of pieces with a validity; other modules
//! interpret people and money. Sections are identified by label, never by position.

use lustra_sdk::html::{self, scraper::ElementRef};
use lustra_sdk::{Failure, date, malformed, text};

use crate::labels::{self, Label};
use crate::site::{self, Page};

/// One `span` of the page: a separate stretch of text within a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The text, squeezed; never empty.
    pub text: String,
    /// True inside the link to the search by person, as for names of natural persons.
    pub linked: bool,
}

/// A line of an entry.
pub type Line = Vec<Piece>;

/// One entry of a section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its lines; none is empty.
    pub lines: Vec<Line>,
    /// True if it is valid now. Pages with history also contain invalid entries.
    pub valid: bool,
    /// The first day in the register.
    pub from: Option<String>,
    /// The last day in the register.
    pub to: Option<String>,
}

impl Entry {
    /// The whole entry in one line.
    #[must_use]
    pub fn text(&self) -> String {
        self.lines
            .iter()
            .map(|line| line_text(line))
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// A line's pieces in one text.
#[must_use]
pub fn line_text(line: &[Piece]) -> String {
    line.iter()
        .map(|piece| piece.text.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

/// The content of one record's page.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Extract {
    /// The court in the nominative.
    pub court: String,
    /// The section of the register (Oddiel).
    pub section: String,
    /// Vložka with the court's letter.
    pub insert_number: String,
    /// The day of the last update (Dátum aktualizácie údajov).
    pub updated_at: Option<String>,
    /// Labels that this connector does not know.
    pub unknown_labels: Vec<String>,
    sections: Vec<(Label, Vec<Entry>)>,
}

impl Extract {
    /// All entries of the sections with a label, in the page's order.
    pub fn entries(&self, label: Label) -> impl Iterator<Item = &Entry> {
        self.sections
            .iter()
            .filter(move |(of, _)| *of == label)
            .flat_map(|(_, entries)| entries)
    }

    /// The currently valid entries.
    pub fn valid(&self, label: Label) -> impl Iterator<Item = &Entry> {
        self.entries(label).filter(|entry| entry.valid)
    }

    /// The entries that are no longer valid. Only full extracts have them.
    pub fn former(&self, label: Label) -> impl Iterator<Item = &Entry> {
        self.entries(label).filter(|entry| !entry.valid)
    }

    /// The currently valid entry, or the newest one of an ended record.
    #[must_use]
    pub fn latest(&self, label: Label) -> Option<&Entry> {
        self.valid(label)
            .next()
            .or_else(|| self.entries(label).next())
    }
}

/// Reads an extract. `None` if the page is the register's home page; [`site::answers`] checks whether that
/// answers the request.
///
/// # Errors
/// As [`site::recognise`] for pages that are not the register's; `malformed` for another page of the register
/// and for a truncated or changed extract.
pub fn read(page: &str) -> Result<Option<Extract>, Failure> {
    let document = html::parse(page);
    let mut reader = Reader::default();
    let mut at = document.tree.root().first_child();
    while let Some(node) = at {
        let inside = match ElementRef::wrap(node) {
            Some(element) if !reader.visit(element) => None,
            _ => node.first_child(),
        };
        at = inside.or_else(|| {
            let mut up = Some(node);
            while let Some(above) = up {
                if let Some(next) = above.next_sibling() {
                    return Some(next);
                }
                up = above.parent();
            }
            None
        });
    }
    let has_name = reader.extract.entries(Label::Name).next().is_some();
    if reader.extract.court.is_empty() && !has_name {
        return match site::recognise(page)? {
            Page::Home => Ok(None),
            Page::Extract => Err(malformed(
                "extract: layout",
                "a court in the heading, and sections with labels",
                end_of(page),
            )),
            Page::Other => Err(malformed(
                "answer for a record",
                "an extract, or the register's home page",
                page,
            )),
        };
    }
    reader.finish(page).map(Some)
}

/// The state of the walk.
#[derive(Default)]
struct Reader<'a> {
    extract: Extract,
    /// The cell of the last section read. The walk must not enter it, because branches nest labels in it.
    done: Option<ElementRef<'a>>,
    footer: Option<String>,
    printed_at: Option<String>,
}

impl<'a> Reader<'a> {
    /// Processes an element. Returns false if its descendants contain nothing relevant.
    fn visit(&mut self, element: ElementRef<'a>) -> bool {
        match element.value().name() {
            "td" if self.done.is_some_and(|done| done.id() == element.id()) => {
                self.done = None;
                false
            }
            "td" if has_class(element, "src") => {
                self.header(&html::text(element));
                false
            }
            "td" if has_class(element, "tl") => {
                self.footer(&html::text(element));
                false
            }
            "span" if has_class(element, "tl") => {
                self.label(element);
                false
            }
            "head" | "script" | "style" => false,
            _ => true,
        }
    }

    fn header(&mut self, title: &str) {
        if let Some(court) = title.strip_prefix("Výpis z Obchodného registra") {
            self.extract.court = court
                .trim()
                .replacen("Okresného súdu", "Okresný súd", 1)
                .replacen("Mestského súdu", "Mestský súd", 1);
        }
    }

    fn footer(&mut self, cell: &str) {
        if cell.ends_with(':') {
            self.footer = Some(text::fold(cell));
            return;
        }
        match self.footer.take().as_deref() {
            Some("datum aktualizacie udajov") => self.extract.updated_at = date::parse(cell),
            Some("datum vypisu") => self.printed_at = date::parse(cell),
            _ => {}
        }
    }

    fn label(&mut self, span: ElementRef<'a>) {
        let printed = html::text(span);
        let printed = printed.trim_end_matches([':', ' ']);
        let Some(cell) = span.parent().and_then(ElementRef::wrap) else {
            return;
        };
        let beside = span
            .next_siblings()
            .filter_map(ElementRef::wrap)
            .find(|next| next.value().name() == "span");
        if let Some(value) = beside {
            match text::fold(printed).as_str() {
                "oddiel" => self.extract.section = html::text(value),
                "vlozka cislo" => self.extract.insert_number = html::text(value),
                _ => self.extract.unknown_labels.push(printed.to_owned()),
            }
            return;
        }
        let Some(content) = cell
            .next_siblings()
            .filter_map(ElementRef::wrap)
            .find(|next| next.value().name() == "td")
        else {
            return;
        };
        self.done = Some(content);
        match labels::meaning(printed) {
            Some(Label::Unused) => {}
            Some(label) => self.extract.sections.push((label, entries(content))),
            None => self.extract.unknown_labels.push(printed.to_owned()),
        }
    }

    /// The footer comes last, so a page without it is truncated.
    fn finish(self, page: &str) -> Result<Extract, Failure> {
        let extract = self.extract;
        let missing = [
            ("court in the header", extract.court.is_empty()),
            ("Oddiel", extract.section.is_empty()),
            ("Vložka číslo", extract.insert_number.is_empty()),
            ("Dátum výpisu", self.printed_at.is_none()),
        ];
        match missing.into_iter().find(|(_, is_missing)| *is_missing) {
            Some((label, _)) => Err(malformed(
                format!("extract: {label}"),
                "the label with its value",
                end_of(page),
            )),
            None => Ok(extract),
        }
    }
}

/// The last line of a page, which shows where a page was truncated.
fn end_of(page: &str) -> &str {
    page.trim_end().lines().next_back().unwrap_or_default()
}

fn has_class(element: ElementRef<'_>, class: &str) -> bool {
    element.value().classes().any(|of| of == class)
}

/// The entries of a section's content cell: a nested table each, with the data on the left and the validity on the
/// right.
fn entries(content: ElementRef<'_>) -> Vec<Entry> {
    let mut entries = Vec::new();
    for table in content
        .child_elements()
        .filter(|child| child.value().name() == "table")
    {
        for body in table.child_elements() {
            for row in body
                .child_elements()
                .filter(|child| child.value().name() == "tr")
            {
                let mut cells = row.child_elements();
                let Some(left) = cells.next() else { continue };
                let validity = cells.next().map(html::text).unwrap_or_default();
                entries.extend(entry(left, &validity));
            }
        }
    }
    entries
}

fn entry(cell: ElementRef<'_>, validity: &str) -> Option<Entry> {
    let mut lines: Vec<Line> = vec![Line::new()];
    let (mut valid, mut last) = (None, None);
    for node in cell.descendants() {
        if let Some(element) = node.value().as_element() {
            if element.name() == "br" {
                lines.push(Line::new());
            } else if element.name() == "span" && valid.is_none() {
                valid = element.classes().find_map(validity_class);
            }
            continue;
        }
        let Some(text) = node.value().as_text().map(|raw| text::squeeze(raw)) else {
            continue;
        };
        let Some(line) = lines.last_mut() else {
            continue;
        };
        // Icons leave no text, and a lone asterisk is decoration.
        if text.is_empty() || text == "*" {
            continue;
        }
        let parent = node.parent().map(|parent| parent.id());
        match line.last_mut().filter(|_| parent == last) {
            Some(piece) => {
                piece.text.push(' ');
                piece.text.push_str(&text);
            }
            None => {
                let mut above = node.ancestors().take(4).filter_map(ElementRef::wrap);
                let linked =
                    above.any(|above| above.value().name() == "a" && has_class(above, "lnm"));
                line.push(Piece { text, linked });
            }
        }
        last = parent;
    }
    lines.retain(|line| !line.is_empty());
    let (from, to) = validity_dates(validity);
    let valid = valid.unwrap_or(to.is_none());
    (!lines.is_empty()).then_some(Entry {
        lines,
        valid,
        from,
        to,
    })
}

/// The page's classes for valid and historic entries.
fn validity_class(class: &str) -> Option<bool> {
    match class {
        "ra" => Some(true),
        "ro" => Some(false),
        _ => None,
    }
}

/// Reads `(od: DD.MM.YYYY do: DD.MM.YYYY)`. Either date may be missing; branches have neither.
fn validity_dates(printed: &str) -> (Option<String>, Option<String>) {
    let after = |mark: &str| {
        let rest = &printed[printed.find(mark)? + mark.len()..];
        let end = rest
            .find(|c: char| c.is_alphabetic() || c == ')')
            .unwrap_or(rest.len());
        date::parse(&rest[..end])
    };
    (after("od:"), after("do:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validity_is_read_in_all_its_forms() {
        let day = |text: &str| Some(text.to_owned());
        assert_eq!(
            validity_dates("(od: 01.03.2012)"),
            (day("2012-03-01"), None)
        );
        assert_eq!(
            validity_dates("(od: 5. 1. 2010 do: 29.02.2012)"),
            (day("2010-01-05"), day("2012-02-29"))
        );
        assert_eq!(validity_dates(""), (None, None));
    }
}
