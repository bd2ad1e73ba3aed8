//! Profiles of buyers.

use time::Date;

use super::dice;
use crate::population::Population;
use crate::population::calendar::before;
use crate::population::company::Company;
use crate::population::happening::Happening;
use crate::population::showcase::SHOWCASE_SIZE;

/// Texts of the profiles' class, and the code of the provision if the text names a known one.
const CLASSES: [(&str, Option<&str>); 7] = [
    (
        "verejný obstarávateľ podľa § 7 ods. 1 písm. b) zákona č. 343/2015 Z. z.",
        Some("7-1-b"),
    ),
    (
        "verejný obstarávateľ podľa § 7 ods. 1 písm. d) zákona č. 343/2015 Z. z.",
        Some("7-1-d"),
    ),
    ("osoba podľa § 8 zákona č. 343/2015 Z. z.", Some("8")),
    ("obstarávateľ podľa § 9 ods. 1", Some("9")),
    ("§ 6 ods. 1 písm. d) zákona č. 25/2006 Z. z.", Some("7-1-d")),
    ("iný obstarávateľ", None),
    ("§ 7 zákona č. 25/2006 Z. z.", None),
];
const MUNICIPALITY: usize = 0;
const SUBSIDISED: usize = 2;
const UTILITY: usize = 3;
const FORMER: usize = 4;
const OTHER: usize = 5;

/// Maximum number of profiles of a company.
const MOST: u32 = 10;
const FIRST_ID: u32 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The number in its address; newer ones are higher.
    pub id: u32,
    /// The text of its class.
    pub class: &'static str,
    /// The code of the provision.
    pub section: Option<&'static str>,
    pub since: Date,
}

/// The profiles of a company, the newest last.
pub fn profiles(company: &Company) -> Vec<Profile> {
    let start = company.origin.start;
    let since = before(start, 1_000);
    let classes: Vec<usize> = if company.index >= SHOWCASE_SIZE {
        let mut dice = dice(company, 2);
        let class = dice.below(5) as usize;
        if dice.chance(40) {
            vec![class]
        } else {
            Vec::new()
        }
    } else {
        match company.index {
            1 | 8 => vec![UTILITY],
            5 => vec![OTHER],
            6 => vec![FORMER, SUBSIDISED],
            9 => vec![MUNICIPALITY],
            _ => Vec::new(),
        }
    };
    let mut all: Vec<Profile> = Vec::new();
    let of = |place: usize, class: usize, since| Profile {
        id: FIRST_ID + company.index * MOST + u32::try_from(place).expect("few profiles"),
        class: CLASSES[class].0,
        section: CLASSES[class].1,
        since,
    };
    for class in classes {
        all.push(of(all.len(), class, since));
    }
    for happened in &company.happened {
        if happened.kind == Happening::ProfileMade && all.len() < MOST as usize {
            // Use another class than the newest profile, so that the change is visible.
            let newest = all.last().and_then(|newest| newest.section);
            let class = (0..UTILITY + 1).find(|class| CLASSES[*class].1 != newest);
            all.push(of(all.len(), class.unwrap_or(SUBSIDISED), happened.on));
        }
    }
    all
}

/// True if a company can have one more profile.
pub(crate) fn has_room(company: &Company) -> bool {
    profiles(company).len() < MOST as usize
}

/// The company and profile of an id.
pub fn profile_by_id(population: &Population, id: u32, day: u32) -> Option<(Company, Profile)> {
    let index = id.checked_sub(FIRST_ID)? / MOST;
    let company = (index < population.len()).then(|| population.company(index, day))?;
    let own = profiles(&company);
    let profile = own.into_iter().find(|profile| profile.id == id)?;
    Some((company, profile))
}
