//! The operator's settings.

use lustra_sdk::text::fold;
use lustra_sdk::{Failure, malformed};

lustra_sdk::settings! {
    /// Where the facts come from.
    pub choice Source {
        /// From nowhere: the section says so.
        Off = "off",
        /// The assumed service behind the register's pages, queried for each company.
        Service = "service",
        /// The operator's file, imported.
        File = "file",
    }
}

lustra_sdk::settings! {
    /// The source of the facts.
    pub struct Settings {
        /// Source of authorizations: none, the assumed service behind the register's pages, or the operator's file
        /// executions-list.
        source: Source = Source::Off,
        /// Charset of the operator's file.
        list_charset: String = "utf-8",
    }
}

lustra_sdk::settings! {
    /// The requests to the assumed service.
    pub struct Service {
        /// Path of the assumed service.
        path as "service_path": String = "/pilot/api/ress-isu-service/v1/poverenie",
        /// Names of its query parameters. One that is left out keeps its default.
        query as "service_query": Query = Query::default(),
        /// Number of its first page.
        first_page as "service_first_page": u64 [0..=1] = 1,
        /// Number of rows requested on a page. The service may return fewer.
        page_size as "service_page_size": u64 [1..=1_000] = 100,
        /// Names of the members of its answer. One that is left out keeps its default.
        members as "service_members": Members = Members::default(),
    }
}

lustra_sdk::settings! {
    /// The names of the service's parameters.
    pub group Query {
        /// The IČO of the obligor.
        ico: String = "ico",
        /// The number of the page.
        page: String = "page",
        /// The number of rows on a page.
        size: String = "size",
    }
}

lustra_sdk::settings! {
    /// The names of the members of the service's answer.
    pub group Members {
        /// The number of authorizations found; in the envelope.
        total: String = "numFound",
        /// The register's own date; in the envelope.
        updated_at: String = "updateDate",
        /// The list of authorizations; in the envelope.
        rows: String = "poverenieList",
        /// The register's id of a row.
        id: String = "guid",
        /// The European case-law identifier (ECLI) of the authorization.
        ecli: String = "ecli",
        /// The court's file reference.
        court_file_number: String = "spisovaZnacka",
        /// The number of the authorization.
        authorization_number: String = "identifikacneCislo",
        /// The day of the court's authorization.
        authorized_at: String = "datumVydania",
        /// The day of its publication in the register.
        published_at: String = "datumZverejnenia",
        /// The state, which `active_states` and `ended_states` explain.
        status: String = "stav",
        /// The court: an object with a name, or the name.
        court: String = "sud",
        /// The name within the court's object.
        court_name: String = "nazov",
        /// The executor: an object with a name, or the name.
        executor: String = "exekutor",
        /// The name within the executor's object.
        executor_name: String = "meno",
        /// The kind of claim.
        enforced_claim: String = "druhNaroku",
        /// The list of creditors.
        creditors: String = "opravneny",
        /// The list of obligors.
        obligors: String = "povinny",
        /// The name of a creditor or obligor.
        party_name: String = "nazov",
        /// The IČO of a creditor or obligor.
        party_ico: String = "ico",
    }
}

lustra_sdk::settings! {
    /// The register's states, compared without case and diacritics.
    pub struct States {
        /// States of an authorization in force, without regard to case and diacritics.
        active as "active_states": Vec<String> = ["Aktuálny"],
        /// States of an authorization that is no longer in force. Any other state is an error, because it is not
        /// guessed.
        ended as "ended_states": Vec<String> = ["Neaktuálny"],
    }
}

impl States {
    /// Whether an authorization in this state is in force; `place` names it in a failure.
    ///
    /// # Errors
    /// [`Failure::Malformed`] for a state that neither setting has: it decides whether the company is enforced upon, so
    /// it is not guessed.
    pub fn is_active(&self, status: &str, place: &str) -> Result<bool, Failure> {
        let folded = fold(status);
        let among = |states: &[String]| states.iter().any(|state| fold(state) == folded);
        if among(&self.active) {
            Ok(true)
        } else if among(&self.ended) {
            Ok(false)
        } else {
            Err(malformed(
                place,
                "a state that active_states or ended_states has",
                status,
            ))
        }
    }
}
