//! The scope `itms21`: a company's European funds of the period 2021 to 2027. Needs no network.

use std::cmp::Reverse;

use lustra_sdk::records::{self, DatasetState};
use lustra_sdk::serde_json::{Value, json};
use lustra_sdk::unread::{self, Gap, Sources, Unread};
use lustra_sdk::{Failure, Section, Subject, calendar, ico, runtime};
use serde::de::DeserializeOwned;

use crate::application::{self, Application};
use crate::debt::{self, Debt, pairs};
use crate::gaps;
use crate::names::{APPLICATIONS, IRREGULARITIES, PROCUREMENT, PROJECT_DETAILS, PROJECTS};
use crate::procurement::{self, Entry};
use crate::project::{self, Project};
use crate::settings::Settings;
use crate::value::{CURRENCY, number, sum};

/// How many of the newest projects and applications are shown.
const LATEST: usize = 25;

/// What is said of rows whose company could not be read.
const UNREADABLE: &str = "rows that name no readable company";

/// Builds the section of a company.
///
/// # Errors
/// [`Failure::Unavailable`] if neither list was imported, unless the operator switched both off;
/// [`Failure::Malformed`] for records of another version; the host's refusal.
pub fn section(subject: &Subject) -> Result<Section, Failure> {
    ico::required(&subject.ico, "projects")?;
    let settings = Settings::read()?;
    let mut sources = Sources::default();
    let states = [records::state(PROJECTS)?, records::state(APPLICATIONS)?];
    let [of_projects, of_applications] = &states;
    let projects: Option<Vec<Project>> =
        stored(PROJECTS, of_projects, subject, &settings, &mut sources)?;
    let applications: Option<Vec<Application>> = stored(
        APPLICATIONS,
        of_applications,
        subject,
        &settings,
        &mut sources,
    )?;
    let is_off = states.iter().all(|state| state.off);
    if projects.is_none() && applications.is_none() && !is_off {
        let missing = sources.unread.iter().map(Unread::of_its_dataset);
        return Err(Failure::Unavailable(missing.collect::<Vec<_>>().join("; ")));
    }
    let unread_details = unread_details(projects.as_deref())?;
    sources.unread.extend(in_part(
        PROJECT_DETAILS,
        unread_details,
        "details of projects were not read yet",
    ));
    if applications.is_some() {
        let gaps = gaps::count(APPLICATIONS)?;
        sources
            .unread
            .extend(in_part(APPLICATIONS, gaps, UNREADABLE));
    }
    let of_debts = records::state(IRREGULARITIES)?;
    let debts: Option<Vec<Debt>> =
        stored(IRREGULARITIES, &of_debts, subject, &settings, &mut sources)?;
    let of_procurement = records::state(PROCUREMENT)?;
    let entries: Option<Vec<Entry>> = stored(
        PROCUREMENT,
        &of_procurement,
        subject,
        &settings,
        &mut sources,
    )?;
    if debts.is_some() {
        let gaps = gaps::count(IRREGULARITIES)?;
        sources
            .unread
            .extend(in_part(IRREGULARITIES, gaps, UNREADABLE));
    }
    let debts = debts.unwrap_or_default();
    let unknown = debt::unknown_states(&debts, &settings);
    let what = "states of irregularities are not known; these entries count as open";
    sources
        .unread
        .extend(in_part(IRREGULARITIES, unknown as u64, what));
    let suspected = pairs::of(&debts, &settings).suspected.len();
    let what = "receivables name no irregularity and may follow from one of the company; totals leave them out";
    sources
        .unread
        .extend(in_part(IRREGULARITIES, suspected as u64, what));
    if entries.is_some() {
        let what = "contracts or buyers were not given";
        let gaps = gaps::count(PROCUREMENT)?;
        sources.unread.extend(in_part(PROCUREMENT, gaps, what));
    }
    let mut content = json!({
        "projects": of_project_list(projects.unwrap_or_default(), &settings)?,
        "applications": of_application_list(applications.unwrap_or_default(), &settings)?,
        "irregularities": debt::block(debts, &settings)?,
        "procurement": procurement::block(&entries.unwrap_or_default())?,
    });
    if !sources.unread.is_empty() {
        content["unread"] = json!(sources.unread);
    }
    sources.section(&content)
}

/// How many details of projects were not read: those of the company's projects, or of others that may name it as a
/// supplier.
fn unread_details(projects: Option<&[Project]>) -> Result<u64, Failure> {
    let Some(projects) = projects else {
        return Ok(0);
    };
    let own = projects.iter().filter(|one| one.detail.is_none()).count();
    Ok(gaps::count(PROJECTS)?.max(own as u64))
}

/// The entry of a source that was read in part. `None` if `count` is 0.
fn in_part(source: &str, count: u64, what: &str) -> Option<Unread> {
    (count > 0).then(|| Gap::InPart(format!("{count} {what}")).unread(source, None))
}

/// The records of a company in a list. `None` if the list is not usable; `sources` then says so.
fn stored<T: DeserializeOwned>(
    dataset: &str,
    state: &DatasetState,
    subject: &Subject,
    settings: &Settings,
    sources: &mut Sources,
) -> Result<Option<Vec<T>>, Failure> {
    if let Some(missing) = unread::of_state(dataset, state) {
        sources.unread.push(missing);
        return Ok(None);
    }
    let today = runtime::today();
    let read = state.list_date.as_deref();
    let age = read.and_then(|day| calendar::days_between(day, &today));
    if age.is_none_or(|days| days > settings.stale_after_days) {
        sources.unread.push(Unread {
            source: dataset.to_owned(),
            since: read.map(str::to_owned),
            why: Gap::Behind("the newest reading is old".to_owned()),
        });
    }
    let mut entries = Vec::new();
    let mut is_odd = false;
    for stored in records::all_of_company(dataset, &subject.ico)? {
        if records::is_unreadable_row(&stored) {
            is_odd = true;
        } else {
            entries.push(records::content(&stored)?);
        }
    }
    if is_odd {
        sources.unread.push(Unread::of_odd_row(dataset));
    }
    Ok(Some(entries))
}

/// The block `projects`. Totals are those of projects with the company as the recipient: the amounts of a project are
/// not divided among its partners and suppliers.
fn of_project_list(mut projects: Vec<Project>, settings: &Settings) -> Result<Value, Failure> {
    let own = || {
        let is_own = |one: &&Project| one.role == project::Role::Recipient;
        projects.iter().filter(is_own)
    };
    let contracted = sum(own().filter_map(|one| one.contracted_total.as_deref()))?;
    let details = own().filter_map(|one| one.detail.as_ref());
    let disbursed = sum(details.filter_map(|detail| detail.disbursed.as_deref()))?;
    let is_negative =
        |one: &&Project| one.excluded_from_funding || one.terminated_without_contribution;
    let negative = projects.iter().filter(is_negative).count();
    let count = projects.len();
    projects.sort_by_cached_key(|one| Reverse((dated(one).map(str::to_owned), one.id)));
    let latest = projects.iter().take(LATEST);
    let latest = latest.map(|one| shown_project(one, settings));
    Ok(json!({
        "count": count,
        "total_contracted": contracted,
        "total_disbursed": disbursed,
        "currency": CURRENCY,
        "negative_outcomes": negative,
        "latest": latest.collect::<Result<Vec<_>, _>>()?,
    }))
}

/// The day by which projects are sorted.
fn dated(project: &Project) -> Option<&str> {
    let days = [&project.contract_effective_at, &project.started_at];
    days.into_iter().find_map(Option::as_deref)
}

fn shown_project(project: &Project, settings: &Settings) -> Result<Value, Failure> {
    let detail = project.detail.as_ref();
    let provider = detail.and_then(|detail| detail.provider.as_ref());
    let place = detail.and_then(|detail| detail.place.as_ref());
    let nfp = detail.and_then(|detail| detail.contracted_nfp.as_ref());
    let disbursed = detail.and_then(|detail| detail.disbursed.as_ref());
    Ok(json!({
        "code": project.code,
        "name": project.name,
        "role": project.role,
        "status": project.status,
        "program": project.program,
        "call_code": project.call_code,
        "provider": provider.or(project.provider.as_ref()),
        "recipient": project.recipient,
        "recipient_ico": project.recipient_ico,
        "place": place.or(project.place.as_ref()),
        "in_progress": project.in_progress,
        "completed": project.completed,
        "suspended": project.suspended,
        "excluded_from_funding": project.excluded_from_funding,
        "terminated_without_contribution": project.terminated_without_contribution,
        "contracted_total": number(project.contracted_total.as_ref())?,
        "contracted_nfp": number(nfp)?,
        "disbursed": number(disbursed)?,
        "contract_effective_at": project.contract_effective_at,
        "started_at": project.started_at,
        "planned_end_at": detail.and_then(|detail| detail.planned_end_at.as_ref()),
        "detail_url": settings.project_url.replace("{id}", &project.id.to_string()),
    }))
}

/// The block `applications`. Totals are those of applications with the company as the applicant.
fn of_application_list(
    mut applications: Vec<Application>,
    settings: &Settings,
) -> Result<Value, Failure> {
    let own = || {
        let is_own = |one: &&Application| one.role == application::Role::Applicant;
        applications.iter().filter(is_own)
    };
    let requested = sum(own().filter_map(|one| one.requested_nfp.as_deref()))?;
    let granted = sum(own().filter_map(|one| one.approved_nfp.as_deref()))?;
    let approved = applications.iter().filter(|one| one.approved).count();
    let rejected = applications.iter().filter(|one| one.rejected).count();
    let count = applications.len();
    applications.sort_by_cached_key(|one| Reverse((one.submitted_at.clone(), one.id)));
    let latest = applications.iter().take(LATEST);
    let latest = latest.map(|one| shown_application(one, settings));
    Ok(json!({
        "count": count,
        "approved": approved,
        "rejected": rejected,
        "total_requested_nfp": requested,
        "total_approved_nfp": granted,
        "currency": CURRENCY,
        "latest": latest.collect::<Result<Vec<_>, _>>()?,
    }))
}

fn shown_application(one: &Application, settings: &Settings) -> Result<Value, Failure> {
    Ok(json!({
        "code": one.code,
        "name": one.name,
        "role": one.role,
        "status": one.status,
        "call_code": one.call_code,
        "call_name": one.call_name,
        "applicant": one.applicant,
        "applicant_ico": one.applicant_ico,
        "approved": one.approved,
        "rejected": one.rejected,
        "excluded_from_funding": one.excluded_from_funding,
        "requested_nfp": number(one.requested_nfp.as_ref())?,
        "requested_total": number(one.requested_total.as_ref())?,
        "approved_nfp": number(one.approved_nfp.as_ref())?,
        "approved_total": number(one.approved_total.as_ref())?,
        "submitted_at": one.submitted_at,
        "detail_url": settings.application_url.replace("{id}", &one.id.to_string()),
    }))
}
