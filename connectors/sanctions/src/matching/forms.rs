//! Legal forms in names of any language. They are not part of the name proper.

mod written;

use std::sync::LazyLock;

use strsim::osa_distance;

use self::written::WRITTEN;
use super::sounds::sound;

/// A kind of legal form. Similar forms of different countries are one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A company with limited liability: s. r. o., Ltd, `GmbH`, `OOO`.
    Limited,
    /// A joint-stock company: a. s., PLC, AG, OAO.
    JointStock,
    /// A limited partnership: k. s., LP, KG.
    LimitedPartnership,
    /// A general partnership: v. o. s., OHG.
    Partnership,
    Cooperative,
    /// An enterprise of the state.
    StateEnterprise,
    /// An association or another non-profit body.
    NonProfit,
    Foundation,
    SoleTrader,
    /// A company of an unstated kind.
    Company,
}

impl Form {
    /// Whether the form distinguishes a non-profit body from a business. `None` if it states neither.
    #[must_use]
    pub fn is_without_profit(self) -> Option<bool> {
        match self {
            Self::NonProfit | Self::Foundation => Some(true),
            Self::Limited
            | Self::JointStock
            | Self::LimitedPartnership
            | Self::Partnership
            | Self::SoleTrader => Some(false),
            Self::Cooperative | Self::StateEnterprise | Self::Company => None,
        }
    }
}

/// The shortest word of a form in which an error is accepted, by its sounds.
const SHORTEST_MISSPELT: usize = 7;

/// Texts behind the form while a company is wound up. They are not part of the name either.
const STATES: &[&str] = &[
    "v likvidacii",
    "v likvidaci",
    "v konkurze",
    "v restrukturalizacii",
    "v likvid",
    "in liquidation",
    "in liqu",
];

/// The words of a form, as they sound.
type Sounds = Vec<String>;

static FORMS: LazyLock<Vec<(Sounds, Form)>> = LazyLock::new(|| {
    let forms = WRITTEN.iter();
    forms
        .map(|(written, form)| (sounds(written), *form))
        .collect()
});

/// Forms by which a name is a company's even if it stands at a person's entry.
static UNMISTAKABLE: LazyLock<Vec<Sounds>> = LazyLock::new(|| {
    let forms = WRITTEN.iter().map(|(written, _)| *written);
    forms
        .filter(|form| is_no_persons(form))
        .map(sounds)
        .collect()
});

static WOUND_UP: LazyLock<Vec<Sounds>> =
    LazyLock::new(|| STATES.iter().map(|state| sounds(state)).collect());

fn sounds(text: &str) -> Sounds {
    text.split(' ').map(sound).collect()
}

/// Short forms with a vowel and a consonant that are no persons' names.
const NO_NAMES: [&str; 4] = ["corp", "inc", "sarl", "sro"];

/// Whether no person's name has the words of a form. Shorter forms are also initials (`S. A.`) or surnames (`Vos`,
/// `Pao`).
fn is_no_persons(form: &str) -> bool {
    let is_vowel = |letter: char| "aeiouy".contains(letter);
    let is_no_name = |word: &str| {
        let is_abbreviation = word.chars().all(is_vowel) || !word.chars().any(is_vowel);
        word.len() > 4 || (word.len() > 2 && is_abbreviation) || NO_NAMES.contains(&word)
    };
    form.split(' ').count() > 2 || form.split(' ').any(is_no_name)
}

/// Whether a name begins or ends with a legal form that no person's name has.
#[must_use]
pub fn is_of_company(words: &[String]) -> bool {
    let sounds: Vec<String> = words.iter().map(|word| sound(word)).collect();
    let mut forms = UNMISTAKABLE.iter();
    forms.any(|form| ends(&sounds, form) || begins(&sounds, form))
}

/// Removes the legal forms from the beginning and the end of a name's words. Keeps all words if nothing else would be
/// left.
#[must_use]
pub fn take_off(words: &[String]) -> (Vec<String>, Option<Form>) {
    let sounds: Vec<String> = words.iter().map(|word| sound(word)).collect();
    let (mut from, mut to) = (0, words.len());
    let mut found: Option<Form> = None;
    loop {
        let rest = &sounds[from..to];
        let is_form = |place: fn(&[String], &[String]) -> bool| {
            let forms = FORMS.iter().filter(move |(form, _)| place(rest, form));
            forms.max_by_key(|(form, _)| form.len())
        };
        if let Some(state) = WOUND_UP.iter().find(|state| ends(rest, state)) {
            to -= state.len();
            continue;
        }
        let form = if let Some((words, form)) = is_form(ends) {
            to -= words.len();
            *form
        } else if let Some((words, form)) = is_form(begins) {
            from += words.len();
            *form
        } else {
            return (words[from..to].to_vec(), found);
        };
        // A specific form wins over one that says only *company*.
        found = found.filter(|found| *found != Form::Company).or(Some(form));
    }
}

/// Whether the words end like this and have others before.
fn ends(words: &[String], ending: &[String]) -> bool {
    words.len() > ending.len() && are_alike(&words[words.len() - ending.len()..], ending)
}

/// Whether words are those of a form. Long words may contain an error: `Aktiengeselschaft`, `Joint Stock Compan`.
fn are_alike(words: &[String], of_form: &[String]) -> bool {
    words.iter().zip(of_form).all(|(word, of_form)| {
        word == of_form
            || (of_form.len() >= SHORTEST_MISSPELT
                && word.len().abs_diff(of_form.len()) < 2
                && word.bytes().next() == of_form.bytes().next()
                && osa_distance(word, of_form) == 1)
    })
}

/// Single letters at the beginning are an abbreviation.
fn begins(words: &[String], beginning: &[String]) -> bool {
    words.len() > beginning.len()
        && are_alike(&words[..beginning.len()], beginning)
        && beginning.iter().any(|word| word.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::super::letters::latin;
    use super::*;

    #[test]
    fn no_form_sounds_like_a_single_letter_or_two_kinds() {
        let mut kinds = std::collections::HashMap::new();
        for ((written, form), (sounds, _)) in WRITTEN.iter().zip(FORMS.iter()) {
            let is_letter = |(word, sound): (&str, &String)| word.len() > 1 && sound.len() < 2;
            assert!(!written.split(' ').zip(sounds).any(is_letter), "{written}");
            let known = kinds.insert(sounds.clone(), *form).unwrap_or(*form);
            assert_eq!(known, *form, "{written} sounds like another form");
        }
    }

    #[test]
    fn company_is_told_from_a_person_by_its_form() {
        for (name, is_company) in [
            ("Vzorostav, s. r. o.", true),
            ("VZOROSTAV sro", true),
            ("ООО «Взоростав»", true),
            ("Vzorostav Trading Co., Ltd.", true),
            ("Vzorostav GmbH", true),
            ("VZOROSTAV CORP", true),
            ("Vzorostav Foundation", true),
            ("Papraďový S. A.", false),
            ("PAPRADOVY, A.S.", false),
            ("Papraďový Vos", false),
            ("Sia Papraďová", false),
            ("Papraďový Pao", false),
            ("Žofia Papraďová", false),
            ("Ltd", false),
            ("", false),
        ] {
            assert_eq!(is_of_company(&latin(name)), is_company, "{name}");
        }
    }

    #[test]
    fn legal_forms_of_any_language_are_removed() {
        for (name, rest, form) in [
            ("Vzorostav, s. r. o.", "vzorostav", Some(Form::Limited)),
            (
                "Vzorostav spol. s r.o. v likvidácii",
                "vzorostav",
                Some(Form::Limited),
            ),
            (
                "Vzorostav, spoločnosť s ručením obmedzeným",
                "vzorostav",
                Some(Form::Limited),
            ),
            ("ООО «Взоростав»", "vzorostav", Some(Form::Limited)),
            (
                "Общество с ограниченной ответственностью Взоростав",
                "vzorostav",
                Some(Form::Limited),
            ),
            (
                "Vzorostav Trading Co., Ltd.",
                "vzorostav trading",
                Some(Form::Limited),
            ),
            (
                "Open Joint Stock Company Vzorostav",
                "vzorostav",
                Some(Form::JointStock),
            ),
            ("PJSC VZOROSTAV", "vzorostav", Some(Form::JointStock)),
            ("Vzorostav Sp. z o.o.", "vzorostav", Some(Form::Limited)),
            (
                "Poľnohospodárske družstvo Vzor, družstvo",
                "polnohospodarske druzstvo vzor",
                Some(Form::Cooperative),
            ),
            ("Vzorostav j.s.a.", "vzorostav", Some(Form::JointStock)),
            ("Vzorostav Company", "vzorostav", Some(Form::Company)),
            (
                "Vzorostav Aktiengeselschaft",
                "vzorostav",
                Some(Form::JointStock),
            ),
            (
                "VZOROSTAV JOINT STOCK COMPAN",
                "vzorostav",
                Some(Form::JointStock),
            ),
            ("ANO Vzorostav", "vzorostav", Some(Form::NonProfit)),
            ("Vzorostav ApS", "vzorostav", Some(Form::Limited)),
            ("H.R.K. JSC", "h r k", Some(Form::JointStock)),
            ("Vzorostav GmbH", "vzorostav", Some(Form::Limited)),
            ("A.S.", "a s", None),
            ("A.S.T.R.X., s.r.o.", "a s t r x", Some(Form::Limited)),
            ("Vzorostav", "vzorostav", None),
        ] {
            let (left, found) = take_off(&latin(name));
            assert_eq!((left.join(" ").as_str(), found), (rest, form), "{name}");
        }
    }
}
