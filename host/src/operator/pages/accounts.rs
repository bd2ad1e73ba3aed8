//! Accounts: plan, credits, keys and people, for support. Nothing is changed, and no secret is shown.

use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::Response;
use time::OffsetDateTime;

use super::texts::Texts;
use super::{Frame, Problem, page, time_of};
use crate::billing::Customer;
use crate::language::Language;
use crate::operator::OperatorState;
use crate::store::{Account, AccountBalance, AccountId, Grant, Member, OwnedKey};
use crate::web::{Reader, number, parameter};

/// Accounts of a list. A longer beginning of the name finds the others.
const ACCOUNTS: u32 = 100;

struct AccountRow {
    id: AccountId,
    name: String,
    plan: String,
    created: String,
}

#[derive(Template)]
#[template(path = "operator/accounts.html")]
struct AccountsPage {
    frame: Frame,
    t: &'static Texts,
    name: String,
    accounts: Vec<AccountRow>,
    is_cut: bool,
    /// Plan and number of its accounts.
    plans: Vec<(String, String)>,
}

struct GrantRow {
    kind: &'static str,
    remaining: String,
    granted: String,
    ends: String,
}

struct KeyRow {
    name: String,
    prefix: String,
    is_valid: bool,
    manages: bool,
    limits: String,
    last_used: String,
}

struct PersonRow {
    email: String,
    role: &'static str,
    joined: String,
}

#[derive(Template)]
#[template(path = "operator/account.html")]
struct AccountPage {
    frame: Frame,
    t: &'static Texts,
    facts: Vec<(&'static str, String)>,
    grants: Vec<GrantRow>,
    keys: Vec<KeyRow>,
    people: Vec<PersonRow>,
}

/// `GET /accounts`; `name` is the beginning of the name.
pub(super) async fn accounts(
    State(state): State<OperatorState>,
    RawQuery(query): RawQuery,
    reader: Reader,
) -> Result<Response, Problem> {
    let language = reader.language;
    let name = parameter(&query.unwrap_or_default(), "name").unwrap_or_default();
    let keys = state.context.store.keys();
    let found = keys.find_accounts(name.trim(), ACCOUNTS).await?;
    let plans = keys.count_accounts().await?.into_iter();
    let frame = Frame::new(&state, &reader, super::texts(language).accounts);
    let row = |account: Account| AccountRow {
        created: time_of(account.created_at, language),
        id: account.id,
        name: account.name,
        plan: account.plan,
    };
    let template = AccountsPage {
        t: frame.t,
        frame,
        is_cut: u32::try_from(found.len()).is_ok_and(|found| found == ACCOUNTS),
        accounts: found.into_iter().map(row).collect(),
        plans: plans
            .map(|(plan, count)| (plan, number(count, language)))
            .collect(),
        name,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

pub(super) async fn account(
    State(state): State<OperatorState>,
    Path(id): Path<String>,
    reader: Reader,
) -> Result<Response, Problem> {
    let id: AccountId = id.parse().map_err(|_other| Problem::NoSuchAccount)?;
    let (store, language) = (&state.context.store, reader.language);
    let account = store.keys().find_account_by_id(id).await?;
    let account = account.ok_or(Problem::NoSuchAccount)?;
    let frame = Frame::new(&state, &reader, &account.name);
    let t = frame.t;
    let customer = Customer::of(&account, &state.context.config());
    // Reading the state of an account without a booking would begin its first month.
    let has_bookings = store.billing().find(id).await?.is_some();
    let booked = match customer.as_ref().filter(|_| has_bookings) {
        Some(customer) => Some(state.ledger.state(customer).await?),
        None => None,
    };
    let watched = store.subscriptions_of(id).count().await?;
    let mut facts = account_facts(&account, customer.as_ref(), language, t);
    let balance = booked.as_ref().map(|booked| &booked.account);
    facts.extend(
        balance
            .into_iter()
            .flat_map(|balance| balance_facts(balance, language, t)),
    );
    facts.push((t.watched, number(watched, language)));
    let grants = booked.into_iter().flat_map(|booked| booked.grants);
    let now = state.context.now();
    let keys = store.keys_of(id).list().await?.into_iter();
    let people = store.members_of(id).list().await?.into_iter();
    let template = AccountPage {
        grants: grants.map(|grant| GrantRow::of(&grant, language)).collect(),
        keys: keys.map(|key| KeyRow::of(key, now, language)).collect(),
        people: people
            .map(|member| PersonRow::of(member, language))
            .collect(),
        facts,
        frame,
        t,
    };
    Ok(page(&reader, StatusCode::OK, &template))
}

type Facts = Vec<(&'static str, String)>;

fn account_facts(
    account: &Account,
    customer: Option<&Customer>,
    language: Language,
    t: &'static Texts,
) -> Facts {
    let metering = customer.map(|customer| customer.metering.word());
    vec![
        (t.plan, account.plan.clone()),
        (t.metering, metering.unwrap_or(t.plan_unknown).to_owned()),
        (t.created, time_of(account.created_at, language)),
    ]
}

fn balance_facts(balance: &AccountBalance, language: Language, t: &'static Texts) -> Facts {
    let whole = |count: i64| number(count, language);
    vec![
        (t.left, whole(balance.balance)),
        (t.used, whole(balance.used)),
        (t.overage, whole(balance.overage)),
        (t.period_ends, time_of(balance.period_end, language)),
    ]
}

fn time_or_empty(at: Option<OffsetDateTime>, language: Language) -> String {
    at.map_or_else(String::new, |at| time_of(at, language))
}

impl GrantRow {
    fn of(grant: &Grant, language: Language) -> Self {
        Self {
            kind: grant.kind.word(),
            remaining: number(grant.remaining, language),
            granted: number(grant.granted, language),
            ends: time_or_empty(grant.expires_at, language),
        }
    }
}

impl KeyRow {
    fn of(key: OwnedKey, now: OffsetDateTime, language: Language) -> Self {
        let is_valid = key.is_valid(now);
        let limits: Vec<String> = [key.scopes, key.addresses].into_iter().flatten().collect();
        Self {
            is_valid,
            limits: limits.join(" "),
            last_used: time_or_empty(key.last_used_at, language),
            name: key.name,
            prefix: key.prefix,
            manages: key.manage,
        }
    }
}

impl PersonRow {
    fn of(member: Member, language: Language) -> Self {
        Self {
            role: member.role.word(),
            joined: time_or_empty(member.joined_at, language),
            email: member.email,
        }
    }
}
