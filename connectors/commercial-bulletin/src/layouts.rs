//! The layouts of the bulletin's XML by root element: where a notice names its companies, and the parts of its
//! heading.
//!
//! Element names are those of the forms' schemas; several forms share one layout. Namespaces are ignored, since
//! only some forms have one.

/// The role of a company in a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The subject of the insolvency or of the sale of the estate.
    Debtor,
    /// The proposer of the insolvency proceeding or the auction.
    Proposer,
    /// The company being liquidated.
    Liquidated,
    /// The company whose capital, legal form, merger or entry it is.
    Company,
    /// The organizer of the auction.
    Auctioneer,
    /// The obligor of the execution.
    Obligor,
    /// The author of a correction or cancellation.
    Announcer,
    /// Named by its IČO in an unknown layout.
    Named,
}

impl Role {
    /// The name of the role in the section.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Debtor => "debtor",
            Self::Proposer => "proposer",
            Self::Liquidated => "liquidated",
            Self::Company => "company",
            Self::Auctioneer => "auctioneer",
            Self::Obligor => "obligor",
            Self::Announcer => "announcer",
            Self::Named => "named",
        }
    }
}

/// A path of element names below the root.
pub type Path = &'static [&'static str];

#[derive(Debug)]
pub struct Layout {
    pub root: &'static str,
    /// The meaning of a notice if the code of its form is unknown.
    pub meaning: &'static str,
    /// The elements with an IČO, the most important role first.
    pub subjects: &'static [(Path, Role)],
    /// The kind of document or act.
    pub kind: Option<Path>,
    /// The text before the reference in a heading.
    pub reference_prefix: &'static str,
    /// The element with the number of the case, auction or corrected issue.
    pub reference: Option<Path>,
}

/// The root of commercial-register entries, whatever the code of their form.
pub const OF_REGISTER: &str = "ORPodania";

pub const LAYOUTS: &[Layout] = &[
    Layout {
        root: "KonkurzARestrukt",
        meaning: "Konkurz alebo reštrukturalizácia",
        subjects: &[
            (&["Dlznik", "ICO"], Role::Debtor),
            (&["Navrhovatelia", "Navrhovatel", "ICO"], Role::Proposer),
        ],
        kind: Some(&["Text", "Druh"]),
        reference_prefix: "",
        reference: Some(&["Autor", "SpisovaZnacka"]),
    },
    Layout {
        root: "OznamenieVyzvaLikvidatorov",
        meaning: "Výzva likvidátora veriteľom",
        subjects: &[
            (&["Podnik", "Ico"], Role::Liquidated),
            (&["Podnik", "UdajeStatnyPodnik", "Ico"], Role::Liquidated),
        ],
        kind: None,
        reference_prefix: "",
        reference: None,
    },
    Layout {
        root: "OznamenieVyzvaLikvidatorovDodatocna",
        meaning: "Dodatočná výzva likvidátora veriteľom",
        subjects: &[(&["Podnik", "Ico"], Role::Liquidated)],
        kind: None,
        reference_prefix: "",
        reference: None,
    },
    // Proceedings that started before the law of 2006.
    Layout {
        root: "KonkurzyAVyrovnania",
        meaning: "Konkurz alebo vyrovnanie",
        subjects: &[(&["Ico"], Role::Debtor)],
        kind: Some(&["ZverejnujeTyp"]),
        reference_prefix: "",
        reference: Some(&["SpisovaZnacka"]),
    },
    Layout {
        root: "OznameniaSpravcov",
        meaning: "Oznámenie správcu",
        subjects: &[(&["Upadca", "Ico"], Role::Debtor)],
        kind: Some(&["DruhPodania"]),
        reference_prefix: "",
        reference: Some(&["SpisovaZnackaSudnehoSpisu"]),
    },
    // The schema has no element for an IČO, which is only in the text. The text is not searched, but the mirror
    // has a table of these notices.
    Layout {
        root: OF_REGISTER,
        meaning: "Zápis v obchodnom registri",
        subjects: &[],
        kind: Some(&["TypNazov"]),
        reference_prefix: "",
        reference: None,
    },
    Layout {
        root: "ZnizenieZakladnehoImania",
        meaning: "Oznámenie o znížení základného imania",
        subjects: &[(&["Spolocnost", "Ico"], Role::Company)],
        kind: None,
        reference_prefix: "",
        reference: None,
    },
    Layout {
        root: "ZmenaPravnejFormy",
        meaning: "Oznámenie o zmene právnej formy",
        subjects: &[
            (&["Spolocnost", "Ico"], Role::Company),
            (&["ZmenaZ", "Spolocnost", "Ico"], Role::Company),
            (&["ZmenaNa", "Spolocnost", "Ico"], Role::Company),
        ],
        kind: None,
        reference_prefix: "",
        reference: None,
    },
    Layout {
        root: "ZlucenieZbierkyListin",
        meaning: "Oznámenie o zlúčení v zbierke listín",
        subjects: &[(&["Spolocnost", "Ico"], Role::Company)],
        kind: None,
        reference_prefix: "",
        reference: None,
    },
    Layout {
        root: "Drazba",
        meaning: "Dražba",
        subjects: &[
            (&["Drazobnik", "Ico"], Role::Auctioneer),
            (
                &["Navrhovatelia", "Navrhovatel", "CeleMeno", "Ico"],
                Role::Proposer,
            ),
        ],
        kind: None,
        reference_prefix: "č. ",
        reference: Some(&["Cislo"]),
    },
    Layout {
        root: "AuctionDecree",
        meaning: "Dražobná vyhláška súdneho exekútora",
        subjects: &[],
        kind: None,
        reference_prefix: "",
        reference: Some(&["NumberOfExecution"]),
    },
    Layout {
        root: "MSSR_OV_Upovedomenie_o_exekucii",
        meaning: "Upovedomenie o exekúcii",
        subjects: &[(&["Obligatory", "ObligatoryId"], Role::Obligor)],
        kind: None,
        reference_prefix: "",
        reference: Some(&["Other", "FileReferenceEx"]),
    },
    Layout {
        root: "PredajMajetkuSpravca",
        meaning: "Predaj majetku správcom",
        subjects: &[(&["UpadcaIco"], Role::Debtor)],
        kind: None,
        reference_prefix: "",
        reference: Some(&["SpisovaZnackaSudnehoSpisu"]),
    },
    // The liquidator also has an IČO but is not a subject. The element name is misspelt in the schema.
    Layout {
        root: "PredajMajetkuLividator",
        meaning: "Predaj majetku likvidátorom",
        subjects: &[(&["Spolocnost", "Ico"], Role::Liquidated)],
        kind: None,
        reference_prefix: "",
        reference: None,
    },
    Layout {
        root: "OpravaZrusenie",
        meaning: "Oprava alebo zrušenie podania",
        subjects: &[(&["Ico"], Role::Announcer)],
        kind: Some(&["PodanieTyp"]),
        reference_prefix: "OV ",
        reference: Some(&["OV"]),
    },
    Layout {
        root: "VyhlaskySudov",
        meaning: "Vyhláška súdu",
        subjects: &[],
        kind: None,
        reference_prefix: "č. ",
        reference: Some(&["Cislo"]),
    },
    Layout {
        root: "RozhodnutieOznamenieOrganuVerejnejMoci",
        meaning: "Rozhodnutie alebo oznámenie orgánu verejnej moci",
        subjects: &[],
        kind: None,
        reference_prefix: "č. ",
        reference: Some(&["Cislo"]),
    },
];

/// The layout of a root element.
#[must_use]
pub fn of_root(root: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.root == root)
}
