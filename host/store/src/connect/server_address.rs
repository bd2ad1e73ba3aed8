//! Parses the address of a `PostgreSQL` server.
//!
//! The driver ignores parameters that it does not know. A misspelt `sslmode` would connect without encryption, so
//! unknown ones are rejected here. Invariant: no error repeats a part of the address, which may contain a password.

use std::str::FromStr;

use sqlx_postgres::PgConnectOptions;

use crate::StoreError;

/// Parameters that the driver reads, beside `options[NAME]`. Those before the gap are named in errors.
const PARAMETERS: [&str; 18] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
    "statement-cache-capacity",
    // Other spellings.
    "ssl-mode",
    "ssl-root-cert",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
];

/// Number of [`PARAMETERS`] that errors name.
const NAMED: usize = 13;

const ENCODING: &str = "special characters in the user name and the password must be percent-encoded, such as %40 for @ and %2F for /";

/// # Errors
/// [`StoreError::InvalidUrl`].
pub(super) fn parse(url: &str) -> Result<PgConnectOptions, StoreError> {
    let invalid = StoreError::InvalidUrl;
    if let Some(place) = unknown_parameter(url) {
        let known = PARAMETERS[..NAMED].join(", ");
        return Err(invalid(format!(
            "parameter {place} after the `?` is unknown; the parameters are {known}; {ENCODING}"
        )));
    }
    PgConnectOptions::from_str(url).map_err(|error| {
        let has_user = url.contains('@');
        let hint = if has_user {
            format!("; {ENCODING}")
        } else {
            String::new()
        };
        invalid(format!("{error}{hint}"))
    })
}

/// Position of the first parameter that the driver would ignore, from 1.
fn unknown_parameter(url: &str) -> Option<usize> {
    let (_, query) = url.split_once('?')?;
    let query = query.split('#').next().unwrap_or_default();
    let mut names = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split('=').next().unwrap_or_default());
    let is_known = |name: &str| {
        PARAMETERS.contains(&name) || (name.starts_with("options[") && name.ends_with(']'))
    };
    names
        .position(|name| !is_known(name))
        .map(|place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_parameter_is_rejected_without_repeating_it() {
        for (url, place) in [
            ("postgres://u:geheim@host/db?sslmod=require", "parameter 1 "),
            (
                "postgres://u@host/db?sslmode=require&geheim=x",
                "parameter 2 ",
            ),
            (
                "postgres://u@host/db?sslmode=require&geheim",
                "parameter 2 ",
            ),
            ("postgres://u:1?geheim@host/db", "parameter 1 "),
        ] {
            let said = parse(url).map(drop).expect_err(url).to_string();
            assert!(said.contains(place) && said.contains("sslmode"), "{said}");
            assert!(!said.contains("geheim"), "{said}");
        }
    }

    #[test]
    fn known_parameters_are_accepted() {
        for url in [
            "postgres://u@host/db",
            "postgres://u@host/db?",
            "postgres://u@host/db?sslmode=verify-full&sslrootcert=/etc/ca.pem",
            "postgres:///db?host=/run/postgresql&options[search_path]=own&application_name=a",
        ] {
            assert!(parse(url).is_ok(), "{url}");
        }
    }

    #[test]
    fn unencoded_password_is_explained() {
        let said = parse("postgres://u:geheim/x@host/db").map(drop);
        let said = said.expect_err("the port is not a number").to_string();
        assert!(said.contains("percent-encoded"), "{said}");
        assert!(!said.contains("geheim"), "{said}");
    }
}
