//! The catalogue of texts, in Slovak and English.

use crate::language::Language;
use crate::status::{ListState, ServiceState, SourceState};

/// Defines a catalogue: the struct `Texts`, its values in both languages, and their list for tests.
macro_rules! catalogue {
    ($($name:ident: $slovak:literal, $english:literal;)+) => {
        /// The texts of one language.
        #[derive(Debug)]
        pub(crate) struct Texts {
            $(pub(crate) $name: &'static str,)+
        }

        static SLOVAK: Texts = Texts { $($name: $slovak,)+ };
        static ENGLISH: Texts = Texts { $($name: $english,)+ };

        #[cfg(test)]
        const ALL: &[(&str, &str, &str)] = &[$((stringify!($name), $slovak, $english),)+];
    };
}
pub(crate) use catalogue;

catalogue! {
    language: "sk", "en";
    other_language: "en", "sk";
    other_language_name: "English", "Slovenčina";
    skip: "Preskočiť na obsah", "Skip to content";
    main_navigation: "Hlavná navigácia", "Main navigation";
    look_up: "Vyhľadať", "Look up";
    status: "Stav služby", "Status";
    documentation: "Dokumentácia", "Documentation";
    account: "Účet", "Account";

    home_title: "Slovenské firmy z verejných registrov", "Slovak companies from public registers";
    home_lead: "Každý údaj má svoj register a dátum.", "Every fact has its register and its date.";
    search_label: "Názov alebo IČO firmy", "Company name or IČO";
    search_button: "Hľadať", "Search";
    search_hint: "Aspoň dve písmená názvu, aj bývalého, alebo časť IČO. Na diakritike nezáleží.", "At least two letters of the name, also a former one, or a part of the IČO. Diacritics do not matter.";
    search_results: "Výsledky hľadania", "Search results";
    hit_ended: "zaniknutá", "ended";
    hit_formerly: "predtým", "formerly";
    nothing_found_for: "Žiadna firma nezodpovedá textu", "No company matches";
    next_page: "Ďalšie výsledky", "More results";
    previous_page: "Predchádzajúce výsledky", "Previous results";
    too_short: "Zadajte aspoň dve písmená alebo jednu číslicu.", "Enter at least two letters or one digit.";
    too_long: "Hľadaný text je príliš dlhý.", "The text to search for is too long.";
    sandbox_note: "Tieto firmy sú vymyslené. Slúžia na vyskúšanie.", "These companies are invented, for trying the service.";
    sandbox_companies: "Firmy na vyskúšanie", "Companies to try";
    lookup_off: "Vyhľadávanie firiem je na tomto serveri vypnuté. Údaje poskytuje API.", "Looking up companies is switched off on this server. The API serves the data.";

    ico: "IČO", "IČO";
    state: "Stav", "State";
    since: "od", "since";
    until: "do", "until";
    seat: "Sídlo", "Registered seat";
    activity: "Hlavná činnosť", "Main activity";
    established: "Vznik a zánik", "Established and ended";
    base_register: "Základný register", "Base register";
    invented: "Vymyslená firma", "Invented company";
    warnings: "Upozornenia", "Warnings";
    warning_ended: "Firma už neexistuje", "The company no longer exists";
    no_warnings: "Bez upozornení", "No warnings";
    no_warnings_read: "Prečítané boli tieto zdroje upozornení:", "These sources of warnings were read:";
    no_warnings_partly: "V tom, čo sa podarilo prečítať, nie je žiadne upozornenie. To neznamená, že žiadne neexistuje.", "There is no warning in what could be read. That does not mean that there is none.";
    not_read: "Nepodarilo sa načítať", "Could not be read";
    not_read_note: "O týchto údajoch sa nedá nič povedať, ani to, že žiadne nie sú.", "Nothing can be said about these, not even that there is nothing.";
    not_read_partly: "Nenačítané zdroje", "Sources that could not be read";
    not_known: "nie je známe: zdroj sa nepodarilo načítať", "not known: a source could not be read";
    nothing_found: "Načítané, nič sa nenašlo", "Read, nothing found";
    not_applicable: "Netýka sa takejto firmy", "Does not apply to such a company";
    not_applicable_title: "Registre, ktoré takúto firmu nevedú", "Registers that do not cover such a company";
    stale: "Staršie údaje, obnovujú sa", "Older data, being refreshed";
    being_read: "Niektoré časti sa ešte načítavajú.", "Some parts are still being read.";
    reload: "Načítať stránku znova", "Reload the page";
    on_this_page: "Na tejto stránke", "On this page";
    as_of: "k", "as of";
    date_unknown: "bez dátumu", "no date";
    sources: "Zdroje", "Sources";
    register: "Register", "Register";
    date: "Dátum", "Date";
    part: "Časť", "Part";
    none: "žiadne", "none";
    more_rows: "Zobraziť ďalšie", "Show more";
    omitted: "Ďalšie položky sú v odpovedi API; na stránke by ich bolo priveľa, chýba ich", "Further items are in the answer of the API; the page leaves out";
    further: "Ďalšie údaje", "Further data";
    same_by_api: "To isté z API", "The same from the API";
    api_note: "Volanie vráti tieto údaje ako JSON.", "This call returns the same data as JSON.";
    printed_from: "Výpis z verejných registrov", "Report from public registers";
    base_data: "Ďalšie základné údaje", "Further base data";
    built_at: "Zostavené", "Assembled";

    status_title: "Stav zdrojov", "State of the sources";
    status_well: "Všetky zdroje fungujú.", "All sources are operational.";
    status_degraded: "Niektoré zdroje nefungujú.", "Some sources are not operational.";
    late: "Čo mešká alebo zlyhalo", "What is late or failed";
    late_none: "Nič nemešká.", "Nothing is late.";
    late_since: "mešká od", "late since";
    paused_since: "pozastavené od", "paused since";
    all_sources: "Všetky zdroje", "All sources";
    last_success: "Naposledy načítané", "Last read";
    next_run: "Ďalšie načítanie", "Next reading";
    records: "Záznamov", "Records";
    list: "Zoznam", "List";
    list_date: "Dátum zoznamu", "Date of the list";
    lists: "Zoznamy", "Lists";
    needs: "Prevádzkovateľ musí dodať", "The operator must supply";
    running_since: "Tento server beží od", "This server has been running since";
    version: "Verzia", "Version";
    reads_live: "číta sa na požiadanie", "read on request";
    cause: "Dôvod", "Reason";
    incidents: "Výpadky za posledné dni", "Incidents of the last days";
    incidents_days: "Počet dní, za ktoré sa výpadky uchovávajú:", "Number of days for which incidents are kept:";
    incidents_none: "Od začiatku zaznamenávania nebol zaznamenaný žiadny výpadok.", "No incident was recorded since the recording began.";
    incidents_unrecorded: "Stavy zdrojov sa zatiaľ nezaznamenali, preto sa o výpadkoch nedá nič povedať.", "No states of the sources were recorded yet, so nothing can be said about incidents.";
    incidents_since: "Stavy zdrojov sa zaznamenávajú od", "States of the sources are recorded since";
    incident_from: "Od", "From";
    incident_to: "Do", "To";
    incident_duration: "Trvanie", "Duration";
    incident_lasts: "trvá", "lasts";
    incident_end_unknown: "potom sa stav nezaznamenal", "the state was not recorded afterwards";

    problem_ico: "IČO má presne 8 číslic", "An IČO has exactly 8 digits";
    problem_ico_why: "Skontrolujte číslo. Kratšie číslo doplňte nulami zľava.", "Check the number. Fill a shorter one with zeros on the left.";
    problem_company: "Takú firmu nepozná žiadny register", "No register knows this company";
    problem_company_why: "Základné registre boli prečítané a firma s týmto IČO v nich nie je.", "The base registers were read, and none has a company with this IČO.";
    problem_sandbox: "Medzi vymyslenými firmami také IČO nie je", "No invented company has this IČO";
    problem_sandbox_why: "Na tejto stránke sa dajú vyhľadať iba vymyslené firmy.", "This site looks up invented companies only.";
    problem_unread: "Register sa nepodarilo načítať", "The register could not be read";
    problem_unread_why: "Firma tu ešte nie je uložená a základný register teraz neodpovedá. Nedá sa povedať, či existuje. Skúste to o chvíľu.", "The company is not stored here yet, and the base register does not answer. Whether it exists cannot be said. Try again in a moment.";
    problem_building: "Vyhľadávanie sa pripravuje", "The search is being prepared";
    problem_building_why: "Zoznam názvov sa práve zostavuje. Firma sa dá otvoriť podľa celého IČO.", "The list of names is being built. A company can be opened by its whole IČO.";
    problem_busy: "Priveľa požiadaviek", "Too many requests";
    problem_busy_why: "Z vašej adresy prišlo za minútu priveľa požiadaviek. Skúste to o chvíľu.", "Your address sent too many requests within a minute. Try again in a moment.";
    problem_page: "Stránka neexistuje", "There is no such page";
    problem_page_why: "Na tejto adrese nič nie je.", "There is nothing at this address.";
    problem_method: "Takto sa táto stránka nedá použiť", "This page cannot be used in this way";
    problem_method_why: "Adresa neprijíma túto metódu.", "The address does not take this method.";
    problem_request: "Požiadavka nie je platná", "The request is not valid";
    problem_request_why: "Adresa je príliš dlhá alebo obsahuje niečo, čomu server nerozumie.", "The address is too long, or contains something that the server does not understand.";
    problem_service: "Služba je dočasne nedostupná", "The service is temporarily unavailable";
    problem_service_why: "Skúste to o chvíľu.", "Try again in a moment.";
    problem_internal: "Na serveri nastala chyba", "The server made a mistake";
    problem_internal_why: "Podľa čísla požiadavky ju prevádzkovateľ nájde v zázname.", "The operator finds it in the log by the number of the request.";
    problem_forbidden: "Na toto nemáte oprávnenie", "You may not do this";
    problem_forbidden_why: "Vaša rola alebo váš kľúč to nedovoľuje. Požiadajte vlastníka účtu.", "Your role or your key does not allow it. Ask an owner of the account.";
    problem_other_site: "Požiadavka neprišla z tejto stránky", "The request did not come from this site";
    problem_other_site_why: "Formuláre sa dajú odoslať iba zo stránok tohto servera. Nič sa nezmenilo.", "Forms can be sent from pages of this server only. Nothing was changed.";
    problem_link: "Odkaz už neplatí", "The link is not valid any more";
    problem_link_why: "Bol už použitý, vypršala jeho platnosť alebo nie je celý. Vyžiadajte si nový na stránke prihlásenia.", "It was used before, has expired, or is not complete. Request a new one on the sign-in page.";
    request_id: "Číslo požiadavky", "Request number";
    back_home: "Späť na vyhľadávanie", "Back to the search";
}

/// The texts of a language.
pub(super) fn texts(language: Language) -> &'static Texts {
    language.pick(&SLOVAK, &ENGLISH)
}

/// Why a source was not read, by its code: one of the API, or one that begins the reason in a section.
pub(super) fn reason(code: &str, language: Language) -> &'static str {
    let (slovak, english) = match code {
        "unavailable" => ("register neodpovedá", "the register does not answer"),
        "throttled" => (
            "register obmedzuje počet požiadaviek",
            "the register limits the number of requests",
        ),
        "malformed" => (
            "register odpovedal v neznámom tvare",
            "the register answered in an unknown form",
        ),
        "misconfigured" => ("chyba v nastavení", "a mistake in the settings"),
        "refused" | "limit" => (
            "odpoveď prekročila povolené limity",
            "the answer exceeded a limit",
        ),
        "busy" => (
            "priveľa súčasných požiadaviek",
            "too many concurrent requests",
        ),
        "circuit_open" => (
            "register opakovane zlyhal a chvíľu sa nečíta",
            "the register failed repeatedly and is not read for a while",
        ),
        "off" => ("zdroj je vypnutý", "the source is switched off"),
        "never_imported" => (
            "zoznam ešte nebol načítaný",
            "the list has not been imported yet",
        ),
        "truncated" => (
            "načítaná je iba časť, koľko dovoľujú nastavenia",
            "only a part was read, as far as the settings allow",
        ),
        "not_in_time" => ("ešte sa načítava", "it is still being read"),
        _ => ("čítanie zlyhalo", "reading failed"),
    };
    language.pick(slovak, english)
}

pub(super) fn source_state(state: SourceState, language: Language) -> &'static str {
    let (slovak, english) = match state {
        SourceState::Operational => ("funguje", "operational"),
        SourceState::Unknown => ("ešte nečítaný", "not read yet"),
        SourceState::NeverImported => ("čaká na prvé načítanie", "waits for its first import"),
        SourceState::Degraded => ("časť sa nedá čítať", "partly unreadable"),
        SourceState::CircuitOpen => ("zlyháva, chvíľu sa nečíta", "failing, paused"),
        SourceState::Refused => ("nie je zavedený", "not loaded"),
    };
    language.pick(slovak, english)
}

pub(super) fn list_state(state: ListState, language: Language) -> &'static str {
    let (slovak, english) = match state {
        ListState::Imported => ("načítaný", "imported"),
        ListState::NeverImported => ("ešte nenačítaný", "not imported yet"),
        ListState::Failed => ("načítanie zlyhalo", "import failed"),
        ListState::Off => ("vypnutý", "off"),
    };
    language.pick(slovak, english)
}

pub(super) fn service_state(state: ServiceState, texts: &Texts) -> &'static str {
    match state {
        ServiceState::Operational => texts.status_well,
        ServiceState::Degraded => texts.status_degraded,
    }
}

/// Checks that a catalogue has every text in both languages.
#[cfg(test)]
pub(super) fn check(all: &[(&str, &str, &str)]) {
    for (name, slovak, english) in all {
        for text in [slovak, english] {
            assert!(!text.is_empty() && text.trim() == *text, "{name}: {text:?}");
        }
        let ends = |text: &str| text.ends_with('.');
        assert_eq!(ends(slovak), ends(english), "{name}");
        let is_several = slovak.contains(' ');
        assert!(!is_several || slovak != english, "{name}: {slovak}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_there_in_both_languages() {
        check(ALL);
        let languages = Language::ALL.map(|language| texts(language).language);
        assert_eq!(languages, ["sk", "en"]);
    }
}
