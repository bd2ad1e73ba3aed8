//! The words from which names are built. No name belongs to a real person or company.

use super::company::Nace;

pub(crate) const NAME_HEADS: &[&str] = &[
    "Žblnk", "Čmeľ", "Ďatľo", "Škrob", "Ťapko", "Ňufko", "Vzoro", "Skúšo", "Fiktí", "Vymyslo",
    "Papradí", "Kvapko", "Mrkvo", "Lopúcho", "Pstruho", "Brmbo", "Hrkot", "Šušťo", "Dudlo",
    "Krpčo", "Zubro", "Bľusko", "Čľapko", "Drobko", "Fujavo", "Gľufo", "Hmlisto", "Jahodo",
    "Kľučko", "Ľadvo", "Máčo", "Ôsmo", "Perlo", "Rožko", "Sľúko", "Tŕňo", "Údolo", "Výrovo",
    "Závojo", "Žihľo",
];

pub(crate) const NAME_TAILS: &[&str] = &[
    "stav",
    "plast",
    "drev",
    "mont",
    "trans",
    "servis",
    "agro",
    "tech",
    "pek",
    "lux",
    "kov",
    "vín",
    "med",
    "tex",
    "soft",
    "graf",
    "šport",
    "mlyn",
    "páz",
    "sklo",
    "dom",
    "farm",
    "gas",
    "hydro",
    "inžiniering",
    "konzult",
    "logist",
    "market",
    "nábytok",
    "optik",
    "print",
    "reál",
    "systém",
    "truhl",
    "univerz",
    "vent",
    "woodík",
    "zvar",
    "žeriav",
    "energo",
];

pub(crate) const NAME_MIDDLES: &[&str] = &[
    "",
    "",
    "",
    " & synovia",
    " Plus",
    " Trade",
    " Group",
    " SK",
    " Invest",
    " Centrum",
];

pub(crate) const QUOTED: &[&str] = &["\"Žaba\"", "„Motýľ“", "\"Tri čmele\"", "„Kvapôčka\""];

pub(crate) const FOREIGN_LOOK: &[&str] = &[
    "Müllerík",
    "Käferová",
    "Schönfeldko",
    "Größlink",
    "Böhmík",
    "Lübčik",
];

pub(crate) const GIVEN_MEN: &[&str] = &[
    "Ján",
    "Peter",
    "Marek",
    "Ľuboš",
    "Štefan",
    "Ondrej",
    "Matúš",
    "Čestmír",
    "Rastislav",
    "Tomáš",
    "Dušan",
    "Juraj",
    "Ľudovít",
    "Vladimír",
    "Šimon",
];

pub(crate) const GIVEN_WOMEN: &[&str] = &[
    "Jana",
    "Ľubica",
    "Zuzana",
    "Mária",
    "Žofia",
    "Katarína",
    "Petra",
    "Šárka",
    "Božena",
    "Lucia",
    "Dáša",
    "Anežka",
    "Ľudmila",
    "Eva",
    "Tímea",
];

pub(crate) const SURNAME_HEADS: &[&str] = &[
    "Papraď", "Žaluď", "Mrkv", "Pstruh", "Jahod", "Lopúch", "Šušk", "Brmbol", "Kvapk", "Čučor",
    "Ďatl", "Hrozn", "Kľučk", "Ľadov", "Machov", "Orieš", "Perník", "Rožt", "Slivk", "Tekvič",
    "Vŕzg", "Zvonč", "Žemľ", "Fazuľ",
];

/// Endings of surnames, for men and for women.
pub(crate) const SURNAME_TAILS: &[(&str, &str)] = &[
    ("ák", "áková"),
    ("ík", "íková"),
    ("inský", "inská"),
    ("ovič", "ovičová"),
    ("ec", "ecová"),
    ("áň", "áňová"),
];

pub(crate) const FOREIGN_GIVEN: &[&str] = &["Jürgen", "Günther", "Zoltán", "Andrzej", "Wolfgang"];
pub(crate) const FOREIGN_FAMILY: &[&str] = &[
    "Mustermannik",
    "Beispielhuber",
    "Példavölgyi",
    "Przykładek",
    "Testbauer",
];

pub(crate) const PREFIXES: &[&str] = &["Ing.", "Mgr.", "JUDr.", "Bc.", "MUDr.", "doc."];
pub(crate) const POSTFIXES: &[&str] = &["PhD.", "MBA", "CSc.", "LL.M."];

pub(crate) const STREETS: &[&str] = &[
    "Skúšobná",
    "Vymyslená",
    "Príkladová",
    "Lipová",
    "Čučoriedková",
    "Žabia",
    "Ďatlia",
    "Tichá",
    "Stará",
    "Trhová",
    "Pri mlyne",
    "Na kopci",
    "Námestie skúšok",
    "Ulica vzoru",
    "Šípková",
    "Jarabinová",
    "Ľaliová",
    "Účtovná",
    "Krížna cesta",
    "Dlhá",
    "Kamenná",
    "Včelárska",
];

/// A place: name, code in CL000025, first three digits of its postal codes, number of its court.
pub(crate) struct Place {
    pub(crate) city: &'static str,
    pub(crate) code: &'static str,
    pub(crate) postal: &'static str,
    pub(crate) court: u8,
}

const fn place(city: &'static str, code: &'static str, postal: &'static str, court: u8) -> Place {
    Place {
        city,
        code,
        postal,
        court,
    }
}

pub(crate) const PLACES: &[Place] = &[
    place(
        "Bratislava - mestská časť Vzorové Mesto",
        "SK0101599001",
        "811",
        2,
    ),
    place(
        "Bratislava - mestská časť Skúšobná Dolina",
        "SK0102599002",
        "821",
        2,
    ),
    place("Bratislava", "SK0103599003", "831", 2),
    place("Vymyslenovo", "SK0107599004", "999", 2),
    place("Košice - mestská časť Príkladov", "SK0422599005", "040", 4),
    place("Košice", "SK0425599006", "040", 4),
    place("Fiktívna Nová Ves", "SK0429599007", "998", 4),
    place("Žilina", "SK031B599008", "010", 5),
    place("Horné Čučoriedky", "SK0311599009", "997", 5),
    place("Martin", "SK0316599010", "036", 5),
    place("Banská Bystrica", "SK0321599011", "974", 3),
    place("Zvolenské Skúšky", "SK032B599012", "996", 3),
    place("Trenčín", "SK0229599013", "911", 6),
    place("Považské Príklady", "SK0226599014", "995", 6),
    place("Trnava", "SK0217599015", "917", 7),
    place("Senica pri Vzore", "SK0215599016", "905", 7),
    place("Prešov", "SK0417599017", "080", 8),
    place("Ďatlia Huta", "SK0413599018", "994", 8),
    place("Nitra", "SK0233599019", "949", 9),
    place("Žabokreky nad Skúškou", "SK0236599020", "993", 9),
];

/// A foreign place: city, postal code, country, its ISO number.
pub(crate) const ABROAD: &[(&str, &str, &str, &str)] = &[
    ("Wien", "1999", "Rakúska republika", "040"),
    ("Musterstadt", "99998", "Nemecká spolková republika", "276"),
    ("Példaváros", "9998", "Maďarská republika", "348"),
    ("Příkladov", "999 98", "Česká republika", "203"),
];

pub(crate) const ACTIVITIES: &[&str] = &[
    "Kúpa tovaru na účely jeho predaja konečnému spotrebiteľovi (maloobchod) alebo iným prevádzkovateľom živnosti (veľkoobchod)",
    "Sprostredkovateľská činnosť v oblasti obchodu, služieb, výroby",
    "Administratívne služby",
    "Uskutočňovanie stavieb a ich zmien",
    "Počítačové služby a služby súvisiace s počítačovým spracovaním údajov",
    "Reklamné a marketingové služby, prieskum trhu a verejnej mienky",
    "Prenájom hnuteľných vecí",
    "Čistiace a upratovacie služby",
    "Vedenie účtovníctva",
    "Skladovanie a pomocné činnosti v doprave",
    "Pekárska výroba",
    "Zámočníctvo",
    "Vydavateľská činnosť, polygrafická výroba a knihárske práce",
    "Nákladná cestná doprava vykonávaná vozidlami s celkovou hmotnosťou do 3,5 t vrátane prípojného vozidla",
];

const fn nace(class: &'static str, old_class: &'static str, title: &'static str) -> Nace {
    Nace {
        class,
        old_class,
        title,
        is_old: false,
    }
}

pub(crate) const NACES: &[Nace] = &[
    nace("6210", "62010", "Počítačové programovanie"),
    nace("4100", "41209", "Výstavba obytných a neobytných budov"),
    nace("4312", "43120", "Zemné práce"),
    nace("4941", "49410", "Nákladná cestná doprava"),
    nace("5611", "56101", "Reštauračné činnosti"),
    nace("6920", "69200", "Účtovnícke a audítorské činnosti"),
    nace("7311", "73110", "Činnosti reklamných agentúr"),
    nace("0111", "01110", "Pestovanie obilnín"),
    nace(
        "1071",
        "10710",
        "Výroba chleba a čerstvých pekárskych výrobkov",
    ),
    nace("6820", "68200", "Prenájom a prevádzkovanie nehnuteľností"),
    nace("8121", "81210", "Upratovanie budov"),
    nace("2562", "25620", "Obrábanie kovov"),
];
