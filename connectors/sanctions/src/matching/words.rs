//! The weight of words in company names: trades, places and small words that thousands of names share weigh little.

mod places;

use std::collections::HashMap;
use std::sync::LazyLock;

use self::places::PLACES;
use super::sounds::sound;

/// The class of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A word that few names contain.
    Distinctive,
    /// A trade word, with the number of its meaning: `Logistika` and `logistics` share one.
    Generic(usize),
    /// A country, a region or a large town, with the number of its meaning.
    Place(usize),
    /// Digits, or a Roman number.
    Number,
}

/// Words for the structure of a business rather than its trade. The words of one line mean the same.
const STRUCTURE: &[&str] = &[
    "group gruppa grupa skupina gruppe grup groupe grp grupo",
    "holding holdings kholding holdingova hldg hldgs",
    "international internacionalna internacional mezinarodni medzinarodna medzinarodny mezhdunarodnaya mezhdunarodnyy intl beynelmilel internationale",
    "company kompaniya kompania companies spolocnost spolecnost firma firm gesellschaft obshchestvo korporatsiya corporation korporacia",
    "enterprise enterprises predpriyatie podnik podniky unternehmen ent",
    "global globalna globalny world worldwide svet svetova mir",
    "general generalna generalny obshchiy vseobecna gen",
];

/// Trade words. The words of one line mean the same.
const TRADES: &[&str] = &[
    "trade trading trader traders treyd treyding treding obchod obchodna obchodni obchodny torgovlya torgovy torgovaya torgovyy handel handels commerce commercial kommercheskaya komerc",
    "industry industries ind inds industrial industria promyshlennost promyshlennaya promyslova priemysel priemyselna prumysl industrie sanat",
    "service services svc svcs servis sluzby uslugi servisnaya dienst hizmet",
    "invest investment investments investicie investicna investitsii investicny investor",
    "import importing",
    "export exporting eksport",
    "logistics logistika logistic logisticka logistik logisticheskaya",
    "transport transportation doprava transportna transportnaya perevozki transporte spedition spedicia spedition cargo freight",
    "consulting consult consultants konsalting konzult konzulting poradenstvo poradenska advisory konsultatsii",
    "development developments rozvoj razvitie entwicklung",
    "management mgmt manazment menedzhment sprava spravcovska upravlenie upravlyayushchaya",
    "technology technologies technologia technologie tekhnologii technologicke technologiya tekhnologiya",
    "technic technical tech technika technicke tekhnika tekhnicheskiy technik",
    "system systems systemy sistemy systemove sistema",
    "solution solutions riesenia resheniya reseni losungen",
    "engineering engg engrg inziniering inzenyring inzhiniring engineer engineers ingenieure",
    "construction constructions build building builders stavba stavby stavebna stavebny stavebni stroy stroitelstvo stroitelnaya stroitelnyy bau",
    "shipping ship ships sudokhodnaya sudokhodstvo lodna plavba tanker tankers navigation",
    "marine maritime morska morskoy morskaya sea port ports pristav",
    "energy energia energie energetika energeticka energeticky energeticheskaya energetik power energo",
    "oil neft neftyanaya nafta petrol petroleum petrochemical petrochem",
    "gas gaz plyn plynarenska gazovaya",
    "bank banka banking bankovni",
    "finance financial financie financna finansy finansovaya finanzen finanzgruppe",
    "insurance poistovna pojistovna strakhovaya strakhovanie versicherung",
    "capital kapital",
    "fund fond funds fonds",
    "foundation nadacia nadace stiftung",
    "association assoc assn asociacia asotsiatsiya zvaz zdruzenie svaz union unia soyuz verein",
    "institute institut inst ustav instytut instituto",
    "government govt vlada pravitelstvo ministry ministerstvo ministerium department dept departement committee komitet vybor agency administration",
    "trust trusts treuhand",
    "center centre centrum tsentr zentrum centro ctr",
    "plant works factory zavod fabrika tovaren vyrobna werk werke kombinat combine",
    "production produkcia proizvodstvo proizvodstvennaya proizvodstvennoe vyroba vyrobna manufacturing mfg making maker makers producer produkt product products produkty",
    "food foods potraviny prodovolstvie pitanie lebensmittel",
    "agro agrar agricultural agriculture polnohospodarske polnohospodarska zemedelske farm farms farma",
    "auto automotive motor motors cars automobil automobile avto",
    "steel stal ocel oceliarska stahl metal metals metall metalurgia metallurgical kov kovy metallurg",
    "chemical chemicals chemia chemicka khimiya khimicheskaya chemie",
    "pharma pharmaceutical pharmaceuticals farma farmaceuticka farmatsevticheskaya pharmacy",
    "medical medicina zdravotnicke health healthcare klinika clinic med",
    "aviation aviacia aviatsiya aero air airline airlines airways letecka avia",
    "travel tour tours tourism cestovna turizm reisen",
    "media press tlac vydavatelstvo publishing",
    "telecom telecommunications telekomunikacie telekom svyaz communications communication",
    "electronic electronics elektronika elektronik elektro electric electrical",
    "security bezpecnost bezpecnostna bezopasnost guard ochrana okhrana",
    "defence defense obrana oborona",
    "research vyskum vyzkum issledovaniya science sciences scientific veda nauka nauchno nauchnaya nauchnyy",
    "design dizajn dizain projekt project projects proekt buro bureau",
    "property properties reality realitna nedvizhimost immobilien estate real estates",
    "plus extra premium profi pro optimal standard exclusive",
    "partner partners partneri partnery associates",
    "brothers bros brat bratia synovia syn sons son family fils freres",
    "first 1st new nova novy novaya prvy prva pervyy modern best top super",
    "central centralna tsentralnyy united zjednotena obedinennaya obedinenie narodna national natl natsionalnaya natsionalnyy state statna gosudarstvennaya federal",
    "east eastern vostok vostochnaya vychod vychodna",
    "west western zapad zapadna zapadnaya",
    "north northern sever severna severnaya",
    "south southern juh juzna yug yuzhnaya",
    "online digital net web internet data info informatics it software soft",
    "market markets shop store obchodny predaj sales prodej sklad warehouse",
    "equipment machinery machines stroje strojarstvo oborudovanie mashinostroenie mashinostroitelnyy maschinen machine tools",
    "mining banska gornaya gorno mine mines minerals mineral coal ugol",
    "house dom haus",
    "office agency agentura agentstvo",
    "wood drevo les timber forest lesnaya",
    "restaurant hotel hotels kaviaren bar cafe",
    "green eco eko bio",
    "supply supplies dodavky postavki procurement sourcing",
    "studio atelier art",
    "school akademia academy university univ univerzita education vzdelavanie universitat universite college",
    "army armada armee armed forces military brigade brigada battalion",
    "team club klub sport",
    "organization organisation organizatsiya organizacia public obshchestvennaya verejna verejny",
    "regional region regionalna regionalny oblastnaya oblast kraj krajska kray",
    "social socialna socialnaya sotsialnaya sotsialnoy charity",
];

/// Small words. A name is the same without them.
const SMALL: &str = "a and i und et y the of de la le les el for pre na v s z o u k e za do dlya di da der die das den \
                     von pri pod nad im in on at by to per et i ta as c no nr cislo nomer";

static CLASSES: LazyLock<HashMap<String, Class>> = LazyLock::new(|| {
    let mut classes = HashMap::new();
    for (meaning, line) in STRUCTURE.iter().chain(TRADES).enumerate() {
        for word in line.split(' ') {
            classes
                .entry(sound(word))
                .or_insert(Class::Generic(meaning));
        }
    }
    for (meaning, line) in PLACES.iter().enumerate() {
        for word in line.split(' ') {
            classes.entry(sound(word)).or_insert(Class::Place(meaning));
        }
    }
    classes
});

impl Class {
    /// Whether it is a trade word and not a structure word.
    #[must_use]
    pub fn is_trade(self) -> bool {
        matches!(self, Self::Generic(meaning) if meaning >= STRUCTURE.len())
    }
}

/// Numbers in words, if the word has no other meaning in names.
const IN_WORDS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("thirteen", "13"),
    ("fourteen", "14"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("seventeen", "17"),
    ("eighteen", "18"),
    ("nineteen", "19"),
    ("dva", "2"),
    ("tri", "3"),
    ("styri", "4"),
    ("sedem", "7"),
    ("osem", "8"),
    ("devat", "9"),
    ("desat", "10"),
    ("zwei", "2"),
    ("drei", "3"),
    ("vier", "4"),
    ("funf", "5"),
    ("sechs", "6"),
    ("sieben", "7"),
    ("neun", "9"),
    ("zehn", "10"),
    ("chetyre", "4"),
    ("pyat", "5"),
    ("shest", "6"),
    ("vosem", "8"),
    ("devyat", "9"),
    ("desyat", "10"),
];

/// The tens, which another number may follow.
const TENS: [(&str, u32); 8] = [
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
];

/// Combines tens with the number that follows, as digits: `forty` and `four`, or `4`.
#[must_use]
pub fn tens(word: &str, next: Option<&str>) -> Option<(String, bool)> {
    let (_, tens) = TENS.iter().find(|(name, _)| *name == word)?;
    let ones = next
        .and_then(number)
        .and_then(|next| next.parse::<u32>().ok());
    match ones.filter(|ones| (1..10).contains(ones)) {
        Some(ones) => Some(((tens + ones).to_string(), true)),
        None => Some((tens.to_string(), false)),
    }
}

/// Roman numbers from two on. A single letter is an initial.
const ROMAN: [(&str, &str); 8] = [
    ("ii", "2"),
    ("iii", "3"),
    ("iv", "4"),
    ("vi", "6"),
    ("vii", "7"),
    ("viii", "8"),
    ("ix", "9"),
    ("xi", "11"),
];

/// The class of a word, by its Latin spelling and its sound.
#[must_use]
pub fn class(word: &str, sounded: &str) -> Class {
    if number(word).is_some() {
        return Class::Number;
    }
    CLASSES.get(sounded).copied().unwrap_or(Class::Distinctive)
}

/// The number that a word denotes, without leading zeros.
#[must_use]
pub fn number(word: &str) -> Option<String> {
    if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let bare = word.trim_start_matches('0');
        return Some(if bare.is_empty() { "0" } else { bare }.to_owned());
    }
    let mut named = ROMAN.iter().chain(IN_WORDS);
    let found = named.find(|(name, _)| *name == word);
    found.map(|(_, number)| (*number).to_owned())
}

/// Whether a name is the same without the word.
#[must_use]
pub fn is_small(word: &str) -> bool {
    SMALL.split_ascii_whitespace().any(|small| small == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(word: &str) -> Class {
        class(word, &sound(word))
    }

    #[test]
    fn trade_words_match_across_languages() {
        assert_eq!(of("logistika"), of("logistics"));
        assert_eq!(of("kholding"), of("holding"));
        assert_eq!(of("tsentr"), of("centrum"));
        assert!(matches!(of("trading"), Class::Generic(_)));
        assert_ne!(of("trading"), of("holding"));
        assert!(matches!(of("slovakia"), Class::Place(_)));
        assert!(of("trading").is_trade() && !of("holding").is_trade());
        assert_eq!(of("vzorostav"), Class::Distinctive);
    }

    #[test]
    fn numbers_are_read_as_words_and_digits() {
        assert_eq!(number("007").as_deref(), Some("7"));
        assert_eq!(number("iii").as_deref(), Some("3"));
        assert_eq!(number("000").as_deref(), Some("0"));
        assert_eq!(number("v"), None);
        assert_eq!(number("osem").as_deref(), Some("8"));
        assert_eq!(tens("forty", Some("four")), Some(("44".to_owned(), true)));
        assert_eq!(tens("forty", Some("4")), Some(("44".to_owned(), true)));
        assert_eq!(
            tens("forty", Some("thieves")),
            Some(("40".to_owned(), false))
        );
        assert_eq!(tens("four", Some("4")), None);
        assert_eq!(of("2"), Class::Number);
    }
}
