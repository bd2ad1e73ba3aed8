//! The demo's account: a key, and a link that signs its owner in.

use lustra::accounts::sign_in_links::Token;
use lustra::billing::NewKey;
use lustra_store::{Invited, MemberRole, SendLimit, Store};

use crate::CliError;

/// The address of the demo's owner. No e-mail is sent to it.
const OWNER: &str = "owner@demo.example";

/// Creates the demo's account with an owner, and returns a key and the token of a link that signs the owner in.
pub(super) async fn create(
    store_url: &str,
    now: time::OffsetDateTime,
) -> Result<(String, Token), CliError> {
    let store = Store::connect(store_url, 2).await?;
    let account = match store.keys().find_account("demo").await? {
        Some(account) => account,
        None => {
            store
                .keys()
                .create_account("demo", "enterprise", now)
                .await?
        }
    };
    let key = NewKey::live();
    store
        .keys()
        .create_key(account.id, "demo", &key.prefix, &key.text.hash(), None, now)
        .await?;
    let people = store.members_of(account.id);
    let invited = people.invite(OWNER, "Demo", MemberRole::Owner, u32::MAX, now);
    let owner = match invited.await? {
        Invited::Created(member) | Invited::Existing(member) => member.id,
        Invited::TooMany => return Err(CliError("the demo's account has no owner".to_owned())),
    };
    let token = Token::random();
    let limit = SendLimit {
        key: "sign-in link of the demo".to_owned(),
        most: u32::MAX,
        window: std::time::Duration::from_secs(1),
    };
    let (sessions, ends) = (store.sessions(), now + time::Duration::days(7));
    let made = sessions.create_link(owner, &token.digest, &limit, ends, now);
    made.await?;
    store.close().await;
    Ok((key.text.reveal().to_owned(), token))
}
