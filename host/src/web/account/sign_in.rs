//! Signing in by a link in an e-mail or by an API key, choosing an account, and signing out.
//!
//! A link's page only shows a button, because mail scanners open links; the form uses the link up. Answers do not
//! reveal whether an address belongs to an account.

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};

use super::form::{Form, local_path};
use super::frame::{AccountFrame, Flash, Tab};
use super::session::{Session, digest, ends_at, signed_in_cookie, signed_out_cookie};
use super::texts::{Texts, texts};
use crate::accounts::sign_in_links::{self, Occasion, Recipient, SendOutcome, Token};
use crate::billing::KeyText;
use crate::config::Network;
use crate::mail::is_address;
use crate::store::{Membership, SessionOwner};
use crate::web::Web;
use crate::web::frame::{Frame, page};
use crate::web::problem::Problem;
use crate::web::reader::{Reader, parameter};
use crate::web::visitors::Client;

/// Longest e-mail address (RFC 5321).
const MAX_ADDRESS: usize = 254;

#[derive(Template)]
#[template(path = "account/sign-in.html")]
struct SignInPage {
    frame: Frame,
    t: &'static Texts,
    has_mail: bool,
    next: String,
    email: String,
    wrong_email: bool,
    wrong_key: bool,
}

#[derive(Template)]
#[template(path = "account/email-sent.html")]
struct EmailSentPage {
    frame: Frame,
    t: &'static Texts,
}

#[derive(Template)]
#[template(path = "account/link.html")]
struct LinkPage {
    frame: Frame,
    t: &'static Texts,
    account: String,
    email: String,
    token: String,
}

#[derive(Template)]
#[template(path = "account/choose.html")]
struct ChoosePage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    memberships: Vec<Membership>,
    current: i64,
}

fn sign_in_page(web: &Web, reader: &Reader, next: &str) -> SignInPage {
    let t = texts(reader.language);
    SignInPage {
        frame: Frame::new(web, reader, t.sign_in),
        t,
        has_mail: sign_in_links::can_send(&web.parts().context.config()),
        next: local_path(next).to_owned(),
        email: String::new(),
        wrong_email: false,
        wrong_key: false,
    }
}

/// A page that browsers and proxies do not keep.
fn unstored(status: StatusCode, template: &impl Template, reader: &Reader) -> Response {
    let mut response = page(status, template, reader.cookie());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `GET /account/sign-in`; `next` is the page to return to.
pub(super) async fn form(
    State(web): State<Web>,
    reader: Reader,
    RawQuery(query): RawQuery,
) -> Response {
    let next = parameter(&query.unwrap_or_default(), "next").unwrap_or_default();
    unstored(StatusCode::OK, &sign_in_page(&web, &reader, &next), &reader)
}

/// Counts an attempt to sign in.
fn admit(web: &Web, client: &Client) -> Result<(), Problem> {
    let parts = web.parts();
    let address = client.counted();
    let most = parts.settings.sign_ins_per_minute;
    let admitted = web.0.sign_ins.admit(address, most, parts.context.now());
    admitted.map_err(Problem::Busy)
}

/// `POST /account/sign-in/email`: sends a link, if the address is a member's.
pub(super) async fn by_email(
    State(web): State<Web>,
    reader: Reader,
    client: Client,
    form: Form,
) -> Result<Response, Problem> {
    admit(&web, &client)?;
    let (parts, email) = (web.parts(), form.text("email").to_lowercase());
    let mut again = sign_in_page(&web, &reader, form.text("next"));
    if !again.has_mail {
        return Ok(unstored(StatusCode::SERVICE_UNAVAILABLE, &again, &reader));
    }
    if email.len() > MAX_ADDRESS || !is_address(&email) {
        again.wrong_email = true;
        again.email = email.chars().take(MAX_ADDRESS).collect();
        return Ok(unstored(StatusCode::UNPROCESSABLE_ENTITY, &again, &reader));
    }
    let (store, config, now) = (
        &parts.context.store,
        parts.context.config(),
        parts.context.now(),
    );
    match store.sessions().memberships(&email).await?.first() {
        Some(member) => {
            let to = Recipient {
                member_id: member.member_id,
                email: &member.email,
                account: &member.account,
                language: reader.language,
            };
            let outcome =
                sign_in_links::send(store, &config, &parts.sealer, to, Occasion::SignIn, now)
                    .await?;
            if let SendOutcome::TooMany(_) = outcome {
                tracing::info!(
                    "a sign-in link was not sent: its address had too many within an hour"
                );
            }
        }
        // An unknown address is counted too, so that answers take about as long.
        None => {
            let limit = sign_in_links::limit(&config, &email);
            store.send_limits().take(&[limit], 1, now).await?;
        }
    }
    let t = texts(reader.language);
    let sent = EmailSentPage {
        frame: Frame::new(&web, &reader, t.email_sent),
        t,
    };
    Ok(unstored(StatusCode::OK, &sent, &reader))
}

/// `GET /account/sign-in/link`: a button that signs in.
pub(super) async fn link(
    State(web): State<Web>,
    reader: Reader,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let token = parameter(&query.unwrap_or_default(), "token").unwrap_or_default();
    let digest = Token::digest_of(&token).ok_or(Problem::LinkEnded)?;
    let context = &web.parts().context;
    let member = context.store.sessions();
    let member = member.member_of_link(&digest, context.now()).await?;
    let member = member.ok_or(Problem::LinkEnded)?;
    let t = texts(reader.language);
    let shown = LinkPage {
        frame: Frame::new(&web, &reader, t.confirm_title),
        t,
        account: member.account,
        email: member.email,
        token,
    };
    Ok(unstored(StatusCode::OK, &shown, &reader))
}

/// `POST /account/sign-in/link`: uses the link up and begins a session.
pub(super) async fn by_link(
    State(web): State<Web>,
    client: Client,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Problem> {
    admit(&web, &client)?;
    let link = Token::digest_of(form.text("token")).ok_or(Problem::LinkEnded)?;
    let (context, token) = (&web.parts().context, Token::random());
    let (sessions, now) = (context.store.sessions(), context.now());
    let ends = ends_at(&web.parts().settings, now);
    let session = sessions.sign_in(&link, &token.digest, ends, now).await?;
    let session = session.ok_or(Problem::LinkEnded)?;
    end_former(&web, &headers).await?;
    let next = match &session.owner {
        SessionOwner::Member { email, .. } if sessions.memberships(email).await?.len() > 1 => {
            "/account/choose"
        }
        SessionOwner::Member { .. } | SessionOwner::Key { .. } => "/account",
    };
    Ok(signed_in(&web, next, &token))
}

/// `POST /account/sign-in/key`: begins a session of an API key.
pub(super) async fn by_key(
    State(web): State<Web>,
    reader: Reader,
    client: Client,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Problem> {
    admit(&web, &client)?;
    let context = &web.parts().context;
    let (store, now) = (&context.store, context.now());
    let hash = KeyText::parse(form.text("key")).map(|text| text.hash());
    let key = match &hash {
        Some(hash) => store.keys().find_key(hash).await?,
        None => None,
    };
    let address = client.known();
    let is_allowed = |networks: &Option<String>| {
        networks.as_deref().is_none_or(|networks| {
            address.is_some_and(|address| Network::any_contains(networks.split(' '), address))
        })
    };
    let key = key.filter(|key| {
        let ends = [key.expires_at, key.revoked_at];
        ends.into_iter().flatten().all(|at| at > now) && is_allowed(&key.addresses)
    });
    let (token, ends) = (Token::random(), ends_at(&web.parts().settings, now));
    let begun = match key.zip(hash) {
        Some((key, hash)) => {
            let sessions = store.sessions();
            let begun = sessions.sign_in_by_key(key.key_id, &hash, &token.digest, ends, now);
            begun.await?
        }
        None => false,
    };
    if !begun {
        let mut again = sign_in_page(&web, &reader, form.text("next"));
        again.wrong_key = true;
        return Ok(unstored(StatusCode::UNPROCESSABLE_ENTITY, &again, &reader));
    }
    end_former(&web, &headers).await?;
    Ok(signed_in(&web, local_path(form.text("next")), &token))
}

/// Ends the session that the browser had.
async fn end_former(web: &Web, headers: &HeaderMap) -> Result<(), Problem> {
    if let Some(former) = digest(web, headers) {
        web.parts().context.store.sessions().end(&former).await?;
    }
    Ok(())
}

fn signed_in(web: &Web, next: &str, token: &Token) -> Response {
    let mut response = Redirect::to(next).into_response();
    let headers = response.headers_mut();
    headers.append(header::SET_COOKIE, signed_in_cookie(web, token));
    headers.append(header::SET_COOKIE, Flash::SignedIn.cookie());
    response
}

/// `GET /account/choose`: the accounts of a person.
pub(super) async fn choices(session: Session) -> Result<Response, Problem> {
    let SessionOwner::Member { id, email, .. } = &session.owner else {
        return Ok(Redirect::to("/account").into_response());
    };
    let sessions = session.web.parts().context.store.sessions();
    let t = session.texts();
    let chosen = ChoosePage {
        frame: session.frame(t.choose_title),
        a: session.account_frame(Tab::Overview),
        t,
        memberships: sessions.memberships(email).await?,
        current: *id,
    };
    Ok(session.page(StatusCode::OK, &chosen))
}

/// `POST /account/choose`: continues in another account of the same person, with a new token.
pub(super) async fn choose(session: Session, form: Form) -> Result<Response, Problem> {
    let member = form.text("member").parse().ok();
    let (member, token) = (member.ok_or(Problem::NoSuchPage)?, Token::random());
    if matches!(session.owner, SessionOwner::Member { id, .. } if id == member) {
        return Ok(Redirect::to("/account").into_response());
    }
    let sessions = session.web.parts().context.store.sessions();
    let former = &session.signed.digest;
    let switched = sessions.switch(former, member, &token.digest, session.now());
    switched.await?.ok_or(Problem::NoSuchPage)?;
    Ok(signed_in(&session.web, "/account", &token))
}

pub(super) async fn sign_out(session: Session) -> Result<Response, Problem> {
    let sessions = session.web.parts().context.store.sessions();
    sessions.end(&session.signed.digest).await?;
    Ok(signed_out(&session))
}

/// `POST /account/sign-out/everywhere`: ends all sessions of the person or of the key.
pub(super) async fn sign_out_everywhere(session: Session) -> Result<Response, Problem> {
    let sessions = session.web.parts().context.store.sessions();
    match session.owner {
        SessionOwner::Member { id, .. } => sessions.end_all(id).await?,
        SessionOwner::Key { id, .. } => sessions.end_all_of_key(id).await?,
    };
    Ok(signed_out(&session))
}

fn signed_out(session: &Session) -> Response {
    let mut response = Redirect::to("/account/sign-in").into_response();
    let cookie = signed_out_cookie(&session.web);
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}
