//! The reasons of a score, as shown to clients.

use serde::Serialize;

/// A rule that raises or lowers the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The names are equal except for case, diacritics, script and legal form.
    SameName,
    /// Both names contain these words.
    SameWords,
    /// These words are spelt differently with the same sound.
    SameSound,
    /// These words differ by an error or two.
    SimilarSpelling,
    /// One of the names writes these words as one.
    JoinedWords,
    /// The words are in another order.
    WordOrder,
    /// Words that only the company's name contains.
    OnlyInCompany,
    /// Words that only the listed name contains.
    OnlyInListed,
    /// Each name has a trade word that the other lacks.
    OtherTrade,
    /// Only one of the names contains a number.
    NumberMissing,
    /// The legal forms are of different kinds.
    OtherLegalForm,
    /// The list marks the name as weak, so an equal name was required.
    WeakName,
    /// The entry is a person, and the company is a sole trader.
    Person,
    /// The entry is an organisation, and the company is a sole trader with a similar name; or the entry is a person by
    /// the list, but has a company's name, and the company is no sole trader.
    OtherKind,
    /// The company's country is one of the entry's.
    SameCountry,
    /// The entry's countries do not include the company's.
    OtherCountry,
    /// The company's town is one of the entry's.
    SameTown,
    /// The entry has the company's register number.
    RegisterNumber,
}

/// One reason of a score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    pub rule: Rule,
    /// The words in question, as compared: in Latin letters without diacritics.
    pub words: Vec<String>,
}

impl Reason {
    /// Makes a reason that names no words.
    #[must_use]
    pub fn of(rule: Rule) -> Self {
        Self {
            rule,
            words: Vec::new(),
        }
    }
}
