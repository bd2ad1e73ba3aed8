//! The texts of the operator's pages, in Slovak and English.

use crate::language::Language;
use crate::web::catalogue;

catalogue! {
    language: "sk", "en";
    other_language: "en", "sk";
    other_language_name: "English", "Slovenčina";
    skip: "Preskočiť na obsah", "Skip to content";
    overview: "Prevádzka", "Operation";
    metrics: "Metriky", "Metrics";
    navigation: "Stránky prevádzky", "Pages for operators";
    machine: "Stroj", "Machine";
    version: "Verzia", "Version";
    started: "Beží od", "Running since";
    shown_at: "Stav z", "As of";
    troubles: "Čo treba riešiť", "What needs attention";
    troubles_none: "Nič. Zdroje slúžia a fronty sa vyprázdňujú.", "Nothing. The sources serve and the queues are being emptied.";
    settings_rejected: "Zmenené nastavenia sú odmietnuté; platia doterajšie", "The changed settings were rejected; the former ones apply";
    clock_untrusted: "Hodinám stroja sa nedá veriť", "The clock of the machine is not trusted";
    clock_confirm: "Hodiny sú správne", "The clock is right";
    disk_low: "Na disku je málo miesta; importy stoja", "The disk has little space; imports are paused";
    index_behind: "Index názvov nie je pripravený alebo zaostáva", "The name index is not ready, or is behind";
    events_late: "Udalosti čakajú na rozoslanie", "Events wait to be sent out";
    worker_failing: "Úloha na pozadí opakovane zlyháva", "A background worker keeps failing";
    refused: "odmietnutý", "refused";
    rejected: "nová verzia odmietnutá, slúži doterajšia", "new version rejected, the former one serves";
    circuit_open: "zlyháva, chvíľu sa nečíta", "failing, paused";
    import_failed: "import zlyhal", "import failed";
    sentinel: "známe firmy sa čítajú inak", "known companies are read differently";
    queues: "Fronty a stav", "Queues and state";
    deliveries: "Čakajúce odoslania", "Waiting deliveries";
    due: "na rade", "due";
    mail: "Čakajúce listy", "Waiting letters";
    batch_parts: "Nedokončené časti dávok", "Unfinished parts of batches";
    watched: "Sledované firmy", "Watched companies";
    indexed: "Firmy v indexe názvov", "Companies in the name index";
    disk_free: "Voľné na disku", "Free on the disk";
    store: "Databáza", "Database";
    imports: "Prebiehajúce importy", "Imports under way";
    imports_none: "Žiadny import neprebieha.", "No import is under way.";
    source: "Zdroj", "Source";
    accounts: "Účty", "Accounts";
    accounts_none: "Taký účet nie je.", "There is no such account.";
    accounts_cut: "Účtov je viac; zadajte dlhší začiatok názvu.", "There are more accounts; enter a longer beginning of the name.";
    name_begins: "Názov začína", "Name begins with";
    find: "Nájsť", "Find";
    account: "Účet", "Account";
    plan: "Plán", "Plan";
    plan_unknown: "plán nie je v nastaveniach", "the settings do not have the plan";
    metering: "Účtovanie", "Metering";
    created: "Vytvorený", "Created";
    left: "Zostáva", "Left";
    used: "Minuté v tomto období", "Used in this period";
    overage: "Volania nad kredity", "Calls beyond the credits";
    period_ends: "Obdobie končí", "The period ends";
    grants: "Pridelené kredity", "Grants of credits";
    granted: "Pridelené", "Granted";
    ends: "Platí do", "Ends";
    keys: "Kľúče", "Keys";
    key: "Kľúč", "Key";
    valid: "platný", "valid";
    invalid: "neplatný", "not valid";
    manages: "spravuje účet", "manages the account";
    limits: "Obmedzenia", "Limits";
    last_used: "Naposledy použitý", "Last used";
    people: "Ľudia", "People";
    role: "Rola", "Role";
    joined: "Prvé prihlásenie", "First sign-in";
    none: "Žiadne.", "None.";
    sources: "Zdroje", "Sources";
    list: "Zoznam", "List";
    begun: "Začiatok", "Start";
    ended: "Koniec", "End";
    records: "Záznamy", "Records";
    skipped: "Vynechané", "Left out";
    progress: "Priebeh", "Progress";
    owner: "Kto", "Host";
    state: "Stav", "State";
    serving: "slúži", "serving";
    not_enabled: "vypnutý", "not enabled";
    imported: "Naposledy importované", "Last imported";
    never_imported: "nikdy", "never";
    next: "Ďalší import", "Next import";
    calls: "Volania od štartu", "Calls since the start";
    failures: "Zlyhané volania", "Failed calls";
    workers: "Úlohy na pozadí", "Background workers";
    worker: "Úloha", "Worker";
    restarts: "Reštarty po chybe", "Restarts after a failure";
    failing: "zlyháva", "failing";
    running: "beží", "running";
    restart: "Reštartovať", "Restart";
    reload: "Načítať zmeny", "Load changes";
    reload_why: "Načíta zmenené konektory a nastavenia a znova skúsi odmietnuté.", "Loads changed connectors and settings, and tries refused ones again.";
    reloaded: "Zmeny sú načítané", "The changes were loaded";
    back: "Späť na prevádzku", "Back to the overview";
    needs: "Čo treba dodať", "What the operator has to supply";
    digest: "Odtlačok (SHA-256)", "Digest (SHA-256)";
    loaded: "Slúži od", "Serving since";
    probation: "Na skúšku namiesto", "On trial in place of";
    scopes: "Rozsahy", "Scopes";
    in_flight: "Práve prebieha", "Running now";
    median: "Medián trvania", "Median duration";
    slowest: "Trvanie, 99. percentil", "Duration, 99th percentile";
    memory: "Najviac pamäte volania", "Most memory of a call";
    last_failure: "Posledné zlyhanie", "Last failure";
    retried_at: "Skúsi sa znova", "Tried again";
    at: "Kedy", "When";
    reason: "Prečo", "Why";
    waiting_version: "Odmietnutá nová verzia", "Rejected new version";
    shadow: "Čo nová verzia odpovedala inak", "What the new version answered differently";
    upstreams: "Adresy registra", "Addresses of the register";
    address: "Adresa", "Address";
    held: "Register žiada čakať", "The register asks to wait";
    queued: "Vo fronte", "Queued";
    list_off: "importy vypnuté", "imports off";
    runs_none: "Zatiaľ žiadny import.", "No import so far.";
    run_running: "prebieha", "running";
    run_succeeded: "hotový", "succeeded";
    run_failed: "zlyhal", "failed";
    notes: "Poznámky", "Notes";
}

/// The texts of a language.
pub(super) fn texts(language: Language) -> &'static Texts {
    language.pick(&SLOVAK, &ENGLISH)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_text_for_operators_is_there_in_both_languages() {
        for (name, slovak, english) in super::ALL {
            assert!(!slovak.is_empty() && !english.is_empty(), "{name}");
        }
    }
}
