//! Meanings of the lists' codes: sections of Annex III of Regulation (EC) No 853/2004, and kinds of activities.

use lustra_sdk::text::fold;

/// Sections by their numbers.
const SECTIONS: [(&str, &str); 17] = [
    ("0", "všeobecné činnosti"),
    ("I", "mäso domácich kopytníkov"),
    ("II", "mäso hydiny a zajacovitých"),
    ("III", "mäso zveri z farmových chovov"),
    ("IV", "mäso voľne žijúcej zveri"),
    (
        "V",
        "mleté mäso, mäsové prípravky a mechanicky separované mäso",
    ),
    ("VI", "mäsové výrobky"),
    ("VII", "živé lastúrniky"),
    ("VIII", "produkty rybolovu"),
    ("IX", "surové mlieko a mliečne výrobky"),
    ("X", "vajcia a vaječné výrobky"),
    ("XI", "žabie stehienka a slimáky"),
    ("XII", "škvarené živočíšne tuky a oškvarky"),
    ("XIII", "upravené žalúdky, mechúre a črevá"),
    ("XIV", "želatína"),
    ("XV", "kolagén"),
    ("XVI", "vysokorafinované výrobky"),
];

/// Activities by their codes. A code whose meaning is not certain is missing here and is shown unchanged.
const ACTIVITIES: [(&str, &str); 15] = [
    ("SH", "bitúnok"),
    ("CP", "rozrábkareň"),
    ("PP", "spracovateľská prevádzkareň"),
    ("MM", "výroba mletého mäsa"),
    ("MP", "výroba mäsových prípravkov"),
    ("CS", "chladiarenský sklad"),
    ("RW", "prebaľovacia prevádzkareň"),
    ("WM", "veľkoobchodný trh"),
    ("EPC", "baliareň vajec"),
    ("LEP", "výroba tekutých vajec"),
    ("DC", "expedičné stredisko"),
    ("FV", "spracovateľské plavidlo"),
    ("ZV", "mraziarenské plavidlo"),
    ("GME", "spracovanie zveriny"),
    ("GC", "zberné stredisko"),
];

/// A section's number as the table writes it, without the text around it: `Sekcia iv` becomes `IV`. Other texts stay
/// unchanged.
#[must_use]
pub fn section_code(raw: &str) -> String {
    let folded = fold(raw);
    let number = folded
        .strip_prefix("sekcia ")
        .or_else(|| folded.strip_prefix("section "))
        .unwrap_or(&folded);
    let number = match number.parse::<usize>() {
        // Convert an Arabic number to a Roman one.
        Ok(place) => SECTIONS.get(place).map(|(code, _)| *code),
        Err(_) => SECTIONS
            .iter()
            .find(|(code, _)| code.eq_ignore_ascii_case(number))
            .map(|(code, _)| *code),
    };
    number.map_or_else(|| raw.to_owned(), str::to_owned)
}

/// The label of a section. `None` if the table does not contain it.
#[must_use]
pub fn section_label(code: &str) -> Option<&'static str> {
    let known = SECTIONS.iter().find(|(known, _)| *known == code);
    known.map(|(_, label)| *label)
}

/// The activities of a cell, without repetitions, sorted by code: `CP, SH` for `SH/CP, SH`. A text that is not a list
/// of codes is one activity.
#[must_use]
pub fn activities(raw: &str) -> Vec<String> {
    let is_code = |part: &str| {
        let is_of_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
        part.len() <= 4 && part.bytes().all(is_of_code)
    };
    let parts: Vec<&str> = raw
        .split([',', ';', '/', '+', ' '])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let mut activities: Vec<String> = if parts.iter().all(|part| is_code(part)) {
        parts.iter().map(|part| (*part).to_owned()).collect()
    } else {
        vec![raw.to_owned()]
    };
    activities.sort();
    activities.dedup();
    activities
}

/// The labels of activities. `None` if the table contains none of them. Of several codes, one without a
/// label stands for itself.
#[must_use]
pub fn activity_label(activities: &[String]) -> Option<String> {
    let label = |code: &str| {
        let known = ACTIVITIES.iter().find(|(known, _)| *known == code);
        known.map(|(_, label)| *label)
    };
    if activities.iter().all(|code| label(code).is_none()) {
        return None;
    }
    let labels: Vec<&str> = activities
        .iter()
        .map(|code| label(code).unwrap_or(code))
        .collect();
    Some(labels.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_known_in_every_spelling() {
        for (raw, code) in [
            ("IV", "IV"),
            ("iv", "IV"),
            ("Sekcia IX", "IX"),
            ("0", "0"),
            ("6", "VI"),
            ("46", "46"),
            ("Iné", "Iné"),
        ] {
            assert_eq!(section_code(raw), code, "{raw}");
        }
        assert_eq!(section_label("X"), Some("vajcia a vaječné výrobky"));
        assert_eq!(section_label("46"), None);
    }

    #[test]
    fn activities_are_codes_or_a_text() {
        assert_eq!(activities("SH, CP"), ["CP", "SH"]);
        assert_eq!(activities("SH/SH CP"), ["CP", "SH"]);
        assert_eq!(activities("Med"), ["Med"]);
        assert_eq!(
            activities("výroba chleba, pečiva"),
            ["výroba chleba, pečiva"]
        );
        assert!(activities(" , ").is_empty());
        let label = |raw: &str| activity_label(&activities(raw));
        assert_eq!(label("SH, CP").as_deref(), Some("rozrábkareň, bitúnok"));
        assert_eq!(label("SH, PAP").as_deref(), Some("PAP, bitúnok"));
        assert_eq!(label("PAP"), None);
        assert_eq!(label(""), None);
    }
}
