//! Maps the legal provision in a text to the class of a contracting authority: a code and a label.
//!
//! The classes are those of Act 343/2015. Older profiles cite Act 25/2006, whose § 6 is today's § 7; its
//! paragraphs are mapped only if the text names that act. Nothing else is guessed: a paragraph outside the
//! table has no code.

use lustra_sdk::text::fold;
use serde::Serialize;

/// Codes and their short labels.
const CLASSES: [(&str, &str); 7] = [
    ("7-1-a", "Slovenská republika zastúpená svojimi orgánmi"),
    ("7-1-b", "obec"),
    ("7-1-c", "vyšší územný celok"),
    ("7-1-d", "právnická osoba podľa § 7 ods. 2 (verejnoprávna)"),
    ("7-1-e", "združenie verejných obstarávateľov"),
    ("8", "osoba podľa § 8 (dotovaný subjekt)"),
    ("9", "obstarávateľ (sieťové odvetvia)"),
];

/// The act whose paragraphs are the codes, and its predecessor.
const ACT: &str = "343/2015";
const FORMER_ACT: &str = "25/2006";

/// The class stated in a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Class {
    /// The section of the list, such as `7-1-d`.
    pub section: Option<&'static str>,
    /// The label of the section.
    pub label: Option<&'static str>,
    /// The act that the text names.
    pub act: Option<&'static str>,
}

/// Reads the class from a text such as `§ 7 ods. 1 písm. d) zákona č. 343/2015 Z. z.`.
#[must_use]
pub fn of(text: &str) -> Class {
    let act = [ACT, FORMER_ACT].into_iter().find(|act| names(text, act));
    let code = paragraph(text).and_then(|code| match act {
        Some(FORMER_ACT) => code.strip_prefix("6-1-").map(|rest| format!("7-1-{rest}")),
        Some(_) | None => Some(code),
    });
    let class = CLASSES
        .into_iter()
        .find(|(section, _)| code.as_deref() == Some(section));
    Class {
        section: class.map(|(section, _)| section),
        label: class.map(|(_, label)| label),
        act,
    }
}

fn names(text: &str, act: &str) -> bool {
    let compact: String = text.split_whitespace().collect();
    compact.match_indices(act).any(|(at, _)| {
        let before = compact.get(..at).and_then(|before| before.chars().last());
        !before.is_some_and(|before| before.is_ascii_digit())
    })
}

/// `7-1-d` from `§ 7 ods. 1 písm. d)`, `8` from `§ 8`. `None` if the text has no paragraph, or several.
fn paragraph(text: &str) -> Option<String> {
    let mut sections = text.split('§').skip(1);
    let (own, others) = (sections.next()?, sections.count());
    if others > 0 {
        return None;
    }
    // The act's own number follows the provision.
    let folded = fold(own);
    let mut words = folded.split(' ');
    let number = words.next().filter(|word| is_number(word))?.to_owned();
    let rest: Vec<&str> = words.collect();
    let behind = |name: &str| {
        let at = rest.iter().position(|word| *word == name)?;
        rest.get(at + 1).copied()
    };
    match (behind("ods"), behind("pism")) {
        (Some(paragraph), Some(letter)) if is_number(paragraph) && letter.len() == 1 => {
            Some(format!("{number}-{paragraph}-{letter}"))
        }
        // The paragraphs within § 8 and § 9 do not change the class.
        (_, None) => Some(number),
        (_, Some(_)) => None,
    }
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_provisions_have_a_code() {
        for (text, section, act) in [
            ("§ 7 ods. 1 písm. b)", Some("7-1-b"), None),
            (
                "verejný obstarávateľ podľa § 7 ods. 1 písm. d) zákona č. 343/2015 Z. z.",
                Some("7-1-d"),
                Some(ACT),
            ),
            ("§ 8 zákona č. 343/2015 Z. z.", Some("8"), Some(ACT)),
            ("§ 9 ods. 1", Some("9"), None),
            (
                "§ 6 ods. 1 písm. d) zákona č. 25/2006 Z. z.",
                Some("7-1-d"),
                Some(FORMER_ACT),
            ),
            ("§ 6 ods. 1 písm. d)", None, None),
            ("§ 7 zákona č. 25/2006 Z. z.", None, Some(FORMER_ACT)),
            ("§ 8 zákona č. 25/2006", None, Some(FORMER_ACT)),
            ("§ 6 ods. 1 písm. b) zákona č. 125/2006", None, None),
            ("§ 7 ods. 1 písm. x)", None, None),
            ("§ 7 ods. 1 písm. b) alebo § 9", None, None),
            ("§ 7", None, None),
            ("obec", None, None),
            ("", None, None),
        ] {
            let class = of(text);
            assert_eq!((class.section, class.act), (section, act), "{text}");
            assert_eq!(class.label.is_some(), section.is_some(), "{text}");
        }
    }
}
