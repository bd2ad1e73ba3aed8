//! The known members of the register's objects.

/// Of a list of ids.
pub const LIST: [&str; 3] = ["id", "existujeDalsieId", "pocetZostavajucichId"];
/// Of an accounting unit.
pub const UNIT: [&str; 21] = [
    "id",
    "ico",
    "dic",
    "sid",
    "nazovUJ",
    "mesto",
    "ulica",
    "psc",
    "datumZalozenia",
    "datumZrusenia",
    "pravnaForma",
    "skNace",
    "velkostOrganizacie",
    "druhVlastnictva",
    "kraj",
    "okres",
    "sidlo",
    "konsolidovana",
    "idUctovnychZavierok",
    "idVyrocnychSprav",
    "stav",
];
pub const STATEMENT: [&str; 19] = [
    "id",
    "idUJ",
    "nazovUJ",
    "ico",
    "dic",
    "obdobieOd",
    "obdobieDo",
    "datumPodania",
    "datumZostavenia",
    "datumZostaveniaK",
    "datumSchvalenia",
    "datumPrilozeniaSpravyAuditora",
    "typ",
    "konsolidovana",
    "konsolidovanaZavierkaUstrednejStatnejSpravy",
    "suhrnnaUctovnaZavierkaVerejnejSpravy",
    "nazovFondu",
    "leiKod",
    "idUctovnychVykazov",
];
pub const REPORT: [&str; 9] = [
    "id",
    "idUctovnejZavierky",
    "idVyrocnejSpravy",
    "idSablony",
    "mena",
    "kodDanovehoUradu",
    "pristupnostDat",
    "prilohy",
    "obsah",
];
/// Members that every object may have.
pub const ALWAYS: [&str; 3] = ["zdrojDat", "datumPoslednejUpravy", "stav"];
/// Of a report's file.
pub const ATTACHMENT: [&str; 7] = [
    "id",
    "meno",
    "mimeType",
    "velkostPrilohy",
    "pocetStran",
    "digest",
    "jazyk",
];
