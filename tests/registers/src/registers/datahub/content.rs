//! The XML of a notice in the variants of the bulletin's forms: with and without byte order mark, namespaces
//! and prefixes, and numbers with spaces.

use crate::World;
use crate::population::Company;
use crate::population::calendar::days_between;
use crate::population::notices::{EntryKind, Form, Notice, Part};

/// The namespace of most forms.
const NAMESPACE: &str = "/PortalJustice/XmlFormularObchodnyVestnik/";

pub(super) fn of(world: &World, notice: &Notice) -> String {
    let writer = Writer { world, notice };
    let root = match notice.form {
        Form::Bankruptcy | Form::Dissolution => writer.insolvency(),
        Form::OldLaw => writer.old_law(),
        Form::Liquidator | Form::Liquidator2020 => writer.liquidator(),
        Form::RegisterEntry | Form::Deed | Form::DeedList => writer.register_entry(),
        Form::FirstReductionLimited
        | Form::FirstReductionShares
        | Form::SecondReductionLimited
        | Form::SecondReductionShares => writer.reduction(),
        Form::Auction
        | Form::AuctionRepeated
        | Form::AuctionAddendum
        | Form::AuctionWaived
        | Form::AuctionThwarted
        | Form::AuctionResult => writer.auction(),
        Form::TaxAuction => writer.tax_auction(),
        Form::AuctionDecree => writer.decree(),
        Form::Enforcement => writer.enforcement(),
        Form::Sale => writer.sale(),
        Form::Correction => writer.correction(),
        Form::Unknown => writer.unknown(),
    };
    // Some files come without the mark.
    let mark = if notice.id % 5 == 1 { "" } else { "\u{feff}" };
    let mut text = format!("{mark}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n{root}");
    if notice.is_broken {
        let half = text.chars().count() / 2;
        text = text.chars().take(half).collect();
    }
    text
}

struct Writer<'a> {
    world: &'a World,
    notice: &'a Notice,
}

impl Writer<'_> {
    /// The company on the day of the issue. Notices are not updated when a name changes.
    fn company(&self, index: u32) -> Company {
        let population = &self.world.population;
        let day = days_between(population.start(), self.notice.published);
        population.company(index, day)
    }

    /// Writes each company with a part in the notice; empty if there is none.
    fn each(&self, part: Part, write: impl Fn(&Company) -> String) -> String {
        let parties = self.notice.parties.iter();
        parties
            .filter(|party| party.part == part)
            .map(|party| write(&self.company(party.index)))
            .collect()
    }

    /// A number in one of the spellings that are in use.
    fn number(&self, ico: &str) -> String {
        let space = match self.notice.id % 4 {
            1 => " ",
            3 => "\u{a0}",
            _ => return ico.to_owned(),
        };
        let (head, tail) = ico.split_at(2);
        let (middle, end) = tail.split_at(3);
        format!("{head}{space}{middle}{space}{end}")
    }

    fn insolvency(&self) -> String {
        let party = |element: &str, company: &Company| {
            let seat = company.seat();
            format!(
                "<{element}><Nazov>{}</Nazov><ICO>{}</ICO><Ulica>{}</Ulica><CisloUl>{}</CisloUl><Obec>{}</Obec><Psc>{}</Psc>\
                 <Stat>Slovenská republika</Stat></{element}>",
                escaped(company.name()),
                self.number(&company.ico),
                seat.street.as_deref().unwrap_or_default(),
                seat.house(),
                seat.city,
                seat.postal_code()
            )
        };
        let notice = self.notice;
        let mut debtor = self.each(Part::Debtor, |company| party("Dlznik", company));
        if debtor.is_empty() {
            debtor = match notice.people {
                0 => "<Dlznik/>".to_owned(),
                // The number field of a person contains the date of birth.
                _ => "<Dlznik><Nazov>Vymyslená Osoba</Nazov><ICO>01.01.1970</ICO></Dlznik>"
                    .to_owned(),
            };
        }
        let proposers = self.each(Part::Proposer, |company| party("Navrhovatel", company));
        // Administrators are named too, but they are not the subject of the notice.
        let administrators = if notice.id.is_multiple_of(2) {
            format!(
                "<Spravcovia>{}</Spravcovia>",
                party("Spravca", &self.company(11))
            )
        } else {
            "<Spravcovia/>".to_owned()
        };
        format!(
            "<KonkurzARestrukt><ID>{}</ID>\r\n<Autor><Sud>Okresný súd Vzorov</Sud><SpisovaZnacka>{}</SpisovaZnacka>\
             <ICS>6125900011</ICS><Vydal>JUDr. Vzorová</Vydal><VydalFN>sudca</VydalFN><Odoslal>Skúšobný</Odoslal></Autor>\
             <DatumVydania>{}</DatumVydania>{debtor}<Navrhovatelia>{proposers}</Navrhovatelia>{administrators}\
             <Text><Druh>{}</Druh><Hlavicka>Súd vo veci</Hlavicka><Rozhodnutie>Súd rozhodol.</Rozhodnutie><Poucenie/>\
             <Oznam>{}</Oznam></Text></KonkurzARestrukt>",
            notice.id,
            notice.reference,
            self.date(),
            notice.kind,
            self.in_text()
        )
    }

    /// The date of the issue, as `3.6.2025`.
    fn date(&self) -> String {
        let date = self.notice.published;
        format!("{}.{}.{}", date.day(), u8::from(date.month()), date.year())
    }

    fn in_text(&self) -> String {
        self.notice.in_text.map_or_else(String::new, |index| {
            let company = self.company(index);
            format!(
                "spoločnosť {}, IČO: {}",
                escaped(company.name()),
                self.number(&company.ico)
            )
        })
    }

    fn old_law(&self) -> String {
        let debtor = self.each(Part::Debtor, |company| {
            format!(
                "<ObchodneMenoNazov>{}</ObchodneMenoNazov><Ico>{}</Ico>",
                escaped(company.name()),
                self.number(&company.ico)
            )
        });
        format!(
            "<KonkurzyAVyrovnania><KrajskySud Kod=\"1\">Krajský súd Vzorov</KrajskySud>\
             <SpisovaZnacka>{}</SpisovaZnacka>{debtor}<ZverejnujeTyp Kod=\"1\">{}</ZverejnujeTyp>\
             <SudZverejnuje/></KonkurzyAVyrovnania>",
            self.notice.reference, self.notice.kind
        )
    }

    fn liquidator(&self) -> String {
        let company = self.each(Part::Liquidated, |company| {
            format!(
                "<Udaje><ObchodneMenoNazov>{}</ObchodneMenoNazov></Udaje><Ico>{}</Ico><Sid/>",
                escaped(company.name()),
                self.number(&company.ico)
            )
        });
        format!(
            "<OznamenieVyzvaLikvidatorov xmlns=\"{NAMESPACE}\"><Likvidatori><LikvidatorTyp Kod=\"FO\">Fyzická osoba</LikvidatorTyp>\
             <LikvidatorFO><CeleMeno><Meno>Vymyslená</Meno><Priezvisko>Osoba</Priezvisko></CeleMeno></LikvidatorFO></Likvidatori>\
             <Podnik><PravnaForma Kod=\"112\">Spoločnosť</PravnaForma>{company}</Podnik><RozhodnutieDatum>{}</RozhodnutieDatum>\
             </OznamenieVyzvaLikvidatorov>",
            self.notice.published
        )
    }

    /// No version of the form has an element for the company's number.
    fn register_entry(&self) -> String {
        let kind = self.notice.entry.as_ref().map(|entry| entry.kind);
        format!(
            "<ORPodania><SudKod>1</SudKod><SudNazov>Okresný súd Vzorov</SudNazov><TypKod>{}</TypKod><TypNazov>{}</TypNazov>\
             <ORPodanie><ORZnacka>{}</ORZnacka><TextPodania>Zapisuje sa {}</TextPodania></ORPodanie></ORPodania>",
            kind.map_or("", EntryKind::code),
            self.notice.kind,
            self.notice.register_mark(),
            self.in_text()
        )
    }

    /// A block of a legal person, as most forms have it.
    fn person(&self, prefix: &str, element: &str, company: &Company) -> String {
        let p = prefix;
        format!(
            "<{p}{element}><{p}ObchodneMenoNazov>{}</{p}ObchodneMenoNazov><{p}Sidlo><{p}Obec>{}</{p}Obec></{p}Sidlo>\
             <{p}Sud Kod=\"1\">Okresný súd Vzorov</{p}Sud><{p}Ico>{}</{p}Ico></{p}{element}>",
            escaped(company.name()),
            company.seat().city,
            self.number(&company.ico)
        )
    }

    fn reduction(&self) -> String {
        let company = self.each(Part::Company, |company| {
            self.person("", "Spolocnost", company)
        });
        format!(
            "<ZnizenieZakladnehoImania xmlns=\"{NAMESPACE}\"><Konatelia><Konatel><Meno><Meno>Vymyslená</Meno></Meno></Konatel>\
             </Konatelia>{company}<RozhodnutieText>Znížiť</RozhodnutieText><ZakladneImanieZ><Suma>10000</Suma>\
             <Mena Kod=\"EUR\">EUR</Mena></ZakladneImanieZ><ZakladneImanieNa>5000</ZakladneImanieNa></ZnizenieZakladnehoImania>"
        )
    }

    fn auction(&self) -> String {
        // Another program writes the second version, with a prefix.
        let (p, declared) = if self.notice.version == 2 {
            ("ov:", format!(" xmlns:ov=\"{NAMESPACE}\""))
        } else {
            ("", format!(" xmlns=\"{NAMESPACE}\""))
        };
        let auctioneer = self.each(Part::Auctioneer, |company| {
            self.person(p, "Drazobnik", company)
        });
        let proposers = self.each(Part::Proposer, |company| {
            let name = self.person(p, "CeleMeno", company);
            format!("<{p}Navrhovatel><{p}Id>1</{p}Id>{name}</{p}Navrhovatel>")
        });
        format!(
            "<{p}Drazba{declared}><{p}Cislo>{}</{p}Cislo>{auctioneer}<{p}Navrhovatelia>{proposers}</{p}Navrhovatelia>\
             <{p}Predmet>&amp;lt;p&amp;gt;Dom &amp;amp; dvor&amp;lt;/p&amp;gt;</{p}Predmet>\
             <{p}NajnizsiePodanie>10 000,00 EUR</{p}NajnizsiePodanie></{p}Drazba>",
            self.notice.reference
        )
    }

    fn tax_auction(&self) -> String {
        let debtor = self.each(Part::Named, |company| {
            self.person("", "DanovyDlznik", company)
        });
        format!("<DrazbaSpravcaDane xmlns=\"{NAMESPACE}\">{debtor}</DrazbaSpravcaDane>")
    }

    fn decree(&self) -> String {
        format!(
            "<AuctionDecree xmlns=\"http://schemas.gov.sk/form/00166073.MSSR_OV_Drazobna_vyhlaska/1.5\">\
             <NumberOfExecution>{}</NumberOfExecution><Owner>{}</Owner></AuctionDecree>",
            self.notice.reference,
            self.in_text()
        )
    }

    fn enforcement(&self) -> String {
        let obligors = self.each(Part::Obligor, |company| {
            format!(
                "<Obligatory><ObligatoryName>{}</ObligatoryName><ObligatoryId>{}</ObligatoryId></Obligatory>",
                escaped(company.name()),
                self.number(&company.ico)
            )
        });
        let people = "<Obligatory><ObligatoryName>Vymyslená Osoba</ObligatoryName><ObligatoryId>12031970</ObligatoryId></Obligatory>"
            .repeat(self.notice.people as usize);
        format!(
            "<MSSR_OV_Upovedomenie_o_exekucii xmlns=\"http://schemas.gov.sk/form/00166073.MSSR_OV_Upovedomenie_o_exekucii/1.0\">\
             <Executor><GivenName>Vymyslený</GivenName></Executor>{obligors}{people}<Other><FileReferenceEx>{}</FileReferenceEx>\
             </Other></MSSR_OV_Upovedomenie_o_exekucii>",
            self.notice.reference
        )
    }

    fn sale(&self) -> String {
        let debtor = self.each(Part::Debtor, |company| {
            format!("<UpadcaIco>{}</UpadcaIco>", self.number(&company.ico))
        });
        let administrator = self.company(11).ico;
        format!(
            "<PredajMajetkuSpravca xmlns=\"{NAMESPACE}\"><SpravcaPO><Ico>{administrator}</Ico></SpravcaPO>{debtor}\
             <SpisovaZnackaSudnehoSpisu>{}</SpisovaZnackaSudnehoSpisu></PredajMajetkuSpravca>",
            self.notice.reference
        )
    }

    fn correction(&self) -> String {
        let announcer = self.each(Part::Announcer, |company| {
            format!("<Ico>{}</Ico>", self.number(&company.ico))
        });
        let notice = self.notice;
        let what = if notice.version == 1 {
            "<FormularSablona>OV_DRAZBA</FormularSablona><TextZnenieUdaje>Oprava</TextZnenieUdaje>"
                .to_owned()
        } else {
            format!(
                "<OV>{}</OV><DatumVydania>{}</DatumVydania><PodanieKapitola Kod=\"D\">Dražby</PodanieKapitola>\
                 <PodanieTyp Kod=\"1\">{}</PodanieTyp>",
                notice.reference,
                self.date(),
                notice.kind
            )
        };
        format!("<OpravaZrusenie xmlns=\"{NAMESPACE}\">{announcer}{what}</OpravaZrusenie>")
    }

    fn unknown(&self) -> String {
        let named = self.each(Part::Named, |company| self.person("s:", "Subjekt", company));
        format!("<s:Skuska xmlns:s=\"urn:skuska\">{named}</s:Skuska>")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
