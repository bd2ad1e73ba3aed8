//! The texts of the operator's pages, in Slovak and English.

use crate::language::Language;
use crate::store::{ActionResult, OperatorAction};
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
    mail: "Čakajúce e-maily", "Waiting e-mails";
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
    settings_reason: "Zmenené nastavenia tu neplatia, lebo", "Changed settings do not apply, because";
    waiting_version: "Odmietnutá nová verzia", "Rejected new version";
    probation_until: "do", "until";
    probation_calls: "zostáva volaní", "calls left";
    shadow: "Skúška nedávnych volaní s novou verziou", "Recent calls repeated with the new version";
    shadow_replayed: "Zopakované", "Repeated";
    shadow_differing: "Odpovedali inak", "Answered differently";
    shadow_failed: "Zlyhali", "Failed";
    shadow_failed_before: "Zlyhali už predtým", "Had failed before";
    shadow_not_comparable: "Nedajú sa porovnať", "Not comparable";
    shadow_withdrawn: "Rozsah už nie je v ponuke", "Scope no longer offered";
    shadow_first: "Prvé zlyhanie", "First failure";
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
    ledger: "Kontrola kreditov", "Ledger check";
    ledger_why: "Prepočíta zostatok každého účtu z jeho položiek, rovnako ako príkaz lustra ledger verify. Beží na pozadí na tomto stroji a naraz len raz.", "Recomputes the balance of every account from its entries, like the command lustra ledger verify. Runs in the background on this machine, and only once at a time.";
    ledger_start: "Skontrolovať", "Check now";
    ledger_never: "Kredity sa odtiaľto ešte nekontrolovali.", "The ledger was not checked from here yet.";
    ledger_running: "Kontrola prebieha", "The check is running";
    ledger_interrupted: "Kontrola sa prerušila: jej stroj prestal pracovať", "The check was interrupted: its machine has stopped";
    ledger_failed: "Kontrola sa nedokončila", "The check did not finish";
    ledger_right: "Všetky zostatky sú správne", "All balances are right";
    ledger_wrong: "Zostatky s chybou", "Balances with mistakes";
    ledger_mistakes: "Chyby", "Mistakes";
    ledger_accounts: "Skontrolované účty", "Checked accounts";
    ledger_entries: "Položky", "Entries";
    ledger_credits: "Zostatky spolu", "Sum of the balances";
    of: "z", "of";
    audit: "Záznam úkonov", "Audit log";
    audit_why: "Úkony prevádzkovateľov na týchto stránkach, volaniami a príkazmi, zo všetkých strojov nad touto databázou.", "Actions of operators on these pages, by calls and by commands, from all machines on this database.";
    audit_kept: "Počet dní, po ktorých sa mažú", "Days after which they are deleted";
    audit_none: "Zatiaľ žiadny úkon.", "No action so far.";
    audit_csv: "Stiahnuť ako CSV", "Download as CSV";
    newest: "Najnovšie", "Newest";
    older: "Staršie", "Older";
    actor: "Kto", "Who";
    action: "Úkon", "Action";
    object: "Čoho sa týka", "Object";
    result: "Výsledok", "Result";
    about: "Podrobnosti", "Details";
    done: "hotovo", "done";
    not_possible: "odmietnuté", "refused";
    failed: "zlyhalo", "failed";
    act_reload: "načítanie zmien", "reload";
    act_worker: "reštart úlohy", "restart of a worker";
    act_clock: "potvrdenie hodín", "confirmation of the clock";
    act_upload: "poslanie zoznamu", "list sent";
    act_take: "použitie zoznamu", "list taken";
    act_discard: "zahodenie zoznamu", "list discarded";
    act_list_back: "vrátenie zoznamu", "list put back";
    act_version_back: "vrátenie verzie", "version taken back";
    act_release: "uvoľnenie verzie", "version released";
    act_ledger: "kontrola kreditov", "ledger check";
    act_import: "import zoznamu", "import of a list";
    act_account: "nový účet", "new account";
    act_plan: "zmena plánu", "change of plan";
    act_overage: "volania nad kredity", "overage";
    act_grant: "pridelenie kreditov", "grant of credits";
    act_adjust: "odobratie kreditov", "removal of credits";
    act_key: "nový kľúč", "new key";
    act_rotate: "výmena kľúča", "replacement of a key";
    act_revoke: "zrušenie kľúča", "revocation of a key";
    plots: "Fronty za 24 hodín", "Queues over 24 hours";
    plots_why: "Každých 5 minút ich spočíta jeden zo strojov nad touto databázou; všetky stroje ukazujú to isté. Kde čiara chýba, sa nepočítalo.", "Every 5 minutes one of the machines on this database counts them; all machines show the same. Where the line is missing, they were not counted.";
    plots_none: "Zatiaľ sa nespočítali.", "They were not counted so far.";
    events: "Nerozoslané udalosti", "Events not sent out";
    most: "najviac", "most";
    now: "teraz", "now";
    hours: "h", "h";
    own_lists: "Zoznamy prevádzkovateľa", "Lists from the operator";
    own_lists_why: "Súbor je na tomto stroji. Ak nad databázou beží viac strojov, každý číta súbor podľa vlastných nastavení: dajte ho na všetky, alebo používajte spoločný priečinok.", "The file is on this machine. If several machines run on the database, each reads the file that its own settings name: put it on all of them, or use a shared folder.";
    file: "Súbor", "File";
    file_none: "zatiaľ chýba", "not there yet";
    file_before: "Predchádzajúci súbor", "Previous file";
    file_address: "Zoznam sa číta z tejto adresy, preto sa neposiela", "The list is read from this address, so it is not sent here";
    lines_grants: "V tabuľke [connector] nahraďte riadok s povoleniami, alebo ho tam pridajte:", "In the table [connector], replace the line of grants, or add it there:";
    lines_tables: "Na koniec nastavení pridajte:", "Add at the end of the settings:";
    lines_then: "Server zmenu načíta sám; potom sa tu dá zoznam poslať.", "The server loads the change by itself; then the list can be sent here.";
    send: "Poslať na kontrolu", "Send for a check";
    send_file: "Nový zoznam", "New list";
    send_most: "najviac", "at most";
    send_why: "Konektor zoznam najprv celý prečíta na skúšku; nič sa nezverejní, kým ho nepotvrdíte.", "The connector first reads the whole list on trial; nothing is published until you confirm it.";
    receiving: "Súbor sa prijíma", "The file is being received";
    checking: "Konektor zoznam skúša", "The connector is trying the list";
    list_rejected: "Zoznam sa nedá použiť; slúži doterajší", "The list cannot be used; the former one serves";
    list_accepted: "Zoznam sa dá použiť", "The list can be used";
    added: "Pribudne", "Added";
    changed: "Zmení sa", "Changed";
    removed: "Ubudne", "Removed";
    list_date: "Dátum zoznamu", "Date of the list";
    take: "Použiť zoznam", "Use the list";
    discard: "Zahodiť", "Discard";
    list_back: "Vrátiť predchádzajúci súbor", "Put the previous file back";
    list_back_why: "Súbory sa vymenia a zoznam sa importuje.", "The files are exchanged and the list is imported.";
    list_taken: "Súbor je vymenený a zoznam sa importuje. Priebeh je nižšie.", "The file is replaced and the list is being imported. Progress is below.";
    list_discarded: "Poslaný súbor je zahodený.", "The file that was sent is discarded.";
    version_back: "Vrátiť verziu", "Take the version back";
    version_back_to: "Bude slúžiť", "Then this version serves";
    version_back_why: "Platí na tomto stroji. Súbor v priečinku konektorov ostane, ale server ho nenačíta ani po reštarte, kým ho neuvoľníte. Iná verzia v tom súbore sa načíta ako zvyčajne.", "Applies to this machine. The file in the folder of components stays, but the server does not load it, not even after a restart, until you release it. Another version in that file is loaded as usual.";
    version_release: "Uvoľniť verziu", "Release the version";
    version_taken: "Verzia je vrátená, slúži predchádzajúca.", "The version was taken back; the one before serves.";
    version_released: "Verzia je uvoľnená.", "The version was released.";
    request: "Stránka sa nedá zobraziť", "The page cannot be shown";
    no_page: "Taká stránka nie je", "There is no such page";
    no_source: "Taký konektor nie je", "There is no such connector";
    no_worker: "Taká úloha nie je", "There is no such worker";
    no_account: "Taký účet nie je", "There is no such account";
    no_list: "Tento zoznam sa tu neposiela", "This list is not sent here";
    no_list_why: "Konektor ho neberie od prevádzkovateľa, alebo mu nastavenia nedávajú súbor. Stránka zdroja hovorí, čo pridať.", "Its connector does not take it from the operator, or the settings grant it no file. The page of the source says what to add.";
    other_site: "Formulár prišiel z inej stránky", "The form came from another site";
    other_site_why: "Otvorte stránku tu a odošlite formulár znova.", "Open the page here and send the form again.";
    key_needed: "Stránky potrebujú kľúč", "The pages need the key";
    key_needed_why: "Heslom je operator.key z nastavení, meno je ľubovoľné.", "The password is operator.key of the settings; the user name does not matter.";
    pages_off: "Stránky sú vypnuté", "The pages are off";
    pages_off_why: "operator.listen nie je adresa loopback; nastavte operator.key.", "operator.listen is not a loopback address; set operator.key.";
    too_many: "Priveľa nesprávnych kľúčov", "Too many wrong keys";
    too_many_why: "Skúste to znova o počet sekúnd:", "Try again after this number of seconds:";
    list_busy: "Iný súbor sa práve prijíma alebo skúša", "Another file is being received or tried";
    list_busy_why: "Počkajte na výsledok na stránke zdroja.", "Wait for its result on the page of the source.";
    no_file: "Súbor chýba alebo je prázdny", "The file is missing or empty";
    no_file_why: "Vyberte súbor a pošlite formulár znova.", "Choose a file and send the form again.";
    too_large: "Súbor je priveľký", "The file is too large";
    too_large_why: "Najviac MiB (operator.upload_mib):", "Most MiB (operator.upload_mib):";
    disk_full: "Na disku je málo miesta", "The disk has little space";
    not_stored: "Súbor sa nedal uložiť", "The file could not be stored";
    not_taken: "Zoznam sa nepoužil", "The list was not used";
    not_checked: "Zoznam nie je skontrolovaný, alebo sa medzitým zmenil. Pošlite ho znova.", "The list was not checked, or it has changed meanwhile. Send it again.";
    no_version: "Verzia sa nezmenila", "The version was not changed";
    clock_refused: "Hodiny sa nedajú potvrdiť", "The clock cannot be confirmed";
    clock_refused_why: "Hodiny databázy hovoria iné a majú prednosť: nastavte hodiny stroja.", "The clock of the database disagrees and takes precedence: set the clock of the machine.";
    ledger_busy: "Kontrola už prebieha", "A check is running already";
    reload_failed: "Načítanie zlyhalo", "The reload failed";
    see_log: "Príčina je v logu.", "The log says why.";
    unavailable: "Databáza nie je dostupná", "The database is unavailable";
    unavailable_why: "Pozrite log a metriky.", "See the log and the metrics.";
}

/// The texts of a language.
pub(super) fn texts(language: Language) -> &'static Texts {
    language.pick(&SLOVAK, &ENGLISH)
}

impl Texts {
    /// An action of the audit log. A word of a newer version is shown as it is.
    pub(super) fn action(&self, word: &str) -> String {
        let Ok(action) = OperatorAction::try_from(word.to_owned()) else {
            return word.to_owned();
        };
        let text = match action {
            OperatorAction::Reload => self.act_reload,
            OperatorAction::RestartWorker => self.act_worker,
            OperatorAction::ConfirmClock => self.act_clock,
            OperatorAction::UploadList => self.act_upload,
            OperatorAction::TakeList => self.act_take,
            OperatorAction::DiscardList => self.act_discard,
            OperatorAction::TakeBackList => self.act_list_back,
            OperatorAction::TakeBackVersion => self.act_version_back,
            OperatorAction::ReleaseVersion => self.act_release,
            OperatorAction::VerifyLedger => self.act_ledger,
            OperatorAction::ImportDataset => self.act_import,
            OperatorAction::CreateAccount => self.act_account,
            OperatorAction::ChangePlan => self.act_plan,
            OperatorAction::ChangeOverage => self.act_overage,
            OperatorAction::GrantCredits => self.act_grant,
            OperatorAction::AdjustCredits => self.act_adjust,
            OperatorAction::CreateKey => self.act_key,
            OperatorAction::RotateKey => self.act_rotate,
            OperatorAction::RevokeKey => self.act_revoke,
        };
        text.to_owned()
    }

    /// The result of an action.
    pub(super) fn result(&self, word: &str) -> String {
        let Ok(result) = ActionResult::try_from(word.to_owned()) else {
            return word.to_owned();
        };
        let text = match result {
            ActionResult::Done => self.done,
            ActionResult::Refused => self.not_possible,
            ActionResult::Failed => self.failed,
        };
        text.to_owned()
    }
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
