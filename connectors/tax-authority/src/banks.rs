//! Maps Slovak account numbers to banks.

use lustra_sdk::iban;

/// A bank and the code in its account numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bank {
    /// Digits 5 to 8 of a Slovak IBAN.
    pub code: &'static str,
    pub name: &'static str,
    /// Its BIC in eight characters.
    pub bic: &'static str,
}

/// Banks and branches with a Slovak code, sorted by code. A code that moved to another bank is left out on
/// purpose: no name is better than a wrong one.
const BANKS: &[Bank] = &[
    Bank {
        code: "0200",
        name: "Všeobecná úverová banka, a. s.",
        bic: "SUBASKBX",
    },
    Bank {
        code: "0720",
        name: "Národná banka Slovenska",
        bic: "NBSBSKBX",
    },
    Bank {
        code: "0900",
        name: "Slovenská sporiteľňa, a. s.",
        bic: "GIBASKBX",
    },
    Bank {
        code: "1100",
        name: "Tatra banka, a. s.",
        bic: "TATRSKBX",
    },
    Bank {
        code: "1111",
        name: "UniCredit Bank Czech Republic and Slovakia, a. s.",
        bic: "UNCRSKBX",
    },
    Bank {
        code: "3000",
        name: "Slovenská záručná a rozvojová banka, a. s.",
        bic: "SLZBSKBA",
    },
    Bank {
        code: "5600",
        name: "Prima banka Slovensko, a. s.",
        bic: "KOMASK2X",
    },
    Bank {
        code: "5900",
        name: "Prvá stavebná sporiteľňa, a. s.",
        bic: "PRVASKBA",
    },
    Bank {
        code: "6500",
        name: "365.bank, a. s.",
        bic: "POBNSKBA",
    },
    Bank {
        code: "7300",
        name: "ING Bank N.V.",
        bic: "INGBSKBX",
    },
    Bank {
        code: "7500",
        name: "Československá obchodná banka, a. s.",
        bic: "CEKOSKBX",
    },
    Bank {
        code: "8050",
        name: "Commerzbank AG",
        bic: "COBASKBX",
    },
    Bank {
        code: "8100",
        name: "Komerční banka, a. s.",
        bic: "KOMBSKBA",
    },
    Bank {
        code: "8120",
        name: "Privatbanka, a. s.",
        bic: "BSLOSK22",
    },
    Bank {
        code: "8130",
        name: "Citibank Europe plc",
        bic: "CITISKBA",
    },
    Bank {
        code: "8160",
        name: "Exportno-importná banka Slovenskej republiky",
        bic: "EXSKSKBX",
    },
    Bank {
        code: "8180",
        name: "Štátna pokladnica",
        bic: "SPSRSKBA",
    },
    Bank {
        code: "8320",
        name: "J&T BANKA, a. s.",
        bic: "JTBPSKBA",
    },
    Bank {
        code: "8330",
        name: "Fio banka, a. s.",
        bic: "FIOZSKBA",
    },
    Bank {
        code: "8360",
        name: "mBank S.A.",
        bic: "BREXSKBX",
    },
    Bank {
        code: "8370",
        name: "Oberbank AG",
        bic: "OBKLSKBA",
    },
    Bank {
        code: "8420",
        name: "BKS Bank AG",
        bic: "BFKKSKBB",
    },
    Bank {
        code: "8430",
        name: "KDB Bank Europe Ltd.",
        bic: "KODBSKBX",
    },
];

/// The bank of a Slovak IBAN. `None` for foreign ones and unlisted codes.
#[must_use]
pub fn of_iban(iban: &str) -> Option<&'static Bank> {
    let code = iban::bank_code(iban)?;
    BANKS.iter().find(|bank| bank.code == code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bank_is_in_the_number() {
        assert_eq!(
            of_iban("SK7111000000000000000002").map(|bank| bank.bic),
            Some("TATRSKBX")
        );
        assert_eq!(of_iban("SK4399990000000000000019"), None);
        assert_eq!(of_iban("AT049999900000000001"), None);
    }

    #[test]
    fn codes_are_unique_and_in_order() {
        assert!(BANKS.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(
            BANKS
                .iter()
                .all(|bank| bank.code.len() == 4 && bank.bic.len() == 8 && bank.bic[4..6] == *"SK")
        );
    }
}
