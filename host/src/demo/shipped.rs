//! The connectors that the demo always has, and what they need to ask the simulator.

/// One of them.
pub(super) struct Shipped {
    /// The connector's id.
    pub(super) id: &'static str,
    /// Its upstreams, each with its place below the simulator's address.
    upstreams: &'static [(&'static str, &'static str)],
    /// Further tables of its entry, as they stand in a settings file behind `[connector.ID.`.
    more: &'static [&'static str],
}

/// By id.
pub(super) const SHIPPED: &[Shipped] = &[
    Shipped {
        id: "commercial-bulletin",
        upstreams: &[("datahub", "datahub")],
        more: &["settings]\nsince = \"120 days\"\n"],
    },
    Shipped {
        id: "crz",
        upstreams: &[("crz", "crz")],
        // The simulator's files begin so many days before its first day.
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
        id: "executions",
        upstreams: &[
            ("obcan-justice", "obcan-justice"),
            ("executions-list", "operator-files/executions.csv"),
        ],
        more: &["settings]\nsource = \"service\"\n"],
    },
    Shipped {
        id: "nbs",
        upstreams: &[("nbs", "nbs")],
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
        // The simulator's journal begins sixty days before its first day.
        more: &["settings]\nsince = \"90 days\"\n"],
    },
    Shipped {
        id: "replik",
        upstreams: &[("replik", "replik/ru-verejnost-ws")],
        more: &[],
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
        id: "tax-authority",
        upstreams: &[
            ("fs-reports", "fs-reports"),
            ("fs-api", "fs-api"),
            ("vies", "vies"),
        ],
        more: &["settings]\napi_key = \"demo-key\"\n"],
    },
    Shipped {
        id: "uvo",
        upstreams: &[("uvo", "uvo")],
        // The simulator's selector of the list of economic subjects; the real one is not known.
        more: &["settings]\nsuppliers = { search_type = \"ZHS\" }\n"],
    },
];

impl Shipped {
    /// Its entry in a settings file. The simulator is asked as fast as it answers.
    pub(super) fn settings(&self, simulator: &str) -> String {
        let id = self.id;
        let upstreams: String = self
            .upstreams
            .iter()
            .map(|(name, path)| {
                format!(
                    "{name} = {{ address = \"{simulator}/{path}\", requests_per_second = 10000, concurrent = 16 }}\n"
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
