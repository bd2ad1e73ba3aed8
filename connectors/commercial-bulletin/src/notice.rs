//! Reads one notice: from the file name and the XML to its heading and its companies.
//!
//! Texts of notices are not stored, because they name people. The kind of a document and the number of a case
//! are stored, because they have separate elements.

use std::collections::BTreeSet;

use lustra_sdk::xml::{self, Element};
use lustra_sdk::{Failure, ico, text};

use crate::calendar;
use crate::forms::{self, Form};
use crate::layouts::{self, Layout, Role};

/// Maximum length of a heading, in characters.
const HEADING: usize = 160;
/// Maximum length of a document's kind or a case number, in characters. A longer text is running text.
const PIECE: usize = 80;

/// The parts of a file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    /// The mark by which the notice is cited. Some names have none.
    pub mark: Option<String>,
    /// The code of the form, without its version.
    pub form: String,
    /// True if it names the XML of a form.
    pub is_form: bool,
}

impl FileName {
    /// Parses `<mark>-<form>-v-<version>.xml`. Any other name is used as the form, so that no notice is
    /// dropped.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        let name = name.trim();
        let stem = name
            .rsplit_once('.')
            .filter(|(_, ending)| ending.eq_ignore_ascii_case("xml"))
            .map(|(stem, _)| stem);
        let versioned = stem
            .and_then(|stem| stem.rsplit_once("-v-"))
            .filter(|(_, version)| {
                !version.is_empty() && version.bytes().all(|b| b.is_ascii_digit())
            });
        match versioned.and_then(|(rest, _)| rest.split_once('-')) {
            Some((mark, form)) if !mark.is_empty() && !form.is_empty() => Self {
                mark: Some(mark.to_owned()),
                form: form.to_owned(),
                is_form: true,
            },
            Some(_) | None => Self {
                mark: None,
                form: stem.unwrap_or(name).to_owned(),
                is_form: stem.is_some(),
            },
        }
    }
}

/// A company named in a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its IČO: 8 digits.
    pub ico: String,
    /// Its role in the notice: the first one in layout order.
    pub role: Role,
}

/// The content of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Notice {
    /// Meaning, kind and number on one line.
    pub heading: String,
    /// The companies, without duplicates.
    pub subjects: Vec<Subject>,
    /// Number of IČO elements with another content.
    pub odd_ids: u64,
    /// Number of obligor ids that can be a date of birth as well as an IČO.
    pub ambiguous_ids: u64,
    /// True if both the form's code and the root element are unknown.
    pub is_unknown: bool,
    /// True if it belongs to the dataset of register entries.
    pub is_of_register: bool,
}

/// Reads a notice.
///
/// # Errors
/// [`Failure::Malformed`] or [`Failure::Unavailable`] for invalid XML; the caller decides how to treat it.
pub fn read(file: &FileName, content: &str) -> Result<Notice, Failure> {
    let root = xml::parse("notice", content.trim_start_matches('\u{feff}'))?;
    let form = forms::of_code(&file.form);
    let layout = layouts::of_root(&root.name);
    let mut notice = Notice {
        heading: heading(&file.form, form, layout, &root),
        is_unknown: form.is_none() && layout.is_none(),
        is_of_register: root.name == layouts::OF_REGISTER,
        ..Notice::default()
    };
    let mut known = BTreeSet::new();
    for (element, role) in id_elements(&root, layout) {
        match id(&element.text, role) {
            Id::Ico(ico) => {
                if known.insert(ico.clone()) {
                    notice.subjects.push(Subject { ico, role });
                }
            }
            Id::Absent => {}
            Id::Odd => notice.odd_ids += 1,
            Id::Ambiguous => notice.ambiguous_ids += 1,
        }
    }
    Ok(notice)
}

/// The elements with an IČO. Without a known layout, all elements with that name.
fn id_elements<'a>(root: &'a Element, layout: Option<&Layout>) -> Vec<(&'a Element, Role)> {
    match layout.filter(|layout| !layout.subjects.is_empty()) {
        Some(layout) => {
            let of_path = |(path, role): &(layouts::Path, Role)| {
                let role = *role;
                all_at(root, path)
                    .into_iter()
                    .map(move |found| (found, role))
            };
            layout.subjects.iter().flat_map(of_path).collect()
        }
        None => ["ICO", "Ico"]
            .into_iter()
            .flat_map(|name| root.below(name))
            .map(|found| (found, Role::Named))
            .collect(),
    }
}

/// Every element at a path, including repeated ones.
fn all_at<'a>(root: &'a Element, path: &[&str]) -> Vec<&'a Element> {
    let mut found = vec![root];
    for step in path {
        found = found
            .into_iter()
            .flat_map(|element| element.children.iter())
            .filter(|child| child.name == *step)
            .collect();
    }
    found
}

/// The content of an IČO element.
enum Id {
    Ico(String),
    Absent,
    Odd,
    Ambiguous,
}

/// An IČO consists of digits and spaces only: a person's field may contain a date of birth with dots. The field
/// of an obligor also contains personal ids, so eight digits that can be a date are ignored.
fn id(raw: &str, role: Role) -> Id {
    if raw.trim().is_empty() {
        return Id::Absent;
    }
    let is_plain = |c: char| c.is_ascii_digit() || c.is_whitespace() || c == '\u{a0}';
    let digits: String = raw.chars().filter(char::is_ascii_digit).collect();
    if role == Role::Obligor && calendar::is_like_a_date(&digits) {
        return Id::Ambiguous;
    }
    match ico::parse(raw).filter(|_| raw.chars().all(is_plain)) {
        Some(ico) => Id::Ico(ico),
        None => Id::Odd,
    }
}

fn heading(
    code: &str,
    form: Option<&'static Form>,
    layout: Option<&'static Layout>,
    root: &Element,
) -> String {
    let meaning = match (form, layout) {
        (Some(form), _) => form.meaning,
        (None, Some(layout)) => layout.meaning,
        (None, None) => code,
    };
    let piece = |path: Option<layouts::Path>| {
        let said = path.and_then(|path| root.at(path))?.text.as_str();
        text::present(said).filter(|said| said.chars().count() <= PIECE)
    };
    let kind = piece(layout.and_then(|layout| layout.kind));
    let reference = piece(layout.and_then(|layout| layout.reference)).map(|reference| {
        let prefix = layout.map_or("", |layout| layout.reference_prefix);
        format!("{prefix}{reference}")
    });
    let details: Vec<String> = kind.into_iter().chain(reference).collect();
    let whole = if details.is_empty() {
        meaning.to_owned()
    } else {
        format!("{meaning}: {}", details.join(", "))
    };
    whole.chars().take(HEADING).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_is_read_from_the_file_name() {
        for (name, mark, form, is_form) in [
            (
                "K900001-OV_KONKURZY_A_RESTRUKT-v-1.xml",
                Some("K900001"),
                "OV_KONKURZY_A_RESTRUKT",
                true,
            ),
            (
                "D7-00166073.MSSR_OV_Drazobna_vyhlaska-v-12.XML",
                Some("D7"),
                "00166073.MSSR_OV_Drazobna_vyhlaska",
                true,
            ),
            ("priloha 1.pdf", None, "priloha 1.pdf", false),
            ("OV_INE.xml", None, "OV_INE", true),
            ("K1-OV_INE-v-x.xml", None, "K1-OV_INE-v-x", true),
            ("-OV_INE-v-1.xml", None, "-OV_INE-v-1", true),
            ("", None, "", false),
        ] {
            let expected = FileName {
                mark: mark.map(str::to_owned),
                form: form.to_owned(),
                is_form,
            };
            assert_eq!(FileName::parse(name), expected, "{name}");
        }
    }

    #[test]
    fn only_numbers_of_companies_are_taken() {
        let taken = |raw: &str, role: Role| match id(raw, role) {
            Id::Ico(ico) => ico,
            Id::Absent => "absent".to_owned(),
            Id::Odd => "odd".to_owned(),
            Id::Ambiguous => "ambiguous".to_owned(),
        };
        for (raw, role, expected) in [
            ("99 999 994", Role::Debtor, "99999994"),
            ("00\u{a0}000\u{a0}124", Role::Debtor, "00000124"),
            ("316792", Role::Debtor, "00316792"),
            (" ", Role::Debtor, "absent"),
            ("bez ičo", Role::Debtor, "odd"),
            ("00000000", Role::Debtor, "odd"),
            ("94901", Role::Debtor, "odd"),
            ("12.03.1970", Role::Debtor, "odd"),
            ("12.03.1970", Role::Obligor, "ambiguous"),
            ("12031970", Role::Obligor, "ambiguous"),
            ("12031970", Role::Company, "12031970"),
            ("700312/1234", Role::Obligor, "odd"),
            ("99999994", Role::Obligor, "99999994"),
        ] {
            assert_eq!(taken(raw, role), expected, "{raw} {role:?}");
        }
    }
}
