//! The supervision category of a licence's text, by the stems of its words.
//!
//! The texts are the bank's own. They vary in case, number and ending; the labels are those of the supervision acts. A
//! text that fits no label is its own label, so that nothing is lost.

use lustra_sdk::text::fold;

/// Labels, each with the stems that must begin words of a folded text. The first match wins, so narrower labels stand
/// before wider ones.
const CATEGORIES: &[(&str, &[&str])] = &[
    // Texts of intermediaries may name the sector, with the words of the companies below.
    (
        "viazaný investičný agent",
        &["viazan", "investicn", "agent"],
    ),
    (
        "samostatný finančný agent",
        &["samostatn", "financn", "agent"],
    ),
    (
        "podriadený finančný agent",
        &["podriaden", "financn", "agent"],
    ),
    ("viazaný finančný agent", &["viazan", "financn", "agent"]),
    ("finančný poradca", &["financn", "poradc"]),
    (
        "sprostredkovateľ z iného členského štátu",
        &["sprostredkovatel", "clensk", "stat"],
    ),
    (
        "doplnková dôchodková spoločnosť",
        &["doplnkov", "dochodkov"],
    ),
    (
        "dôchodková správcovská spoločnosť",
        &["dochodkov", "spravcovsk"],
    ),
    ("správcovská spoločnosť", &["spravcovsk"]),
    ("správcovská spoločnosť", &["kolektivn", "investovan"]),
    (
        "obchodník s cennými papiermi",
        &["obchodni", "cenn", "papier"],
    ),
    ("platobná inštitúcia", &["platobn", "instituci"]),
    (
        "inštitúcia elektronických peňazí",
        &["elektronick", "penaz"],
    ),
    (
        "veriteľ spotrebiteľských úverov",
        &["spotrebitelsk", "uver"],
    ),
    ("zmenáreň", &["zmenar"]),
    ("poskytovateľ služieb kryptoaktív", &["kryptoaktiv"]),
    ("poisťovňa", &["poistov"]),
    ("banka", &["bank"]),
    ("banka", &["uverov", "instituci"]),
];

/// The label of a licence's text.
#[must_use]
pub fn of(license_type: &str) -> &str {
    let folded = fold(license_type);
    let has = |stem: &&str| folded.split(' ').any(|word| word.starts_with(*stem));
    CATEGORIES
        .iter()
        .find(|(_, stems)| stems.iter().all(has))
        .map_or(license_type, |(label, _)| label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_a_category_in_every_spelling() {
        for (text, label) in [
            ("banka a úverová inštitúcia", "banka"),
            ("Pobočka zahraničnej banky", "banka"),
            ("Poisťovňa", "poisťovňa"),
            ("POBOČKA POISŤOVNE z iného členského štátu", "poisťovňa"),
            ("správcovská spoločnosť", "správcovská spoločnosť"),
            ("kolektívne investovanie", "správcovská spoločnosť"),
            (
                "Obchodníci s cennými papiermi",
                "obchodník s cennými papiermi",
            ),
            (
                "dôchodková správcovská spoločnosť",
                "dôchodková správcovská spoločnosť",
            ),
            (
                "Doplnková dôchodková spoločnosť",
                "doplnková dôchodková spoločnosť",
            ),
            ("samostatný finančný agent", "samostatný finančný agent"),
            (
                "Viazaný finančný agent v sektore poistenia",
                "viazaný finančný agent",
            ),
            ("podriadený finančný agent", "podriadený finančný agent"),
            (
                "podriadený finančný agent v podregistri doplnkového dôchodkového sporenia",
                "podriadený finančný agent",
            ),
            (
                "Finančný poradca v sektore doplnkového dôchodkového sporenia",
                "finančný poradca",
            ),
            (
                "viazaný finančný agent (banka a úverová inštitúcia)",
                "viazaný finančný agent",
            ),
            ("finanční poradcovia", "finančný poradca"),
            ("viazaný investičný agent", "viazaný investičný agent"),
            (
                "sprostredkovateľ z iného členského štátu",
                "sprostredkovateľ z iného členského štátu",
            ),
            ("platobná inštitúcia", "platobná inštitúcia"),
            (
                "inštitúcia elektronických peňazí",
                "inštitúcia elektronických peňazí",
            ),
            (
                "veriteľ poskytujúci spotrebiteľské úvery",
                "veriteľ spotrebiteľských úverov",
            ),
            ("zmenáreň", "zmenáreň"),
            (
                "poskytovateľ služieb kryptoaktív",
                "poskytovateľ služieb kryptoaktív",
            ),
        ] {
            assert_eq!(of(text), label, "{text}");
        }
    }

    #[test]
    fn unknown_text_is_its_own_label() {
        for text in ["AISP", "centrálny depozitár", "nebankový subjekt", ""] {
            assert_eq!(of(text), text);
        }
    }
}
