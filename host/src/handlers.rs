//! Routes to handlers of one type.
//!
//! axum compiles a chain of services for each handler, and the compiler proves for each of them that the handler's
//! future is [`Send`]. With a hundred and fifty handlers that was a quarter of the time of compiling this crate. With
//! [`AnyHandler`] the chain is compiled once for each state.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter};

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler whose type does not depend on its function, for routers with the state `S`.
pub(crate) struct AnyHandler<S>(Arc<dyn Fn(Request, S) -> Answering + Send + Sync>);

impl<S> Clone for AnyHandler<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: 'static> Handler<(), S> for AnyHandler<S> {
    type Future = Answering;

    fn call(self, request: Request, state: S) -> Answering {
        (self.0)(request, state)
    }
}

/// Hides the type of a handler.
pub(crate) fn any_handler<H, T, S>(handler: H) -> AnyHandler<S>
where
    H: Handler<T, S, Future = Answering>,
{
    AnyHandler(Arc::new(move |request, state| {
        handler.clone().call(request, state)
    }))
}

/// Like [`axum::routing::get`].
pub(crate) fn get<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S, Future = Answering>,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::GET, any_handler(handler))
}

/// Like [`axum::routing::post`].
pub(crate) fn post<H, T, S>(handler: H) -> MethodRouter<S>
where
    H: Handler<T, S, Future = Answering>,
    S: Clone + Send + Sync + 'static,
{
    MethodRouter::new().on(MethodFilter::POST, any_handler(handler))
}

/// Like [`utoipa_axum::routes`]: routes to documented handlers, at the paths and methods of their documentation.
///
/// `@resolve_types` is an internal rule of that macro. A version without it does not compile here.
macro_rules! routes {
    ($($handler:path),+) => {{
        use utoipa_axum::PathItemExt;
        let mut paths = utoipa::openapi::path::Paths::new();
        let mut schemas = Vec::new();
        let mut router = axum::routing::MethodRouter::new();
        $(
            let (path, operation, methods) = utoipa_axum::routes!(@resolve_types $handler : schemas);
            for method in &methods {
                let handler = $crate::handlers::any_handler($handler);
                router = router.on(method.to_method_filter(), handler);
            }
            paths.add_path_operation(&path, methods, operation);
        )+
        (schemas, paths, router)
    }};
}

pub(crate) use routes;
