//! The dataset `applications`: applications for a grant that were approved or rejected. Others are not published.

use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Notes};
use serde::{Deserialize, Serialize};

use crate::subject::{Party, icos};
use crate::sweep::{self, List, Rows, Step, Time};
use crate::value::{Moment, day, euros, line, list, members};

/// How a company takes part in an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Applicant,
    Partner,
}

/// The stored form of an application, from the point of view of one company. Amounts are in EUR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    pub id: u64,
    pub code: String,
    pub name: String,
    pub role: Role,
    pub status: Option<String>,
    pub call_code: Option<String>,
    pub call_name: Option<String>,
    pub applicant: Option<String>,
    pub applicant_ico: Option<String>,
    pub approved: bool,
    pub rejected: bool,
    pub excluded_from_funding: bool,
    pub requested_nfp: Option<String>,
    pub requested_total: Option<String>,
    pub approved_nfp: Option<String>,
    pub approved_total: Option<String>,
    pub submitted_at: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Call {
    kod: Option<String>,
    #[serde(rename = "nazovSk")]
    nazov: Option<String>,
}

/// The members of a row that are read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: u64,
    kod: String,
    nazov: String,
    stav: Option<String>,
    vyzva: Option<Call>,
    ziadatel: Party,
    #[serde(default, deserialize_with = "list")]
    partner: Vec<Party>,
    schvalena: bool,
    neschvalena: bool,
    #[serde(rename = "vylucenaZFinancovania")]
    vylucena: bool,
    #[serde(rename = "sumaZiadanaNFP")]
    ziadana_nfp: Option<Value>,
    suma_ziadana_celkova: Option<Value>,
    #[serde(rename = "sumaSchvalenaNFP")]
    schvalena_nfp: Option<Value>,
    suma_schvalena_celkova: Option<Value>,
    datum_predlozenia: Option<Moment>,
}

/// Reads a row of the list. Returns the application from the applicant's point of view, and the IČO of its partners.
///
/// # Errors
/// [`Failure::Malformed`] without a member that every row has, or for a member of another form.
pub fn read(row: &Value, notes: &mut Notes) -> Result<(Application, Vec<String>), Failure> {
    let row: Row = members("application", row)?;
    let partners = icos(&row.partner, notes);
    let call = row.vyzva.as_ref();
    let application = Application {
        id: row.id,
        code: row.kod,
        name: line(Some(&row.nazov)).unwrap_or_default(),
        role: Role::Applicant,
        status: line(row.stav.as_ref()),
        call_code: call.and_then(|call| line(call.kod.as_ref())),
        call_name: call.and_then(|call| line(call.nazov.as_ref())),
        applicant: row.ziadatel.name(),
        applicant_ico: row.ziadatel.ico(notes),
        approved: row.schvalena,
        rejected: row.neschvalena,
        excluded_from_funding: row.vylucena,
        requested_nfp: euros("sumaZiadanaNFP", row.ziadana_nfp.as_ref())?,
        requested_total: euros("sumaZiadanaCelkova", row.suma_ziadana_celkova.as_ref())?,
        approved_nfp: euros("sumaSchvalenaNFP", row.schvalena_nfp.as_ref())?,
        approved_total: euros("sumaSchvalenaCelkova", row.suma_schvalena_celkova.as_ref())?,
        submitted_at: day("datumPredlozenia", row.datum_predlozenia.as_ref())?,
    };
    Ok((application, partners))
}

/// Reads the list of applications.
pub struct Applications;

impl Rows for Applications {
    fn lists(&self) -> Vec<List> {
        vec![List {
            path: "zonfp".to_owned(),
            subjects: &["ziadatel", "partner"],
            prefix: "",
        }]
    }

    fn records(
        &mut self,
        _list: usize,
        row: &Value,
        _time: Time,
        notes: &mut Notes,
    ) -> Result<Step, Failure> {
        let (application, partners) = read(row, notes)?;
        let partners = partners.into_iter().map(|ico| (ico, Role::Partner));
        let applicant = application.applicant_ico.clone();
        let roles = partners.chain(applicant.map(|ico| (ico, Role::Applicant)));
        let own = |role| Application {
            role,
            ..application.clone()
        };
        sweep::records_by_role(application.id, roles, own).map(Step::Done)
    }
}
