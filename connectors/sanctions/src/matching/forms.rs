//! Legal forms in names, whatever their language: what is no part of the name proper.

mod written;

use std::sync::LazyLock;

use self::written::WRITTEN;
use super::sounds::sound;

/// A kind of legal form. Forms of different countries that mean about the same are one.
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
    /// A cooperative.
    Cooperative,
    /// An enterprise of the state.
    StateEnterprise,
    /// An association or another body without profit.
    NonProfit,
    /// A foundation.
    Foundation,
    /// A sole trader.
    SoleTrader,
    /// Company, without saying which kind.
    Company,
}

/// What may stand behind the form while a company is wound up; no part of the name either.
const STATES: &[&str] = &[
    "v likvidacii",
    "v konkurze",
    "v restrukturalizacii",
    "v likvid",
    "in liquidation",
    "in liqu",
];

/// The words of a form as they sound.
type Sounds = Vec<String>;

static FORMS: LazyLock<Vec<(Sounds, Form)>> = LazyLock::new(|| {
    let forms = WRITTEN.iter();
    forms
        .map(|(written, form)| (sounds(written), *form))
        .collect()
});

static WOUND_UP: LazyLock<Vec<Sounds>> =
    LazyLock::new(|| STATES.iter().map(|state| sounds(state)).collect());

fn sounds(text: &str) -> Sounds {
    text.split(' ').map(sound).collect()
}

/// Takes the legal forms off the beginning and the end of a name's words; what is left is the name proper. A name that
/// would be nothing keeps its words.
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
        // One that says more wins over one that says company only.
        found = found.filter(|found| *found != Form::Company).or(Some(form));
    }
}

/// Whether words end so, and there are others before.
fn ends(words: &[String], ending: &[String]) -> bool {
    words.len() > ending.len() && words.ends_with(ending)
}

/// Letters that stand alone at the beginning are an abbreviation.
fn begins(words: &[String], beginning: &[String]) -> bool {
    words.len() > beginning.len()
        && words.starts_with(beginning)
        && beginning.iter().any(|word| word.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::super::letters::latin;
    use super::*;

    #[test]
    fn forms_of_any_language_are_no_part_of_the_name() {
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
            ("A.S.", "a s", None),
            ("A.S.T.R.X., s.r.o.", "a s t r x", Some(Form::Limited)),
            ("Vzorostav", "vzorostav", None),
        ] {
            let (left, found) = take_off(&latin(name));
            assert_eq!((left.join(" ").as_str(), found), (rest, form), "{name}");
        }
    }
}
