//! Synthetic identifiers. Each passes the published check and maps back to its company.
//!
//! IČO use 7-digit prefixes that count down from 9 999 999, where no real subject exists. Tax numbers come from
//! ranges of multiples of 11. VAT groups and foreign payers have ranges of their own.

/// The highest IČO prefix; company 0 has it.
const TOP_PREFIX: u32 = 9_999_999;
/// Tax numbers are this multiple of 11 and those below it.
const TOP_DIC: u64 = 272_727_264;
const TOP_GROUP: u64 = 270_727_264;
const TOP_FOREIGN: u64 = 268_727_264;

/// Showcase companies whose IČO starts with zeros, by index.
const ZERO_LED: &[(u32, u32)] = &[(6, 12)];

/// The eighth digit of an IČO.
pub(crate) fn check_digit(prefix: u32) -> u32 {
    let mut rest = prefix;
    let mut sum = 0;
    for weight in 2..=8 {
        sum += (rest % 10) * weight;
        rest /= 10;
    }
    (11 - sum % 11) % 10
}

pub(crate) fn ico(index: u32) -> String {
    let zero_led = ZERO_LED.iter().find(|(owner, _)| *owner == index);
    let prefix = zero_led.map_or(TOP_PREFIX - index, |(_, prefix)| *prefix);
    format!("{prefix:07}{}", check_digit(prefix))
}

/// The company that an IČO belongs to. The text must have 8 digits.
pub(crate) fn index_of_ico(text: &str) -> Option<u32> {
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u32 = text.parse().ok()?;
    let prefix = number / 10;
    let zero_led = ZERO_LED.iter().find(|(_, owned)| *owned == prefix);
    let index = zero_led.map_or(TOP_PREFIX - prefix, |(owner, _)| *owner);
    (ico(index) == text).then_some(index)
}

/// The tax number (DIČ) of a company.
pub(crate) fn dic(index: u32) -> String {
    multiple_of_eleven(TOP_DIC, index)
}

/// The VAT number (without `SK`) of the group that a company represents.
pub(crate) fn group_number(index: u32) -> String {
    multiple_of_eleven(TOP_GROUP, index)
}

/// The VAT number (without `SK`) of a foreign payer, who is not part of the population.
pub(crate) fn foreign_number(place: u32) -> String {
    multiple_of_eleven(TOP_FOREIGN, place)
}

fn multiple_of_eleven(top: u64, index: u32) -> String {
    ((top - u64::from(index)) * 11).to_string()
}

/// The owner of a VAT number's ten digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VatOwner {
    /// A company, which may or may not be registered.
    Company(u32),
    /// The group that this company represents.
    Group(u32),
    /// The foreign payer at this place of the list.
    Foreign(u32),
}

pub(crate) fn vat_owner(digits: &str) -> Option<VatOwner> {
    if digits.len() != 10 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    if !number.is_multiple_of(11) {
        return None;
    }
    let multiple = number / 11;
    let index = |top: u64| u32::try_from(top.checked_sub(multiple)?).ok();
    if multiple > TOP_GROUP {
        index(TOP_DIC).map(VatOwner::Company)
    } else if multiple > TOP_FOREIGN {
        index(TOP_GROUP).map(VatOwner::Group)
    } else {
        index(TOP_FOREIGN).map(VatOwner::Foreign)
    }
}

/// Codes and names of the banks used in synthetic accounts.
pub const BANKS: [(&str, &str); 5] = [
    ("0200", "Všeobecná úverová banka, a. s."),
    ("0900", "Slovenská sporiteľňa, a. s."),
    ("1100", "Tatra banka, a. s."),
    ("7500", "Československá obchodná banka, a. s."),
    ("8330", "Fio banka, a. s."),
];

/// The IBAN of a synthetic account. Its check digits are correct, but the account number fails the modulo 11
/// check of Slovak banks, so no bank has ever issued it.
pub(crate) fn slovak_account(bank: &str, number: u64) -> String {
    const WEIGHTS: [u64; 10] = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6];
    let mut rest = number;
    let mut sum = 0;
    for weight in WEIGHTS {
        sum += rest % 10 * weight;
        rest /= 10;
    }
    let number = match (sum % 11, number % 10) {
        (0, 9) => number - 1,
        (0, _) => number + 1,
        (_, _) => number,
    };
    iban("SK", &format!("{bank}000000{number:010}"))
}

/// An IBAN with valid check digits.
pub(crate) fn iban(country: &str, account: &str) -> String {
    let mut remainder: u64 = 0;
    let rearranged = account.chars().chain(country.chars()).chain("00".chars());
    for letter in rearranged {
        let value = letter.to_digit(36).map_or(0, u64::from);
        remainder = (if value > 9 {
            remainder * 100
        } else {
            remainder * 10
        } + value)
            % 97;
    }
    format!("{country}{:02}{account}", 98 - remainder)
}

#[cfg(test)]
mod tests {
    use super::{
        VatOwner, dic, foreign_number, group_number, iban, ico, index_of_ico, slovak_account,
        vat_owner,
    };

    #[test]
    fn every_ico_is_valid_and_maps_back() {
        assert_eq!(ico(6), "00000124");
        assert_eq!(ico(9), "99999901");
        for index in [0, 1, 5, 6, 7, 11, 4_711, 1_399_999] {
            assert_eq!(index_of_ico(&ico(index)), Some(index));
        }
        assert_eq!(index_of_ico("99999902"), None);
        assert_eq!(index_of_ico("124"), None);
    }

    #[test]
    fn every_tax_number_is_valid_and_maps_back() {
        assert_eq!(dic(0), "2999999904");
        for index in [0, 3, 1_399_999] {
            assert_eq!(vat_owner(&dic(index)), Some(VatOwner::Company(index)));
            assert_eq!(
                vat_owner(&group_number(index)),
                Some(VatOwner::Group(index))
            );
            assert_eq!(
                vat_owner(&foreign_number(index)),
                Some(VatOwner::Foreign(index))
            );
        }
        assert_eq!(vat_owner("2999999905"), None);
    }

    #[test]
    fn account_of_a_real_bank_fails_its_checksum() {
        // 6 + 2 * 2 + 1 is 11, so a bank could give the first number.
        assert_eq!(slovak_account("1100", 1_000_000_021)[14..], *"1000000022");
        assert_eq!(slovak_account("1100", 1_000_000_001)[14..], *"1000000001");
    }

    #[test]
    fn iban_has_valid_check_digits() {
        let iban = iban("SK", "99990000000000000019");
        let digits: String = format!("{}{}", &iban[4..], "2820") + &iban[2..4];
        let remainder = digits
            .chars()
            .filter_map(|c| c.to_digit(10))
            .fold(0, |r, d| (r * 10 + d) % 97);
        assert_eq!(remainder, 1);
    }
}
