//! E-mail.

/// Whether a text is the address of a mailbox.
#[must_use]
pub fn is_address(text: &str) -> bool {
    text.split_once('@')
        .is_some_and(|(local, domain)| !local.is_empty() && domain.contains('.'))
}
