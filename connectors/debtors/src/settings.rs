//! The operator's settings.

use lustra_sdk::settings::Secret;

lustra_sdk::settings! {
    /// All settings of the connector.
    pub struct Settings {
        /// Path of the social insurer's page that links the newest list.
        social_insurer_page: String = "/nastroje-sluzby/zoznam-dlznikov",
        /// Minimum number of rows with an IČO in the social insurer's list. A shorter list is refused.
        social_insurer_minimum: u64 [0..] = 1_000,
        /// Whether to query the page of the insurer `VšZP` for each company while its list is off or was never
        /// imported.
        vszp_live: bool = true,
        /// Path of the search page of the insurer `VšZP`.
        vszp_page: String = "/platitelia/platenie-poistneho/zoznam-dlznikov.html",
        /// The document's number that this search page requires in its query.
        vszp_docid: u64 [0..] = 227,
        /// Source of the insurer Union's list: the portal's service, or the operator's file union-list.
        union_source: UnionSource = UnionSource::Api,
        /// The user that the insurer Union gave the operator for the portal's service.
        union_user: String = "",
        /// The password of `union_user`.
        union_password: Secret = Secret::default(),
        /// Value of the header Origin for the insurer Union's service, which expects its own portal.
        union_origin: String = "https://portal.unionzp.sk",
        /// The property by which the insurer Union's service sorts its pages. It should be unique.
        union_order: String = "dlznikId",
    }
}

lustra_sdk::settings! {
    /// Where the insurer Union's list comes from.
    pub choice UnionSource {
        /// The service behind the insurer's portal.
        Api = "api",
        /// A file that the operator supplies.
        File = "file",
    }
}
