//! Legal forms in names, whatever their language: what is no part of the name proper.

use std::sync::LazyLock;

use super::letters::sound;

/// A kind of legal form. Forms of different countries that mean about the same are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A company with limited liability: s. r. o., Ltd, GmbH, OOO.
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

/// How forms are written, as plain words; an apostrophe or a point between letters makes no difference.
const WRITTEN: &[(&str, Form)] = &[
    // Slovak and Czech.
    ("spolocnost s rucenim obmedzenym", Form::Limited),
    ("spolecnost s rucenim omezenym", Form::Limited),
    ("spolocnost s r o", Form::Limited),
    ("spol s r o", Form::Limited),
    ("spol sro", Form::Limited),
    ("s r o", Form::Limited),
    ("s ro", Form::Limited),
    ("sr o", Form::Limited),
    ("sro", Form::Limited),
    ("jednoducha spolocnost na akcie", Form::JointStock),
    ("j s a", Form::JointStock),
    ("jsa", Form::JointStock),
    ("akciova spolocnost", Form::JointStock),
    ("akciova spolecnost", Form::JointStock),
    ("akc spol", Form::JointStock),
    ("ucastinna spolocnost", Form::JointStock),
    ("a s", Form::JointStock),
    ("komanditna spolocnost", Form::LimitedPartnership),
    ("komanditni spolecnost", Form::LimitedPartnership),
    ("kom spol", Form::LimitedPartnership),
    ("k s", Form::LimitedPartnership),
    ("verejna obchodna spolocnost", Form::Partnership),
    ("verejna obchodni spolecnost", Form::Partnership),
    ("v o s", Form::Partnership),
    ("vos", Form::Partnership),
    ("druzstvo", Form::Cooperative),
    ("statny podnik", Form::StateEnterprise),
    ("statni podnik", Form::StateEnterprise),
    ("s p", Form::StateEnterprise),
    ("obcianske zdruzenie", Form::NonProfit),
    ("neziskova organizacia", Form::NonProfit),
    ("registrovany socialny podnik", Form::Company),
    ("r s p", Form::Company),
    ("n o", Form::NonProfit),
    ("o z", Form::NonProfit),
    ("z s", Form::NonProfit),
    ("n f", Form::Foundation),
    ("neinvesticny fond", Form::Foundation),
    ("nadacia", Form::Foundation),
    ("organizacna zlozka", Form::Company),
    ("org zlozka", Form::Company),
    // English.
    ("limited liability company", Form::Limited),
    ("limited liability partnership", Form::LimitedPartnership),
    ("private limited company", Form::Limited),
    ("private company limited", Form::Limited),
    ("private limited", Form::Limited),
    ("private joint stock company", Form::JointStock),
    ("public joint stock company", Form::JointStock),
    ("open joint stock company", Form::JointStock),
    ("closed joint stock company", Form::JointStock),
    ("joint stock company", Form::JointStock),
    ("public limited company", Form::JointStock),
    ("company limited", Form::Limited),
    ("co limited", Form::Limited),
    ("co ltd", Form::Limited),
    ("pte ltd", Form::Limited),
    ("pvt ltd", Form::Limited),
    ("pty ltd", Form::Limited),
    ("sdn bhd", Form::Limited),
    ("limited company", Form::Limited),
    ("limited partnership", Form::LimitedPartnership),
    ("state unitary enterprise", Form::StateEnterprise),
    ("federal state unitary enterprise", Form::StateEnterprise),
    ("state enterprise", Form::StateEnterprise),
    ("limited", Form::Limited),
    ("ltd", Form::Limited),
    ("l l c", Form::Limited),
    ("llc", Form::Limited),
    ("l l p", Form::LimitedPartnership),
    ("llp", Form::LimitedPartnership),
    ("fz llc", Form::Limited),
    ("fz e", Form::Limited),
    ("fze", Form::Limited),
    ("fzco", Form::Limited),
    ("fzc", Form::Limited),
    ("dmcc", Form::Limited),
    ("l p", Form::LimitedPartnership),
    ("lp", Form::LimitedPartnership),
    ("p l c", Form::JointStock),
    ("plc", Form::JointStock),
    ("pjsc", Form::JointStock),
    ("ojsc", Form::JointStock),
    ("cjsc", Form::JointStock),
    ("jsc", Form::JointStock),
    ("j s c", Form::JointStock),
    ("incorporated", Form::JointStock),
    ("inc", Form::JointStock),
    ("corporation", Form::JointStock),
    ("corp", Form::JointStock),
    ("cooperative", Form::Cooperative),
    ("foundation", Form::Foundation),
    ("company", Form::Company),
    ("co", Form::Company),
    // German.
    ("gesellschaft mit beschrankter haftung", Form::Limited),
    ("gmbh co kg", Form::LimitedPartnership),
    ("g m b h", Form::Limited),
    ("gmbh", Form::Limited),
    ("ges m b h", Form::Limited),
    ("mbh", Form::Limited),
    ("aktiengesellschaft", Form::JointStock),
    ("a g", Form::JointStock),
    ("ag", Form::JointStock),
    ("kg", Form::LimitedPartnership),
    ("ohg", Form::Partnership),
    ("e v", Form::NonProfit),
    // Russian, Ukrainian and Serbian, transliterated.
    ("obshchestvo s ogranichennoy otvetstvennostyu", Form::Limited),
    ("tovarystvo z obmezhenoyu vidpovidalnistyu", Form::Limited),
    ("publichnoe aktsionernoe obshchestvo", Form::JointStock),
    ("otkrytoe aktsionernoe obshchestvo", Form::JointStock),
    ("zakrytoe aktsionernoe obshchestvo", Form::JointStock),
    ("nepublichnoe aktsionernoe obshchestvo", Form::JointStock),
    ("aktsionernoe obshchestvo", Form::JointStock),
    ("federalnoe gosudarstvennoe unitarnoe predpriyatie", Form::StateEnterprise),
    ("gosudarstvennoe unitarnoe predpriyatie", Form::StateEnterprise),
    ("unitarnoe predpriyatie", Form::StateEnterprise),
    ("individualnyy predprinimatel", Form::SoleTrader),
    ("o o o", Form::Limited),
    ("ooo", Form::Limited),
    ("tov", Form::Limited),
    ("tzov", Form::Limited),
    ("doo", Form::Limited),
    ("d o o", Form::Limited),
    ("eood", Form::Limited),
    ("ood", Form::Limited),
    ("oao", Form::JointStock),
    ("zao", Form::JointStock),
    ("pao", Form::JointStock),
    ("nao", Form::JointStock),
    ("ao", Form::JointStock),
    ("prat", Form::JointStock),
    ("vat", Form::JointStock),
    ("ad", Form::JointStock),
    ("fgup", Form::StateEnterprise),
    ("gup", Form::StateEnterprise),
    ("rup", Form::StateEnterprise),
    ("ip", Form::SoleTrader),
    ("chup", Form::Limited),
    // Others.
    ("sociedad anonima", Form::JointStock),
    ("societe anonyme", Form::JointStock),
    ("s a r l", Form::Limited),
    ("sarl", Form::Limited),
    ("s r l", Form::Limited),
    ("srl", Form::Limited),
    ("s p a", Form::JointStock),
    ("spa", Form::JointStock),
    ("s a", Form::JointStock),
    ("sa", Form::JointStock),
    ("sas", Form::JointStock),
    ("sp z o o", Form::Limited),
    ("sp zoo", Form::Limited),
    ("spolka z ograniczona odpowiedzialnoscia", Form::Limited),
    ("spolka akcyjna", Form::JointStock),
    ("kft", Form::Limited),
    ("korlatolt felelossegu tarsasag", Form::Limited),
    ("zrt", Form::JointStock),
    ("nyrt", Form::JointStock),
    ("bv", Form::Limited),
    ("b v", Form::Limited),
    ("nv", Form::JointStock),
    ("n v", Form::JointStock),
    ("oy", Form::Limited),
    ("ab", Form::JointStock),
    ("a o", Form::JointStock),
    ("a e", Form::JointStock),
    ("epe", Form::Limited),
    ("ltd sti", Form::Limited),
    ("limited sirketi", Form::Limited),
    ("anonim sirketi", Form::JointStock),
    ("sirketi", Form::Company),
    ("as", Form::JointStock),
];

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
    forms.map(|(written, form)| (sounds(written), *form)).collect()
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
            ("Vzorostav spol. s r.o. v likvidácii", "vzorostav", Some(Form::Limited)),
            ("Vzorostav, spoločnosť s ručením obmedzeným", "vzorostav", Some(Form::Limited)),
            ("ООО «Взоростав»", "vzorostav", Some(Form::Limited)),
            ("Общество с ограниченной ответственностью Взоростав", "vzorostav", Some(Form::Limited)),
            ("Vzorostav Trading Co., Ltd.", "vzorostav trading", Some(Form::Limited)),
            ("Open Joint Stock Company Vzorostav", "vzorostav", Some(Form::JointStock)),
            ("PJSC VZOROSTAV", "vzorostav", Some(Form::JointStock)),
            ("Vzorostav Sp. z o.o.", "vzorostav", Some(Form::Limited)),
            ("Poľnohospodárske družstvo Vzor, družstvo", "polnohospodarske druzstvo vzor", Some(Form::Cooperative)),
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
