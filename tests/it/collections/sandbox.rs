//! The sandbox's entities, as clients of the later versions read them.

use lustra_tests::{Answer, World};
use serde_json::json;

use super::shapes::{assert_fits, licence, summary, whole};
use crate::support::{keys, reading};

const ENTITIES: &str = "/v1/sandbox/nbs/entities";
const AGENTS: &str = "/v1/sandbox/company/ico/99800055/nbs-agents";

/// Asks with the sandbox's key.
async fn ask(world: &World, path: &str) -> Answer {
    let answer = world
        .get_with(path, &[("x-api-key", "lst_test_sandbox")])
        .await;
    assert_eq!(answer.header("x-credits-charged"), None);
    answer
}

#[test]
fn sandbox_entities_have_the_clients_shapes() {
    reading(async |world| {
        let (summary, licence, whole) = (summary(), licence(), whole());
        let listed = ask(world, &format!("{ENTITIES}?status=all")).await;
        assert_eq!(listed.status, 200, "{listed:?}");
        assert_fits(
            &json!({"type": "array", "minItems": 5, "items": summary}),
            listed.at("/data"),
        );
        assert_eq!(keys(listed.at("/meta")), ["has_more", "limit", "offset"]);
        for item in listed.at("/data").as_array().into_iter().flatten() {
            let id = item["entity_id"].as_str().expect("an id");
            let one = ask(world, &format!("{ENTITIES}/{id}")).await;
            assert_eq!(keys(&one.body), ["data"]);
            assert_fits(&whole, one.at("/data"));
        }
        let agents = ask(world, AGENTS).await;
        let agent = json!({"allOf": [summary, {"required": ["licences"], "properties": {
            "licences": {"type": "array", "minItems": 1, "items": licence},
        }}]});
        assert_fits(
            &json!({"type": "array", "minItems": 2, "items": agent}),
            agents.at("/data"),
        );
        assert_fits(&summary, agents.at("/meta/parent"));
        for agent in agents.at("/data").as_array().into_iter().flatten() {
            let mut licences = agent["licences"].as_array().into_iter().flatten();
            assert!(licences.all(|licence| licence["parent"]["ico"] == "99800055"));
        }
        let foreign = ask(world, &format!("{ENTITIES}?country=foreign")).await;
        assert_eq!(
            foreign.at("/data").as_array().map(Vec::len),
            Some(1),
            "{foreign:?}"
        );
        for wrong in [
            format!("{ENTITIES}?country=foreigner"),
            format!("{AGENTS}?category=banka"),
        ] {
            assert_eq!(ask(world, &wrong).await.status, 422, "{wrong}");
        }
        assert_eq!(ask(world, &format!("{ENTITIES}/unknown")).await.status, 404);
        assert_eq!(world.get_with(ENTITIES, &[]).await.status, 401);
    });
}
