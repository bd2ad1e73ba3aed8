//! How alike two names are, and by which words.

use serde::{Deserialize, Serialize};

use super::name::{Name, Word};
use super::words::Class;
use super::words_alike::{SAME_SOUND, alike, sounds_alike};

/// A word of the company that the listed name does not have counts so much of its weight …
const EXTRA_OF_COMPANY: f64 = 0.8;
/// … one of the listed name that the company does not have …
const EXTRA_OF_LISTED: f64 = 0.55;
/// … and one of a person, such as a patronymic.
const EXTRA_OF_PERSON: f64 = 0.2;

/// Taken off where the words come in another order.
const ORDER: f64 = 0.02;
/// Taken off where both names have a legal form, and not the same kind.
const OTHER_FORM: f64 = 0.03;
/// Taken off where only one of the names has a number.
const NUMBER_OF_ONE: f64 = 0.1;
/// Taken off where each name has a word of trade that the other has not.
const OTHER_TRADE: f64 = 0.08;

/// A single word must be so long to be found though it is misspelt.
const SHORTEST_MISSPELT: usize = 8;
/// And so much alike then.
const MISSPELT_ALONE: f64 = 0.87;
/// A single word must be so long to be found beside words of trade: shorter ones are in too many names.
const SHORTEST_ALONE: usize = 6;

/// What made names alike, or less so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
    /// The rule.
    pub rule: Rule,
    /// The words that it is about, as compared: in Latin letters without marks.
    pub words: Vec<String>,
}

impl Reason {
    /// One without words.
    #[must_use]
    pub fn of(rule: Rule) -> Self {
        Self {
            rule,
            words: Vec::new(),
        }
    }
}

/// How alike names are.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// From 0 to 1.
    pub score: f64,
    /// What made it.
    pub reasons: Vec<Reason>,
}

/// Words that were found in both names, by their places.
struct Pairs {
    /// Places in the company's name, places in the listed one, how alike, by which rule.
    found: Vec<(Vec<usize>, Vec<usize>, f64, Rule)>,
}

/// How alike a company's name and a listed one are; none where they have no distinctive word in common.
#[must_use]
pub fn companies(company: &Name, listed: &Name) -> Option<Likeness> {
    if is_same(company, listed) {
        return Some(with_form(
            Likeness {
                score: 1.0,
                reasons: vec![Reason::of(Rule::SameName)],
            },
            company,
            listed,
        ));
    }
    let (ours, theirs) = (company.numbers(), listed.numbers());
    if !ours.is_empty() && !theirs.is_empty() && ours != theirs {
        return None;
    }
    let pairs = Pairs::of(company, listed);
    if !pairs.has_distinctive(company, listed) || !pairs.is_enough(company, listed) {
        return None;
    }
    let mut likeness = pairs.likeness(company, listed, EXTRA_OF_LISTED);
    if ours != theirs {
        likeness.score -= NUMBER_OF_ONE;
        likeness.reasons.push(Reason::of(Rule::NumberMissing));
    }
    Some(with_form(likeness, company, listed))
}

/// How alike two persons' names are; none where they have less than two names in common.
#[must_use]
pub fn persons(trader: &Name, listed: &Name) -> Option<Likeness> {
    let pairs = Pairs::of(trader, listed);
    (pairs.found.len() >= 2).then(|| pairs.likeness(trader, listed, EXTRA_OF_PERSON))
}

/// Whether names are the same word by word, in Latin letters.
#[must_use]
pub fn is_same(one: &Name, other: &Name) -> bool {
    !one.words.is_empty()
        && one.words.len() == other.words.len()
        && one.words.iter().zip(&other.words).all(|(a, b)| a.text == b.text)
}

fn with_form(mut likeness: Likeness, company: &Name, listed: &Name) -> Likeness {
    if let (Some(ours), Some(theirs)) = (company.form, listed.form)
        && ours != theirs
    {
        likeness.score -= OTHER_FORM;
        likeness.reasons.push(Reason::of(Rule::OtherLegalForm));
    }
    likeness
}

impl Pairs {
    /// The same words first, then words that are written as one, then such that are alike.
    fn of(company: &Name, listed: &Name) -> Self {
        let mut pairs = Self { found: Vec::new() };
        pairs.match_words(company, listed, SAME_SOUND);
        pairs.match_joined(&company.words, &listed.words, false);
        pairs.match_joined(&listed.words, &company.words, true);
        pairs.match_words(company, listed, f64::MIN_POSITIVE);
        pairs.found.sort_by(|a, b| a.0.cmp(&b.0));
        pairs
    }

    fn is_free(&self, of_company: Option<usize>, of_listed: Option<usize>) -> bool {
        self.found.iter().all(|(ours, theirs, _, _)| {
            of_company.is_none_or(|place| !ours.contains(&place))
                && of_listed.is_none_or(|place| !theirs.contains(&place))
        })
    }

    fn match_words(&mut self, company: &Name, listed: &Name, least: f64) {
        let mut candidates = Vec::new();
        for (place, word) in company.words.iter().enumerate() {
            for (at, other) in listed.words.iter().enumerate() {
                let alike = alike(word, other);
                if alike >= least && self.is_free(Some(place), Some(at)) {
                    candidates.push((alike, place, at));
                }
            }
        }
        // The likest first, of equals those at the same place.
        candidates.sort_by(|a, b| {
            b.0.total_cmp(&a.0)
                .then(a.1.abs_diff(a.2).cmp(&b.1.abs_diff(b.2)))
                .then(a.1.cmp(&b.1))
        });
        for (alike, place, at) in candidates {
            if self.is_free(Some(place), Some(at)) {
                let rule = match alike {
                    1.0.. => Rule::SameWords,
                    SAME_SOUND.. => Rule::SameSound,
                    _ => Rule::SimilarSpelling,
                };
                self.found.push((vec![place], vec![at], alike, rule));
            }
        }
    }

    /// Two words of the one that are one word of the other.
    fn match_joined(&mut self, parts: &[Word], wholes: &[Word], parts_are_listed: bool) {
        for place in 1..parts.len() {
            let (first, second) = (place - 1, place);
            let sounded = format!("{}{}", parts[first].sound, parts[second].sound);
            for (at, whole) in wholes.iter().enumerate() {
                let is_free = |part: usize| match parts_are_listed {
                    false => self.is_free(Some(part), Some(at)),
                    true => self.is_free(Some(at), Some(part)),
                };
                let is_one = || sounds_alike(&sounded, &whole.sound) >= SAME_SOUND;
                if is_free(first) && is_free(second) && is_one() {
                    let (ours, theirs) = match parts_are_listed {
                        false => (vec![first, second], vec![at]),
                        true => (vec![at], vec![first, second]),
                    };
                    self.found.push((ours, theirs, SAME_SOUND, Rule::JoinedWords));
                }
            }
        }
    }

    fn has_distinctive(&self, company: &Name, listed: &Name) -> bool {
        // Words of trade with a number are a name too, where nothing differs.
        let is_all = self.found.len() == company.words.len() && self.found.len() == listed.words.len();
        if is_all && !company.numbers().is_empty() {
            return true;
        }
        self.found.iter().any(|(ours, _, _, rule)| {
            *rule == Rule::JoinedWords || ours.iter().any(|place| company.words[*place].is_distinctive())
        })
    }

    /// A name of one word, or of one beside words of trade, is found by that word only where it is the same, long enough,
    /// and the other name has no other distinctive one.
    fn is_enough(&self, company: &Name, listed: &Name) -> bool {
        let is_joined = self.found.iter().any(|(_, _, _, rule)| *rule == Rule::JoinedWords);
        let (ours, theirs) = (company.distinctive().count(), listed.distinctive().count());
        // Without a distinctive word, all of it was found.
        if is_joined || ours.min(theirs) != 1 {
            return true;
        }
        let mut of_distinctive = self
            .found
            .iter()
            .filter(|(ours, _, _, _)| ours.iter().any(|place| company.words[*place].is_distinctive()));
        let Some((places, _, alike, _)) = of_distinctive.next() else {
            return false;
        };
        let length = places
            .iter()
            .map(|place| company.words[*place].sound.chars().count())
            .sum::<usize>();
        let others_are_same = self.found.len() == company.words.len().max(listed.words.len());
        match ours.max(theirs) {
            1 if others_are_same && company.words.len() > 1 => {
                *alike >= SAME_SOUND || (length >= SHORTEST_MISSPELT && *alike >= MISSPELT_ALONE)
            }
            1 => {
                let is_whole = company.words.len() == 1 && listed.words.len() == 1;
                *alike >= SAME_SOUND && (is_whole || length >= SHORTEST_ALONE)
            }
            _ => false,
        }
    }

    fn likeness(&self, company: &Name, listed: &Name, extra_of_listed: f64) -> Likeness {
        let weight = |words: &[Word], places: &[usize]| -> f64 {
            places.iter().map(|place| words[*place].weight()).sum()
        };
        let (mut common, mut all) = (0.0, 0.0);
        for (ours, theirs, alike, _) in &self.found {
            let most = weight(&company.words, ours).max(weight(&listed.words, theirs));
            common += most * alike;
            all += most;
        }
        let of_company = self.rest(&company.words, |(ours, _, _, _)| ours);
        let of_listed = self.rest(&listed.words, |(_, theirs, _, _)| theirs);
        all += EXTRA_OF_COMPANY * weight(&company.words, &of_company);
        all += extra_of_listed * weight(&listed.words, &of_listed);
        let mut reasons = self.reasons(company);
        let texts = |words: &[Word], places: &[usize]| -> Vec<String> {
            places.iter().map(|place| words[*place].text.clone()).collect()
        };
        let mut score = if all > 0.0 { common / all } else { 0.0 };
        let has_trade = |words: &[Word], places: &[usize]| {
            let mut classes = places.iter().map(|place| words[*place].class);
            classes.any(|class| matches!(class, Class::Generic(_)))
        };
        if has_trade(&company.words, &of_company) && has_trade(&listed.words, &of_listed) {
            score -= OTHER_TRADE;
            reasons.push(Reason::of(Rule::OtherTrade));
        }
        if !self.is_in_order() {
            score -= ORDER;
            reasons.push(Reason::of(Rule::WordOrder));
        }
        for (rule, words) in [
            (Rule::OnlyInCompany, texts(&company.words, &of_company)),
            (Rule::OnlyInListed, texts(&listed.words, &of_listed)),
        ] {
            if !words.is_empty() {
                reasons.push(Reason { rule, words });
            }
        }
        Likeness { score, reasons }
    }

    fn rest(
        &self,
        words: &[Word],
        side: fn(&(Vec<usize>, Vec<usize>, f64, Rule)) -> &Vec<usize>,
    ) -> Vec<usize> {
        let is_found = |place: &usize| self.found.iter().any(|pair| side(pair).contains(place));
        (0..words.len()).filter(|place| !is_found(place)).collect()
    }

    fn is_in_order(&self) -> bool {
        self.found.is_sorted_by(|a, b| a.1 <= b.1)
    }

    fn reasons(&self, company: &Name) -> Vec<Reason> {
        let rules = [
            Rule::SameWords,
            Rule::SameSound,
            Rule::JoinedWords,
            Rule::SimilarSpelling,
        ];
        let words = |rule: Rule| -> Vec<String> {
            let pairs = self.found.iter().filter(move |(_, _, _, by)| *by == rule);
            let places = pairs.flat_map(|(ours, _, _, _)| ours);
            places.map(|place| company.words[*place].text.clone()).collect()
        };
        rules
            .into_iter()
            .map(|rule| Reason { rule, words: words(rule) })
            .filter(|reason| !reason.words.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(company: &str, listed: &str) -> Option<f64> {
        companies(&Name::of(company), &Name::of(listed)).map(|likeness| likeness.score)
    }

    #[test]
    fn one_name_in_other_spellings_is_found() {
        for (company, listed, least) in [
            ("Žblnkotech Holding, a. s.", "ЖБЛНКОТЕХ ХОЛДИНГ АО", 0.92),
            ("Žblnkotech Holding, a. s.", "HOLDING ZHBLNKOTEKH JSC", 0.92),
            ("Vzorostav Čučoriedka, s. r. o.", "VZORO STAV CUCORIEDKA LLC", 0.92),
            ("Ťapkotrans Logistika s.r.o.", "TAPKOTRANS LOGISTICS LIMITED", 0.92),
            ("Vzorostav Čučoriedka, s. r. o.", "VZOROSTAV CUCORIETKA", 0.92),
            ("Vzorostav Slovakia s.r.o.", "VZOROSTAV OOO", 0.7),
        ] {
            let found = score(company, listed);
            assert!(found.is_some_and(|score| score >= least), "{company} {listed}: {found:?}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for (company, listed) in [
            ("Škrobopek Trade", "GLOBAL TRADE LLC"),
            ("Vzorostav Čučoriedka, s. r. o.", "VZOROSTAV BALTIC PLAST OOO"),
            ("Vzor 7 s.r.o.", "VZOR 8 LLC"),
            ("Delta s.r.o.", "DELTA TANKERS URAL INC"),
            ("Hrkotmont, s.r.o.", "HRKOTFONT LLC"),
        ] {
            let found = score(company, listed);
            assert!(found.is_none_or(|score| score < 0.7), "{company} {listed}: {found:?}");
        }
    }

    #[test]
    fn persons_need_two_names() {
        let score = |trader: &str, listed: &str| {
            persons(&Name::of_person(trader), &Name::of_person(listed)).map(|found| found.score)
        };
        assert!(score("Žofia Papraďová", "PAPRADOVA, Zofia").is_some_and(|score| score > 0.9));
        assert!(score("Žofia Papraďová", "Zofia Ivanovna Papradova").is_some_and(|score| score > 0.85));
        assert_eq!(score("Žofia Papraďová", "Zofia Zvonckova"), None);
    }
}
