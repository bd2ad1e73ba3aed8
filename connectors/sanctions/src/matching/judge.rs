//! Whether an entry of a list may mean a company: the best of its names, and what else agrees or differs.

use lustra_sdk::text::fold;

use super::compare;
use super::name::Name;
use super::pairs::Likeness;
use super::reasons::{Reason, Rule};
use crate::entry::{Alias, Entry, Kind};

/// A weak name is never more than this.
const WEAK: f64 = 0.8;
/// A person without a birth date is never more than this.
const PERSON: f64 = 0.85;
/// A register number that is the same, whatever the names.
const REGISTER_NUMBER: f64 = 0.95;
/// Added or taken off for what agrees or differs beside the name.
const SAME_TOWN: f64 = 0.08;
const SAME_COUNTRY: f64 = 0.03;
const OTHER_COUNTRY: f64 = -0.1;
const OTHER_KIND: f64 = -0.1;

/// How the lists call the country of the companies here, folded.
const HOME: [&str; 4] = ["sk", "slovakia", "slovak republic", "slovensko"];

/// The company that is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Company {
    /// 8 digits.
    pub ico: String,
    /// Its name taken apart.
    pub name: Name,
    /// The same as a person's, where it is a sole trader.
    pub person: Option<Name>,
    /// Its town, folded.
    pub town: Option<String>,
}

impl Company {
    /// A company of a name.
    #[must_use]
    pub fn of(ico: &str, name: &str, town: Option<&str>, is_sole_trader: bool) -> Self {
        Self {
            ico: ico.to_owned(),
            name: Name::of(name),
            person: is_sole_trader.then(|| Name::of_person(own_name(name))),
            town: town.map(fold).filter(|town| !town.is_empty()),
        }
    }
}

/// Sole traders put the name of their business behind their own.
fn own_name(name: &str) -> &str {
    name.split([',', ';', '–', '('])
        .next()
        .and_then(|own| own.split(" - ").next())
        .unwrap_or(name)
}

/// What an entry has to do with a company.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// From 0 to 1, with two decimals.
    pub score: f64,
    /// The entry's name that is most like the company's.
    pub matched: String,
    /// What made the score.
    pub reasons: Vec<Reason>,
}

/// How sure it is that the entry means the company; none where nothing speaks for it.
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
        (Kind::Entity, Some(_)) => {
            let mut likeness = of_company(company, alias)?;
            likeness.score += OTHER_KIND;
            likeness.reasons.push(Reason::of(Rule::OtherKind));
            Some(likeness)
        }
        (Kind::Person, Some(person)) => {
            let listed = Name::of_person(&alias.name);
            let mut likeness = match alias.is_weak {
                true => weak(person, &listed)?,
                false => compare::persons(person, &listed)?,
            };
            likeness.score = likeness.score.min(PERSON);
            likeness.reasons.push(Reason::of(Rule::Person));
            Some(likeness)
        }
        (Kind::Person, None) => None,
    }
}

fn of_company(company: &Company, alias: &Alias) -> Option<Likeness> {
    let listed = Name::of(&alias.name);
    if alias.is_weak {
        weak(&company.name, &listed)
    } else {
        compare::companies(&company.name, &listed)
    }
}

/// A weak name is one that many others have too, so it must be the very same.
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
            let town = fold(town);
            let listed = entry.towns.iter().map(|listed| fold(listed));
            listed.into_iter().any(|listed| listed == town)
        };
        if company.town.as_ref().is_some_and(is_town) {
            note(Rule::SameTown, SAME_TOWN);
        }
    }

    /// Two decimals, so that nobody takes it for more exact than it is.
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
    fn a_weak_name_must_be_the_same() {
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
    fn persons_are_for_sole_traders_and_never_strong() {
        let names = [("PAPRADOVA, Zofia", false)];
        let listed = entry(Kind::Person, &names, &[]);
        let trader = Company::of(ICO, "Žofia Papraďová", None, true);
        assert_eq!(score(&trader, &listed), Some(0.85));
        let company = Company::of(ICO, "Žofia Papraďová, s. r. o.", None, false);
        assert_eq!(score(&company, &listed), None);
    }

    #[test]
    fn a_register_number_is_a_hit_by_itself() {
        let company = Company::of(ICO, "Vzorostav, s. r. o.", None, false);
        let mut listed = entry(Kind::Entity, &[("OTHER NAME PLAST", false)], &[]);
        listed.icos = vec![ICO.to_owned()];
        assert_eq!(score(&company, &listed), Some(0.95));
    }
}
