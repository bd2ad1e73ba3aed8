//! The name of a scope.

use super::checked_name::checked_name;

checked_name! {
    /// The name of a scope: words of lower-case ASCII letters and digits, joined by underscores, beginning with a
    /// letter. The schema of manifests has the same rule.
    ScopeName joined by '_',
    /// The text is not the name of a scope.
    InvalidScopeName "{0:?} is not a name of lower-case letters, digits and underscores"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_name_accepts_only_the_form_of_manifests() {
        for name in ["tax", "financial_statements", "fs2", "a_1"] {
            let parsed = ScopeName::parse(name).expect(name);
            assert_eq!((parsed.as_str(), parsed.to_string().as_str()), (name, name));
        }
        for wrong in [
            "", "Tax", "1a", "_a", "a_", "a__b", "a-b", "a b", "daň", "a\0",
        ] {
            assert_eq!(
                ScopeName::parse(wrong),
                Err(InvalidScopeName(wrong.to_owned()))
            );
        }
    }

    #[test]
    fn json_with_a_wrong_name_is_refused() {
        let name = ScopeName::parse("tax").expect("a name");
        assert_eq!(serde_json::json!(name), serde_json::json!("tax"));
        assert!(serde_json::from_str::<ScopeName>("\"tax\"").is_ok_and(|read| read == name));
        assert!(serde_json::from_str::<ScopeName>("\"Tax\"").is_err());
    }
}
