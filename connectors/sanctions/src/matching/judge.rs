//! Decides whether an entry of a list may denote a company: the best of its names, and other data that agrees or
//! differs.

use lustra_sdk::text::fold;

use super::compare;
use super::name::{Name, is_of_company};
use super::pairs::Likeness;
use super::reasons::{Reason, Rule};
use super::towns;
use crate::entry::{Alias, Entry, Kind};

/// The factor for a weak name.
const WEAK: f64 = 0.8;
/// The highest score of a person found by name alone, whatever the town and country: many people share a name.
const PERSON: f64 = 0.85;
/// The score of an equal register number, whatever the names.
const REGISTER_NUMBER: f64 = 0.95;
/// Added or deducted for other data that agrees or differs.
const SAME_TOWN: f64 = 0.08;
const SAME_COUNTRY: f64 = 0.03;
const OTHER_COUNTRY: f64 = -0.1;
const OTHER_KIND: f64 = -0.1;

/// The names of the companies' own country in the lists, folded.
const HOME: [&str; 4] = ["sk", "slovakia", "slovak republic", "slovensko"];

/// The company that entries are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    pub ico: String,
    /// The name, parsed as a company's.
    pub name: Name,
    /// The name parsed as a person's, if the company is a sole trader.
    pub person: Option<Name>,
    /// The town, as [`towns::town`] reads it.
    pub town: Option<String>,
}

impl Company {
    /// Makes a company from its fields.
    #[must_use]
    pub fn of(ico: &str, name: &str, town: Option<&str>, is_sole_trader: bool) -> Self {
        Self {
            ico: ico.to_owned(),
            name: Name::of(name),
            person: is_sole_trader.then(|| Name::of_person(own_name(name))),
            town: town.and_then(towns::town),
        }
    }
}

/// A sole trader's own name, without the business name behind it. A comma after a single name separates the family name
/// from the given name: `PAPRAĎOVÁ, Žofia`.
fn own_name(name: &str) -> &str {
    let end = [";", "–", "(", " - "]
        .iter()
        .filter_map(|mark| name.find(mark));
    let own = &name[..end.min().unwrap_or(name.len())];
    let mut commas = own.match_indices(',').map(|(place, _)| place);
    let end = commas.find(|place| Name::of_person(&own[..*place]).words.len() > 1);
    own[..end.unwrap_or(own.len())].trim()
}

/// The result of comparing an entry with a company.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// From 0 to 1, with two decimals.
    pub score: f64,
    /// The entry's name that is most similar to the company's.
    pub matched: String,
    /// The reasons of the score.
    pub reasons: Vec<Reason>,
}

/// The verdict whether the entry denotes the company. `None` if nothing suggests it.
#[must_use]
pub fn judge(company: &Company, entry: &Entry) -> Option<Verdict> {
    let of_names = entry.names.iter().filter_map(|alias| {
        let likeness = of_alias(company, entry.kind, alias)?;
        Some((likeness, alias))
    });
    let best = of_names.max_by(|(a, _), (b, _)| a.score.total_cmp(&b.score));
    let of_name = best.map(|(likeness, alias)| {
        let mut verdict = Verdict {
            score: likeness.score,
            matched: alias.name.clone(),
            reasons: likeness.reasons,
        };
        verdict.qualify(company, entry);
        verdict
    });
    if !entry.icos.contains(&company.ico) {
        return of_name.map(Verdict::rounded);
    }
    let mut reasons = vec![Reason {
        rule: Rule::RegisterNumber,
        words: vec![company.ico.clone()],
    }];
    let (score, matched) = match of_name {
        Some(verdict) => {
            reasons.extend(verdict.reasons);
            (verdict.score, verdict.matched)
        }
        None => (0.0, entry.name().to_owned()),
    };
    let verdict = Verdict {
        score: score.max(REGISTER_NUMBER),
        matched,
        reasons,
    };
    Some(verdict.rounded())
}

fn of_alias(company: &Company, kind: Kind, alias: &Alias) -> Option<Likeness> {
    match (kind, &company.person) {
        (Kind::Entity, None) => of_company(company, alias),
        (Kind::Entity, Some(_)) => of_other_kind(company, alias),
        (Kind::Person, Some(person)) => {
            let listed = Name::of_person(&alias.name);
            let mut likeness = match alias.is_weak {
                true => weak(person, &listed)?,
                false => compare::persons(person, &listed)?,
            };
            likeness.reasons.push(Reason::of(Rule::Person));
            Some(likeness)
        }
        // Lists give a few companies as persons.
        (Kind::Person, None) if is_of_company(&alias.name) => of_other_kind(company, alias),
        (Kind::Person, None) => None,
    }
}

fn of_other_kind(company: &Company, alias: &Alias) -> Option<Likeness> {
    let mut likeness = of_company(company, alias)?;
    likeness.score += OTHER_KIND;
    likeness.reasons.push(Reason::of(Rule::OtherKind));
    Some(likeness)
}

fn of_company(company: &Company, alias: &Alias) -> Option<Likeness> {
    if alias.is_weak {
        return weak(&company.name, &Name::of(&alias.name));
    }
    let of_names = alternatives(&alias.name)
        .into_iter()
        .filter_map(|name| compare::companies(&company.name, &Name::of(name)));
    of_names.max_by(|a, b| a.score.total_cmp(&b.score))
}

/// The name, and each side of a slash if it contains several names: `Al-Vzor/Vzor Army`.
fn alternatives(name: &str) -> Vec<&str> {
    let mut names = vec![name];
    let sides = name.split('/').map(str::trim);
    // Shorter sides are abbreviations, such as `A/S`.
    let sides = sides.filter(|side| side.chars().count() > 3 && *side != name);
    names.extend(sides);
    names
}

/// A weak name belongs to many, so only an equal name counts.
fn weak(company: &Name, listed: &Name) -> Option<Likeness> {
    compare::is_same(company, listed).then(|| Likeness {
        score: WEAK,
        reasons: vec![Reason::of(Rule::SameName), Reason::of(Rule::WeakName)],
    })
}

impl Verdict {
    fn qualify(&mut self, company: &Company, entry: &Entry) {
        let mut note = |rule: Rule, by: f64| {
            self.score += by;
            self.reasons.push(Reason::of(rule));
        };
        if !entry.countries.is_empty() {
            let is_here = |country: &String| HOME.contains(&fold(country).as_str());
            match entry.countries.iter().any(is_here) {
                true => note(Rule::SameCountry, SAME_COUNTRY),
                false => note(Rule::OtherCountry, OTHER_COUNTRY),
            }
        }
        let is_town = |town: &String| {
            let mut listed = entry.towns.iter().filter_map(|listed| towns::town(listed));
            listed.any(|listed| listed == *town)
        };
        if company.town.as_ref().is_some_and(is_town) {
            note(Rule::SameTown, SAME_TOWN);
        }
        if self
            .reasons
            .iter()
            .any(|reason| reason.rule == Rule::Person)
        {
            self.score = self.score.min(PERSON);
        }
    }

    /// Rounds to two decimals, so that the score does not suggest more precision than it has.
    fn rounded(mut self) -> Self {
        self.score = (self.score.clamp(0.0, 1.0) * 100.0).round() / 100.0;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ICO: &str = "99999901";

    fn entry(kind: Kind, names: &[(&str, bool)], countries: &[&str]) -> Entry {
        Entry {
            kind,
            names: names
                .iter()
                .map(|(name, is_weak)| Alias {
                    name: (*name).to_owned(),
                    is_weak: *is_weak,
                })
                .collect(),
            countries: countries
                .iter()
                .map(|country| (*country).to_owned())
                .collect(),
            ..Entry::default()
        }
    }

    fn score(company: &Company, entry: &Entry) -> Option<f64> {
        judge(company, entry).map(|verdict| verdict.score)
    }

    #[test]
    fn country_and_town_agree_or_differ() {
        let company = Company::of(
            ICO,
            "Vzorostav Čučoriedka, s. r. o.",
            Some("Vzorovo"),
            false,
        );
        let names = [("VZOROSTAV CUCORIEDKA LLC", false)];
        assert_eq!(
            score(&company, &entry(Kind::Entity, &names, &[])),
            Some(1.0)
        );
        assert_eq!(
            score(&company, &entry(Kind::Entity, &names, &["RU"])),
            Some(0.9)
        );
        let mut here = entry(Kind::Entity, &names, &["RU", "Slovakia"]);
        here.towns = vec!["VZOROVO".to_owned()];
        let verdict = judge(&company, &here).map(|verdict| verdict.reasons);
        let rules: Vec<Rule> = verdict.iter().flatten().map(|reason| reason.rule).collect();
        assert_eq!(rules, [Rule::SameName, Rule::SameCountry, Rule::SameTown]);
    }

    #[test]
    fn sides_of_a_slash_are_separate_names() {
        let company = Company::of(ICO, "Vzorostav, s. r. o.", None, false);
        let listed = entry(
            Kind::Entity,
            &[("VZOROSTAV/HRKOTMONT ARMADY KVAPKA", false)],
            &[],
        );
        assert_eq!(score(&company, &listed), Some(1.0));
        assert_eq!(alternatives("Vzor A/S"), ["Vzor A/S", "Vzor A"]);
    }

    #[test]
    fn weak_name_must_be_equal() {
        let company = Company::of(ICO, "Brmbosoft, s.r.o.", None, false);
        assert_eq!(
            score(&company, &entry(Kind::Entity, &[("BRMBOSOFT", true)], &[])),
            Some(0.8)
        );
        assert_eq!(
            score(
                &company,
                &entry(Kind::Entity, &[("BRMBOSOFT TRADE", true)], &[])
            ),
            None
        );
    }

    #[test]
    fn persons_match_only_sole_traders_weakly() {
        let names = [("PAPRADOVA, Zofia", false)];
        let listed = entry(Kind::Person, &names, &[]);
        let trader = Company::of(ICO, "Žofia Papraďová", None, true);
        assert_eq!(score(&trader, &listed), Some(0.85));
        let company = Company::of(ICO, "Žofia Papraďová, s. r. o.", None, false);
        assert_eq!(score(&company, &listed), None);
    }

    #[test]
    fn company_listed_as_a_person_is_found_by_its_form() {
        let names = [("Zofia PAPRADOVA", false), ("ООО Взоростав", false)];
        let listed = entry(Kind::Person, &names, &[]);
        let company = Company::of(ICO, "Vzorostav, s. r. o.", None, false);
        let verdict = judge(&company, &listed);
        let (score, rules) = verdict.map_or((0.0, Vec::new()), |verdict| {
            let rules = verdict.reasons.iter().map(|reason| reason.rule).collect();
            (verdict.score, rules)
        });
        assert_eq!((score, rules), (0.9, vec![Rule::SameName, Rule::OtherKind]));
        let namesake = Company::of(ICO, "Žofia Papraďová, s. r. o.", None, false);
        assert_eq!(self::score(&namesake, &listed), None);
        let initials = entry(Kind::Person, &[("VZOROSTAV A.S.", false)], &[]);
        assert_eq!(self::score(&company, &initials), None);
    }

    #[test]
    fn same_town_never_makes_a_person_strong() {
        let trader = Company::of(ICO, "Žofia Papraďová", Some("Vzorovo"), true);
        for names in [[("PAPRADOVA, Zofia", false)], [("Zofia PAPRADOVA", true)]] {
            let mut listed = entry(Kind::Person, &names, &["Slovakia"]);
            listed.towns = vec!["Vzorovo".to_owned()];
            assert!(score(&trader, &listed).is_some_and(|score| score <= PERSON));
            listed.icos = vec![ICO.to_owned()];
            assert_eq!(score(&trader, &listed), Some(REGISTER_NUMBER));
        }
    }

    #[test]
    fn towns_agree_with_district_and_postal_code() {
        let company = |town| Company::of(ICO, "Vzorostav Čučoriedka, s. r. o.", Some(town), false);
        let mut listed = entry(
            Kind::Entity,
            &[("VZOROSTAV CUCORIEDKA TRADE", false)],
            &["SK"],
        );
        let without = score(&company("Nitra"), &listed);
        for (town, other) in [
            ("Bratislava - mestská časť Ružinov", "821 01 Bratislava"),
            ("Košice", "KOSICE-SEVER"),
            ("Nitra", "SK-949 01 NITRA"),
        ] {
            listed.towns = vec!["Paris".to_owned(), other.to_owned()];
            let with = score(&company(town), &listed);
            assert!(with > without, "{town} {other}: {with:?} {without:?}");
        }
    }

    #[test]
    fn sole_trader_names_end_where_the_business_begins() {
        for (name, own) in [
            ("Žofia Papraďová", "Žofia Papraďová"),
            ("PAPRAĎOVÁ, Žofia", "PAPRAĎOVÁ, Žofia"),
            ("Ing. Papraďová, Žofia, PhD.", "Ing. Papraďová, Žofia"),
            ("Papraďová, Žofia, stavebné práce", "Papraďová, Žofia"),
            ("Ján Čmeľ, autoservis", "Ján Čmeľ"),
            ("Ján Čmeľ - ČMEĽ TRANS", "Ján Čmeľ"),
            ("Ján Čmeľ (ČMEĽ TRANS)", "Ján Čmeľ"),
            ("Mgr. Ján Čmeľ, MBA", "Mgr. Ján Čmeľ"),
            ("Čmeľ", "Čmeľ"),
            ("", ""),
        ] {
            assert_eq!(own_name(name), own, "{name}");
        }
        let trader = Company::of(ICO, "PAPRAĎOVÁ, Žofia", None, true);
        let listed = entry(Kind::Person, &[("Zofia PAPRADOVA", false)], &[]);
        assert_eq!(score(&trader, &listed), Some(PERSON));
    }

    #[test]
    fn a_register_number_is_a_hit_by_itself() {
        let company = Company::of(ICO, "Vzorostav, s. r. o.", None, false);
        let mut listed = entry(Kind::Entity, &[("OTHER NAME PLAST", false)], &[]);
        listed.icos = vec![ICO.to_owned()];
        assert_eq!(score(&company, &listed), Some(0.95));
    }
}
