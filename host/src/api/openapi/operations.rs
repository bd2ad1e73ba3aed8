//! Parts of the OpenAPI document that many operations share: the scopes, response headers, the errors of
//! authentication, limits and credits, and an example of each error.

use serde_json::{Map, Value, json};

use super::bounds::OPTIONAL_BODIES;
use super::collections::is_of_collection;

/// The code and an example message of each error status.
const ERRORS: [(&str, &str, &str); 13] = [
    ("401", "unauthorized", "invalid or missing API key"),
    (
        "402",
        "credits_exhausted",
        "the credit balance is exhausted; add credits or enable overage billing",
    ),
    (
        "403",
        "forbidden",
        "the plan does not include the scope sanctions",
    ),
    ("404", "not_found", "company not found"),
    (
        "405",
        "method_not_allowed",
        "this path does not take this method",
    ),
    (
        "408",
        "request_timeout",
        "the body did not arrive within 20 s",
    ),
    (
        "410",
        "cursor_expired",
        "what was behind this cursor is deleted; the log begins behind 1200",
    ),
    (
        "413",
        "payload_too_large",
        "the body is larger than 1048576 bytes",
    ),
    (
        "415",
        "unsupported_media_type",
        "send JSON, with the header Content-Type: application/json and no Content-Encoding",
    ),
    (
        "422",
        "validation_error",
        "limit: expected a whole number from 1 to 100",
    ),
    (
        "429",
        "rate_limit_exceeded",
        "too many requests in this minute; come back in 12 s",
    ),
    (
        "500",
        "internal_error",
        "an internal error occurred; the log has it under the request id",
    ),
    (
        "503",
        "service_unavailable",
        "the service is temporarily unavailable",
    ),
];

/// Cost and limits of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// Costs a credit and counts against the plan's limits.
    Charged,
    /// Needs a key and is free.
    Free,
    /// Needs no key, or only the sandbox's.
    Public,
}

fn group(path: &str, method: &str, operation: &Value) -> Group {
    let has_key = operation.get("security").is_some();
    let is_charged = path.starts_with("/v1/company/")
        || (is_of_collection(operation) && !path.starts_with("/v1/sandbox/"))
        || path.starts_with("/v1/search/")
        || (path.starts_with("/v1/batch/") && method == "post");
    match (is_charged, has_key && !path.starts_with("/v1/sandbox/")) {
        (true, _) => Group::Charged,
        (false, true) => Group::Free,
        (false, false) => Group::Public,
    }
}

/// Completes every operation of the document. `scopes` are the values of the parameter `scope`.
pub(super) fn complete(document: &mut Value, scopes: &[Value]) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    for (path, operations) in paths {
        for (method, operation) in operations.as_object_mut().into_iter().flatten() {
            let group = group(path, method, operation);
            let has_tag = path.starts_with("/v1/company/") || is_of_collection(operation);
            if path.starts_with("/v1/company/") {
                add_scopes(operation, scopes);
            }
            if OPTIONAL_BODIES.contains(&path.as_str()) {
                operation["requestBody"]["required"] = json!(false);
            }
            add_errors(path, operation, group);
            answers(path, operation, group, has_tag);
        }
    }
}

/// Describes the parameter `scope`: a list of these values.
fn add_scopes(operation: &mut Value, scopes: &[Value]) {
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
    let parameters = parameters.into_iter().flatten();
    for parameter in parameters.filter(|parameter| parameter["name"] == "scope") {
        parameter["style"] = json!("form");
        parameter["explode"] = json!(false);
        parameter["allowEmptyValue"] = json!(true);
        parameter["schema"] = json!({"type": "array", "items": {"type": "string", "enum": scopes}});
    }
}

/// Adds the errors that an operation does not describe itself: those of the layers in front of the handler, and
/// those of wrong parameters and bodies.
fn add_errors(path: &str, operation: &mut Value, group: Group) {
    let has_body = operation.get("requestBody").is_some();
    let Some(responses) = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    let mut add = |status: &str, description: &str| {
        responses
            .entry(status)
            .or_insert_with(|| json!({"description": description, "content": error_content()}));
    };
    if group != Group::Public {
        add("401", "The API key is missing or invalid.");
        add(
            "403",
            "The account's plan does not include the feature or is no longer offered, or the limits of the key exclude the request.",
        );
        add(
            "429",
            "A rate limit is exceeded. `Retry-After` tells when to retry.",
        );
    }
    if group == Group::Charged {
        let description = if path.starts_with("/v1/company/") {
            "No credits are left. Cached responses are still available."
        } else {
            "No credits are left."
        };
        add("402", description);
    }
    if has_body {
        add("408", "The body did not arrive in time.");
        add("413", "The body is too large.");
        add("415", "The body is not declared as JSON.");
    }
    add(
        "422",
        if has_body {
            "The body or a parameter is invalid."
        } else {
            "A parameter is invalid or unknown."
        },
    );
    add(
        "500",
        "An error in this service. `X-Request-Id` identifies the request in the log.",
    );
    add(
        "503",
        "The service or a required register is temporarily unavailable.",
    );
}

fn error_content() -> Value {
    json!({"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}})
}

/// Adds headers to every response and an example to every error. `has_tag`: a 200 carries an `ETag`.
fn answers(path: &str, operation: &mut Value, group: Group, has_tag: bool) {
    let responses = operation
        .get_mut("responses")
        .and_then(Value::as_object_mut);
    for (status, response) in responses.into_iter().flatten() {
        let headers = headers(path, status, group, has_tag);
        if let Some(response) = response.as_object_mut() {
            let own = response.entry("headers").or_insert_with(|| json!({}));
            if let Some(own) = own.as_object_mut() {
                own.extend(headers);
            }
        }
        let known = ERRORS.iter().find(|(of, ..)| of == status);
        let content = response.pointer_mut("/content/application~1json");
        if let (Some((_, code, message)), Some(content)) = (known, content)
            && content["schema"]["$ref"] == "#/components/schemas/Error"
        {
            let mut example = json!({"error": code, "message": message});
            if *status == "422" {
                let why = "expected a whole number from 1 to 100";
                example["errors"] = json!({"limit": [why]});
            }
            content["example"] = example;
        }
    }
}

fn headers(path: &str, status: &str, group: Group, has_tag: bool) -> Map<String, Value> {
    let mut headers = Map::new();
    let mut add = |name: &str| {
        let reference = format!("#/components/headers/{name}");
        headers.insert(name.to_owned(), json!({"$ref": reference}));
    };
    add("X-Request-Id");
    if ["429", "503"].contains(&status) {
        add("Retry-After");
    }
    if has_tag && ["200", "304"].contains(&status) {
        add("ETag");
    }
    if group == Group::Charged && ["200", "202", "304", "402"].contains(&status) {
        add("X-Credits-Charged");
        add("X-Credits-Remaining");
        add("X-Credits-Overage");
    }
    if group == Group::Charged && ["200", "202", "429"].contains(&status) {
        add("X-RateLimit-Limit-Minute");
        add("X-RateLimit-Remaining-Minute");
        add("X-RateLimit-Limit-Daily");
        add("X-RateLimit-Remaining-Daily");
    }
    if path == "/v1/batch/ico" || path == "/v1/batch/names" {
        add("X-Batch-Id");
    }
    headers
}

pub(super) fn header_components() -> Value {
    let number = |description: &str| json!({"description": description, "schema": {"type": "integer", "minimum": 0}});
    let text =
        |description: &str| json!({"description": description, "schema": {"type": "string"}});
    json!({
        "X-Request-Id": text("Request id, which identifies the request in the operator's log."),
        "Retry-After": number("Seconds to wait before retrying."),
        "ETag": text("Tag of this response, for `If-None-Match`."),
        "X-Credits-Charged": number("Credits charged for the call; only on plans with credits."),
        "X-Credits-Remaining": number("Credits left; only on plans with credits."),
        "X-Credits-Overage": number("1 if the call was booked as overage."),
        "X-RateLimit-Limit-Minute": number("Requests per minute; only if the plan limits them."),
        "X-RateLimit-Remaining-Minute": number("Requests left in this minute."),
        "X-RateLimit-Limit-Daily": number("Requests per day (UTC); only if the plan limits them."),
        "X-RateLimit-Remaining-Daily": number("Requests left on this day (UTC)."),
        "X-Batch-Id": text("Batch id, for the status and the results."),
    })
}
