//! HTTP requests to a host, and their responses.

use reqwest::Method;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub status: u16,
    /// Header names in lower case with their values, sorted.
    pub headers: Vec<(String, String)>,
    /// The body as JSON, or as text if it is not JSON.
    pub body: Value,
}

impl Answer {
    /// The value of a header, by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_str())
    }

    /// A value of the body by JSON pointer; null where there is none.
    #[must_use]
    pub fn at(&self, pointer: &str) -> &Value {
        static NULL: Value = Value::Null;
        self.body.pointer(pointer).unwrap_or(&NULL)
    }
}

pub(crate) async fn ask(
    client: &reqwest::Client,
    url: String,
    method: Method,
    headers: &[(&str, &str)],
) -> Answer {
    let mut request = client.request(method, url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    answered(request).await
}

/// Sends a request and reads the whole response.
///
/// # Panics
/// If there is no response.
pub async fn answered(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.expect("the host answers");
    let status = response.status().as_u16();
    let mut headers: Vec<(String, String)> = response
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    headers.sort();
    let text = response.text().await.expect("the body arrives");
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer {
        status,
        headers,
        body,
    }
}

pub(crate) fn company_path(ico: &str, scope: &str) -> String {
    let query = if scope.is_empty() {
        String::new()
    } else {
        format!("?scope={scope}")
    };
    format!("/v1/company/ico/{ico}{query}")
}
