//! The forms of the bulletin, and the parts of companies in notices.

/// The part of a company in a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The subject of the insolvency or the estate.
    Debtor,
    Proposer,
    /// The company being liquidated.
    Liquidated,
    /// The company whose capital is reduced.
    Company,
    /// The organizer of the auction.
    Auctioneer,
    /// The obligor of the execution.
    Obligor,
    /// The author of a correction.
    Announcer,
    /// Named in a form without further detail.
    Named,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    Bankruptcy,
    /// A court's notice of dissolution without liquidation. Only the text names the company.
    Dissolution,
    /// Bankruptcy and composition under the old law.
    OldLaw,
    /// A liquidator's call to creditors.
    Liquidator,
    /// A liquidator's call to creditors in the form used since 2020.
    Liquidator2020,
    /// An entry of the commercial register. Only the text of the file names the company.
    RegisterEntry,
    Deed,
    /// A list of filed deeds.
    DeedList,
    /// Reduction of capital of a limited company, first notice.
    FirstReductionLimited,
    /// Reduction of capital of a joint-stock company, first notice.
    FirstReductionShares,
    /// Reduction of capital of a limited company, second notice.
    SecondReductionLimited,
    /// Reduction of capital of a joint-stock company, second notice.
    SecondReductionShares,
    Auction,
    AuctionRepeated,
    AuctionAddendum,
    /// An auction that was cancelled.
    AuctionWaived,
    AuctionThwarted,
    AuctionResult,
    /// An auction by a tax administrator.
    TaxAuction,
    /// A bailiff's decree. It contains no numbers.
    AuctionDecree,
    /// An execution, served by publication.
    Enforcement,
    /// The sale of an estate by its administrator.
    Sale,
    /// A correction or cancellation.
    Correction,
    /// A form introduced later.
    Unknown,
}

impl Form {
    pub const ALL: [Self; 24] = [
        Self::Bankruptcy,
        Self::Liquidator2020,
        Self::Dissolution,
        Self::FirstReductionLimited,
        Self::Auction,
        Self::Enforcement,
        Self::RegisterEntry,
        Self::OldLaw,
        Self::Liquidator,
        Self::Deed,
        Self::FirstReductionShares,
        Self::AuctionRepeated,
        Self::Sale,
        Self::DeedList,
        Self::SecondReductionLimited,
        Self::AuctionAddendum,
        Self::Correction,
        Self::TaxAuction,
        Self::SecondReductionShares,
        Self::AuctionWaived,
        Self::Unknown,
        Self::AuctionDecree,
        Self::AuctionThwarted,
        Self::AuctionResult,
    ];

    /// The code in names of files.
    pub fn code(self) -> &'static str {
        match self {
            Self::Bankruptcy => "OV_KONKURZY_A_RESTRUKT",
            Self::Dissolution => "OV_OZNAMENIE_ZACATIE_KONANIA_O_ZRUS_BEZ_LIKV",
            Self::OldLaw => "OB_B_KONKURZY_A_VYROVNANIA",
            Self::Liquidator => "OV_LIKVIDATOR",
            Self::Liquidator2020 => "OV_LIKVIDATOR_2020",
            Self::RegisterEntry => "OV_OR_PODANIE",
            Self::Deed => "OV_OR_PODANIE_ZBL",
            Self::DeedList => "OV_OR_PODANIE_ZBL_ZOZNAM",
            Self::FirstReductionLimited => "OV_OZNAMENIE_ZNIZENIE_ZAKLADNEHO_IMANIA_SRO",
            Self::FirstReductionShares => "OV_OZNAMENIE_ZNIZENIE_ZAKLADNEHO_IMANIA_AS",
            Self::SecondReductionLimited => "OV_OZNAMENIE_2_ZNIZENIE_ZAKLADNEHO_IMANIA_SRO",
            Self::SecondReductionShares => "OV_OZNAMENIE_2_ZNIZENIE_ZAKLADNEHO_IMANIA_AS",
            Self::Auction => "OV_DRAZBA_OZNAMENIE_DOBROVOLNA",
            Self::AuctionRepeated => "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_OPAKOVANA",
            Self::AuctionAddendum => "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_DODATOK",
            Self::AuctionWaived => "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_UPUSTENIE",
            Self::AuctionThwarted => "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_ZMARENIE",
            Self::AuctionResult => "OV_DRAZBA_OZNAMENIE_DOBROVOLNA_VYSLEDOK",
            Self::TaxAuction => "OV_DRAZBA_SPRAVCA_DANE_OZNAMENIE",
            Self::AuctionDecree => "00166073.MSSR_OV_Drazobna_vyhlaska",
            Self::Enforcement => "00166073.MSSR_OV_Upovedomenie_o_exekucii",
            Self::Sale => "OV_PREDAJ_MAJETKU_SPRAVCA",
            Self::Correction => "OV_OPRAVA_ZRUSENIE",
            Self::Unknown => "OV_SKUSOBNY_FORMULAR",
        }
    }

    /// The company's part in a notice of this form. `None` if no element names the company.
    pub fn part(self) -> Option<Part> {
        match self {
            Self::Bankruptcy | Self::OldLaw | Self::Sale => Some(Part::Debtor),
            Self::Liquidator | Self::Liquidator2020 => Some(Part::Liquidated),
            Self::FirstReductionLimited
            | Self::FirstReductionShares
            | Self::SecondReductionLimited
            | Self::SecondReductionShares => Some(Part::Company),
            Self::Auction
            | Self::AuctionRepeated
            | Self::AuctionAddendum
            | Self::AuctionWaived
            | Self::AuctionThwarted
            | Self::AuctionResult => Some(Part::Proposer),
            Self::Enforcement => Some(Part::Obligor),
            Self::Correction => Some(Part::Announcer),
            Self::TaxAuction | Self::Unknown => Some(Part::Named),
            Self::Dissolution
            | Self::RegisterEntry
            | Self::Deed
            | Self::DeedList
            | Self::AuctionDecree => None,
        }
    }

    /// True if only running text names the company.
    pub fn names_in_text(self) -> bool {
        self.part().is_none()
    }

    /// True if the mirror also has such notices parsed in a separate table.
    pub fn is_of_register(self) -> bool {
        match self {
            Self::RegisterEntry | Self::Deed | Self::DeedList => true,
            Self::Bankruptcy
            | Self::Dissolution
            | Self::OldLaw
            | Self::Liquidator
            | Self::Liquidator2020
            | Self::FirstReductionLimited
            | Self::FirstReductionShares
            | Self::SecondReductionLimited
            | Self::SecondReductionShares
            | Self::Auction
            | Self::AuctionRepeated
            | Self::AuctionAddendum
            | Self::AuctionWaived
            | Self::AuctionThwarted
            | Self::AuctionResult
            | Self::TaxAuction
            | Self::AuctionDecree
            | Self::Enforcement
            | Self::Sale
            | Self::Correction
            | Self::Unknown => false,
        }
    }

    pub(super) fn is_auction(self) -> bool {
        self.part() == Some(Part::Proposer)
    }

    /// The first letter of the mark.
    pub(super) fn letter(self) -> char {
        match self {
            Self::Bankruptcy | Self::Dissolution | Self::OldLaw => 'K',
            Self::Liquidator | Self::Liquidator2020 => 'L',
            Self::RegisterEntry | Self::Deed | Self::DeedList => 'R',
            Self::FirstReductionLimited
            | Self::FirstReductionShares
            | Self::SecondReductionLimited
            | Self::SecondReductionShares => 'Z',
            Self::Auction
            | Self::AuctionRepeated
            | Self::AuctionAddendum
            | Self::AuctionWaived
            | Self::AuctionThwarted
            | Self::AuctionResult
            | Self::TaxAuction => 'D',
            Self::AuctionDecree | Self::Enforcement => 'X',
            Self::Sale | Self::Correction | Self::Unknown => 'P',
        }
    }
}
