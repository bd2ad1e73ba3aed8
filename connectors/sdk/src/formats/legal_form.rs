//! Legal forms at the end of names, which tell a company from a person of the same name.

use super::text::fold;

/// A legal form that names carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegalForm {
    /// Spoločnosť s ručením obmedzeným.
    Limited,
    /// Akciová spoločnosť.
    JointStock,
    /// Jednoduchá spoločnosť na akcie.
    SimpleJointStock,
    /// Komanditná spoločnosť.
    LimitedPartnership,
    /// Verejná obchodná spoločnosť.
    Partnership,
    /// Družstvo.
    Cooperative,
    /// Štátny podnik.
    StateEnterprise,
    /// Nezisková organizácia.
    NonProfit,
    /// Občianske združenie.
    Association,
}

/// How names end, folded; the longer of two endings first.
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

/// What may stand behind the legal form while a company is wound up.
const STATES: [&str; 4] = [
    " v likvidacii",
    " v konkurze",
    " v restrukturalizacii",
    " v likvid",
];

impl LegalForm {
    /// The form that a name, or a register's text of the form, ends in.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        split(&fold(name)).1
    }

    /// Whether the law wants it in the name, so that a name without it is somebody else's.
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

/// A name for comparing: folded, without its legal form and what may stand behind it. A name that is nothing else is
/// left as it is.
#[must_use]
pub fn bare(name: &str) -> String {
    let folded = fold(name);
    match split(&folded).0 {
        "" => folded,
        bare => bare.to_owned(),
    }
}

/// A folded name without the form that it ends in, and the form.
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

/// Whether an entry of a list, whose name ends in the first form, may mean somebody whose name ends in the second.
///
/// A person is never a company that bears the person's name; an association may be listed with its form and known
/// without.
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
    fn names_are_compared_without_their_forms() {
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
    fn a_person_is_no_company_of_the_same_name() {
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
