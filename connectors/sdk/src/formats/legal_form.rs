//! Legal forms. At the end of names they distinguish a company from a person of the same name.

use serde_json::Value;

use super::text::fold;

/// A legal form that is part of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegalForm {
    /// Limited liability company: spoločnosť s ručením obmedzeným (s. r. o.).
    Limited,
    /// Joint-stock company: akciová spoločnosť (a. s.).
    JointStock,
    /// Simple joint-stock company: jednoduchá spoločnosť na akcie (j. s. a.).
    SimpleJointStock,
    /// Limited partnership: komanditná spoločnosť (k. s.).
    LimitedPartnership,
    /// General partnership: verejná obchodná spoločnosť (v. o. s.).
    Partnership,
    /// Cooperative: družstvo, which has no abbreviation.
    Cooperative,
    /// State enterprise: štátny podnik (š. p.).
    StateEnterprise,
    /// Non-profit organization: nezisková organizácia (n. o.).
    NonProfit,
    /// Civic association: občianske združenie (o. z.).
    Association,
}

/// Endings of names, folded. A longer ending comes before a shorter one that it contains.
const ENDINGS: [(&str, LegalForm); 25] = [
    (
        "jednoducha spolocnost na akcie",
        LegalForm::SimpleJointStock,
    ),
    ("j s a", LegalForm::SimpleJointStock),
    ("jsa", LegalForm::SimpleJointStock),
    ("spolocnost s rucenim obmedzenym", LegalForm::Limited),
    ("spol s r o", LegalForm::Limited),
    ("s r o", LegalForm::Limited),
    ("s ro", LegalForm::Limited),
    ("sr o", LegalForm::Limited),
    ("sro", LegalForm::Limited),
    ("akciova spolocnost", LegalForm::JointStock),
    ("akc spol", LegalForm::JointStock),
    ("a s", LegalForm::JointStock),
    ("as", LegalForm::JointStock),
    ("komanditna spolocnost", LegalForm::LimitedPartnership),
    ("k s", LegalForm::LimitedPartnership),
    ("verejna obchodna spolocnost", LegalForm::Partnership),
    ("v o s", LegalForm::Partnership),
    ("vos", LegalForm::Partnership),
    ("druzstvo", LegalForm::Cooperative),
    ("statny podnik", LegalForm::StateEnterprise),
    ("s p", LegalForm::StateEnterprise),
    ("neziskova organizacia", LegalForm::NonProfit),
    ("n o", LegalForm::NonProfit),
    ("obcianske zdruzenie", LegalForm::Association),
    ("o z", LegalForm::Association),
];

/// Words that may follow the legal form: a company's state, and its status as a social enterprise.
const ADDITIONS: [&str; 7] = [
    " v likvidacii",
    " v konkurze",
    " v restrukturalizacii",
    " v likvid",
    " v nutenej sprave",
    " r s p",
    " registrovany socialny podnik",
];

/// Forms that are also recognised before other words, as in `Vzor, s. r. o., závod Vzorovo`. Shorter
/// ones may be initials or other words there.
const WITHIN: [&str; 13] = [
    "jednoducha spolocnost na akcie",
    "spolocnost s rucenim obmedzenym",
    "spol s r o",
    "s r o",
    "sro",
    "akciova spolocnost",
    "akc spol",
    "komanditna spolocnost",
    "verejna obchodna spolocnost",
    "v o s",
    "statny podnik",
    "neziskova organizacia",
    "obcianske zdruzenie",
];

impl LegalForm {
    /// The form at the end of a name, or of a register's text for the legal form, else one within
    /// it. Cooperatives have theirs at any place: `Roľnícke družstvo Vzorovo`.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let folded = fold(name);
        split(&folded).1.or_else(|| within(&folded))
    }

    /// Whether a name has this form at any place, also as an abbreviation that [`LegalForm::of`]
    /// does not recognise there.
    #[must_use]
    pub fn is_in(self, name: &str) -> bool {
        let folded = fold(name);
        let mut texts = ENDINGS.iter().filter(|(_, form)| *form == self);
        Self::of(name) == Some(self) || texts.any(|(text, _)| has_words(&folded, text))
    }

    /// True if the law requires the form in the name. A name without it then belongs to another
    /// subject.
    #[must_use]
    pub fn must_be_in_name(self) -> bool {
        match self {
            Self::Limited
            | Self::JointStock
            | Self::SimpleJointStock
            | Self::LimitedPartnership
            | Self::Partnership
            | Self::Cooperative => true,
            Self::StateEnterprise | Self::NonProfit | Self::Association => false,
        }
    }
}

/// A name for comparison: folded, without its legal form and the words after it. A name that
/// consists of a form alone is returned as it is.
#[must_use]
pub fn bare(name: &str) -> String {
    let folded = fold(name);
    match split(&folded).0 {
        "" => folded,
        bare => bare.to_owned(),
    }
}

/// Whether a folded name has these words at any place.
fn has_words(folded: &str, words: &str) -> bool {
    folded.match_indices(words).any(|(at, _)| {
        let (before, after) = (&folded[..at], &folded[at + words.len()..]);
        (before.is_empty() || before.ends_with(' ')) && (after.is_empty() || after.starts_with(' '))
    })
}

/// The form at any place of a folded name.
fn within(folded: &str) -> Option<LegalForm> {
    let mut long = ENDINGS.iter().filter(|(text, _)| WITHIN.contains(text));
    let found = long.find(|(text, _)| has_words(folded, text));
    // Compounds such as Agrodružstvo too.
    let is_cooperative = || folded.split(' ').any(|word| word.ends_with("druzstvo"));
    found
        .map(|(_, form)| *form)
        .or_else(|| is_cooperative().then_some(LegalForm::Cooperative))
}

/// Splits a folded name into the name without its legal form, and the form.
fn split(folded: &str) -> (&str, Option<LegalForm>) {
    let mut name = folded;
    while let Some(shorter) = ADDITIONS.iter().find_map(|words| name.strip_suffix(words)) {
        name = shorter;
    }
    let before = |ending: &str| {
        let rest = name.strip_suffix(ending)?;
        (rest.is_empty() || rest.ends_with(' ')).then_some(rest)
    };
    ENDINGS
        .iter()
        .find_map(|(ending, form)| Some((before(ending)?.trim_end(), Some(*form))))
        .unwrap_or((name, None))
}

/// True if an entry whose name ends in `listed` may mean a subject whose name ends in `known`.
///
/// A person is never a company that bears the person's name. An association may be listed with
/// its form and known without it.
#[must_use]
pub fn may_mean(listed: Option<LegalForm>, known: Option<LegalForm>) -> bool {
    listed == known || (known.is_none() && listed.is_some_and(|form| !form.must_be_in_name()))
}

/// Whether a code of the statistical office's list of legal forms (CL000056) is one of natural
/// persons in business, which are 100 to 110. `None` if the text is not a code.
#[must_use]
pub fn is_code_of_natural_person(code: &str) -> Option<bool> {
    let code: u16 = code.trim().parse().ok()?;
    Some((100..=110).contains(&code))
}

/// Whether a base record ([`Subject::company`](crate::Subject)) is of a natural person in
/// business, by its legal form's code or else by the form's text. `None` if it has neither.
#[must_use]
pub fn is_natural_person(company: &str) -> Option<bool> {
    let company: Value = serde_json::from_str(company).unwrap_or_default();
    let code = company["legal_form_code"].as_str();
    code.and_then(is_code_of_natural_person).or_else(|| {
        let form = company["legal_form"].as_str()?;
        Some(fold(form).contains("fyzicka osoba"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natural_persons_are_known_by_their_legal_form() {
        for (company, expected) in [
            (r#"{"legal_form_code": "100"}"#, Some(true)),
            (r#"{"legal_form_code": " 110 "}"#, Some(true)),
            (r#"{"legal_form_code": "99"}"#, Some(false)),
            (r#"{"legal_form_code": "111"}"#, Some(false)),
            (
                r#"{"legal_form_code": "112", "legal_form": "fyzická osoba"}"#,
                Some(false),
            ),
            (
                r#"{"legal_form_code": "x", "legal_form": "Podnikateľ - fyzická osoba"}"#,
                Some(true),
            ),
            (r#"{"legal_form": "Akciová spoločnosť"}"#, Some(false)),
            ("{}", None),
            ("not JSON", None),
        ] {
            assert_eq!(is_natural_person(company), expected, "{company}");
        }
    }

    #[test]
    fn forms_are_read_in_every_spelling() {
        for (name, expected) in [
            ("Vzorová stavebná, s. r. o.", Some(LegalForm::Limited)),
            ("VZOROVÁ STAVEBNÁ SPOL. S R.O.", Some(LegalForm::Limited)),
            ("Vzorová s.r.o. v likvidácii", Some(LegalForm::Limited)),
            ("Spoločnosť s ručením obmedzeným", Some(LegalForm::Limited)),
            ("Vzorová, a.s.", Some(LegalForm::JointStock)),
            ("Vzorová j.s.a.", Some(LegalForm::SimpleJointStock)),
            ("Vzorové družstvo", Some(LegalForm::Cooperative)),
            ("Klub Vzor, o. z.", Some(LegalForm::Association)),
            ("Roľnícke družstvo Vzorovo", Some(LegalForm::Cooperative)),
            ("Agrodružstvo Vzorovo", Some(LegalForm::Cooperative)),
            ("Vzorové družstvo, s. r. o.", Some(LegalForm::Limited)),
            ("Vzor, s. r. o., r. s. p.", Some(LegalForm::Limited)),
            (
                "Vzor, a. s., registrovaný sociálny podnik, v likvidácii",
                Some(LegalForm::JointStock),
            ),
            ("Vzor, a. s., v nútenej správe", Some(LegalForm::JointStock)),
            ("Vzor, r. s. p.", None),
            ("Vzor, š. p.", Some(LegalForm::StateEnterprise)),
            ("Vzor, s. r. o., závod Vzorovo", Some(LegalForm::Limited)),
            ("Vzor a s priateľmi", None),
            ("Zväz členov družstva", None),
            ("Ján Skúšobný", None),
            ("Tomas", None),
            ("", None),
        ] {
            assert_eq!(LegalForm::of(name), expected, "{name}");
        }
    }

    #[test]
    fn bare_name_has_no_legal_form() {
        for (name, bare_name) in [
            (
                "VZOROVÁ STAVEBNÁ, spol. s r.o. v likvidácii",
                "vzorova stavebna",
            ),
            ("Vzorová stavebná", "vzorova stavebna"),
            ("Vzorová a.s.", "vzorova"),
            ("Vzor, s. r. o., r. s. p.", "vzor"),
            ("Roľnícke družstvo Vzorovo", "rolnicke druzstvo vzorovo"),
            ("Tomas", "tomas"),
            ("a. s.", "a s"),
            ("", ""),
        ] {
            assert_eq!(bare(name), bare_name, "{name}");
        }
    }

    #[test]
    fn form_is_found_at_any_place_of_a_name() {
        assert!(LegalForm::JointStock.is_in("Vzor, a. s., závod Vzorovo"));
        assert!(LegalForm::Cooperative.is_in("Roľnícke družstvo Vzorovo"));
        assert!(!LegalForm::JointStock.is_in("Vzoras, s. r. o."));
        assert!(!LegalForm::Limited.is_in("Ján Skúšobný"));
    }

    #[test]
    fn person_never_matches_company_of_same_name() {
        assert!(may_mean(None, None));
        assert!(may_mean(Some(LegalForm::Limited), Some(LegalForm::Limited)));
        assert!(may_mean(Some(LegalForm::Association), None));
        assert!(!may_mean(None, Some(LegalForm::Limited)));
        assert!(!may_mean(Some(LegalForm::Limited), None));
        assert!(!may_mean(
            Some(LegalForm::Limited),
            Some(LegalForm::JointStock)
        ));
    }
}
