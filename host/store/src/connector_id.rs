//! The id of a connector.

use super::checked_name::checked_name;

checked_name! {
    /// The id of a connector, as its manifest states it: words of lower-case ASCII letters and digits, joined by
    /// hyphens, beginning with a letter. The schema of manifests has the same rule.
    ConnectorId joined by '-',
    /// The text is not the id of a connector.
    InvalidConnectorId "{0:?} is not an id of lower-case letters, digits and hyphens"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connector_id_accepts_only_the_form_of_manifests() {
        for id in ["rpo", "tax-lists", "l10", "a-1-b"] {
            let parsed = ConnectorId::parse(id).expect(id);
            assert_eq!((parsed.as_str(), parsed.to_string().as_str()), (id, id));
        }
        for wrong in [
            "", "Rpo", "1a", "-a", "a-", "a--b", "a_b", "a b", "a/b", "../a", "daň", "a\0",
        ] {
            assert_eq!(
                ConnectorId::parse(wrong),
                Err(InvalidConnectorId(wrong.to_owned()))
            );
        }
    }

    #[test]
    fn json_with_a_wrong_id_is_refused() {
        let id = ConnectorId::parse("rpo").expect("an id");
        assert_eq!(serde_json::json!(id), serde_json::json!("rpo"));
        assert!(serde_json::from_str::<ConnectorId>("\"rpo\"").is_ok_and(|read| read == id));
        assert!(serde_json::from_str::<ConnectorId>("\"RPO\"").is_err());
    }
}
