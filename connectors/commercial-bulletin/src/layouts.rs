//! The layouts of the bulletin's XML by their root element: where the companies of a notice stand, and what its
//! heading is made of.
//!
//! Element names are those of the forms' schemas; several forms share one layout. Namespaces are left aside, since
//! some forms have one and some none.

/// What a company is in a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Whose insolvency or sale of the estate it is.
    Debtor,
    /// Who proposed the insolvency proceeding or the auction.
    Proposer,
    /// Who is wound up.
    Liquidated,
    /// Whose capital, legal form, merger or entry it is.
    Company,
    /// Who holds the auction.
    Auctioneer,
    /// Against whom the execution is led.
    Obligor,
    /// Who corrects or cancels an earlier notice.
    Announcer,
    /// Named by its IČO in a layout of which no more is known.
    Named,
}

impl Role {
    /// The word in the section.
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

/// One layout.
#[derive(Debug)]
pub struct Layout {
    /// The root element.
    pub root: &'static str,
    /// What a notice is, where the code of its form is not known.
    pub meaning: &'static str,
    /// The elements that hold an IČO, the most important role first.
    pub subjects: &'static [(Path, Role)],
    /// The kind of document or act.
    pub kind: Option<Path>,
    /// What stands before the reference in a heading.
    pub reference_prefix: &'static str,
    /// The number by which the case, auction or corrected issue is cited.
    pub reference: Option<Path>,
}

/// The root of the commercial register's entries, whatever the code of their form.
pub const OF_REGISTER: &str = "ORPodania";

/// The known layouts.
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
    // Proceedings that began before the law of 2006.
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
    // Its schema has no element for an IČO; it stands in the text, which is not searched. The mirror has a table of these.
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
    // The liquidator, who has an IČO too, is no subject. The name is misspelt in the schema.
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
