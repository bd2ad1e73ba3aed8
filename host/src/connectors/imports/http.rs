//! The interface `http`: requests to named upstreams and their bodies.

use time::OffsetDateTime;
use wasmtime::component::Resource;

use crate::connectors::bindings::base::lustra::connector::http::{
    Host, HostBody, Method, Request, Response,
};
use crate::connectors::bindings::types::{Evidence, Failure, Field};
use crate::connectors::egress::{Body, Outgoing};
use crate::connectors::state::CallState;

/// A body in the guest's hands.
pub struct BodyHandle {
    body: Body,
    // By the host's clock, which a test or demo turns: facts are dated by it.
    arrived_at: OffsetDateTime,
}

impl Host for CallState {
    async fn send(&mut self, request: Request) -> wasmtime::Result<Result<Response, Failure>> {
        let Some(upstream) = self.loaded.upstreams.get(&request.upstream) else {
            return Ok(Err(Failure::Refused(format!(
                "the manifest names no upstream {}",
                request.upstream
            ))));
        };
        let mut headers: Vec<(String, String)> = request
            .headers
            .into_iter()
            .map(|field| (field.name, field.value))
            .collect();
        if let Some(from) = request
            .options
            .iter()
            .find(|option| option.name == "range-from")
        {
            headers.push(("range".to_owned(), format!("bytes={}-", from.value)));
        }
        let outgoing = Outgoing {
            method: match request.method {
                Method::Get => http::Method::GET,
                Method::Post => http::Method::POST,
            },
            path: request.path,
            headers,
            body: request.body.map(Into::into),
            idempotent: matches!(request.method, Method::Get)
                || request
                    .options
                    .iter()
                    .any(|option| option.name == "idempotent" && option.value == "true"),
        };
        match self
            .services
            .egress
            .send(upstream, outgoing, &self.allowance)
            .await
        {
            Ok(answer) => {
                let arrived_at = self.services.clock.now();
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
            Err(failure) => Ok(Err(failure.into())),
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
        let body = self.table.get_mut(&body)?;
        Ok(body.body.text(charset.as_deref()).await.map_err(Into::into))
    }

    async fn decode(
        &mut self,
        body: Resource<BodyHandle>,
        charset: Option<String>,
    ) -> wasmtime::Result<Result<(), Failure>> {
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
