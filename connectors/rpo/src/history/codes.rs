//! Functions of people in the register's code lists, and the list of the answer that each belongs to.
//!
//! The same function has different codes in both lists. Labels are those of the lists, corrected where a list
//! misspells them. Source: CL010113 and CL010109.

use lustra_sdk::text;

/// A code list of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    /// CL010113, the types of `statutoryBodies`.
    StatutoryBodies,
    /// CL010109, the types of `stakeholders`.
    Stakeholders,
}

impl List {
    fn entries(self) -> &'static [Entry] {
        match self {
            Self::StatutoryBodies => STATUTORY_BODIES,
            Self::Stakeholders => STAKEHOLDERS,
        }
    }
}

/// Code, label and meaning.
type Entry = (&'static str, &'static str, Meaning);

/// A list of people in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    Shareholders,
    StatutoryBody,
    SupervisoryBoard,
    Procurators,
    Liquidators,
    Administrators,
    Founders,
    BranchHeads,
    Others,
}

/// The function within a body of several members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    Chairman,
    ViceChairman,
    Member,
    /// The register states none.
    None,
}

impl Function {
    /// The value in the answer.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Chairman => Some("chairman"),
            Self::ViceChairman => Some("vice_chairman"),
            Self::Member => Some("member"),
            Self::None => None,
        }
    }

    /// Reads a label such as `predseda predstavenstva`.
    #[must_use]
    pub fn of_label(label: &str) -> Self {
        let folded = text::fold(label);
        match folded.split(' ').next().unwrap_or_default() {
            "predseda" | "predsednicka" => Self::Chairman,
            "podpredseda" | "podpredsednicka" => Self::ViceChairman,
            "clen" | "clenka" => Self::Member,
            _ => Self::None,
        }
    }
}

const OFFICER: Meaning = Meaning::of_group(Group::StatutoryBody);
const CHAIR: Meaning = OFFICER.with(Function::Chairman);
const VICE_CHAIR: Meaning = OFFICER.with(Function::ViceChairman);
const MEMBER: Meaning = OFFICER.with(Function::Member);
const OWNER: Meaning = Meaning::of_group(Group::Shareholders);
const SUPERVISOR: Meaning = Meaning::of_group(Group::SupervisoryBoard);
const PROCURATOR: Meaning = Meaning::of_group(Group::Procurators);
const LIQUIDATOR: Meaning = Meaning::of_group(Group::Liquidators);
const ADMINISTRATOR: Meaning = Meaning::of_group(Group::Administrators);
const FOUNDER: Meaning = Meaning::of_group(Group::Founders);
const BRANCH_HEAD: Meaning = Meaning::of_group(Group::BranchHeads);
const OTHER: Meaning = Meaning::of_group(Group::Others);

const STATUTORY_BODIES: &[Entry] = &[
    ("1", "Spoločník", OFFICER.of("spoločníci")),
    ("2", "Komplementár", OFFICER.of("komplementári")),
    ("3", "Konateľ", OFFICER.of("konatelia")),
    ("4", "Predseda predstavenstva", CHAIR.of("predstavenstvo")),
    ("5", "Člen predstavenstva", MEMBER.of("predstavenstvo")),
    (
        "6",
        "Podpredseda predstavenstva",
        VICE_CHAIR.of("predstavenstvo"),
    ),
    ("7", "Vedúci organizačnej zložky", BRANCH_HEAD),
    ("8", "Generálny riaditeľ", OFFICER),
    ("9", "Riaditeľ", OFFICER),
    ("10", "Správca", OFFICER),
    ("11", "Člen výboru", MEMBER.of("výbor")),
    ("12", "Predseda", CHAIR),
    ("13", "Výkonný riaditeľ", OFFICER),
    ("14", "Starosta", OFFICER),
    ("15", "Primátor", OFFICER),
    ("16", "Minister", OFFICER),
    ("17", "Iný štatutárny orgán", OFFICER),
    ("18", "Likvidátor", LIQUIDATOR),
    ("19", "Podnikateľ", OFFICER),
    ("20", "Zástupca podnikateľa", OFFICER),
    ("21", "Poverená osoba", OFFICER),
    ("22", "Rektor", OFFICER),
    ("84", "Prokurista", PROCURATOR),
    ("85", "Vedúci odštepného závodu", BRANCH_HEAD),
    ("86", "Likvidátor zahraničnej osoby", LIQUIDATOR),
    ("88", "Prokurista zahraničnej osoby", PROCURATOR),
    ("89", "Člen správnej rady", MEMBER.of("správna rada")),
    ("92", "Člen štatutárneho orgánu", MEMBER),
    ("93", "Správna rada", OFFICER.of("správna rada")),
    ("95", "Podpredseda", VICE_CHAIR),
    ("96", "Výkonný výbor", OFFICER.of("výbor")),
    ("97", "Vedúci podniku", BRANCH_HEAD),
    ("99", "Predstavenstvo", OFFICER.of("predstavenstvo")),
];

/// Some records name members of the statutory body here too.
const STAKEHOLDERS: &[Entry] = &[
    ("1", "Spoločník", OWNER),
    ("2", "Komplementár", OWNER),
    ("3", "Komanditista", OWNER),
    ("4", "Konateľ", OFFICER.of("konatelia")),
    ("5", "Predseda predstavenstva", CHAIR.of("predstavenstvo")),
    (
        "6",
        "Podpredseda predstavenstva",
        VICE_CHAIR.of("predstavenstvo"),
    ),
    ("7", "Člen predstavenstva", MEMBER.of("predstavenstvo")),
    ("8", "Člen dozornej rady", SUPERVISOR),
    ("15", "Vedúci organizačnej zložky", BRANCH_HEAD),
    ("24", "Prokurista", PROCURATOR),
    ("29", "Zakladateľ", FOUNDER),
    ("30", "Zriaďovateľ", FOUNDER),
    ("35", "Správca konkurznej podstaty", ADMINISTRATOR),
    ("36", "Vyrovnávací správca", ADMINISTRATOR),
    ("39", "Správca reštrukturalizačného konania", ADMINISTRATOR),
    ("87", "Zriaďovateľ zahraničnej osoby", FOUNDER),
    ("88", "Správca vyrovnacieho konania", ADMINISTRATOR),
    ("90", "Prokurista zahraničnej osoby", PROCURATOR),
    ("91", "Člen EZHZ", OWNER),
    ("93", "Likvidátor zahraničnej osoby", LIQUIDATOR),
    ("94", "Jediný akcionár a.s.", OWNER),
    ("95", "Zakladateľ štátneho podniku", FOUNDER),
    ("96", "Vedúci podniku zahraničnej osoby", BRANCH_HEAD),
    ("97", "Vedúci odštepného závodu", BRANCH_HEAD),
    ("98", "Člen dozorného orgánu", SUPERVISOR),
    ("99", "Spoločník v.o.s. / s.r.o.", OWNER),
];

/// What a function means for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    pub group: Group,
    pub function: Function,
    /// The name of the body.
    pub body: Option<&'static str>,
}

impl Meaning {
    const fn of_group(group: Group) -> Self {
        Self {
            group,
            function: Function::None,
            body: None,
        }
    }

    const fn with(self, function: Function) -> Self {
        Self { function, ..self }
    }

    const fn of(self, body: &'static str) -> Self {
        Self {
            body: Some(body),
            ..self
        }
    }
}

/// The label of a code.
#[must_use]
pub fn label(list: List, code: &str) -> Option<&'static str> {
    let entry = list.entries().iter().find(|entry| entry.0 == code)?;
    Some(entry.1)
}

/// The meaning of a code. A row without a known code is found by its label; an unknown one belongs to the statutory
/// body if the register lists it there, else to the others.
#[must_use]
pub fn meaning(list: List, code: Option<&str>, label: Option<&str>) -> Meaning {
    let by_code = code.and_then(|code| list.entries().iter().find(|entry| entry.0 == code));
    let by_label = || {
        let wanted = text::fold(label?);
        list.entries()
            .iter()
            .find(|entry| text::fold(entry.1) == wanted)
    };
    match (by_code.or_else(by_label), list) {
        (Some((_, _, meaning)), _) => *meaning,
        (None, List::StatutoryBodies) => OFFICER,
        (None, List::Stakeholders) => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_function_has_other_codes_in_both_lists() {
        assert_eq!(
            meaning(List::StatutoryBodies, Some("84"), None).group,
            Group::Procurators
        );
        assert_eq!(
            meaning(List::Stakeholders, Some("24"), None).group,
            Group::Procurators
        );
        assert_eq!(
            meaning(List::StatutoryBodies, Some("18"), None).group,
            Group::Liquidators
        );
        assert_eq!(
            meaning(List::Stakeholders, Some("35"), None).group,
            Group::Administrators
        );
    }

    #[test]
    fn label_serves_where_the_code_is_missing() {
        let blank = Some("Predstavenstvo ");
        assert_eq!(
            meaning(List::StatutoryBodies, None, blank).body,
            Some("predstavenstvo")
        );
        let unknown = meaning(List::Stakeholders, Some("38"), Some("Niečo nové"));
        assert_eq!(unknown.group, Group::Others);
    }
}
