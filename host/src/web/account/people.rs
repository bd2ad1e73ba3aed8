//! People of the account and their roles.

use askama::Template;
use axum::extract::Path;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use serde_json::json;

use super::answer::Refusal;
use super::form::Form;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{Mistake, date, mistakes};
use super::texts::Texts;
use crate::accounts::{Action, sign_in_links};
use crate::store::{MemberRole, SessionOwner};
use crate::web::frame::Frame;
use crate::web::problem::Problem;

const MEMBERS: &str = "/v1/account/members";

/// A person of the API's list.
#[derive(Debug, Deserialize)]
struct Person {
    id: i64,
    email: String,
    name: String,
    role: String,
    state: String,
    joined_at: Option<String>,
}

/// A person, as the page shows them.
struct Row {
    person: Person,
    role: &'static str,
    joined: String,
    is_invited: bool,
    is_self: bool,
}

#[derive(Template)]
#[template(path = "account/people.html")]
struct PeoplePage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    people: Vec<Row>,
    /// Word and text of each role.
    roles: Vec<(&'static str, &'static str)>,
    may_manage: bool,
    has_mail: bool,
    mistakes: Vec<Mistake>,
    email: String,
    name: String,
    role: String,
}

async fn people_page(
    session: &Session,
    form: &Form,
    refusal: Option<&Refusal>,
) -> Result<Response, Problem> {
    let answer = session.get(MEMBERS).await?;
    let people: Vec<Person> = serde_json::from_value(answer["data"].clone()).map_err(|error| {
        tracing::error!(%error, "the people of an account have an unknown form");
        Problem::Internal
    })?;
    let t = session.texts();
    let own = match session.owner {
        SessionOwner::Member { id, .. } => Some(id),
        SessionOwner::Key { .. } => None,
    };
    let role = |word: &str| {
        let role = MemberRole::try_from(word.to_owned());
        role.map_or("", |role| t.role(role))
    };
    let row = |person: Person| Row {
        role: role(&person.role),
        joined: date(session, person.joined_at.as_deref()),
        is_invited: person.state == "invited",
        is_self: own == Some(person.id),
        person,
    };
    let page = PeoplePage {
        frame: session.frame(t.tab_people),
        a: session.account_frame(Tab::People),
        t,
        people: people.into_iter().map(row).collect(),
        roles: MemberRole::ALL
            .iter()
            .map(|role| (role.word(), t.role(*role)))
            .collect(),
        may_manage: session.may(Action::ManageMembers),
        has_mail: sign_in_links::can_send(&session.web.parts().context.config()),
        mistakes: refusal.map_or_else(Vec::new, |refusal| mistakes(refusal, t)),
        email: form.text("email").to_owned(),
        name: form.text("name").to_owned(),
        role: form.text("role").to_owned(),
    };
    let status = refusal.map_or(StatusCode::OK, |_| StatusCode::UNPROCESSABLE_ENTITY);
    Ok(session.page(status, &page))
}

pub(super) async fn list(session: Session) -> Result<Response, Problem> {
    people_page(&session, &Form::default(), None).await
}

/// `POST /account/people`: invites a person.
pub(super) async fn invite(session: Session, form: Form) -> Result<Response, Problem> {
    let body = json!({
        "email": form.text("email"), "name": form.text("name"), "role": form.text("role"),
    });
    let answer = session.send(Method::POST, MEMBERS, &body).await?;
    match answer.of_limited_form(session.may(Action::ManageMembers))? {
        Ok(_) if sign_in_links::can_send(&session.web.parts().context.config()) => {
            Ok(session.redirect("/account/people", Flash::Invited))
        }
        Ok(_) => Ok(session.redirect("/account/people", Flash::InvitedWithoutEmail)),
        Err(refusal) => people_page(&session, &form, Some(&refusal)).await,
    }
}

/// The call for a person in a path.
fn path_of(id: &str) -> Result<String, Problem> {
    let id: i64 = id.parse().map_err(|_not_a_number| Problem::NoSuchPage)?;
    Ok(format!("{MEMBERS}/{id}"))
}

/// `POST /account/people/{member_id}`: changes the role.
pub(super) async fn change(
    session: Session,
    Path(id): Path<String>,
    form: Form,
) -> Result<Response, Problem> {
    let (path, body) = (path_of(&id)?, json!({ "role": form.text("role") }));
    let answer = session.send(Method::PATCH, &path, &body).await?;
    match answer.of_form()? {
        Ok(_) => Ok(session.redirect("/account/people", Flash::RoleChanged)),
        Err(refusal) => people_page(&session, &Form::default(), Some(&refusal)).await,
    }
}

pub(super) async fn remove(session: Session, Path(id): Path<String>) -> Result<Response, Problem> {
    match session.delete(&path_of(&id)?).await? {
        // A person who removed themselves is led to the sign-in from there.
        Ok(_) => Ok(session.redirect("/account/people", Flash::PersonRemoved)),
        Err(refusal) => people_page(&session, &Form::default(), Some(&refusal)).await,
    }
}

/// `POST /account/people/{member_id}/invitation`: sends the e-mail again.
pub(super) async fn invite_again(
    session: Session,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let path = format!("{}/invitation", path_of(&id)?);
    let answer = session.send(Method::POST, &path, &json!({})).await?;
    if answer.status == StatusCode::TOO_MANY_REQUESTS {
        return Ok(session.redirect("/account/people", Flash::TooManyEmails));
    }
    match answer.of_form()? {
        Ok(_) => Ok(session.redirect("/account/people", Flash::InvitedAgain)),
        Err(refusal) => people_page(&session, &Form::default(), Some(&refusal)).await,
    }
}
