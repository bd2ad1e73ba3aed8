//! The dataset `applications`: applications for a grant that were approved or rejected. Others are not published.

use std::collections::BTreeMap;

use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Item, Notes, malformed, records};
use serde::{Deserialize, Serialize};

use crate::subject::Party;
use crate::sweep::{self, List, Rows, Step};
use crate::value::{Moment, day, euros, line, list};

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
    let row = Row::deserialize(row)
        .map_err(|error| malformed("application", "its members", error.to_string()))?;
    let partners = row.partner.iter();
    let partners = partners.filter_map(|partner| partner.ico(notes)).collect();
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
            subject: "ziadatel",
            prefix: "",
        }]
    }

    fn records(&mut self, _list: usize, row: &Value, notes: &mut Notes) -> Result<Step, Failure> {
        let (application, partners) = read(row, notes)?;
        let mut roles: BTreeMap<String, Role> = BTreeMap::new();
        // A later insertion replaces an earlier one, so that the closest role is kept.
        roles.extend(partners.into_iter().map(|ico| (ico, Role::Partner)));
        let applicant = application.applicant_ico.clone();
        roles.extend(applicant.map(|ico| (ico, Role::Applicant)));
        let of_company = |(ico, role): (&String, &Role)| {
            let own = Application {
                role: *role,
                ..application.clone()
            };
            records::item(sweep::key("", own.id, ico), Some(ico), &own)
        };
        let items: Vec<Item> = roles.iter().map(of_company).collect::<Result<_, _>>()?;
        Ok(Step::Done(items))
    }
}
