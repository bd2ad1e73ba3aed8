//! A project: its row of the list, its detail, and the form in which it is stored.

use lustra_sdk::serde_json::Value;
use lustra_sdk::{Failure, Notes, malformed};
use serde::{Deserialize, Serialize};

use crate::subject::{Party, icos};
use crate::value::{Moment, Named, day, euros, line, list, members};

/// How a company takes part in a project, the closest way first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Recipient,
    Partner,
    Supplier,
}

/// The stored form of a project, from the point of view of one company. Amounts are in EUR.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub id: u64,
    pub code: String,
    pub name: String,
    pub role: Role,
    pub status: Option<String>,
    pub program: Option<String>,
    pub call_code: Option<String>,
    pub provider: Option<String>,
    pub recipient: Option<String>,
    pub recipient_ico: Option<String>,
    /// The regions of the list. The detail may have the municipality.
    pub place: Option<String>,
    pub in_progress: bool,
    pub completed: bool,
    pub suspended: bool,
    pub excluded_from_funding: bool,
    pub terminated_without_contribution: bool,
    pub contracted_total: Option<String>,
    pub contract_effective_at: Option<String>,
    pub started_at: Option<String>,
    /// The moment of the last change, in the register's form.
    pub updated_at: Option<String>,
    /// `None` until the detail was read.
    pub detail: Option<Detail>,
}

/// What only the detail of a project says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// The day on which it was read.
    pub read_on: String,
    /// The project's last change, as the list gave it when the detail was read.
    pub of: Option<String>,
    pub provider: Option<String>,
    pub place: Option<String>,
    pub contracted_nfp: Option<String>,
    pub disbursed: Option<String>,
    pub planned_end_at: Option<String>,
    /// The IČO of each supplier that has one.
    pub suppliers: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Call {
    kod: Option<String>,
    program: Option<Named>,
    poskytovatel: Option<Named>,
}

#[derive(Debug, Deserialize)]
struct Contract {
    #[serde(rename = "datumUcinnosti")]
    effective_at: Option<Moment>,
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
    #[serde(default, deserialize_with = "list")]
    miesto_realizacie: Vec<Named>,
    prijimatel: Party,
    #[serde(default, deserialize_with = "list")]
    partner: Vec<Party>,
    vrealizacii: bool,
    ukonceny: bool,
    realizacia_aktivit_pozastavena: bool,
    #[serde(rename = "mimoriadneUkoncenyNeprispel")]
    neprispel: bool,
    #[serde(rename = "vylucenyZFinancovania")]
    vyluceny: bool,
    zmluva_projekt: Option<Contract>,
    skutocna_realizacia_zaciatok: Option<Moment>,
    celkova_zazmluvnena_suma: Option<Value>,
    updated_at: Option<Value>,
}

/// The place of a project in a detail. Only the municipality is read.
#[derive(Debug, Deserialize)]
struct Place {
    nuts5: Option<Named>,
}

/// The members of a detail that are read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DetailRow {
    id: u64,
    kod: String,
    poskytovatel_organ: Option<Named>,
    #[serde(default, deserialize_with = "list")]
    miesto_realizacie_full: Vec<Place>,
    #[serde(default, deserialize_with = "list")]
    dodavatel: Vec<Party>,
    zazmluvnena_suma_nfp: Option<Value>,
    poskytnute_prostriedky: Option<Value>,
    planovana_realizacia_koniec: Option<Moment>,
}

/// Reads a row of the list. Returns the project from the recipient's point of view, and the IČO of its partners.
///
/// # Errors
/// [`Failure::Malformed`] without a member that every row has, or for a member of another form.
pub fn read(row: &Value, notes: &mut Notes) -> Result<(Project, Vec<String>), Failure> {
    let row: Row = members("project", row)?;
    let partners = icos(&row.partner, notes);
    let (program, provider, call_code) = match &row.vyzva {
        Some(call) => (
            name(call.program.as_ref()),
            name(call.poskytovatel.as_ref()),
            line(call.kod.as_ref()),
        ),
        None => (None, None, None),
    };
    let contract = row.zmluva_projekt.as_ref();
    let effective_at = contract.and_then(|contract| contract.effective_at.as_ref());
    let started_at = row.skutocna_realizacia_zaciatok.as_ref();
    let project = Project {
        id: row.id,
        code: row.kod,
        name: line(Some(&row.nazov)).unwrap_or_default(),
        role: Role::Recipient,
        status: line(row.stav.as_ref()),
        program,
        call_code,
        provider,
        recipient: row.prijimatel.name(),
        recipient_ico: row.prijimatel.ico(notes),
        place: places(row.miesto_realizacie.iter()),
        in_progress: row.vrealizacii,
        completed: row.ukonceny,
        suspended: row.realizacia_aktivit_pozastavena,
        excluded_from_funding: row.vyluceny,
        terminated_without_contribution: row.neprispel,
        contracted_total: euros(
            "celkovaZazmluvnenaSuma",
            row.celkova_zazmluvnena_suma.as_ref(),
        )?,
        contract_effective_at: day("zmluvaProjekt/datumUcinnosti", effective_at)?,
        started_at: day("skutocnaRealizaciaZaciatok", started_at)?,
        updated_at: row.updated_at.as_ref().map(Value::to_string),
        detail: None,
    };
    Ok((project, partners))
}

/// Reads the detail of a project.
///
/// # Errors
/// [`Failure::Malformed`] for a member of another form, and for the detail of another project.
pub fn read_detail(
    detail: &Value,
    of: &Project,
    read_on: &str,
    notes: &mut Notes,
) -> Result<Detail, Failure> {
    let detail: DetailRow = members("detail of a project", detail)?;
    if (detail.id, &detail.kod) != (of.id, &of.code) {
        let expected = format!("{} ({})", of.id, of.code);
        let found = format!("{} ({})", detail.id, detail.kod);
        return Err(malformed("detail of a project: /id", expected, found));
    }
    let mut suppliers = icos(&detail.dodavatel, notes);
    suppliers.sort();
    suppliers.dedup();
    let municipalities = detail.miesto_realizacie_full.iter();
    let planned_end_at = detail.planovana_realizacia_koniec.as_ref();
    Ok(Detail {
        read_on: read_on.to_owned(),
        of: of.updated_at.clone(),
        provider: name(detail.poskytovatel_organ.as_ref()),
        place: places(municipalities.filter_map(|place| place.nuts5.as_ref())),
        contracted_nfp: euros("zazmluvnenaSumaNfp", detail.zazmluvnena_suma_nfp.as_ref())?,
        disbursed: euros(
            "poskytnuteProstriedky",
            detail.poskytnute_prostriedky.as_ref(),
        )?,
        planned_end_at: day("planovanaRealizaciaKoniec", planned_end_at)?,
        suppliers,
    })
}

fn name(named: Option<&Named>) -> Option<String> {
    named.and_then(Named::name)
}

/// The names of places, each once, on one line.
fn places<'a>(places: impl Iterator<Item = &'a Named>) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for place in places.filter_map(Named::name) {
        if !names.contains(&place) {
            names.push(place);
        }
    }
    (!names.is_empty()).then(|| names.join(", "))
}
