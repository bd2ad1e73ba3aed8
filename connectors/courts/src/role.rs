//! Finds a company's role in the proceedings, from the words before its number.
//!
//! The role is set only if the nearest word for a party stands before the number, with neither another party's number
//! nor a representative in between.

use lustra_sdk::text::fold;

/// How many words before the number are examined.
const WORDS: usize = 40;
/// Endings of adjectives that denote parties.
const ENDINGS: [&str; 9] = ["y", "eho", "emu", "om", "ym", "a", "ej", "u", "ou"];
/// Beginnings of words for people who act for a party or beside it. The number may be theirs.
const OTHERS: [&str; 13] = [
    "zastup",
    "zast",
    "advokat",
    "splnomocn",
    "spravc",
    "spravk",
    "exekutor",
    "notar",
    "konatel",
    "likvidator",
    "vedlajs",
    "intervenient",
    "postup",
];

/// Parties that are nouns, with all their forms, folded.
const NOUNS: [(&str, &[&str]); 5] = [
    (
        "žalobca",
        &[
            "zalobca",
            "zalobcu",
            "zalobcovi",
            "zalobcom",
            "zalobkyna",
            "zalobkyne",
            "zalobkyni",
            "zalobkynu",
            "zalobkynou",
        ],
    ),
    (
        "navrhovateľ",
        &[
            "navrhovatel",
            "navrhovatela",
            "navrhovatelovi",
            "navrhovatelom",
            "navrhovatelka",
            "navrhovatelky",
            "navrhovatelke",
            "navrhovatelku",
        ],
    ),
    (
        "odporca",
        &[
            "odporca",
            "odporcu",
            "odporcovi",
            "odporcom",
            "odporkyna",
            "odporkyne",
            "odporkyni",
            "odporkynu",
        ],
    ),
    ("dlžník", &["dlznik", "dlznika", "dlznikovi", "dlznikom"]),
    (
        "veriteľ",
        &["veritel", "veritela", "veritelovi", "veritelom"],
    ),
];
/// Parties that are adjectives: the stem of the word, and whether the word has another meaning without a colon
/// (`je povinná zaplatiť`).
const ADJECTIVES: [(&str, &str, bool); 3] = [
    ("žalovaný", "zalovan", false),
    ("oprávnený", "opravnen", true),
    ("povinný", "povinn", true),
];

/// The role named before a number: `žalobca`, `žalovaný`, `oprávnený`, `povinný`, `navrhovateľ`, `odporca`,
/// `dlžník` or `veriteľ`.
#[must_use]
pub fn before(text: &str) -> Option<&'static str> {
    let mut numbers = 0;
    // In `povinná v 1. rade:` the colon belongs to the word for the party.
    let mut carries_colon = false;
    for word in text.split_whitespace().rev().take(WORDS) {
        let folded = fold(word);
        let digits = word.chars().filter(char::is_ascii_digit).count();
        numbers += usize::from(folded == "ico");
        if digits >= 8 || numbers > 1 || OTHERS.iter().any(|other| folded.starts_with(other)) {
            return None;
        }
        let has_colon = carries_colon || word.ends_with(':');
        if let Some((role, needs_colon)) = party(&folded) {
            return (has_colon || !needs_colon).then_some(role);
        }
        let is_order = matches!(folded.as_str(), "rade" | "v" | "vo")
            || (digits > 0 && digits == folded.len());
        carries_colon = is_order && has_colon;
    }
    None
}

/// The party that a word denotes, and whether it needs a colon to denote it.
fn party(folded: &str) -> Option<(&'static str, bool)> {
    let noun = NOUNS.iter().find(|(_, forms)| forms.contains(&folded));
    if let Some((role, _)) = noun {
        return Some((role, false));
    }
    ADJECTIVES.iter().find_map(|(role, stem, is_ambiguous)| {
        let ending = folded.strip_prefix(stem)?;
        let is_nominative = matches!(ending, "y" | "a");
        ENDINGS
            .contains(&ending)
            .then_some((*role, *is_ambiguous && is_nominative))
    })
}

#[cfg(test)]
mod tests {
    use super::before;

    #[test]
    fn nearest_party_has_the_number() {
        for (text, role) in [
            ("v spore žalobcu: Vzorová, s. r. o., IČO: ", Some("žalobca")),
            (
                "žalobcu: Iná, a. s., IČO: 11111111, proti žalovanému: Vzorová, s. r. o., Hlavná 5, IČO: ",
                Some("žalovaný"),
            ),
            ("proti povinnému: Vzorová, s. r. o., IČO: ", Some("povinný")),
            (
                "Povinná v 1. rade: Vzorová, s. r. o., IČO: ",
                Some("povinný"),
            ),
            ("oprávneného Vzorová, s. r. o., IČO: ", Some("oprávnený")),
            ("dlžníka: Vzorová, s. r. o., IČO ", Some("dlžník")),
            ("navrhovateľ Vzorová ", Some("navrhovateľ")),
            ("ODPORKYŇA: Vzorová, ", Some("odporca")),
        ] {
            assert_eq!(before(text), role, "{text}");
        }
    }

    #[test]
    fn ambiguous_role_is_left_out() {
        for text in [
            "",
            "Vzorová, s. r. o., IČO: ",
            "žalobcu: Iná, a. s., IČO: 11111111, a Vzorová, s. r. o., IČO: ",
            "žalovaný zastúpený advokátskou kanceláriou Vzorová, s. r. o., IČO: ",
            "žalobcu: Iná, a. s., zast. Vzorová, s. r. o., IČO: ",
            "je povinná zaplatiť spoločnosti Vzorová, s. r. o., IČO: ",
            "povinnosť spoločnosti Vzorová, s. r. o., IČO: ",
            "oprávnenie spoločnosti Vzorová, s. r. o., IČO: ",
            "súdny exekútor proti povinnému: správca Vzorová, s. r. o., IČO: ",
        ] {
            assert_eq!(before(text), None, "{text}");
        }
    }
}
