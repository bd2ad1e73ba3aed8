//! Deliveries of the whole account: one list with filters, and resending what did not arrive.

use askama::Template;
use axum::extract::RawQuery;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::{Map, Value, json};
use time::Duration;

use super::deliveries::{DELIVERIES, DeliveryRow, delivery_row};
use super::form::Form;
use super::frame::{AccountFrame, Flash, Tab};
use super::session::Session;
use super::shown::{Mistake, items, mistakes, number_at, with_query};
use super::texts::Texts;
use super::texts_log::{self, kind_words, log_texts};
use crate::accounts::Action;
use crate::changes::all_kinds;
use crate::clock::{iso_date, parse_iso_date};
use crate::web::frame::Frame;
use crate::web::problem::Problem;
use crate::web::reader::parameter;

const PAGE: &str = "/account/deliveries";

/// Deliveries of a page.
const ROWS: u64 = 50;

/// States that can be chosen, by the words of the API.
const STATES: [&str; 6] = [
    "missed",
    "waiting",
    "delivered",
    "failed",
    "held",
    "cancelled",
];

/// A choice of a list.
struct Choice {
    value: String,
    label: String,
    is_chosen: bool,
}

/// The filters as they are filled in.
#[derive(Debug, Clone, Default)]
struct Filters {
    status: String,
    ico: String,
    event: String,
    /// First and last day, `YYYY-MM-DD`.
    from: String,
    to: String,
}

#[derive(Template)]
#[template(path = "account/deliveries.html")]
struct DeliveriesPage {
    frame: Frame,
    a: AccountFrame,
    t: &'static Texts,
    l: &'static texts_log::Texts,
    filters: Filters,
    states: Vec<Choice>,
    kinds: Vec<Choice>,
    rows: Vec<DeliveryRow>,
    total: String,
    /// Number of deliveries that can be resent; `None` without any.
    missed: Option<String>,
    mistakes: Vec<Mistake>,
    /// Address of the first page, which is kept up to date.
    live: Option<String>,
    previous: Option<String>,
    next: Option<String>,
}

impl Filters {
    fn of(value: impl Fn(&str) -> String) -> Self {
        let text = |name: &str| value(name).trim().to_owned();
        Self {
            status: text("status"),
            ico: text("ico"),
            event: text("event"),
            from: text("from"),
            to: text("to"),
        }
    }

    fn of_query(query: &str) -> Self {
        Self::of(|name| parameter(query, name).unwrap_or_default())
    }

    /// The page of these filters.
    fn page(&self, offset: u64) -> String {
        let offset = if offset == 0 {
            String::new()
        } else {
            offset.to_string()
        };
        with_query(
            PAGE,
            &[
                ("status", &self.status),
                ("ico", &self.ico),
                ("event", &self.event),
                ("from", &self.from),
                ("to", &self.to),
                ("offset", &offset),
            ],
        )
    }

    /// The times between which the deliveries were created. The last day belongs to them. A text that is no day stays,
    /// so that the API names the mistake.
    fn times(&self) -> (String, String) {
        let begin = |text: &str, days: i64| match parse_iso_date(text) {
            Some(day) => {
                let day = day.saturating_add(Duration::days(days));
                format!("{}T00:00:00Z", iso_date(day))
            }
            None => text.to_owned(),
        };
        (begin(&self.from, 0), begin(&self.to, 1))
    }

    /// The call of the API for a page. An IČO may be written with spaces.
    fn call(&self, status: &str, limit: u64, offset: u64) -> String {
        let (from, to) = self.times();
        with_query(
            DELIVERIES,
            &[
                ("status", status),
                ("ico", &self.number()),
                ("event", &self.event),
                ("from", &from),
                ("to", &to),
                ("limit", &limit.to_string()),
                ("offset", &offset.to_string()),
            ],
        )
    }

    fn number(&self) -> String {
        self.ico.chars().filter(|c| !c.is_whitespace()).collect()
    }

    /// Whether deliveries that can be resent may be among the chosen ones.
    fn may_be_missed(&self) -> bool {
        matches!(self.status.as_str(), "" | "missed" | "failed" | "held")
    }

    /// The body of the API's call that resends.
    fn body(&self) -> Value {
        let (from, to) = self.times();
        let given = [
            ("ico", self.number()),
            ("event", self.event.clone()),
            ("from", from),
            ("to", to),
        ];
        let given = given.into_iter().filter(|(_, value)| !value.is_empty());
        let members: Map<String, Value> = given
            .map(|(name, value)| (name.to_owned(), json!(value)))
            .collect();
        Value::Object(members)
    }
}

fn states(session: &Session, filters: &Filters) -> Vec<Choice> {
    let (t, l) = (session.texts(), log_texts(session.reader.language));
    let choice = |state: &str| Choice {
        value: state.to_owned(),
        label: match state {
            "missed" => l.missed,
            state => t.delivery_state(state),
        }
        .to_owned(),
        is_chosen: state == filters.status,
    };
    STATES.into_iter().map(choice).collect()
}

fn kinds(session: &Session, filters: &Filters) -> Vec<Choice> {
    let catalogue = session.web.parts().companies.connectors().catalogue();
    let language = session.reader.language;
    let choice = |kind: String| Choice {
        label: kind_words(&kind, language),
        is_chosen: kind == filters.event,
        value: kind,
    };
    all_kinds(&catalogue).into_iter().map(choice).collect()
}

async fn log_page(
    session: &Session,
    query: &str,
    filters: Filters,
    refused: Vec<Mistake>,
) -> Result<Response, Problem> {
    let (t, language) = (session.texts(), session.reader.language);
    let offset = parameter(query, "offset").and_then(|offset| offset.parse::<u32>().ok());
    let offset = u64::from(offset.unwrap_or(0));
    let answer = session
        .answer(&filters.call(&filters.status, ROWS, offset))
        .await?;
    let (list, mut wrong) = match answer.of_form()? {
        Ok(list) => (list, Vec::new()),
        Err(refusal) => (Value::Null, mistakes(&refusal, t)),
    };
    wrong.extend(refused);
    let may_change = session.may(Action::ChangeWatches);
    let missed = if may_change && wrong.is_empty() && filters.may_be_missed() {
        let status = if filters.status.is_empty() {
            "missed"
        } else {
            &filters.status
        };
        let counted = session.get(&filters.call(status, 1, 0)).await?;
        let is_none = counted.pointer("/meta/total") == Some(&json!(0));
        number_at(&counted, "/meta/total", language).filter(|_| !is_none)
    } else {
        None
    };
    let has_more = list.pointer("/meta/more") == Some(&Value::Bool(true));
    let l = log_texts(language);
    let page = DeliveriesPage {
        frame: session.frame(l.title),
        a: session.account_frame(Tab::Watching),
        t,
        l,
        states: states(session, &filters),
        kinds: kinds(session, &filters),
        rows: items(&list)
            .iter()
            .map(|one| delivery_row(session, one))
            .collect(),
        total: number_at(&list, "/meta/total", language).unwrap_or_default(),
        missed,
        live: (offset == 0 && wrong.is_empty()).then(|| filters.page(0)),
        previous: (offset > 0).then(|| filters.page(offset.saturating_sub(ROWS))),
        next: has_more.then(|| filters.page(offset + ROWS)),
        filters,
        mistakes: wrong,
    };
    let status = if page.mistakes.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    Ok(session.page(status, &page))
}

/// `GET /account/deliveries`; `status`, `ico`, `event`, `from` and `to` are filters.
pub(super) async fn list(session: Session, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let query = query.unwrap_or_default();
    let filters = Filters::of_query(&query);
    log_page(&session, &query, filters, Vec::new()).await
}

/// `POST /account/deliveries/resend`: resends what did not arrive among the chosen deliveries.
pub(super) async fn resend(session: Session, form: Form) -> Result<Response, Problem> {
    let filters = Filters::of(|name| form.text(name).to_owned());
    let path = format!("{DELIVERIES}/resend");
    let answer = session.send(Method::POST, &path, &filters.body()).await?;
    match answer.of_form()? {
        Ok(resent) => {
            let flash = match (resent["resent"].as_u64(), resent["left"].as_u64()) {
                (Some(0) | None, _) => Flash::NothingMissed,
                (Some(_), Some(0) | None) => Flash::Resent,
                (Some(_), Some(_)) => Flash::ResentInPart,
            };
            Ok(session.redirect(&filters.page(0), flash))
        }
        Err(refusal) => {
            let refused = mistakes(&refusal, session.texts());
            log_page(&session, "", filters, refused).await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_day_belongs_to_the_choice() {
        let filters = Filters {
            ico: "999 999 94".to_owned(),
            from: "2026-02-28".to_owned(),
            to: "2026-02-28".to_owned(),
            ..Filters::default()
        };
        assert_eq!(
            filters.body(),
            json!({"ico": "99999994", "from": "2026-02-28T00:00:00Z", "to": "2026-03-01T00:00:00Z"})
        );
        let wrong = Filters {
            to: "yesterday".to_owned(),
            ..Filters::default()
        };
        assert_eq!(wrong.body(), json!({"to": "yesterday"}));
    }
}
