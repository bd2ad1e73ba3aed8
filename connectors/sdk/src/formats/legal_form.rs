//! Legal forms at the end of names. They distinguish a company from a person of the same name.

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

/// Words that may follow the legal form while a company is being wound up.
const STATES: [&str; 4] = [
    " v likvidacii",
    " v konkurze",
    " v restrukturalizacii",
    " v likvid",
];

impl LegalForm {
    /// The form at the end of a name, or of a register's text for the legal form.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        split(&fold(name)).1
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

/// Splits a folded name into the name without its legal form, and the form.
fn split(folded: &str) -> (&str, Option<LegalForm>) {
    let name = STATES
        .iter()
        .find_map(|state| folded.strip_suffix(state))
        .unwrap_or(folded);
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

#[cfg(test)]
mod tests {
    use super::*;

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
            ("Tomas", "tomas"),
            ("a. s.", "a s"),
            ("", ""),
        ] {
            assert_eq!(bare(name), bare_name, "{name}");
        }
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
