//! The registers of Lustra's tests, benchmarks and demo: a server that serves the upstream formats for a synthetic
//! population of any size. Days can be advanced, and faults can be injected into each register.
//!
//! It shares no code with the connectors. No company or person in it is real.
//!
//! # The showcase
//!
//! The first twelve companies are written by hand and the same for every seed:
//!
//! | index | IČO | what it shows |
//! | --- | --- | --- |
//! | 0 | 99999994 | s.r.o.; two shareholders, one of them company 1; officer with titles before and after the name; VAT payer (§4) with three accounts, one of them Austrian; highly reliable; former name and seat |
//! | 1 | 99999986 | a.s. with board, supervisory board, procurist, shares and a single shareholder; reliable; former seat; main activity in the old classification |
//! | 2 | 99999978 | payer with published reasons for deregistration (`ds_dphz`), still registered; least reliable; on one debtor list; extract with the labels of 2020 |
//! | 3 | 99999960 | sole trader outside the commercial register; not registered for VAT; suspended trades, and one that ended; the row with the year 1800; an insolvency administrator |
//! | 4 | 99999951 | ended: merged into company 1, every item closed |
//! | 5 | 99999943 | in liquidation (visible only in the name); on all five debtor lists, amounts with thousands; not registered for VAT |
//! | 6 | 00000124 | cooperative with a zero-led IČO and two records in the register of legal persons |
//! | 7 | 99999927 | registered under §7a only; quotes, umlauts and `&` in the name; foreign officer and shareholder |
//! | 8 | 99999919 | a.s. that is a VAT group (§4b), whose number is not its tax number |
//! | 9 | 99999901 | erased from VAT (`ds_dphv`) with year and reason |
//! | 10 | 99999897 | file moved between courts: a stale row in the search, doubled rows in the register of legal persons |
//! | 11 | 99999889 | v.o.s. with company 0 as partner; the number for which VIES answers `MS_UNAVAILABLE` |
//!
//! Companies 8 and 9, of different courts, share the `ID` of their extracts: only `SID` distinguishes them. Every other
//! `ID` belongs to one company.
//!
//! # The script
//!
//! [`script`] contains this table. Each kind of change happens to some company within twenty days.
//!
//! | day | company | what happens |
//! | --- | --- | --- |
//! | 1 | 0 | `officer-replaced` |
//! | 2 | 1 | `seat-moved` |
//! | 3 | 2 | `debtor-appeared-socpoist` |
//! | 3 | 6 | `debtor-appeared-tax` |
//! | 4 | 0 | `capital-raised` |
//! | 4 | 7 | `vat-registered` |
//! | 4 | 8 | `debtor-appeared-vszp` |
//! | 5 | 10 | `liquidation-entered` |
//! | 5 | 3 | `activity-added` |
//! | 5 | 5 | `debtor-amount-changed-socpoist` |
//! | 5 | 9 | `debtor-appeared-dovera` |
//! | 6 | 2 | `vat-erased` |
//! | 6 | 8 | `reliability-changed` |
//! | 6 | 5 | `debtor-amount-changed-tax` |
//! | 6 | 11 | `debtor-appeared-union` |
//! | 6 | 11 | `administrator-struck-off` |
//! | 7 | 5 | `debtor-cleared-tax` |
//! | 7 | 5 | `debtor-cleared-vszp` |
//! | 7 | 5 | `debtor-amount-changed-union` |
//! | 7 | 0 | `account-added` |
//! | 8 | 11 | `officer-joined` |
//! | 8 | 7 | `name-changed` |
//! | 8 | 5 | `debtor-amount-changed-dovera` |
//! | 9 | 1 | `vat-reasons-published` |
//! | 9 | 11 | `officer-left` |
//! | 9 | 0 | `shareholder-replaced` |
//! | 9 | 5 | `debtor-cleared-socpoist` |
//! | 9 | 8 | `debtor-amount-changed-vszp` |
//! | 9 | 5 | `debtor-cleared-union` |
//! | 9 | 5 | `debtor-cleared-dovera` |
//! | 10 | 9 | `bankruptcy-declared` |
//! | 10 | 5 | `terminated` |
//! | 10 | 3 | `trade-resumed` |
//! | 11 | 0 | `contract-published` |
//! | 11 | 8 | `supervision-granted` |
//! | 12 | 0 | `tender-won` |
//! | 12 | 6 | `contact-changed` |
//! | 12 | 11 | `establishment-approved` |
//! | 13 | 1 | `statement-filed` |
//! | 13 | 2 | `execution-authorized` |
//! | 14 | 2 | `insolvency-opened` |
//! | 14 | 3 | `trade-suspended` |
//! | 15 | 10 | `notice-published` |
//! | 15 | 0 | `owner-replaced` |
//! | 16 | 11 | `partner-registered` |
//! | 16 | 11 | `illegal-employment-fined` |
//! | 16 | 8 | `listed-by-union` |
//! | 16 | 7 | `lei-lapsed` |
//! | 16 | 7 | `debarred` |
//! | 17 | 1 | `partner-erased` |
//! | 17 | 11 | `establishment-withdrawn` |
//! | 17 | 8 | `taxes-published` |
//! | 17 | 2 | `listed-by-united-states` |
//! | 17 | 0 | `lei-parent-replaced` |
//! | 17 | 3 | `supplier-entered` |
//! | 18 | 2 | `execution-ended` |
//! | 18 | 6 | `relief-claimed` |
//! | 18 | 7 | `lei-renewed` |
//! | 18 | 9 | `reference-made` |
//! | 18 | 10 | `profile-made` |
//! | 18 | 3 | `trade-ended` |
//! | 19 | 2 | `insolvency-ended` |
//! | 19 | 11 | `illegal-employment-erased` |
//! | 19 | 8 | `delisted` |
//! | 19 | 6 | `union-notice-published` |
//! | 19 | 8 | `decision-published` |
//! | 19 | 7 | `debarment-lifted` |
//! | 20 | 8 | `supervision-ended` |
//! | 20 | 10 | `project-published` |
//! | 20 | 11 | `funds-contracted` |
//! | 20 | 6 | `administrator-registered` |
//! | 20 | 3 | `supplier-struck-off` |
//! | 20 | 7 | `legal-form-changed` |
//!
//! All other companies change without a script, about one in 480 on any day.
//!
//! # Addresses
//!
//! | prefix | stands for |
//! | --- | --- |
//! | `/rpo` | `https://api.statistics.sk/rpo/v1` |
//! | `/rpo-dumps` | the bucket with the exports of the register of legal persons |
//! | `/orsr` | `https://www.orsr.sk` |
//! | `/fs-reports` | `https://report.financnasprava.sk` |
//! | `/fs-api` | `https://iz.opendata.financnasprava.sk/api`, key `demo-key` |
//! | `/vies` | `https://ec.europa.eu/taxation_customs/vies/rest-api` |
//! | `/socpoist` | `https://www.socpoist.sk` |
//! | `/vszp` | `https://www.vszp.sk` |
//! | `/union` | `https://portal.unionzp.sk`, user and password `demo` |
//! | `/dovera` | `https://www.dovera.sk` |
//! | `/operator-files` | files that an operator would supply |
//! | `/crz` | `https://www.crz.gov.sk` |
//! | `/data-portal` | `https://data.slovensko.sk` |
//! | `/datahub` | `https://datahub.ekosystem.slovensko.digital` |
//! | `/rpvs` | `https://rpvs.gov.sk/opendatav2` |
//! | `/obcan-justice` | `https://obcan.justice.sk`; also the list of insolvency administrators, as it is assumed |
//! | `/nbs` | `https://subjekty.nbs.sk` |
//! | `/eu-fsf` | `https://webgate.ec.europa.eu` |
//! | `/ofac` | `https://sanctionslistservice.ofac.treas.gov` |
//! | `/ruz` | `https://www.registeruz.sk/cruz-public` |
//! | `/replik` | `https://replik-ws.justice.sk` |
//! | `/svps` | `https://zoznamy.svps.sk` |
//! | `/ip` | `https://www.ip.gov.sk` |
//! | `/ted` | `https://api.ted.europa.eu/v3` |
//! | `/gleif` | `https://api.gleif.org/api/v1` |
//! | `/crp` | `https://www.crp.gov.sk` |
//! | `/itms21` | `https://api.itms21.sk` |
//! | `/uvo` | `https://www.uvo.gov.sk` |
//! | `/licences` | an invented register for the guide of connectors' authors: `?ico=…`, JSON |
//! | `/control` | the simulator itself: `advance`, `fault`, `change`, `state`, `company/{ico}` |

pub mod population;

mod bodies;
mod clock;
mod connections;
mod control;
mod faults;
mod registers;
mod selections;
mod simulator;

pub use clock::SimulatedClock;
pub use faults::{Fault, Register};
pub use population::{ChangeKind, Company, Population, ScriptedChange, script};
pub use simulator::{Options, Simulator, router};

use faults::Faults;
use selections::Selections;

/// The state shared by all request handlers.
#[derive(Debug)]
struct World {
    population: Population,
    clock: SimulatedClock,
    faults: Faults,
    selections: Selections,
}
