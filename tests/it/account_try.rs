//! The page on which people try a call of the API.

use lustra_tests::lustra::store::MemberRole;

use crate::account_support::{Visitor, html, member};
use crate::support::reading;

#[test]
fn tried_call_is_charged_and_says_what_the_api_says() {
    reading(async |world| {
        let ico = &world.icos[0];
        let reader = Visitor::of(world);
        let account = world.account().await.id;
        let id = member(world, account, "reader@mlyn.example", MemberRole::Read).await;
        reader.sign_in(world, id).await;
        let form = [("ico", ico.as_str()), ("scopes", "tax")];
        let tried = reader.post("/account/try", &form).await;
        assert_eq!(tried.status, 200, "{tried:?}");
        let page = html(&tried);
        assert!(page.contains("HTTP 200"), "{page}");
        assert!(
            page.contains(&format!("/v1/company/ico/{ico}?scope=tax")),
            "{page}"
        );
        assert!(
            page.contains(&format!("&#34;ico&#34;: &#34;{ico}&#34;")),
            "{page}"
        );
        let wrong = reader.post("/account/try", &[("ico", "12")]).await;
        assert_eq!(wrong.status, 422);
        let unknown = reader.post("/account/try", &[("ico", "00000000")]).await;
        assert!(html(&unknown).contains("HTTP 404"), "{unknown:?}");
        let key = Visitor::of(world);
        key.sign_in_by_key(&world.key).await;
        assert!(!key.page("/account").await.contains("/account/keys\""));
    });
}
