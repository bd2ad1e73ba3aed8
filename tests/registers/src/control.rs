//! The control interface `/control` for tests and the demo. Errors are JSON with a code and a message.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use time::format_description::well_known::Rfc3339;

use crate::World;
use crate::faults::{Fault, Register};
use crate::population::ChangeKind;

/// Maximum number of days in one request.
const MAX_DAYS: u32 = 3_650;

pub(crate) fn router() -> Router<Arc<World>> {
    Router::new()
        .route("/control/advance", post(advance))
        .route("/control/fault", post(fault))
        .route("/control/change", post(change))
        .route("/control/state", get(state))
        .route("/control/company/{ico}", get(company))
}

/// Why a request to the simulator itself was refused.
#[derive(Debug, thiserror::Error)]
enum ControlError {
    #[error("the body is not valid JSON for this request: {0}")]
    Body(#[from] serde_json::Error),
    #[error("days must be from 1 to {MAX_DAYS}, not {0}")]
    Days(u32),
    #[error("unknown register {0}")]
    Register(String),
    #[error("unknown fault mode {0}")]
    Mode(String),
    #[error("unknown kind of change {0}")]
    Kind(String),
    #[error("the population has no company with the IČO {0}")]
    NoSuchCompany(String),
    #[error("{kind} does not apply to the current state of company {ico}")]
    DoesNotApply { kind: &'static str, ico: String },
}

impl IntoResponse for ControlError {
    fn into_response(self) -> Response {
        let (status, code) = match &self {
            Self::Body(_) => (StatusCode::UNPROCESSABLE_ENTITY, "invalid_body"),
            Self::Days(_) => (StatusCode::UNPROCESSABLE_ENTITY, "invalid_days"),
            Self::Register(_) => (StatusCode::UNPROCESSABLE_ENTITY, "unknown_register"),
            Self::Mode(_) => (StatusCode::UNPROCESSABLE_ENTITY, "unknown_mode"),
            Self::Kind(_) => (StatusCode::UNPROCESSABLE_ENTITY, "unknown_kind"),
            Self::NoSuchCompany(_) => (StatusCode::NOT_FOUND, "not_found"),
            Self::DoesNotApply { .. } => (StatusCode::CONFLICT, "does_not_apply"),
        };
        (
            status,
            Json(json!({"error": code, "message": self.to_string()})),
        )
            .into_response()
    }
}

fn parse<T: DeserializeOwned>(body: &Bytes) -> Result<T, ControlError> {
    Ok(serde_json::from_slice(body)?)
}

#[derive(Debug, Deserialize)]
struct Advance {
    days: u32,
}

async fn advance(
    State(world): State<Arc<World>>,
    body: Bytes,
) -> Result<Json<Value>, ControlError> {
    let Advance { days } = parse(&body)?;
    if !(1..=MAX_DAYS).contains(&days) {
        return Err(ControlError::Days(days));
    }
    world.clock.advance(days);
    Ok(Json(moment(&world)))
}

fn moment(world: &World) -> Value {
    let now = world.clock.now().format(&Rfc3339).unwrap_or_default();
    json!({"day": world.clock.day(), "now": now})
}

#[derive(Debug, Deserialize)]
struct SetFault {
    register: String,
    mode: String,
}

async fn fault(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, ControlError> {
    let asked: SetFault = parse(&body)?;
    let fault = Fault::parse(&asked.mode).ok_or(ControlError::Mode(asked.mode))?;
    if asked.register == "all" {
        for register in Register::ALL {
            world.faults.set(register, fault);
        }
    } else {
        let register =
            Register::parse(&asked.register).ok_or(ControlError::Register(asked.register))?;
        world.faults.set(register, fault);
    }
    Ok(Json(registers(&world)))
}

fn registers(world: &World) -> Value {
    let entry = |register: Register| {
        let state = json!({"mode": world.faults.get(register).name(), "requests": world.faults.requests(register)});
        (register.name().to_owned(), state)
    };
    Value::Object(Register::ALL.map(entry).into_iter().collect::<Map<_, _>>())
}

#[derive(Debug, Deserialize)]
struct Change {
    ico: String,
    kind: String,
}

async fn change(State(world): State<Arc<World>>, body: Bytes) -> Result<Json<Value>, ControlError> {
    let asked: Change = parse(&body)?;
    let kind = ChangeKind::parse(&asked.kind).ok_or(ControlError::Kind(asked.kind))?;
    let Some(index) = world.population.by_ico(&asked.ico) else {
        return Err(ControlError::NoSuchCompany(asked.ico));
    };
    if !world.population.force(index, world.clock.day(), kind) {
        return Err(ControlError::DoesNotApply {
            kind: kind.name(),
            ico: asked.ico,
        });
    }
    Ok(Json(truth(&world, index)?))
}

async fn company(
    State(world): State<Arc<World>>,
    Path(ico): Path<String>,
) -> Result<Json<Value>, ControlError> {
    let Some(index) = world.population.by_ico(&ico) else {
        return Err(ControlError::NoSuchCompany(ico));
    };
    Ok(Json(truth(&world, index)?))
}

/// The facts of a company and the values derived from them.
fn truth(world: &World, index: u32) -> Result<Value, ControlError> {
    let company = world.population.company(index, world.clock.day());
    let mut facts = serde_json::to_value(&company)?;
    facts["name"] = json!(company.name());
    facts["seat"] = serde_json::to_value(company.seat())?;
    facts["ic_dph"] = json!(company.ic_dph());
    facts["legal_form"] =
        json!({"code": company.legal_form.code(), "text": company.legal_form.text()});
    Ok(facts)
}

async fn state(State(world): State<Arc<World>>) -> Json<Value> {
    let mut state = moment(&world);
    state["companies"] = json!(world.population.len());
    state["showcase"] = json!(world.population.showcase());
    state["registers"] = registers(&world);
    Json(state)
}
