//! The reasons of a score, as shown to clients.

use serde::Serialize;

/// What made names alike, or less so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The names are the same, but for case, marks, script and legal form.
    SameName,
    /// These words are in both.
    SameWords,
    /// These words are spelt in another way of the same sound.
    SameSound,
    /// These words are an error or two apart.
    SimilarSpelling,
    /// These words are written as one in one of the names.
    JoinedWords,
    /// The words come in another order.
    WordOrder,
    /// Words that only the company's name has.
    OnlyInCompany,
    /// Words that only the listed name has.
    OnlyInListed,
    /// Each name has a word of trade that the other has not.
    OtherTrade,
    /// A number is in one of the names only.
    NumberMissing,
    /// The legal forms are not of one kind.
    OtherLegalForm,
    /// The listed name is said to be a weak one, so that it had to be the same.
    WeakName,
    /// The listed one is a person, and the company a sole trader.
    Person,
    /// A sole trader has a name like an enterprise that is listed.
    OtherKind,
    /// The company's country is one of the entry's.
    SameCountry,
    /// The entry's countries are others.
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
    /// The words that it is about, as compared: in Latin letters without marks.
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
