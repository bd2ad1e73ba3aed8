//! The text blocks of the register of barred persons, each with one subject and one ban.

use lustra_sdk::html::{self, scraper::ElementRef, scraper::Selector};
use lustra_sdk::runtime::{self, Level};
use lustra_sdk::text::{fold, present, squeeze};
use lustra_sdk::{Failure, Notes, date, ico, malformed, unread};

use crate::ban::{Ban, RelatedPerson};
use crate::labels::flowing;
use crate::settings::Debarred;
use crate::site::{self, Page};

/// The register's name in failures.
pub const LIST: &str = "register of barred persons";

/// A block of a page.
#[derive(Debug)]
pub struct Block {
    /// The visible text, which distinguishes blocks.
    pub text: String,
    /// The ban. `None` for a foreign subject, or one without a number.
    pub ban: Option<Ban>,
    /// The ban of a block without a number. It may be a known ban whose number was omitted this time.
    pub without_number: Option<Unnumbered>,
    /// Numbers in an unreadable block: candidates for its subject.
    pub unreadable: Vec<String>,
}

/// Identifies a ban without the subject's number: first day and decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnumbered {
    pub banned_from: String,
    /// The number of the decision.
    pub decision_number: Option<String>,
}

/// The content of a block.
enum Content {
    Ban(Box<Ban>),
    Foreign,
    WithoutNumber(Unnumbered),
}

/// Reads the blocks of a page. An unreadable block is odd and returns the candidates for its subject.
///
/// # Errors
/// [`Failure::Malformed`] if the blocks do not match the page's marks.
pub fn read(page: &Page, settings: &Debarred, notes: &mut Notes) -> Result<Vec<Block>, Failure> {
    let css = format!(".{}", settings.block_class);
    let selector = Selector::parse(&css).map_err(|_unreadable| {
        Failure::Misconfigured("debarred.block_class is not a valid class name".to_owned())
    })?;
    let marks = marks_in(page.document.root_element(), settings);
    let blocks: Vec<ElementRef<'_>> = page.document.select(&selector).collect();
    let each_has_one = blocks.iter().all(|block| marks_in(*block, settings) == 1);
    if blocks.len() != marks || !each_has_one {
        return Err(malformed(
            format!("{LIST}: blocks"),
            format!("as many of class {css} as marks, one mark in each"),
            format!("{} blocks and {marks} marks", blocks.len()),
        ));
    }
    let read = |(number, block)| {
        let place = format!("{LIST}: block {number}");
        let lines = site::lines(block);
        let text = lines.join("\n");
        notes.row();
        let mut block = Block {
            ban: None,
            without_number: None,
            unreadable: Vec::new(),
            text,
        };
        match read_content(&place, &lines, settings, notes) {
            Ok(Content::Ban(ban)) => block.ban = Some(*ban),
            Ok(Content::Foreign) => {}
            Ok(Content::WithoutNumber(ban)) => block.without_number = Some(ban),
            Err(failure @ Failure::Malformed(_)) => {
                runtime::log(
                    Level::Warn,
                    &format!("skipped an unreadable block: {}", unread::why(&failure)),
                );
                notes.odd("unreadable_blocks");
                block.unreadable = numbers(&block.text);
            }
            Err(failure) => return Err(failure),
        }
        Ok(block)
    };
    (1..).zip(blocks).map(read).collect()
}

/// The numbers in a text that can be an IČO, also with grouped digits: `99 999 994`.
fn numbers(text: &str) -> Vec<String> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter(|word| !word.is_empty())
        .collect();
    let grouped = words
        .windows(3)
        .filter(|group| group.iter().map(|word| word.len()).eq([2, 3, 3]))
        .map(|group| group.join(""));
    let whole = words.iter().map(|word| (*word).to_owned());
    let mut found: Vec<String> = whole
        .chain(grouped)
        .filter(|word| word.len() == 8 && word.bytes().all(|byte| byte.is_ascii_digit()))
        .filter_map(|word| ico::parse(&word))
        .filter(|number| ico::check_digit_fits(number))
        .collect();
    found.sort();
    found.dedup();
    found
}

/// Number of descendants whose text is only the mark. Their wrappers are not counted again.
fn marks_in(element: ElementRef<'_>, settings: &Debarred) -> usize {
    let mark = fold(&settings.mark);
    let says = |element: &ElementRef<'_>| fold(&html::text(*element)) == mark;
    let below = element.descendants().skip(1).filter_map(ElementRef::wrap);
    below
        .filter(says)
        .filter(|found| !found.child_elements().any(|child| says(&child)))
        .count()
}

/// The first value of each label, in the order in which [`read_content`] names them.
fn labelled(lines: &[String], settings: &Debarred) -> [Option<String>; 10] {
    let known: [&[String]; 10] = [
        &settings.ico,
        &settings.seat,
        &settings.banned_from,
        &settings.banned_until,
        &settings.decision_number,
        &settings.decision_date,
        &settings.final_on,
        &settings.legal_basis,
        &settings.violation_reason,
        &settings.related_persons,
    ];
    let values: Vec<(usize, String)> = lines
        .iter()
        .flat_map(|line| flowing(line, &known))
        .collect();
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|label| {
        let mut own = values.iter().filter(|(of, _)| *of == label);
        own.next().map(|(_, text)| text.clone())
    })
}

/// A date, or `None` for an empty value.
fn day(place: &str, name: &str, text: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(text) = text.and_then(present) else {
        return Ok(None);
    };
    match date::parse(&text) {
        Some(day) => Ok(Some(day)),
        None => {
            let what = format!("{place}: {name}");
            Err(malformed(what, "a date", "another text"))
        }
    }
}

fn read_content(
    place: &str,
    lines: &[String],
    settings: &Debarred,
    notes: &mut Notes,
) -> Result<Content, Failure> {
    let [
        ico,
        seat,
        from,
        until,
        number,
        decided,
        final_on,
        basis,
        reason,
        persons,
    ] = &labelled(lines, settings);
    let day = |name: &str, text: &Option<String>| day(place, name, text.as_deref());
    let banned_from = day("banned_from", from)?
        .ok_or_else(|| malformed(format!("{place}: banned_from"), "a date", "nothing"))?;
    let banned_until = match until {
        None => {
            let what = format!("{place}: banned_until");
            return Err(malformed(what, "a label of the settings", "none of them"));
        }
        Some(text) if is_open(text, settings) => None,
        Some(_) => day("banned_until", until)?,
    };
    if is_foreign(seat.as_deref(), settings) {
        notes.count("foreign");
        return Ok(Content::Foreign);
    }
    let Some(ico) = own_number(place, ico.as_deref())? else {
        notes.count("without_ico");
        return Ok(Content::WithoutNumber(Unnumbered {
            banned_from,
            decision_number: number.as_deref().and_then(present),
        }));
    };
    if !ico::check_digit_fits(&ico) {
        notes.count("odd_check_digit");
    }
    Ok(Content::Ban(Box::new(Ban {
        ico,
        decision_number: number.as_deref().and_then(present),
        decision_date: day("decision_date", decided)?,
        final_on: day("final_on", final_on)?,
        legal_basis: basis.as_deref().and_then(present),
        violation_reason: reason.as_deref().and_then(present),
        banned_from,
        banned_until,
        related_persons: persons.as_deref().map(people).unwrap_or_default(),
    })))
}

/// True if a ban has no end: the page says so, or the field is empty.
fn is_open(text: &str, settings: &Debarred) -> bool {
    present(text).is_none() || crate::table::is_one_of(text, &settings.open_ends)
}

/// True if a seat ends with another country, whose numbers may have the same digits.
fn is_foreign(seat: Option<&str>, settings: &Debarred) -> bool {
    let last = seat.and_then(|seat| seat.rsplit(',').next());
    last.is_some_and(|last| crate::table::is_one_of(last, &settings.foreign_countries))
}

/// The number of a block. Foreign subjects have none, or one that starts with letters. A number that starts
/// like a Slovak one but is invalid, or has text after it, is unreadable.
fn own_number(place: &str, text: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(text) = text.and_then(present) else {
        return Ok(None);
    };
    let number = ico::parse(&text);
    let begins_as_one = text.starts_with(|c: char| c.is_ascii_digit());
    if number.is_none() && begins_as_one {
        return Err(malformed(
            format!("{place}: ico"),
            "an IČO and nothing else",
            format!("a text of {} characters", text.chars().count()),
        ));
    }
    Ok(number)
}

/// `Ing. Jana Skúšobná, PhD. (konateľka); Peter Vzorový`.
fn people(text: &str) -> Vec<RelatedPerson> {
    let person = |piece: &str| {
        let piece = present(piece)?;
        let (name, role) = match piece
            .strip_suffix(')')
            .and_then(|rest| rest.rsplit_once('('))
        {
            Some((name, role)) => (squeeze(name), present(role)),
            None => (piece, None),
        };
        (!name.is_empty()).then_some(RelatedPerson { name, role })
    };
    text.split(';').filter_map(person).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_block_yields_its_numbers() {
        let text =
            "Vzor, IČO: 99 999 994, Sídlo: 949 01 Nitra\nZákaz od: 01.02.2026; 99999978, 12345678";
        assert_eq!(numbers(text), ["99999978", "99999994"]);
        assert_eq!(numbers("Zákaz od: 01.02.2026 do: neurčito"), [""; 0]);
    }

    #[test]
    fn people_are_separated_by_semicolons() {
        let of = |name: &str, role: Option<&str>| RelatedPerson {
            name: name.to_owned(),
            role: role.map(str::to_owned),
        };
        assert_eq!(
            people("Ing. Jana Skúšobná, PhD. (konateľka); Peter Vzorový; "),
            [
                of("Ing. Jana Skúšobná, PhD.", Some("konateľka")),
                of("Peter Vzorový", None)
            ]
        );
        assert_eq!(people("-"), []);
    }
}
