//! The forms of the bulletin by code: the chapter and the meaning of a notice.
//!
//! The codes are those of the file names. The mirror has no chapter titles, so the Slovak titles come from this
//! connector and an operator can replace them.

/// A form of the bulletin and the meaning of its notices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// The code in the file's name.
    pub code: &'static str,
    pub section: &'static str,
    /// The meaning of a notice, with which its heading starts.
    pub meaning: &'static str,
}

const fn form(code: &'static str, section: &'static str, meaning: &'static str) -> Form {
    Form {
        code,
        section,
        meaning,
    }
}

const INSOLVENCY: &str = "Konkurzy a reštrukturalizácie";
const LIQUIDATORS: &str = "Oznámenia a výzvy likvidátorov";
const CAPITAL: &str = "Zníženie základného imania";
const AUCTIONS: &str = "Dražby";
const FIRST_REDUCTION: &str = "Prvé oznámenie o znížení základného imania";
const SECOND_REDUCTION: &str = "Druhé oznámenie o znížení základného imania";
const LIQUIDATOR: &str = "Výzva likvidátora veriteľom";

/// The forms of commercial-register entries and filed deeds, which the mirror parses into a separate table.
const OF_REGISTER: [&str; 3] = [
    "OV_OR_PODANIE",
    "OV_OR_PODANIE_ZBL",
    "OV_OR_PODANIE_ZBL_ZOZNAM",
];

/// True if notices in a form belong to the dataset of register entries.
#[must_use]
pub fn is_of_register(code: &str) -> bool {
    OF_REGISTER.contains(&code)
}

/// All other forms with a known code.
pub const FORMS: &[Form] = &[
    form(
        "OV_KONKURZY_A_RESTRUKT",
        INSOLVENCY,
        "Konkurz alebo reštrukturalizácia",
    ),
    form(
        "OV_OZNAMENIE_ZACATIE_KONANIA_O_ZRUS_BEZ_LIKV",
        "Oznámenia súdov o začatí konania o zrušení bez likvidácie",
        "Začatie konania o zrušení bez likvidácie",
    ),
    form(
        "OB_B_KONKURZY_A_VYROVNANIA",
        "Konkurzy a vyrovnania",
        "Konkurz alebo vyrovnanie",
    ),
    form("OV_LIKVIDATOR", LIQUIDATORS, LIQUIDATOR),
    form("OV_LIKVIDATOR_2020", LIQUIDATORS, LIQUIDATOR),
    form(
        "OV_OZNAMENIE_ZNIZENIE_ZAKLADNEHO_IMANIA_SRO",
        CAPITAL,
        FIRST_REDUCTION,
    ),
    form(
        "OV_OZNAMENIE_ZNIZENIE_ZAKLADNEHO_IMANIA_AS",
        CAPITAL,
        FIRST_REDUCTION,
    ),
    form(
        "OV_OZNAMENIE_2_ZNIZENIE_ZAKLADNEHO_IMANIA_SRO",
        CAPITAL,
        SECOND_REDUCTION,
    ),
    form(
        "OV_OZNAMENIE_2_ZNIZENIE_ZAKLADNEHO_IMANIA_AS",
        CAPITAL,
        SECOND_REDUCTION,
    ),
    form(
        "OV_DRAZBA_OZNAMENIE_DOBROVOLNA",
        AUCTIONS,
        "Oznámenie o dobrovoľnej dražbe",
    ),
    form(
        "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_OPAKOVANA",
        AUCTIONS,
        "Oznámenie o opakovanej dobrovoľnej dražbe",
    ),
    form(
        "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_DODATOK",
        AUCTIONS,
        "Dodatok k oznámeniu o dobrovoľnej dražbe",
    ),
    form(
        "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_UPUSTENIE",
        AUCTIONS,
        "Upustenie od dobrovoľnej dražby",
    ),
    form(
        "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_ZMARENIE",
        AUCTIONS,
        "Zmarenie dobrovoľnej dražby",
    ),
    form(
        "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_VYSLEDOK",
        AUCTIONS,
        "Výsledok dobrovoľnej dražby",
    ),
    form(
        "00166073.MSSR_OV_Drazobna_vyhlaska",
        "Exekútori – dražobné vyhlášky",
        "Dražobná vyhláška súdneho exekútora",
    ),
    form(
        "00166073.MSSR_OV_Upovedomenie_o_exekucii",
        "Exekútori – upovedomenia o exekúcii",
        "Upovedomenie o exekúcii",
    ),
];

/// Forms for which only a prefix of the code is known.
pub const FAMILIES: &[Form] = &[form(
    "OV_DRAZBA_SPRAVCA_DANE_",
    "Dražby správcov dane",
    "Dražba správcu dane",
)];

/// The form of a code. The office number before the code of some forms (`00166073.`) is optional.
#[must_use]
pub fn of_code(code: &str) -> Option<&'static Form> {
    let exact = FORMS.iter().find(|form| {
        form.code == code
            || form
                .code
                .split_once('.')
                .is_some_and(|(_, bare)| bare == code)
    });
    exact.or_else(|| FAMILIES.iter().find(|family| code.starts_with(family.code)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_whole() {
        for (code, section) in [
            ("OV_LIKVIDATOR_2020", Some(LIQUIDATORS)),
            ("OV_LIKVIDATOR_2031", None),
            (
                "OV_DRAZBA_SPRAVCA_DANE_OZNAMENIE",
                Some("Dražby správcov dane"),
            ),
            (
                "MSSR_OV_Drazobna_vyhlaska",
                Some("Exekútori – dražobné vyhlášky"),
            ),
            ("", None),
        ] {
            assert_eq!(of_code(code).map(|form| form.section), section, "{code}");
        }
    }
}
