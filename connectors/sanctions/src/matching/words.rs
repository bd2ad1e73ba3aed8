//! What the words of company names weigh: trades, places and small words that thousands of names share say little.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::sounds::sound;

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// One that few names have.
    Distinctive,
    /// A word of trade, by the number of its meaning: `Logistika` and `logistics` are one.
    Generic(usize),
    /// A country, a region or a large town, by the number of its meaning.
    Place(usize),
    /// Digits, or a Roman number.
    Number,
}

/// Words of trade; those of one line mean the same.
const GENERIC: &[&str] = &[
    "trade trading trader traders treyd treyding treding obchod obchodna obchodni obchodny torgovlya torgovy torgovaya torgovyy handel handels commerce commercial kommercheskaya komerc",
    "group gruppa grupa skupina gruppe grup groupe",
    "holding holdings kholding holdingova",
    "international internacionalna internacional mezinarodni medzinarodna medzinarodny mezhdunarodnaya mezhdunarodnyy intl beynelmilel",
    "company kompaniya kompania companies spolocnost spolecnost firma firm gesellschaft obshchestvo korporatsiya corporation korporacia",
    "industry industries industrial industria promyshlennost promyshlennaya promyslova priemysel priemyselna prumysl industrie sanat",
    "service services servis sluzby uslugi servisnaya dienst hizmet",
    "enterprise enterprises predpriyatie podnik podniky unternehmen",
    "invest investment investments investicie investicna investitsii investicny investor",
    "global globalna globalny world worldwide svet svetova mir",
    "general generalna generalny obshchiy vseobecna",
    "import importing",
    "export exporting eksport",
    "logistics logistika logistic logisticka logistik logisticheskaya",
    "transport transportation doprava transportna transportnaya perevozki transporte spedition spedicia spedition cargo freight",
    "consulting consult consultants konsalting konzult konzulting poradenstvo poradenska advisory konsultatsii",
    "development developments rozvoj razvitie entwicklung",
    "management manazment menedzhment sprava spravcovska upravlenie upravlyayushchaya",
    "technology technologies technologia technologie tekhnologii technologicke technologiya tekhnologiya",
    "technic technical tech technika technicke tekhnika tekhnicheskiy technik",
    "system systems systemy sistemy systemove sistema",
    "solution solutions riesenia resheniya reseni losungen",
    "engineering inziniering inzenyring inzhiniring engineer engineers ingenieure",
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
    "association asociacia asotsiatsiya zvaz zdruzenie svaz union unia soyuz verein",
    "institute institut ustav",
    "center centre centrum tsentr zentrum",
    "plant works factory zavod fabrika tovaren vyrobna werk werke kombinat combine",
    "production produkcia proizvodstvo proizvodstvennaya proizvodstvennoe vyroba vyrobna manufacturing producer produkt product products produkty",
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
    "defence defense obrana oborona military",
    "research vyskum vyzkum issledovaniya science scientific veda nauka nauchno nauchnaya nauchnyy",
    "design dizajn dizain projekt project projects proekt buro bureau",
    "property properties reality realitna nedvizhimost immobilien estate real estates",
    "plus extra premium profi pro optimal standard exclusive",
    "partner partners partneri partnery",
    "brothers bros brat bratia synovia syn sons son family",
    "first 1st new nova novy novaya prvy prva pervyy modern best top super",
    "central centralna tsentralnyy united zjednotena obedinennaya obedinenie narodna national natsionalnaya natsionalnyy state statna gosudarstvennaya federal",
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
    "school akademia academy university univerzita education vzdelavanie",
    "team club klub sport",
    "organization organisation organizatsiya organizacia public obshchestvennaya verejna verejny",
    "regional region regionalna regionalny oblastnaya oblast kraj krajska kray",
    "social socialna socialnaya sotsialnaya sotsialnoy charity",
];

/// Places; those of one line are the same, or parts of the same.
const PLACES: &[&str] = &[
    "slovakia slovensko slovenska slovensky slovenske slovak sk svk slovakei slovakiya",
    "bratislava bratislavska",
    "kosice kosicka",
    "czech czechia cesko ceska cesky cz bohemia morava moravia chekhiya",
    "prague praha prazska prag",
    "europe european europa europska evropa evropeyskaya eu euro",
    "russia russian rossiya rossiyskaya rossiyskiy russkaya russkiy rus ros rusko",
    "moscow moskva moskovskiy moskovskaya",
    "petersburg sankt peterburg spb",
    "belarus belarusian belorussian belorusskaya bielorusko minsk",
    "ukraine ukrainian ukraina ukrajina kyiv kiev",
    "crimea crimean krym krymskaya",
    "ural uralskaya siberia sibir sibirskaya",
    "iran iranian tehran persian pars",
    "syria syrian damascus syr",
    "china chinese beijing shanghai hong kong hongkong",
    "korea korean pyongyang",
    "turkey turkish turkiye istanbul ankara",
    "emirates uae dubai sharjah abu dhabi",
    "cyprus limassol nicosia",
    "germany german deutschland deutsche berlin munchen",
    "austria austrian osterreich wien vienna",
    "hungary hungarian budapest magyar",
    "poland polish polska warszawa",
    "asia asian pacific africa african america american usa us",
    "baltic balt latvia lithuania estonia riga",
    "balkan serbia serbian beograd belgrade bulgaria sofia",
    "danube dunaj tatra tatry",
    "britain british uk england london",
    "swiss switzerland schweiz zurich geneva",
    "venezuela cuba cuban myanmar libya libyan iraq iraqi baghdad lebanon beirut",
];

/// Small words; a name is the same without them.
const SMALL: &str = "a and i und et y the of de la le les el for pre na v s z o u k e za do dlya di da der die das den \
                     von pri pod nad im in on at by to per et al i ta as c no nr cislo nomer";

static CLASSES: LazyLock<HashMap<String, Class>> = LazyLock::new(|| {
    let mut classes = HashMap::new();
    for (meaning, line) in GENERIC.iter().enumerate() {
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

/// Roman numbers from two on; one letter alone is an initial.
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

/// What a word is, by how it is written in Latin and how it sounds.
#[must_use]
pub fn class(word: &str, sounded: &str) -> Class {
    if number(word).is_some() {
        return Class::Number;
    }
    CLASSES.get(sounded).copied().unwrap_or(Class::Distinctive)
}

/// The number that a word is, without leading zeros.
#[must_use]
pub fn number(word: &str) -> Option<String> {
    if !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        let bare = word.trim_start_matches('0');
        return Some(if bare.is_empty() { "0" } else { bare }.to_owned());
    }
    let roman = ROMAN.iter().find(|(roman, _)| *roman == word);
    roman.map(|(_, number)| (*number).to_owned())
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
    fn words_of_trade_mean_the_same_in_every_language() {
        assert_eq!(of("logistika"), of("logistics"));
        assert_eq!(of("kholding"), of("holding"));
        assert_eq!(of("tsentr"), of("centrum"));
        assert!(matches!(of("trading"), Class::Generic(_)));
        assert_ne!(of("trading"), of("holding"));
        assert!(matches!(of("slovakia"), Class::Place(_)));
        assert_eq!(of("vzorostav"), Class::Distinctive);
    }

    #[test]
    fn numbers_are_numbers_in_either_way() {
        assert_eq!(number("007").as_deref(), Some("7"));
        assert_eq!(number("iii").as_deref(), Some("3"));
        assert_eq!(number("000").as_deref(), Some("0"));
        assert_eq!(number("v"), None);
        assert_eq!(of("2"), Class::Number);
    }
}
