//! The scope `tax`: numbers, VAT registration, and the VIES verdict on the IČ DPH.

use lustra_sdk::runtime::{self, Level};
use lustra_sdk::{Failure, Section, Subject, ico, serde_json};
use serde::{Deserialize, Serialize};

use crate::api;
use crate::lists::vat_payers::{self, VatPayer};
use crate::lists::{Dataset, income_tax_subjects, reliability};
use crate::settings::{self, ListSettings};
use crate::vies::{self, Verdict};
use lustra_sdk::calendar;
use lustra_sdk::unread::{self, Gap, Sources, Unread};

#[derive(Debug, Serialize)]
struct Tax {
    dic: Option<String>,
    ic_dph: Option<String>,
    /// Null if no source could be read, or if the kind of registration is unknown.
    is_vat_payer: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vies_valid: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vies_verified_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registered_since: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<Unread>,
}

/// The VIES verdict in the stored section.
#[derive(Debug, Deserialize)]
struct Previous {
    ic_dph: Option<String>,
    vies_valid: Option<bool>,
    vies_verified_at: Option<String>,
}

/// The VAT registration of a company.
enum Registration {
    /// No source could be read.
    Unknown,
    /// The list or the API was read. `None`: not registered.
    Known(Option<VatPayer>),
}

/// Builds the section.
///
/// # Errors
/// The host's refusal, and settings of another shape.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    let mut sources = Sources::default();
    let registration = registration(&subject.ico, &mut sources)?;
    let (is_known, payer) = match registration {
        Registration::Unknown => (false, None),
        Registration::Known(payer) => (true, payer),
    };
    let is_vat_payer = match &payer {
        Some(payer) => is_vat_payer(payer, &mut sources),
        None => is_known.then_some(false),
    };
    let dic = dic(&subject.ico, payer.as_ref(), &mut sources)?;
    let verified = match &payer {
        Some(payer) => vies_verdict(payer, subject, &mut sources)?,
        None => None,
    };
    let (vies_valid, vies_verified_at) = verified.unzip();
    let (ic_dph, registration_type, registered_since) = match payer {
        Some(payer) => (
            Some(payer.ic_dph),
            payer.registration_type,
            payer.registered_since,
        ),
        None => (None, None, None),
    };
    let tax = Tax {
        dic,
        ic_dph,
        is_vat_payer,
        vies_valid,
        vies_verified_at,
        registration_type,
        registered_since,
        unread: sources.unread.clone(),
    };
    sources.section(&tax)
}

/// The registration from the imported list, else from the API if the operator has a key.
fn registration(ico: &str, sources: &mut Sources) -> Result<Registration, Failure> {
    let Some(mut missing) = unread::of_dataset(Dataset::VatPayers.id())? else {
        return Ok(Registration::Known(vat_payers::foremost(
            vat_payers::of_company(ico)?,
        )));
    };
    // The API searches for any text, so send it only valid IČO.
    if let Some(key) = settings::api_key()?.filter(|_| ico::parse(ico).as_deref() == Some(ico)) {
        let list = ListSettings::of(Dataset::VatPayers)?;
        let (dic, _) = listed_dic(ico)?;
        let wanted = api::Wanted {
            ico,
            dic: dic.as_deref(),
        };
        match api::vat_payers(wanted, &key, &list) {
            Ok((payers, evidence)) => {
                sources.evidence.extend(evidence);
                return Ok(Registration::Known(vat_payers::foremost(payers)));
            }
            Err(failure) => {
                let why = format!("{}: {}", api::UPSTREAM, unread::why(&failure));
                missing.why = Gap::Several(vec![missing.why, Gap::partly(why)]);
            }
        }
    }
    sources.unread.push(missing);
    Ok(Registration::Unknown)
}

fn is_vat_payer(payer: &VatPayer, sources: &mut Sources) -> Option<bool> {
    let known = payer.is_full_payer();
    if known.is_none() {
        let kind = payer.registration_type.as_deref().unwrap_or("none");
        let gap = Gap::partly(format!("the kind of the registration is not known: {kind}"));
        sources
            .unread
            .push(gap.unread(Dataset::VatPayers.id(), None));
    }
    known
}

/// The DIČ from the list of income-tax subjects, else from the reliability index, else from the IČ DPH.
fn dic(
    ico: &str,
    payer: Option<&VatPayer>,
    sources: &mut Sources,
) -> Result<Option<String>, Failure> {
    let (listed, unread) = listed_dic(ico)?;
    let dic = listed.or_else(|| payer.and_then(VatPayer::dic));
    // An unread list matters only if it could have contained the number.
    if dic.is_none() {
        sources.unread.extend(unread);
    }
    Ok(dic)
}

/// The DIČ of a company from imported lists, and the lists that were unread.
fn listed_dic(ico: &str) -> Result<(Option<String>, Vec<Unread>), Failure> {
    let income_tax = unread::of_dataset(Dataset::IncomeTaxSubjects.id())?;
    if income_tax.is_none() {
        let subjects: Vec<income_tax_subjects::Subject> =
            Dataset::IncomeTaxSubjects.of_company(ico)?;
        if let Some(subject) = subjects.into_iter().next() {
            return Ok((Some(subject.dic), Vec::new()));
        }
    }
    let reliability = unread::of_dataset(Dataset::Reliability.id())?;
    let mut dic = None;
    if reliability.is_none() {
        let ratings: Vec<reliability::Rating> = Dataset::Reliability.of_company(ico)?;
        dic = ratings.into_iter().find_map(|rating| rating.dic);
    }
    Ok((dic, income_tax.into_iter().chain(reliability).collect()))
}

/// The verdict and its time. `None` with a reason in `unread` if there is no verdict; `None` alone for a number
/// that VIES is not queried for.
fn vies_verdict(
    payer: &VatPayer,
    subject: &Subject,
    sources: &mut Sources,
) -> Result<Option<(bool, String)>, Failure> {
    let settings = settings::Vies::read()?;
    let Some(number) = vies::number(&payer.ic_dph, &settings.member_state) else {
        return Ok(None);
    };
    let now = runtime::now();
    if let Some(kept) = kept(
        subject.previous.as_deref(),
        &payer.ic_dph,
        &now,
        settings.cache_days,
    ) {
        return Ok(Some(kept));
    }
    let why = match vies::ask(&settings.member_state, number) {
        Ok((verdict, evidence)) => {
            sources.evidence.push(evidence);
            match verdict {
                Verdict::Valid => return Ok(Some((true, runtime::now()))),
                Verdict::Invalid => return Ok(Some((false, runtime::now()))),
                Verdict::Unknown(code) => Gap::Partly(code),
            }
        }
        // The other facts are valid without VIES, so its failure is only reported as unread.
        Err(failure) => {
            let why = Gap::Failed(failure);
            runtime::log(
                Level::Warn,
                &format!("{} returned no verdict: {why}", vies::UPSTREAM),
            );
            why
        }
    };
    sources.unread.push(Unread {
        source: vies::UPSTREAM.to_owned(),
        since: None,
        why,
    });
    Ok(None)
}

/// The verdict in the stored section, if it is about the same number and recent enough.
fn kept(previous: Option<&str>, ic_dph: &str, now: &str, days: u32) -> Option<(bool, String)> {
    let previous: Previous = serde_json::from_str(previous?).ok()?;
    let verified_at = previous.vies_verified_at?;
    let is_good =
        previous.ic_dph.as_deref() == Some(ic_dph) && calendar::is_younger(&verified_at, now, days);
    is_good.then_some((previous.vies_valid?, verified_at))
}
