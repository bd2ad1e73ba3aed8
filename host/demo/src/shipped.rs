//! The connectors that the demo always has, with their settings for the simulator.

/// A connector of this repository.
pub(super) struct Shipped {
    pub(super) id: &'static str,
    /// Names of its upstreams, each with its path on the simulator.
    upstreams: &'static [(&'static str, &'static str)],
    /// Further tables of its settings, as the text after `[connector.ID.`.
    more: &'static [&'static str],
}

/// Those that the demo starts with, so that it serves before all are built: the register of legal persons, whose
/// component takes longest to build, and those that are built beside it in the same time on two cores.
pub(super) const FIRST: [&str; 4] = ["debtors", "orsr", "rpo", "tax-authority"];

/// All shipped connectors, sorted by id.
pub(super) const SHIPPED: &[Shipped] = &[
    Shipped {
        id: "commercial-bulletin",
        upstreams: &[("datahub", "datahub")],
        more: &["settings]\nsince = \"120 days\"\n"],
    },
    Shipped {
        id: "courts",
        upstreams: &[("obcan-justice", "obcan-justice")],
        more: &[],
    },
    Shipped {
        id: "crp",
        upstreams: &[("crp", "crp")],
        more: &["datasets]\nprojects = { on = true }\n"],
    },
    Shipped {
        id: "crz",
        upstreams: &[("crz", "crz")],
        // The simulator's files begin this many days before its first date.
        more: &["settings]\nsince = \"120 days\"\n"],
    },
    Shipped {
        id: "debtors",
        upstreams: &[
            ("socpoist", "socpoist"),
            ("vszp", "vszp"),
            ("union", "union"),
            ("fs-reports", "fs-reports"),
            ("dovera-list", "operator-files/dovera.csv"),
        ],
        more: &[
            "settings]\nsocial_insurer_minimum = 1\nunion_user = \"demo\"\nunion_password = \"demo\"\n",
            "datasets]\ndovera = { on = true }\nunion = { on = true }\n",
        ],
    },
    Shipped {
        id: "employers",
        upstreams: &[("list", "operator-files/employers.xlsx")],
        more: &["datasets]\nemployers = { on = true }\n"],
    },
    Shipped {
        id: "executions",
        upstreams: &[
            ("obcan-justice", "obcan-justice"),
            ("executions-list", "operator-files/executions.csv"),
        ],
        more: &["settings]\nsource = \"service\"\n"],
    },
    Shipped {
        id: "food-establishments",
        upstreams: &[("svps", "svps")],
        // One list is CSV, the other a workbook.
        more: &[
            "settings]\nlists = [\n\
             { register = \"food\", path = \"/?typ=zoznam-potr-schvalene&export=csv\" },\n\
             { register = \"vet\", path = \"/?typ=zoznam-vet-schvalene&export=excel\" },\n]\n",
            "datasets]\nfood = { on = true }\nvet = { on = true }\n",
        ],
    },
    Shipped {
        id: "gleif",
        upstreams: &[("gleif", "gleif")],
        more: &[],
    },
    Shipped {
        id: "illegal-employment",
        upstreams: &[
            ("ip", "ip"),
            (
                "illegal-employment-list",
                "operator-files/illegal-employment.xlsx",
            ),
        ],
        more: &["datasets]\nfines = { on = true }\n"],
    },
    Shipped {
        id: "itms21",
        upstreams: &[("itms21", "itms21")],
        more: &[],
    },
    Shipped {
        id: "nbs",
        upstreams: &[
            ("nbs", "nbs"),
            ("agents-list", "operator-files/nbs-agents.csv"),
        ],
        more: &["datasets]\npsd2-services = { on = true }\n"],
    },
    Shipped {
        id: "orsr",
        upstreams: &[("orsr", "orsr")],
        more: &[],
    },
    Shipped {
        id: "procurement-journal",
        upstreams: &[("data-portal", "data-portal")],
        // The simulator's journal begins sixty days before its first date.
        more: &["settings]\nsince = \"90 days\"\n"],
    },
    Shipped {
        id: "replik",
        upstreams: &[
            ("replik", "replik/ru-verejnost-ws"),
            (
                "administrators",
                "obcan-justice/pilot/api/ress-isu-service/v1",
            ),
        ],
        more: &[
            "settings]\nadministrators_source = \"service\"\n",
            "datasets]\nadministrator-list = { on = true }\n",
        ],
    },
    Shipped {
        id: "rpo",
        upstreams: &[("rpo", "rpo"), ("rpo-dumps", "rpo-dumps")],
        more: &[],
    },
    Shipped {
        id: "rpvs",
        upstreams: &[("rpvs", "rpvs")],
        more: &[],
    },
    Shipped {
        id: "ruz",
        upstreams: &[("ruz", "ruz")],
        more: &[],
    },
    Shipped {
        id: "sanctions",
        upstreams: &[
            ("eu-fsf", "eu-fsf/fsd/fsf/public/files"),
            ("ofac", "ofac/api/PublicationPreview/exports"),
        ],
        more: &[],
    },
    Shipped {
        id: "security-licences",
        upstreams: &[("list", "operator-files/security-licences.csv")],
        more: &["datasets]\nlicences = { on = true }\n"],
    },
    Shipped {
        id: "social-enterprises",
        upstreams: &[("list", "operator-files/social-enterprises.xlsx")],
        more: &["datasets]\nenterprises = { on = true }\n"],
    },
    Shipped {
        id: "tax-authority",
        upstreams: &[
            ("fs-reports", "fs-reports"),
            ("fs-api", "fs-api"),
            ("vies", "vies"),
        ],
        more: &["settings]\napi_key = \"demo-key\"\n"],
    },
    Shipped {
        id: "tax-lists",
        upstreams: &[("fs-reports", "fs-reports"), ("fs-api", "fs-api")],
        more: &[
            "settings]\napi_key = \"demo-key\"\n",
            "datasets]\nresearch-deductions = { on = true }\ninvestment-deductions = { on = true }\npatent-box = { on = true }\nregulated-entities = { on = true }\n",
        ],
    },
    Shipped {
        id: "ted",
        upstreams: &[("ted", "ted")],
        more: &[],
    },
    Shipped {
        id: "trade-licences",
        upstreams: &[("rpo", "rpo")],
        more: &[],
    },
    Shipped {
        id: "transport-licences",
        upstreams: &[("list", "operator-files/transport-licences.xlsx")],
        more: &["datasets]\nlicences = { on = true }\n"],
    },
    Shipped {
        id: "travel-agencies",
        upstreams: &[("list", "operator-files/travel-agencies.csv")],
        more: &["datasets]\nagencies = { on = true }\n"],
    },
    Shipped {
        id: "utility-licences",
        upstreams: &[("list", "operator-files/utility-licences.csv")],
        more: &["datasets]\nlicences = { on = true }\n"],
    },
    Shipped {
        id: "uvo",
        upstreams: &[("uvo", "uvo")],
        // The simulator's selector of the list of economic subjects; the real one is unknown.
        more: &[
            "settings]\nsuppliers = { search_type = \"ZHS\" }\n",
            "datasets]\ndebarred = { on = true }\n",
        ],
    },
];

impl Shipped {
    /// Its entry in a settings file. The simulator needs no rate limit and no pauses.
    pub(super) fn settings(&self, simulator: &str) -> String {
        let id = self.id;
        let upstreams: String = self
            .upstreams
            .iter()
            .map(|(name, path)| {
                format!(
                    "{name} = {{ address = \"{simulator}/{path}\", requests_per_second = 10000, concurrent = 16, retry_pauses_ms = [1, 1] }}\n"
                )
            })
            .collect();
        let more: String = self
            .more
            .iter()
            .map(|table| format!("[connector.{id}.{table}"))
            .collect();
        format!(
            "[connector.{id}]\ngrants = [\"{simulator}\"]\n[connector.{id}.upstreams]\n{upstreams}{more}"
        )
    }
}
