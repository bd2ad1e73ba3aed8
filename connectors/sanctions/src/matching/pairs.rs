//! Pairs the words of two names, and weighs the words that have no counterpart.

use super::name::{Name, Word};
use super::reasons::{Reason, Rule};
use super::words::Class;
use super::words_alike::{SAME_SOUND, alike, sounds_alike};

/// The share of its weight with which a word counts that only the company has.
const EXTRA_OF_COMPANY: f64 = 0.8;
/// Deducted if the words are in another order.
const ORDER: f64 = 0.02;
/// Deducted if each name has a trade word that the other lacks, or if one has such a word and the other a place.
const OTHER_TRADE: f64 = 0.08;
/// The shortest single word that is found although it is misspelt.
const SHORTEST_MISSPELT: usize = 8;
/// The similarity that a misspelt single word needs.
const MISSPELT_ALONE: f64 = 0.87;
/// The shortest single word that is found beside trade words. Shorter ones occur in too many names.
const SHORTEST_ALONE: usize = 6;

/// The similarity of two names.
#[derive(Debug, Clone, PartialEq)]
pub struct Likeness {
    /// From 0 to 1.
    pub score: f64,
    pub reasons: Vec<Reason>,
}

/// One or two words, paired with one or two words of the other name.
#[derive(Debug)]
struct Pair {
    /// Indexes of words in the company's name.
    ours: Vec<usize>,
    /// Indexes of words in the listed name.
    theirs: Vec<usize>,
    alike: f64,
    rule: Rule,
}

impl Pair {
    fn is_distinctive(&self, company: &Name) -> bool {
        let mut places = self.ours.iter();
        places.any(|place| company.words[*place].is_distinctive())
    }
}

fn texts(words: &[Word], places: &[usize]) -> Vec<String> {
    let texts = places.iter().map(|place| words[*place].text.clone());
    texts.collect()
}

/// Pairs of words found in both names.
#[derive(Debug)]
pub(super) struct Pairs(Vec<Pair>);

impl Pairs {
    /// Pairs equal words first, then words that are written as one, then similar words.
    pub(super) fn of(company: &Name, listed: &Name) -> Self {
        let mut pairs = Self(Vec::new());
        pairs.match_words(company, listed, SAME_SOUND);
        pairs.match_joined(&company.words, &listed.words, false);
        pairs.match_joined(&listed.words, &company.words, true);
        pairs.match_words(company, listed, f64::MIN_POSITIVE);
        pairs.0.sort_by(|a, b| a.ours.cmp(&b.ours));
        pairs
    }

    /// The number of pairs.
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    fn is_free(&self, of_company: Option<usize>, of_listed: Option<usize>) -> bool {
        self.0.iter().all(|pair| {
            of_company.is_none_or(|place| !pair.ours.contains(&place))
                && of_listed.is_none_or(|place| !pair.theirs.contains(&place))
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
        // The most similar first; among equals those at the same index.
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
                self.0.push(Pair {
                    ours: vec![place],
                    theirs: vec![at],
                    alike,
                    rule,
                });
            }
        }
    }

    /// Pairs two words of one name with one word of the other.
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
                    self.0.push(Pair {
                        ours,
                        theirs,
                        alike: SAME_SOUND,
                        rule: Rule::JoinedWords,
                    });
                }
            }
        }
    }

    /// Whether the pairs show more than that both names are of the same trade.
    pub(super) fn has_distinctive(&self, company: &Name, listed: &Name) -> bool {
        if company.distinctive().next().is_none() && listed.distinctive().next().is_none() {
            return self.is_name_of_trade(company, listed);
        }
        self.0
            .iter()
            .any(|pair| pair.rule == Rule::JoinedWords || pair.is_distinctive(company))
    }

    /// Whether trade words and places make a match. They do if hardly anything differs: with a number or three words of
    /// one meaning, or with equal words except for a place that only one name has.
    fn is_name_of_trade(&self, company: &Name, listed: &Name) -> bool {
        let of_company = self.rest(&company.words, |pair| &pair.ours);
        let of_listed = self.rest(&listed.words, |pair| &pair.theirs);
        if of_company.is_empty()
            && of_listed.is_empty()
            && (!company.numbers().is_empty() || company.words.len() > 2)
        {
            return true;
        }
        let are_places = |words: &[Word], places: &[usize]| {
            let mut classes = places.iter().map(|place| words[*place].class);
            classes.all(|class| matches!(class, Class::Place(_)))
        };
        let texts_are_same = self
            .0
            .iter()
            .all(|pair| texts(&company.words, &pair.ours) == texts(&listed.words, &pair.theirs));
        self.0.len() > 1
            && texts_are_same
            && (of_company.is_empty() || of_listed.is_empty())
            && are_places(&company.words, &of_company)
            && are_places(&listed.words, &of_listed)
    }

    /// Whether a single common word suffices. For a name of one word, or of one word beside trade words, it suffices
    /// only if it is equal, long enough, and the other name has no other distinctive word.
    pub(super) fn is_enough(&self, company: &Name, listed: &Name) -> bool {
        let is_joined = self.0.iter().any(|pair| pair.rule == Rule::JoinedWords);
        let (ours, theirs) = (company.distinctive().count(), listed.distinctive().count());
        // Without a distinctive word, the whole name was found.
        if is_joined || ours.min(theirs) != 1 {
            return true;
        }
        let Some(pair) = self.0.iter().find(|pair| pair.is_distinctive(company)) else {
            return false;
        };
        let places = pair.ours.iter();
        let length: usize = places
            .map(|place| company.words[*place].sound.chars().count())
            .sum();
        let others_are_same = self.0.len() == company.words.len().max(listed.words.len());
        match ours.max(theirs) {
            1 if others_are_same && company.words.len() > 1 => {
                pair.alike >= SAME_SOUND
                    || (length >= SHORTEST_MISSPELT && pair.alike >= MISSPELT_ALONE)
            }
            1 => {
                let is_whole = company.words.len() == 1 && listed.words.len() == 1;
                pair.alike >= SAME_SOUND && (is_whole || length >= SHORTEST_ALONE)
            }
            _ => false,
        }
    }

    /// The similarity of the names by their pairs. A word that only the listed name has counts with the given share of
    /// its weight.
    pub(super) fn likeness(&self, company: &Name, listed: &Name, extra_of_listed: f64) -> Likeness {
        let weight = |words: &[Word], places: &[usize]| -> f64 {
            places.iter().map(|place| words[*place].weight()).sum()
        };
        let (mut common, mut all) = (0.0, 0.0);
        for pair in &self.0 {
            let of_company = weight(&company.words, &pair.ours);
            let most = of_company.max(weight(&listed.words, &pair.theirs));
            common += most * pair.alike;
            all += most;
        }
        let of_company = self.rest(&company.words, |pair| &pair.ours);
        let of_listed = self.rest(&listed.words, |pair| &pair.theirs);
        all += EXTRA_OF_COMPANY * weight(&company.words, &of_company);
        all += extra_of_listed * weight(&listed.words, &of_listed);
        let mut reasons = self.reasons(company);
        let mut score = if all > 0.0 { common / all } else { 0.0 };
        let has = |words: &[Word], places: &[usize], is_one: fn(Class) -> bool| {
            let mut classes = places.iter().map(|place| words[*place].class);
            classes.any(is_one)
        };
        let ours = |is_one| has(&company.words, &of_company, is_one);
        let theirs = |is_one| has(&listed.words, &of_listed, is_one);
        let is_generic = |class| matches!(class, Class::Generic(_));
        let is_place = |class| matches!(class, Class::Place(_));
        if (ours(is_generic) && theirs(is_generic))
            || (ours(Class::is_trade) && theirs(is_place))
            || (ours(is_place) && theirs(Class::is_trade))
        {
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

    /// Numbers that only one of the names has.
    pub(super) fn numbers_of_one<'a>(&self, company: &'a Name, listed: &'a Name) -> Vec<&'a str> {
        let ours = self.rest(&company.words, |pair| &pair.ours).into_iter();
        let theirs = self.rest(&listed.words, |pair| &pair.theirs).into_iter();
        let words = ours
            .map(|place| &company.words[place])
            .chain(theirs.map(|place| &listed.words[place]));
        words
            .filter(|word| word.class == Class::Number)
            .map(|word| word.sound.as_str())
            .collect()
    }

    /// The indexes of words without a counterpart.
    fn rest(&self, words: &[Word], side: fn(&Pair) -> &Vec<usize>) -> Vec<usize> {
        let is_found = |place: &usize| self.0.iter().any(|pair| side(pair).contains(place));
        (0..words.len()).filter(|place| !is_found(place)).collect()
    }

    fn is_in_order(&self) -> bool {
        self.0.is_sorted_by(|a, b| a.theirs <= b.theirs)
    }

    fn reasons(&self, company: &Name) -> Vec<Reason> {
        let rules = [
            Rule::SameWords,
            Rule::SameSound,
            Rule::JoinedWords,
            Rule::SimilarSpelling,
        ];
        let words = |rule: Rule| -> Vec<String> {
            let pairs = self.0.iter().filter(|pair| pair.rule == rule);
            pairs
                .flat_map(|pair| texts(&company.words, &pair.ours))
                .collect()
        };
        rules
            .into_iter()
            .map(|rule| Reason {
                rule,
                words: words(rule),
            })
            .filter(|reason| !reason.words.is_empty())
            .collect()
    }
}
