//! The interface `http`: requests to named upstreams and their bodies.

use std::sync::Arc;
use std::time::Instant;

use time::OffsetDateTime;
use wasmtime::component::Resource;

use crate::bindings::base::lustra::connector::http::{Host, HostBody, Method, Request, Response};
use crate::bindings::types::{Evidence, Failure, Field};
use crate::body_handle::BodyHandle;
use crate::egress::{Answer, Body, EgressFailure, Outgoing, check_request};
use crate::imports::bounds;
use crate::recording::{Question, RecordingMode};
use crate::state::CallState;

impl Host for CallState {
    async fn send(&mut self, request: Request) -> wasmtime::Result<Result<Response, Failure>> {
        if let Err(refused) = bounds::request(&request) {
            return Ok(Err(refused));
        }
        if !self.connector.upstreams.contains_key(&request.upstream) {
            if let Some(replayer) = self.recording_mode.replayer() {
                replayer.note_undeclared(&request.upstream);
            }
            return Ok(Err(Failure::Refused(format!(
                "the manifest names no upstream {}",
                request.upstream
            ))));
        }
        let answer = match &self.recording_mode {
            RecordingMode::Off => self.ask(request).await,
            RecordingMode::Record(_) => self.ask_and_record(request).await,
            RecordingMode::Replay(_) => self.replay(&request),
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => return Ok(Err(failure)),
        };
        let arrived_at = self.now();
        let body = self.table.push(BodyHandle {
            body: answer.body,
            arrived_at,
        })?;
        Ok(Ok(Response {
            status: answer.status,
            headers: answer
                .headers
                .into_iter()
                .map(|(name, value)| Field { name, value })
                .collect(),
            body,
        }))
    }
}

fn option<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    let found = request.options.iter().find(|option| option.name == name);
    found.map(|option| option.value.as_str())
}

fn question(request: &Request) -> Question {
    Question {
        method: match request.method {
            Method::Get => "GET".to_owned(),
            Method::Post => "POST".to_owned(),
        },
        upstream: request.upstream.clone(),
        path: request.path.clone(),
        range_from: option(request, "range-from").map(str::to_owned),
        body_digest: request.body.as_deref().map(Question::digest),
    }
}

/// The request as egress takes it, without its body.
fn outgoing(request: &Request) -> Outgoing {
    let fields = request.headers.iter();
    let range = option(request, "range-from").map(|from| format!("bytes={from}-"));
    let idempotent = option(request, "idempotent") == Some("true");
    Outgoing {
        method: match request.method {
            Method::Get => http::Method::GET,
            Method::Post => http::Method::POST,
        },
        path: request.path.clone(),
        headers: fields
            .map(|field| (field.name.clone(), field.value.clone()))
            .chain(range.map(|range| ("range".to_owned(), range)))
            .collect(),
        body: None,
        idempotent: matches!(request.method, Method::Get) || idempotent,
    }
}

impl CallState {
    async fn ask(&mut self, mut request: Request) -> Result<Answer, Failure> {
        let Some(upstream) = self.connector.upstreams.get(&request.upstream) else {
            return Err(Failure::Refused("there is no such upstream".to_owned()));
        };
        let body = request.body.take();
        let outgoing = Outgoing {
            body: body.map(Into::into),
            ..outgoing(&request)
        };
        let egress = &self.services.egress;
        let answer = egress.send(upstream, outgoing, &self.allowance).await;
        answer.map_err(Into::into)
    }

    async fn ask_and_record(&mut self, request: Request) -> Result<Answer, Failure> {
        let mut question = question(&request);
        if let Some(recorder) = self.recording_mode.recorder() {
            question = question.masked(&recorder.mask, request.body.as_deref());
        }
        let request_headers: Vec<(String, String)> = request
            .headers
            .iter()
            .map(|field| (field.name.to_ascii_lowercase(), field.value.clone()))
            .collect();
        let started = Instant::now();
        let mut answer = self.ask(request).await;
        let took = started.elapsed();
        if let Some(recorder) = self.recording_mode.recorder() {
            match &mut answer {
                Ok(answer) => {
                    let (status, headers) = (answer.status, answer.headers.clone());
                    let tee = recorder.answered(question, request_headers, status, headers, took);
                    answer.body.tee(tee);
                }
                Err(failure) => {
                    recorder.failed(question, request_headers, failure.clone().into(), took);
                }
            }
        }
        answer
    }

    fn replay(&mut self, request: &Request) -> Result<Answer, Failure> {
        let refused = |refusal| Failure::from(EgressFailure::from(refusal));
        // A recording must not pass for a version whose live requests are refused.
        if let Some(upstream) = self.connector.upstreams.get(&request.upstream) {
            check_request(upstream, outgoing(request))?;
        }
        self.allowance.take_request().map_err(refused)?;
        let Some(replayer) = self.recording_mode.replayer() else {
            return Err(Failure::Unavailable("the call is not a replay".to_owned()));
        };
        let question = question(request).masked(&replayer.mask, request.body.as_deref());
        let chunk = replayer.chunk;
        let recorded = replayer.exchange(&question)?.answer?;
        let path = question.path.split('?').next().unwrap_or_default();
        let label = format!("{} {path}", question.upstream);
        let body = Body::recorded(
            recorded.body.into(),
            recorded.complete,
            chunk,
            label,
            &recorded.headers,
            Arc::clone(&self.allowance),
        );
        Ok(Answer {
            status: recorded.status,
            headers: recorded.headers,
            body,
        })
    }

    /// The guest's clock; in a replay, the clock of the recorded call.
    pub(super) fn now(&mut self) -> OffsetDateTime {
        match self.recording_mode.replayer() {
            Some(replayer) => replayer.now,
            None => self.services.clock.now(),
        }
    }
}

impl HostBody for CallState {
    async fn read(
        &mut self,
        body: Resource<BodyHandle>,
        max: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, Failure>> {
        let body = self.table.get_mut(&body)?;
        Ok(body
            .body
            .read(max as usize)
            .await
            .map(Into::into)
            .map_err(Into::into))
    }

    async fn read_all(
        &mut self,
        body: Resource<BodyHandle>,
    ) -> wasmtime::Result<Result<Vec<u8>, Failure>> {
        let body = self.table.get_mut(&body)?;
        Ok(body
            .body
            .read_all()
            .await
            .map(Into::into)
            .map_err(Into::into))
    }

    async fn text(
        &mut self,
        body: Resource<BodyHandle>,
        charset: Option<String>,
    ) -> wasmtime::Result<Result<String, Failure>> {
        if let Err(refused) = bounds::names(charset.as_deref()) {
            return Ok(Err(refused));
        }
        let body = self.table.get_mut(&body)?;
        Ok(body.body.text(charset.as_deref()).await.map_err(Into::into))
    }

    async fn decode(
        &mut self,
        body: Resource<BodyHandle>,
        charset: Option<String>,
    ) -> wasmtime::Result<Result<(), Failure>> {
        if let Err(refused) = bounds::names(charset.as_deref()) {
            return Ok(Err(refused));
        }
        let body = self.table.get_mut(&body)?;
        Ok(body
            .body
            .decode(charset.as_deref())
            .await
            .map_err(Into::into))
    }

    async fn gunzip(
        &mut self,
        body: Resource<BodyHandle>,
    ) -> wasmtime::Result<Result<(), Failure>> {
        let body = self.table.get_mut(&body)?;
        Ok(body.body.gunzip().await.map_err(Into::into))
    }

    async fn unzip(
        &mut self,
        body: Resource<BodyHandle>,
    ) -> wasmtime::Result<Result<Vec<String>, Failure>> {
        let body = self.table.get_mut(&body)?;
        Ok(body.body.unzip().await.map_err(Into::into))
    }

    async fn entry(
        &mut self,
        body: Resource<BodyHandle>,
        name: String,
    ) -> wasmtime::Result<Result<Resource<BodyHandle>, Failure>> {
        if let Err(refused) = bounds::keys([&*name]) {
            return Ok(Err(refused));
        }
        let handle = self.table.get_mut(&body)?;
        let arrived_at = handle.arrived_at;
        match handle.body.entry(&name).await {
            Ok(body) => Ok(Ok(self.table.push(BodyHandle { body, arrived_at })?)),
            Err(failure) => Ok(Err(failure.into())),
        }
    }

    async fn evidence(&mut self, body: Resource<BodyHandle>) -> wasmtime::Result<Evidence> {
        let handle = self.table.get(&body)?;
        let evidence = handle.body.evidence();
        Ok(Evidence {
            id: evidence.id,
            digest: evidence.digest,
            fetched_at: crate::clock::rfc3339(handle.arrived_at),
            details: Vec::new(),
        })
    }

    async fn drop(&mut self, body: Resource<BodyHandle>) -> wasmtime::Result<()> {
        self.table.delete(body)?;
        Ok(())
    }
}
