//! The texts of the account's pages, in Slovak and English.

use crate::language::Language;
use crate::store::MemberRole;
use crate::web::texts::catalogue;

catalogue! {
    sign_in: "Prihlásenie", "Sign in";
    sign_in_lead: "Prihlásenie do účtu, ktorý používa API.", "Sign in to an account that uses the API.";
    by_email: "Odkazom v e-maile", "By a link in an e-mail";
    email: "E-mailová adresa", "E-mail address";
    send_link: "Poslať odkaz", "Send the link";
    no_mail: "Tento server nemá nastavený poštový server, preto nemôže poslať odkaz. Prihláste sa kľúčom.", "This server has no mail server set up, so it cannot send a link. Sign in with a key.";
    by_key: "Kľúčom API", "With an API key";
    key: "Kľúč API", "API key";
    key_hint: "Prihlásenie má práva kľúča. Kľúč sa neuloží v prehliadači.", "The session has the rights of the key. The browser does not store the key.";
    wrong_key: "Kľúč neplatí, alebo sa z tejto adresy nesmie používať.", "The key is not valid, or may not be used from this address.";
    wrong_email: "Toto nie je e-mailová adresa.", "This is not an e-mail address.";
    email_sent: "Pozrite si poštu", "Look at your mail";
    email_sent_why: "Ak adresa patrí niektorému účtu, o chvíľu na ňu príde odkaz. Platí krátko a dá sa použiť raz. Za hodinu príde na jednu adresu iba niekoľko e-mailov.", "If the address belongs to an account, a link will arrive in a moment. It is valid for a short time and can be used once. Only a few e-mails are sent to one address within an hour.";
    back_to_sign_in: "Späť na prihlásenie", "Back to the sign-in";
    confirm_title: "Dokončiť prihlásenie", "Finish signing in";
    confirm_lead: "Prihlásite sa do účtu", "You will sign in to the account";
    confirm_as: "ako", "as";
    confirm_button: "Prihlásiť sa", "Sign in";
    choose_title: "Vyberte účet", "Choose an account";
    choose_lead: "Vaša adresa patrí týmto účtom.", "Your address belongs to these accounts.";
    choose_current: "tento účet", "this account";
    switch_account: "Zmeniť účet", "Switch the account";
    sign_out: "Odhlásiť sa", "Sign out";
    sign_out_everywhere: "Odhlásiť sa všade", "Sign out everywhere";
    account_navigation: "Stránky účtu", "Pages of the account";
    signed_in_by_key: "kľúč API", "API key";
    key_manages: "môže spravovať účet", "may manage the account";
    key_looks_up: "nemôže spravovať účet", "may not manage the account";
    role_owner: "vlastník", "owner";
    role_developer: "vývojár", "developer";
    role_billing: "fakturácia", "billing";
    role_read: "iba čítanie", "read only";
    tab_overview: "Prehľad", "Overview";
    tab_watching: "Sledovanie", "Watching";
    tab_files: "Súbory", "Files";
    tab_keys: "Kľúče", "Keys";
    tab_people: "Ľudia", "People";
    tab_ledger: "Účtovná kniha", "Ledger";
    tab_plan: "Plán", "Plan";
    tab_try: "Vyskúšať volanie", "Try a call";

    plan: "Plán", "Plan";
    sessions: "Prihlásenia", "Sessions";
    metering: "Účtovanie", "Metering";
    metering_credits: "kredity", "credits";
    metering_quota: "volania za mesiac", "calls a month";
    metering_unmetered: "bez merania", "unmetered";
    credits_left: "Zostáva kreditov", "Credits left";
    calls_left: "Zostáva volaní", "Calls left";
    used: "Minuté v tomto období", "Used in this period";
    overage_used: "Volania nad kredity", "Calls beyond the credits";
    calls_of_period: "Volaní v tomto období", "Calls in this period";
    calls_today: "Volaní dnes", "Calls today";
    left_today: "Dnes zostáva volaní", "Calls left today";
    next_period: "Ďalšie obdobie začína", "The next period begins";
    grants: "Z čoho sú kredity", "Where the credits come from";
    grant: "Pôvod", "Origin";
    grant_plan: "plán", "plan";
    grant_rollover: "prenesené z minulého mesiaca", "rolled over from the last month";
    grant_purchase: "nákup", "purchase";
    grant_adjustment: "úprava prevádzkovateľom", "adjustment by the operator";
    grant_refund: "vrátené", "refund";
    left: "Zostáva", "Left";
    granted: "Pridelené", "Granted";
    ends: "Platí do", "Ends";
    usage: "Používanie za 30 dní", "Usage of 30 days";
    no_usage: "Za posledných 30 dní nie sú žiadne volania.", "There are no calls in the last 30 days.";
    usage_note: "Dni sú podľa UTC. Použitie sa zaznamenáva podľa dňa a adresy volania, nie podľa kľúča a rozsahu.", "Days are in UTC. Usage is recorded by day and endpoint, not by key and scope.";
    calls_by_day: "Volania", "Calls";
    cached_by_day: "Volania zdarma z vyrovnávacej pamäte", "Free calls from the cache";
    credits_by_day: "Kredity", "Credits";
    by_endpoint: "Toto obdobie podľa volania", "This period by endpoint";
    endpoint: "Volanie", "Endpoint";
    calls: "Volaní", "Calls";
    cached: "Z pamäte", "From the cache";
    credits: "Kredity", "Credits";
    alerts: "Upozornenia na spotrebu", "Alerts about usage";
    thresholds: "Hranice v percentách", "Thresholds in percent";
    thresholds_hint: "Celé čísla od 1 do 100, oddelené čiarkou. Bez hraníc sú upozornenia vypnuté.", "Whole numbers from 1 to 100, separated by commas. Without thresholds the alerts are off.";
    emails: "Komu", "Recipients";
    emails_hint: "E-mailové adresy, každá na svojom riadku.", "E-mail addresses, each on its own line.";
    save: "Uložiť", "Save";
    language_of_emails: "Jazyk e-mailov", "Language of e-mails";
    same_by_api: "To isté z API", "The same from the API";

    keys_lead: "Kľúčom sa program preukazuje API.", "A program identifies itself to the API with a key.";
    name: "Názov", "Name";
    state: "Stav", "State";
    begins_with: "Začína", "Begins with";
    last_used: "Naposledy použitý", "Last used";
    never: "nikdy", "never";
    limits: "Obmedzenia", "Limits";
    no_limits: "bez obmedzení", "no limits";
    created: "Vytvorený", "Created";
    key_valid: "platný", "valid";
    key_expired: "vypršaný", "expired";
    key_revoked: "zrušený", "revoked";
    key_current: "týmto kľúčom ste prihlásení", "you signed in with this key";
    manages: "spravuje účet", "manages the account";
    new_key: "Nový kľúč", "New key";
    create_key: "Vytvoriť kľúč", "Create the key";
    manage_box: "Smie spravovať účet: kľúče, ľudí a plán", "May manage the account: keys, people and the plan";
    scopes: "Rozsahy", "Scopes";
    scopes_hint: "Bez výberu platia všetky rozsahy plánu. Kľúč s rozsahmi nemôže používať oznámenia.", "Without a choice, all scopes of the plan apply. A key with scopes cannot use notifications.";
    scope_orsr: "Obchodný register v úplnom znení", "Commercial register in full";
    addresses: "Adresy v sieti", "Network addresses";
    addresses_hint: "Adresy alebo siete ako 192.0.2.0/24, každá na svojom riadku. Bez nich odkiaľkoľvek.", "Addresses or networks such as 192.0.2.0/24, each on its own line. Without them from anywhere.";
    last_day: "Posledný deň", "Last day";
    last_day_hint: "Podľa UTC. Bez dňa kľúč nevyprší.", "In UTC. Without a day the key does not expire.";
    change_key: "Názov a obmedzenia", "Name and limits";
    rotate_key: "Vymeniť tajomstvo", "Replace the secret";
    rotate_why: "Kľúč dostane nové tajomstvo. Prihlásenia týmto kľúčom sa skončia.", "The key gets a new secret. Sessions that began with this key end.";
    overlap: "Hodín, počas ktorých platí aj doterajšie", "Hours for which the former one stays valid";
    revoke_key: "Zrušiť kľúč", "Revoke the key";
    revoke_why: "Všetky servery ho do sekundy odmietnu. Nedá sa to vrátiť.", "Every server refuses it within a second. This cannot be undone.";
    key_is_closed: "Tento kľúč nemôžete meniť: neplatí, alebo spravuje účet a na to treba vlastníka.", "You cannot change this key: it is not valid, or it manages the account and needs an owner.";
    secret_title: "Nový kľúč API", "New API key";
    secret_once: "Tajomstvo vidíte iba tu. Uložte si ho teraz; server má iba jeho odtlačok.", "The secret is shown only here. Store it now; the server has only its digest.";
    secret_unknown: "Formulár bol odoslaný dvakrát a tajomstvo ukázal iný server. Vymeňte ho, ak ho nemáte.", "The form was sent twice, and another server showed the secret. Replace it if you do not have it.";
    back_to_keys: "Späť na kľúče", "Back to the keys";

    people_lead: "Kto sa smie prihlásiť do účtu a čo v ňom smie.", "Who may sign in to the account, and what they may do.";
    role: "Rola", "Role";
    joined: "Prvé prihlásenie", "First sign-in";
    invited: "pozvaný", "invited";
    you: "vy", "you";
    set_role: "Zmeniť rolu", "Change the role";
    remove: "Odobrať", "Remove";
    remove_why: "Prihlásenia tohto človeka sa skončia.", "The sessions of this person end.";
    invite: "Pozvať človeka", "Invite a person";
    invite_button: "Pozvať", "Invite";
    invite_again: "Poslať pozvánku znova", "Send the invitation again";
    invite_without_mail: "Server nemá poštový server, preto pozvánku nepošle. Človek sa zatiaľ nedokáže prihlásiť.", "The server has no mail server and sends no invitation. The person cannot sign in yet.";
    person_name: "Meno", "Name";
    roles_hint: "Vývojár spravuje kľúče a sledovanie, fakturácia upozornenia a plán, vlastník všetko.", "A developer manages keys and watching, billing manages alerts and the plan, an owner everything.";

    ledger_lead: "Každá zmena kreditov, od najnovšej.", "Every change of the credits, newest first.";
    ledger_csv: "Celá kniha ako CSV", "The whole ledger as CSV";
    ledger_empty: "Kniha je prázdna.", "The ledger is empty.";
    entry: "Č.", "No.";
    booked: "Zaúčtované", "Booked";
    kind: "Druh", "Kind";
    amount: "Suma", "Amount";
    balance: "Zostatok", "Balance";
    about: "Čoho sa týka", "About";
    entry_grant: "pridelenie", "grant";
    entry_charge: "volanie", "charge";
    entry_refund: "vrátenie", "refund of a call";
    entry_adjustment: "úprava", "adjustment";
    entry_expiry: "vypršanie", "expiry";
    entry_overage: "nad kredity", "overage";
    entry_overage_refund: "vrátenie nad kredity", "overage refund";
    older: "Staršie", "Older";
    newest: "Najnovšie", "Newest";

    term: "Podmienka", "Term";
    now: "Teraz", "Now";
    monthly: "Za mesiac", "Per month";
    rollover: "Najviac prenesených kreditov", "Maximum credits rolled over";
    overage: "Volania nad kredity", "Calls beyond the credits";
    per_minute: "Volaní za minútu", "Calls per minute";
    per_day: "Volaní za deň", "Calls per day";
    batch_items: "Položiek v dávke", "Items of a batch";
    watched: "Sledovaných firiem", "Watched companies";
    all_scopes: "všetky", "all";
    no_limit: "bez obmedzenia", "no limit";
    yes: "áno", "yes";
    no: "nie", "no";
    move_title: "Prechod na kredity", "Moving to credits";
    move_offer: "Účet môže prejsť z volaní za mesiac na kredity.", "The account can move from calls a month to credits.";
    move_compare: "Porovnať plány", "Compare the plans";
    move_why: "Nový plán začne hneď celým mesiacom. Zostávajúce volania prepadnú. Späť môže účet vrátiť iba prevádzkovateľ.", "A full month of the new plan begins at once. The remaining calls are lost. Only the operator can move the account back.";
    move_left: "Prepadne volaní", "Calls that are lost";
    move_button: "Prejsť na kredity", "Move to credits";
    move_not_you: "Prejsť môže vlastník alebo človek s rolou fakturácia.", "An owner or a person with the role billing can move the account.";
    back_to_plan: "Späť na plán", "Back to the plan";

    watching_lead: "Firmy, o ktorých zmenách prichádzajú webhooky alebo e-maily.", "Companies whose changes are sent to webhooks or e-mail addresses.";
    watching_none: "Účet nesleduje žiadnu firmu.", "The account watches no company.";
    watching_count: "Sledovaných firiem", "Watched companies";
    ico_begins: "IČO začína", "IČO begins with";
    with_ended: "aj ukončené", "also ended ones";
    filter: "Zobraziť", "Show";
    company: "Firma", "Company";
    sent_to: "Kam", "Sent to";
    event_kinds: "Druhy udalostí", "Kinds of events";
    every_kind: "všetky", "all";
    since: "Od", "Since";
    webhook: "Webhook", "Webhook";
    webhook_active: "aktívny", "active";
    webhook_paused: "pozastavený", "paused";
    webhook_ended: "ukončený", "ended";
    watch_ended: "ukončené", "ended";
    watch_title: "Sledovať firmy", "Watch companies";
    list_of_companies: "IČO alebo názvy", "IČO or names";
    list_hint: "Jedna firma na riadku; IČO môžu byť aj oddelené čiarkou.", "One company per line; IČO may be separated by commas too.";
    file: "Alebo súbor CSV či XLSX", "Or a CSV or XLSX file";
    file_hint: "Stĺpec s IČO alebo názvom sa nájde sám. Riadok, ktorý sa nedá použiť, neovplyvní ostatné.", "The column with IČO or names is found by itself. A line that cannot be used does not affect the others.";
    webhook_url: "Adresa webhooku", "Webhook URL";
    notified: "E-maily", "E-mail addresses";
    notified_hint: "Najviac 20 adries, každá na svojom riadku. Treba webhook, adresu alebo oboje.", "At most 20 addresses, each on its own line. A webhook, an address or both are needed.";
    kinds_hint: "Bez výberu prídu všetky druhy.", "Without a choice, all kinds are sent.";
    dry_run: "Iba ukázať, čo by sa stalo", "Only show what would happen";
    watch_again: "Firma, ktorá sa už sleduje, dostane toto nastavenie.", "A company that is watched already gets these settings.";
    watch_button: "Sledovať", "Watch";
    watch_change: "Kam a čo posielať", "Where to send, and what";
    watch_end: "Ukončiť sledovanie", "Stop watching";
    watch_end_why: "O firme už nič nepríde. Záznam doterajších odoslaní zostane.", "Nothing more is sent about the company. The record of past deliveries stays.";
    pause: "Pozastaviť webhook", "Pause the webhook";
    pause_why: "Udalosti sa budú ďalej zaznamenávať a odoslania počkajú.", "Events are still recorded, and deliveries are held.";
    save_resumes: "Uloženie obnoví pozastavený webhook.", "Saving resumes the paused webhook.";
    resume: "Obnoviť webhook", "Resume the webhook";
    secret_of_webhook: "Podpisové tajomstvo", "Signing secret";
    rotate_secret: "Vymeniť tajomstvo", "Replace the secret";
    rotate_secret_why: "Webhooky podpíše nové tajomstvo, a zvolený čas aj doterajšie.", "Webhooks are signed with a new secret, and for the chosen time with the former one too.";
    grace: "Hodín s oboma podpismi", "Hours with both signatures";
    webhook_secret_title: "Podpisové tajomstvo webhooku", "Signing secret of the webhook";
    webhook_secret_once: "Tajomstvo vidíte iba tu. Príjemca ním overuje podpisy; uložte si ho teraz.", "The secret is shown only here. The receiver verifies signatures with it; store it now.";
    back_to_watching: "Späť na sledovanie", "Back to watching";
    unconfirmed: "čaká na potvrdenie", "waits for confirmation";
    no_longer: "už nič nedostáva", "gets nothing any more";
    test_title: "Vyskúšať príjemcu", "Test a receiver";
    test_why: "Pošle podpísanú ukážku a ukáže odpoveď. Nič sa neuloží.", "Sends a signed example and shows the answer. Nothing is stored.";
    test_target: "Adresa webhooku alebo e-mail", "Webhook URL or e-mail address";
    test_button: "Poslať ukážku", "Send the example";
    test_delivered: "Príjemca ukážku prijal.", "The receiver accepted the example.";
    test_failed: "Príjemca ukážku neprijal.", "The receiver did not accept the example.";
    sent_headers: "Odoslané hlavičky", "Headers that were sent";
    sent_body: "Odoslané telo", "Body that was sent";
    received: "Odpoveď príjemcu", "Answer of the receiver";
    nothing_received: "Žiadna odpoveď neprišla.", "No answer arrived.";
    empty_body: "Odpoveď prišla bez tela.", "The answer has no body.";
    duration: "Trvanie", "Duration";
    outcome: "Výsledok", "Outcome";
    imports_title: "Posledné súbory", "Recent files";
    import_title: "Správa o zozname", "Report on the list";
    import_dry: "Nič sa nezmenilo: takto by to dopadlo.", "Nothing was changed: this is what would happen.";
    import_running: "Zoznam sa spracúva.", "The list is being processed.";
    import_done: "Zoznam je spracovaný.", "The list is processed.";
    import_lines: "Riadkov", "Lines";
    import_processed: "Hotových", "Finished";
    import_created: "Nových", "New";
    import_updated: "Zmenených", "Changed";
    import_unchanged: "Bez zmeny", "Unchanged";
    import_rejected: "Odmietnutých", "Rejected";
    import_csv: "Správa ako CSV", "Report as CSV";
    import_long: "Správa je dlhá; celá je v súbore CSV.", "The report is long; the CSV file has all of it.";
    import_secret: "Týmto tajomstvom sú podpísané webhooky všetkých nových firiem zoznamu. Vidíte ho iba tu.", "This secret signs the webhooks of all new companies of the list. It is shown only here.";
    line: "Riadok", "Line";
    read: "Prečítané", "Read";
    outcome_created: "sleduje sa", "watched";
    outcome_updated: "zmenené", "changed";
    outcome_unchanged: "už sa sleduje", "watched already";
    rejected_empty: "bez IČO a názvu", "neither IČO nor name";
    rejected_not_an_ico: "nie je to IČO ani názov", "neither an IČO nor a name";
    rejected_check_digit: "chýbajú číslice a kontrolná nesedí", "digits are missing and the check digit is wrong";
    rejected_company_unknown: "firma nie je v žiadnom registri", "no register has the company";
    rejected_name_unknown: "taký názov nemá žiadna firma", "no company has such a name";
    rejected_name_ambiguous: "názov má viac firiem", "several companies have the name";
    rejected_duplicate: "opakuje riadok", "repeats line";
    rejected_unreadable: "register sa teraz nedal prečítať; pošlite riadok neskôr", "the register could not be read now; send the line later";
    rejected_plan_limit: "plán viac firiem nedovoľuje", "the plan allows no more companies";
    rejected_failed: "chyba servera; pošlite riadok neskôr", "the server failed; send the line later";
    candidates: "Možno", "Possibly";
    deliveries: "Odoslania", "Deliveries";
    deliveries_none: "Zatiaľ sa nič neodoslalo.", "Nothing was sent yet.";
    delivery: "Odoslanie", "Delivery";
    event: "Udalosť", "Event";
    attempts: "Pokusy", "Attempts";
    attempt: "Pokus", "Attempt";
    at: "Kedy", "When";
    next_attempt: "Ďalší pokus", "Next attempt";
    payload: "Obsah", "Payload";
    payload_none: "Udalosť ešte nie je zverejnená.", "The event is not published yet.";
    resend: "Poslať znova", "Resend";
    resend_missed: "Poslať všetko, čo neprišlo", "Resend everything that did not arrive";
    delivery_waiting: "čaká", "waiting";
    delivery_delivered: "doručené", "delivered";
    delivery_failed: "nedoručené", "not delivered";
    delivery_cancelled: "zrušené", "cancelled";
    delivery_held: "pozdržané", "held";
    former: "Predchádzajúce sledovania", "Former subscriptions";
    newer: "Novšie", "Newer";
    events_title: "Denník udalostí", "Event log";
    events_lead: "Udalosti sledovaných firiem, od najnovšej.", "Events of the watched companies, newest first.";
    events_none: "V denníku nie sú žiadne udalosti.", "The log has no events.";
    change: "Zmena", "Change";
    source: "Zdroj", "Source";

    files_lead: "Pošlite zoznam firiem a vezmite si údaje ako tabuľku.", "Send a list of companies and take their data as a table.";
    files_send: "Nový zoznam", "New list";
    files_column: "V zozname sú", "The list has";
    files_icos: "IČO", "IČO";
    files_names: "názvy", "names";
    files_sections: "Časti údajov", "Sections of data";
    files_sections_hint: "Základné údaje sú v tabuľke vždy. Každá časť pridá svoje stĺpce a stĺpec, či sa dala prečítať. S viacerými časťami trvá zoznam dlhšie.", "Base data are always in the table. Each section adds its columns, and a column that says whether it could be read. With more sections, the list takes longer.";
    files_button: "Spracovať", "Process";
    files_cost: "Zoznam stojí toľko ako dávka cez API.", "A list costs as much as a batch by the API.";
    files_none: "Žiadne zoznamy. Výsledky sa po čase mažú.", "No lists. Results are deleted after some time.";
    files_recent: "Zoznamy", "Lists";
    file_title: "Zoznam firiem", "List of companies";
    file_state: "Stav", "State";
    file_pending: "čaká", "waiting";
    file_processing: "spracúva sa", "being processed";
    file_completed: "hotový", "finished";
    file_failed: "časť sa nepodarila", "a part failed";
    file_items: "Firiem", "Companies";
    file_found: "Nájdených", "Found";
    file_not_found: "Nenájdených", "Not found";
    file_unread: "Neprečítaných", "Not read";
    file_expires: "Maže sa", "Deleted";
    file_take: "Vziať výsledky", "Take the results";
    file_format: "Formát", "Format";
    file_header: "Hlavička", "Header";
    header_titles: "názvy", "titles";
    header_names: "mená členov API", "names of the API's members";
    header_both: "oboje v dvoch riadkoch", "both in two rows";
    file_columns: "Stĺpce", "Columns";
    file_columns_hint: "Oddelené čiarkou, napríklad ico,name,address. Bez nich všetky.", "Separated by commas, such as ico,name,address. Without them all.";
    download: "Stiahnuť", "Download";
    back_to_files: "Späť na súbory", "Back to the files";
    reload: "Obnoviť", "Reload";

    try_lead: "Volanie sa zaráta účtu tak ako volanie programu.", "The call is charged to the account like a call of a program.";
    ico: "IČO", "IČO";
    wrong_ico: "IČO má presne 8 číslic.", "An IČO has exactly 8 digits.";
    try_button: "Zavolať", "Call";
    answer: "Odpoveď", "Answer";
    charged: "Zaplatené kredity", "Credits charged";
    cut: "Odpoveď je dlhšia; tu je jej začiatok.", "The answer is longer; this is its beginning.";

    wrong_title: "Nič sa neuložilo. Opravte:", "Nothing was saved. Correct:";
    wrong_input: "Server údaje odmietol.", "The server refused the input.";
    wrong_name: "1 až 100 znakov na jednom riadku.", "1 to 100 characters on one line.";
    wrong_scopes: "Rozsah nie je známy.", "The scope is not known.";
    wrong_addresses: "Adresy alebo siete v tvare CIDR, najviac 20.", "Addresses or networks in CIDR form, at most 20.";
    wrong_last_day: "Dátum, najskôr dnešný.", "A date, today at the earliest.";
    wrong_role: "Účet musí mať vlastníka; urobte vlastníkom najprv niekoho iného.", "The account needs an owner; make another person owner first.";
    wrong_member: "Posledný vlastník sa nedá odobrať a prihlásený človek pozvánku nepotrebuje.", "The last owner cannot be removed, and a person who has signed in needs no invitation.";
    wrong_person: "Platná e-mailová adresa človeka, ktorý v účte ešte nie je.", "A valid e-mail address of a person who is not in the account yet.";
    wrong_thresholds: "Najviac 10 celých čísel od 1 do 100.", "At most 10 whole numbers from 1 to 100.";
    wrong_emails: "Najviac 10 platných adries; k hraniciam treba aspoň jednu.", "At most 10 valid addresses; thresholds need at least one.";
    wrong_ico_or_name: "IČO firmy s presne 8 číslicami.", "The IČO of a company, exactly 8 digits.";
    wrong_webhook: "Adresa https://, na ktorú smie server posielať. Treba webhook, e-mail alebo oboje.", "An https:// address to which the server may send. A webhook, an e-mail address or both are needed.";
    wrong_notified: "Najviac 20 platných e-mailových adries.", "At most 20 valid e-mail addresses.";
    wrong_kinds: "Druh udalosti nie je známy.", "The kind of event is not known.";
    wrong_file: "Súbor CSV alebo XLSX s IČO či názvami v rámci limitov servera a plánu.", "A CSV or XLSX file with IČO or names, within the limits of the server and the plan.";
    wrong_no_list: "Vyplňte zoznam alebo vyberte súbor.", "Fill in the list or choose a file.";
    wrong_file_size: "Súbor je väčší, než server dovoľuje.", "The file is larger than the server allows.";
    wrong_grace: "Celé číslo od 0 do 720.", "A whole number from 0 to 720.";
    wrong_subscription: "Príjemca webhook ukončil. Uložte jeho adresu znova.", "The receiver has ended the webhook. Save its address again.";
    wrong_delivery: "Práve sa odosiela, alebo sa sledovanie či príjemca skončili.", "It is being sent at this moment, or the subscription or receiver has ended.";
    wrong_day: "Deň, alebo nič.", "A day, or nothing.";
    wrong_columns: "Mená stĺpcov oddelené čiarkou.", "Names of columns, separated by commas.";
    wrong_overlap: "Celé číslo od 0 do 168.", "A whole number from 0 to 168.";
    wrong_token: "Tento formulár už bol odoslaný s inými údajmi. Skontrolujte ich a odošlite ho znova.", "This form was sent before with other values. Check them and send it again.";
    form: "Formulár", "Form";
    flash_signed_in: "Prihlásenie sa podarilo.", "You are signed in.";
    flash_key_changed: "Kľúč je zmenený.", "The key was changed.";
    flash_key_revoked: "Kľúč je zrušený.", "The key was revoked.";
    flash_invited: "Pozvánka je na ceste.", "The invitation is on its way.";
    flash_invited_without_email: "Človek je pozvaný, ale server nemôže poslať e-mail.", "The person is invited, but the server cannot send an e-mail.";
    flash_too_many_emails: "Na túto adresu už prišlo priveľa e-mailov. Skúste to o hodinu.", "The address had too many e-mails. Try again in an hour.";
    flash_role_changed: "Rola je zmenená.", "The role was changed.";
    flash_person_removed: "Človek je odobratý.", "The person was removed.";
    flash_plan_changed: "Účet je na novom pláne.", "The account is on the new plan.";
    flash_plan_not_offered: "Plán sa medzitým zmenil. Nič sa nestalo; porovnajte ho znova.", "The plan has changed meanwhile. Nothing was done; compare it again.";
    flash_alerts_changed: "Upozornenia sú uložené.", "The alerts were saved.";
    flash_watch_changed: "Sledovanie je uložené.", "The subscription was saved.";
    flash_watch_ended: "Sledovanie je ukončené.", "The subscription has ended.";
    flash_paused: "Webhook je pozastavený.", "The webhook is paused.";
    flash_resumed: "Webhook je obnovený.", "The webhook was resumed.";
    flash_resent: "Odoslania sú zaradené znova.", "The deliveries are queued again.";
    flash_resent_in_part: "Časť odoslaní je zaradená znova. Zvyšok pošlite neskôr, keď to limity dovolia.", "Some deliveries are queued again. Resend the others later, when the limits allow it.";
    flash_nothing_missed: "Nič nebolo treba poslať znova.", "There was nothing to resend.";
    flash_language_changed: "Jazyk e-mailov je zmenený.", "The language of e-mails was changed.";
}

/// The texts of a language.
pub(in crate::web) fn texts(language: Language) -> &'static Texts {
    language.pick(&SLOVAK, &ENGLISH)
}

impl Texts {
    pub(in crate::web) fn role(&self, role: MemberRole) -> &'static str {
        match role {
            MemberRole::Owner => self.role_owner,
            MemberRole::Developer => self.role_developer,
            MemberRole::Billing => self.role_billing,
            MemberRole::Read => self.role_read,
        }
    }
}

impl Texts {
    /// The state of a delivery, by the word of the API.
    pub(in crate::web) fn delivery_state(&self, word: &str) -> &'static str {
        match word {
            "delivered" => self.delivery_delivered,
            "failed" => self.delivery_failed,
            "cancelled" => self.delivery_cancelled,
            "held" => self.delivery_held,
            _ => self.delivery_waiting,
        }
    }

    /// The state of a webhook, by the word of the API.
    pub(in crate::web) fn webhook_state(&self, word: &str) -> &'static str {
        match word {
            "paused" => self.webhook_paused,
            "ended" => self.webhook_ended,
            _ => self.webhook_active,
        }
    }

    /// What became of a line of a list, by the words of the API.
    pub(in crate::web) fn line_outcome(&self, outcome: &str, reason: &str) -> &'static str {
        match (outcome, reason) {
            ("created", _) => self.outcome_created,
            ("updated", _) => self.outcome_updated,
            ("unchanged", _) => self.outcome_unchanged,
            (_, "empty") => self.rejected_empty,
            (_, "not_an_ico") => self.rejected_not_an_ico,
            (_, "check_digit") => self.rejected_check_digit,
            (_, "company_unknown") => self.rejected_company_unknown,
            (_, "name_unknown") => self.rejected_name_unknown,
            (_, "name_ambiguous") => self.rejected_name_ambiguous,
            (_, "duplicate") => self.rejected_duplicate,
            (_, "unreadable") => self.rejected_unreadable,
            (_, "plan_limit") => self.rejected_plan_limit,
            _ => self.rejected_failed,
        }
    }

    /// The state of a batch, by the word of the API.
    pub(in crate::web) fn batch_state(&self, word: &str) -> &'static str {
        match word {
            "pending" => self.file_pending,
            "processing" => self.file_processing,
            "failed" => self.file_failed,
            _ => self.file_completed,
        }
    }

    /// How a plan meters calls, by the word of the API; other words, such as a plan's name, stay.
    pub(in crate::web) fn metering<'a>(&self, word: &'a str) -> &'a str {
        match word {
            "credits" => self.metering_credits,
            "quota" => self.metering_quota,
            "unmetered" => self.metering_unmetered,
            other => other,
        }
    }

    /// The origin of credits, by the word of the API.
    pub(in crate::web) fn grant(&self, word: &str) -> &'static str {
        match word {
            "plan" => self.grant_plan,
            "rollover" => self.grant_rollover,
            "purchase" => self.grant_purchase,
            "refund" => self.grant_refund,
            _ => self.grant_adjustment,
        }
    }

    /// The kind of a ledger's entry, by the word of the API.
    pub(in crate::web) fn entry(&self, word: &str) -> &'static str {
        match word {
            "grant" => self.entry_grant,
            "charge" => self.entry_charge,
            "refund" => self.entry_refund,
            "expiry" => self.entry_expiry,
            "overage" => self.entry_overage,
            "overage-refund" => self.entry_overage_refund,
            _ => self.entry_adjustment,
        }
    }

    /// The label of a field of the API, and what is wanted there.
    pub(in crate::web) fn field(&self, name: &str) -> (&'static str, &'static str) {
        match name {
            "name" => (self.name, self.wrong_name),
            "scopes" => (self.scopes, self.wrong_scopes),
            "addresses" => (self.addresses, self.wrong_addresses),
            "last_day" => (self.last_day, self.wrong_last_day),
            "role" => (self.role, self.wrong_role),
            "member_id" => (self.tab_people, self.wrong_member),
            "email" => (self.email, self.wrong_person),
            "thresholds" => (self.thresholds, self.wrong_thresholds),
            "emails" => (self.emails, self.wrong_emails),
            "ico" => (self.ico, self.wrong_ico_or_name),
            "webhook_url" | "url" => (self.webhook_url, self.wrong_webhook),
            "notification_emails" => (self.notified, self.wrong_notified),
            "events" => (self.event_kinds, self.wrong_kinds),
            "file" | "icos" | "names" => (self.list_of_companies, self.wrong_file),
            "columns" => (self.file_columns, self.wrong_columns),
            "grace_hours" => (self.grace, self.wrong_grace),
            "from" | "to" => (self.at, self.wrong_day),
            "event" => (self.event, self.wrong_kinds),
            "scope" => (self.scopes, self.wrong_scopes),
            "subscription_id" => (self.webhook, self.wrong_subscription),
            "delivery_id" => (self.delivery, self.wrong_delivery),
            "overlap_hours" => (self.overlap, self.wrong_overlap),
            "Idempotency-Key" => (self.form, self.wrong_token),
            _ => (self.form, self.wrong_input),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_text_of_the_account_is_there_in_both_languages() {
        crate::web::texts::check(super::ALL);
    }
}
