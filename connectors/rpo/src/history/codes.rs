//! Functions of people in the register's code lists, and the list of the answer that each belongs to.
//!
//! The same function has different codes in both lists. Labels are those of the lists, corrected where a list
//! misspells them, and written out where the known copy abbreviates. Source: CL010113 and CL010109.

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

    /// The function with a label of [`FUNCTIONS`]. `None` for another label.
    #[must_use]
    pub fn of_label(label: &str) -> Option<Self> {
        let folded = text::fold(label);
        let entry = FUNCTIONS.iter().find(|(known, _)| *known == folded)?;
        Some(entry.1)
    }
}

/// Folded labels of functions within a body. The register fills in the label of `statutoryBodyMember` and not its
/// code. Source: CL010470; `člen` and the chair of a supervisory board stand behind names.
const FUNCTIONS: [(&str, Function); 18] = [
    ("predseda", Function::Chairman),
    ("predsednicka", Function::Chairman),
    ("predseda predstavenstva", Function::Chairman),
    ("predseda spravnej rady", Function::Chairman),
    ("predseda dozornej rady", Function::Chairman),
    ("predseda kontrolnej komisie", Function::Chairman),
    ("podpredseda", Function::ViceChairman),
    ("podpredsednicka", Function::ViceChairman),
    ("podpredseda predstavenstva", Function::ViceChairman),
    ("podpredseda dozornej rady", Function::ViceChairman),
    ("podpredseda kontrolnej komisie", Function::ViceChairman),
    ("clen", Function::Member),
    ("clenka", Function::Member),
    ("clen predstavenstva", Function::Member),
    ("clen spravnej rady", Function::Member),
    ("clen dozornej rady", Function::Member),
    ("clen kontrolnej komisie", Function::Member),
    ("clen druzstva povereny schodzou", Function::Member),
];

/// Folded heading of the procurators' rule in `authorizations`, which has no codes. Source: recorded records.
const PROCURATORS_HEADING: &str = "rozsah udelenej prokury";
/// Bytes of a heading, twice those of the procurators'. Rules without a heading have a colon after whole sentences.
const MAX_HEADING_BYTES: usize = 2 * PROCURATORS_HEADING.len();
/// Folded first words of rules that are about procurators but have no heading. No recorded record has such a rule.
const PROCURATORS: [&str; 4] = ["prokurista", "prokuristka", "prokuristi", "prokura"];

/// Whom a rule of acting concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    Company,
    Procurators,
    /// It begins with procurators but does not have their heading.
    Unknown,
}

impl Rule {
    #[must_use]
    pub fn of_text(rule: &str) -> Self {
        if let Some((heading, _)) = rule.split_once(':')
            && heading.len() <= MAX_HEADING_BYTES
            && text::fold(heading) == PROCURATORS_HEADING
        {
            return Self::Procurators;
        }
        let first = rule.split_whitespace().next().unwrap_or_default();
        if PROCURATORS.contains(&text::fold(first).as_str()) {
            Self::Unknown
        } else {
            Self::Company
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
    ("23", "Členská schôdza", OFFICER),
    ("24", "Vedúci úradu", OFFICER),
    ("25", "Zástupca generálneho riaditeľa", OFFICER),
    ("26", "Guvernér", OFFICER),
    ("27", "Viceguvernér", OFFICER),
    ("28", "Prezident", OFFICER),
    ("29", "Regionálny hygienik", OFFICER),
    ("30", "Generálny konzul", OFFICER),
    ("31", "Konzul", OFFICER),
    ("32", "Veľvyslanec", OFFICER),
    ("33", "Generálny tajomník služobného úradu", OFFICER),
    ("34", "Generálny tajomník", OFFICER),
    ("35", "Generálny sekretár", OFFICER),
    ("36", "Arcibiskup", OFFICER),
    ("37", "Biskup", OFFICER),
    ("38", "Farár", OFFICER),
    ("39", "Štátny tajomník", OFFICER),
    ("40", "Člen rady určený radou", OFFICER),
    ("41", "Generálny prokurátor", OFFICER),
    ("84", "Prokurista", PROCURATOR),
    ("85", "Vedúci odštepného závodu", BRANCH_HEAD),
    ("86", "Likvidátor zahraničnej osoby", LIQUIDATOR),
    ("87", "Správca na výkon nútenej správy", OFFICER),
    ("88", "Prokurista zahraničnej osoby", PROCURATOR),
    ("89", "Člen správnej rady", MEMBER.of("správna rada")),
    ("90", "Štatutárny orgán štatutára", OFFICER),
    ("91", "Člen štatutárneho orgánu zahraničnej osoby", OFFICER),
    ("92", "Člen štatutárneho orgánu", MEMBER),
    ("93", "Správna rada", OFFICER.of("správna rada")),
    ("94", "Člen družstva poverený členskou schôdzou", OFFICER),
    ("95", "Podpredseda", VICE_CHAIR),
    ("96", "Výkonný výbor", OFFICER.of("výbor")),
    ("97", "Vedúci podniku", BRANCH_HEAD),
    ("98", "Zástupca riaditeľa", OFFICER),
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
    ("9", "Generálny riaditeľ", OTHER),
    ("10", "Riaditeľ", OTHER),
    ("11", "Zástupca riaditeľa", OTHER),
    ("12", "Výkonný riaditeľ", OTHER),
    ("13", "Rektor", OTHER),
    ("14", "Guvernér", OTHER),
    ("15", "Vedúci organizačnej zložky", BRANCH_HEAD),
    ("16", "Správca", OTHER),
    ("17", "Člen výboru", OTHER.with(Function::Member)),
    ("18", "Predseda", OTHER.with(Function::Chairman)),
    ("19", "Starosta", OTHER),
    ("20", "Primátor", OTHER),
    ("21", "Minister", OTHER),
    ("22", "Vedúci úradu", OTHER),
    ("23", "Vedúci kancelárie", OTHER),
    ("24", "Prokurista", PROCURATOR),
    (
        "25",
        "Predseda správnej rady",
        OTHER.with(Function::Chairman),
    ),
    (
        "26",
        "Podpredseda správnej rady",
        OTHER.with(Function::ViceChairman),
    ),
    ("27", "Člen správnej rady", OTHER.with(Function::Member)),
    ("29", "Zakladateľ", FOUNDER),
    ("30", "Zriaďovateľ", FOUNDER),
    ("31", "Navrhovateľ", OTHER),
    ("32", "Člen prípravného výboru", OTHER),
    ("33", "Zodpovedný zástupca", OTHER),
    ("35", "Správca konkurznej podstaty", ADMINISTRATOR),
    ("36", "Vyrovnávací správca", ADMINISTRATOR),
    ("37", "Iná zainteresovaná osoba", OTHER),
    ("39", "Správca reštrukturalizačného konania", ADMINISTRATOR),
    ("86", "Správca na výkon nútenej správy", OTHER),
    ("87", "Zriaďovateľ zahraničnej osoby", FOUNDER),
    ("88", "Správca vyrovnacieho konania", ADMINISTRATOR),
    (
        "89",
        "Verejná obchodná spoločnosť, ktorej imanie sa preberá",
        OTHER,
    ),
    ("90", "Prokurista zahraničnej osoby", PROCURATOR),
    ("91", "Člen EZHZ", OWNER),
    ("92", "Spoločník v.o.s., ktorý prevzal jej imanie", OTHER),
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

/// Whether the code or the label of a function is in the list.
#[must_use]
pub fn is_known(list: List, code: Option<&str>, label: Option<&str>) -> bool {
    entry(list, code, label).is_some()
}

fn entry(list: List, code: Option<&str>, label: Option<&str>) -> Option<&'static Entry> {
    let by_code = code.and_then(|code| list.entries().iter().find(|entry| entry.0 == code));
    by_code.or_else(|| {
        let wanted = text::fold(label?);
        list.entries()
            .iter()
            .find(|entry| text::fold(entry.1) == wanted)
    })
}

/// The meaning of a code. A row without a known code is found by its label; an unknown one belongs to the statutory
/// body if the register lists it there, else to the others.
#[must_use]
pub fn meaning(list: List, code: Option<&str>, label: Option<&str>) -> Meaning {
    match (entry(list, code, label), list) {
        (Some((_, _, meaning)), _) => *meaning,
        (None, List::StatutoryBodies) => OFFICER,
        (None, List::Stakeholders) => OTHER,
    }
}

#[cfg(test)]
mod tests;
