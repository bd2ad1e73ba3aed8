//! E-mail addresses.

use lettre::Address;
use lettre::address::AddressError;
use lettre::message::Mailbox;

/// Parses exactly one address. Converts its domain to ASCII (IDNA), which every server accepts.
///
/// # Errors
/// The text is not an address.
pub fn address(text: &str) -> Result<Address, AddressError> {
    if text.chars().any(char::is_control) {
        return Err(AddressError::InvalidInput);
    }
    let address: Address = text.parse()?;
    if address.domain().is_ascii() {
        return Ok(address);
    }
    let domain =
        url::Host::parse(address.domain()).map_err(|_unshown| AddressError::InvalidDomain)?;
    Address::new(address.user(), domain.to_string())
}

/// Parses the sender of messages: an address, optionally with a name before it.
///
/// # Errors
/// The text is not an address.
pub fn sender(text: &str) -> Result<Mailbox, AddressError> {
    if text.chars().any(char::is_control) {
        return Err(AddressError::InvalidInput);
    }
    let sender: Mailbox = text.parse()?;
    Ok(Mailbox::new(sender.name, address(sender.email.as_ref())?))
}
