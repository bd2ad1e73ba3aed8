//! Facts that the tax authority publishes.

use serde::Serialize;
use time::Date;

use super::calendar::iso;

/// The paragraph of the VAT registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum VatKind {
    /// § 4, a domestic payer.
    #[serde(rename = "§4")]
    Payer,
    /// § 4b, a VAT group.
    #[serde(rename = "§4b")]
    Group,
    /// § 5, a foreign payer.
    #[serde(rename = "§5")]
    Foreign,
    /// § 7, a subject that only acquires goods from the Union.
    #[serde(rename = "§7")]
    Acquirer,
    /// § 7a, a subject that only trades services with the Union.
    #[serde(rename = "§7a")]
    Services,
}

impl VatKind {
    /// As the list writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Payer => "§4",
            Self::Group => "§4b",
            Self::Foreign => "§5",
            Self::Acquirer => "§7",
            Self::Services => "§7a",
        }
    }

    /// Whether the registration makes a full payer.
    pub fn is_payer(self) -> bool {
        match self {
            Self::Payer | Self::Group | Self::Foreign => true,
            Self::Acquirer | Self::Services => false,
        }
    }
}

/// A registration for VAT.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VatRegistration {
    /// Ten digits, without `SK`.
    pub number: String,
    pub kind: VatKind,
    /// The first day of the registration.
    #[serde(with = "iso")]
    pub registered: Date,
    /// The day on which the paragraph changed.
    #[serde(with = "iso::option")]
    pub kind_changed: Option<Date>,
}

/// Published reasons for cancelling a registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VatReasons {
    /// The year of the breach.
    pub year: i32,
    /// The day of publication.
    #[serde(with = "iso")]
    pub published: Date,
}

/// A registration that the tax authority has cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VatErasure {
    /// The former number, ten digits.
    pub number: String,
    pub reasons: VatReasons,
    /// The day of the erasure.
    #[serde(with = "iso")]
    pub erased: Date,
}

/// The VAT status of a company.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Vat {
    /// The registration, if the company is registered.
    pub registration: Option<VatRegistration>,
    /// Listed with reasons for deregistration (`ds_dphz`), while still registered.
    pub reasons: Option<VatReasons>,
    /// Listed among the erased (`ds_dphv`).
    pub erasure: Option<VatErasure>,
}

/// The index of tax reliability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Reliability {
    #[serde(rename = "vysoko spoľahlivý")]
    High,
    #[serde(rename = "spoľahlivý")]
    Reliable,
    #[serde(rename = "menej spoľahlivý")]
    Low,
}

impl Reliability {
    /// As the list writes it.
    pub fn text(self) -> &'static str {
        match self {
            Self::High => "vysoko spoľahlivý",
            Self::Reliable => "spoľahlivý",
            Self::Low => "menej spoľahlivý",
        }
    }
}
