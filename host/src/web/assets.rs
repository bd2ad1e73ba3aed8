//! Style, scripts and icon. Their names contain a digest of their content, so browsers may keep them for ever.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::connectors::cache::digest;

/// The addresses of the assets.
pub(crate) struct Assets {
    pub(crate) style: String,
    pub(crate) script: String,
    pub(crate) live: String,
    pub(crate) icon: String,
}

struct Asset {
    content_type: &'static str,
    body: &'static str,
}

const STYLE: Asset = Asset {
    content_type: "text/css; charset=utf-8",
    body: include_str!("style.css"),
};
const SCRIPT: Asset = Asset {
    content_type: "text/javascript; charset=utf-8",
    body: include_str!("search.js"),
};
const LIVE: Asset = Asset {
    content_type: "text/javascript; charset=utf-8",
    body: include_str!("live.js"),
};
const ICON: Asset = Asset {
    content_type: "image/svg+xml",
    body: include_str!("icon.svg"),
};

pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(|| {
    let address = |name: &str, asset: &Asset, extension: &str| {
        let digest = digest(asset.body.as_bytes());
        format!("/assets/{name}-{}.{extension}", &digest[..16])
    };
    Assets {
        style: address("style", &STYLE, "css"),
        script: address("search", &SCRIPT, "js"),
        live: address("live", &LIVE, "js"),
        icon: address("icon", &ICON, "svg"),
    }
});

/// Answers with an asset, 404 for any other name.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    let path = format!("/assets/{name}");
    let known = [
        (&ASSETS.style, &STYLE),
        (&ASSETS.script, &SCRIPT),
        (&ASSETS.live, &LIVE),
        (&ASSETS.icon, &ICON),
    ];
    let Some((_, asset)) = known.into_iter().find(|(address, _)| **address == path) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let headers = [
        (header::CONTENT_TYPE, asset.content_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    (headers, asset.body).into_response()
}
