//! What the owner of an account manages: keys with limits, members, sign-in links and sessions.

use super::*;
use crate::{
    AccountId, Invited, KeyChange, KeyCreation, KeyLimits, KeyedRequest, LinkCreation, Member,
    MemberChange, MemberRole, MemberState, NewKeyOfAccount, OwnedKey, SealedKeyRequest, SendLimit,
    SessionOwner,
};

async fn account(store: &Store) -> AccountId {
    let created = store.keys().create_account("Mlyn", "starter", START).await;
    created.unwrap().id
}

fn new_key(number: u8) -> NewKeyOfAccount {
    NewKeyOfAccount {
        name: format!("key {number}"),
        prefix: "lst_live_abcd".to_owned(),
        hash: [number; 32],
        manage: number == 1,
        limits: KeyLimits {
            scopes: Some("tax".to_owned()),
            addresses: Some("10.0.0.0/8".to_owned()),
            expires_at: Some(after(1_000)),
        },
    }
}

fn made(outcome: KeyCreation) -> OwnedKey {
    match outcome {
        KeyCreation::Created(key) => key,
        other @ (KeyCreation::Repeated | KeyCreation::TooMany | KeyCreation::NotFound) => {
            panic!("not made: {other:?}")
        }
    }
}

fn sealed(request: &str) -> SealedKeyRequest {
    SealedKeyRequest {
        keyed: KeyedRequest {
            key: "once".to_owned(),
            request: request.to_owned(),
            expires_at: after(600),
        },
        secret: "ciphertext".to_owned(),
    }
}

#[tokio::test]
async fn rotated_secret_works_until_its_end() {
    on_each_database(|store| async move {
        let account = account(&store).await;
        let (keys, of_account) = (store.keys(), store.keys_of(account));
        let key = made(
            of_account
                .create(&new_key(1), 9, None, START)
                .await
                .unwrap(),
        );
        assert!(key.manage);
        let rotated = of_account.rotate(key.id, "new", &[2; 32], Some(after(60)), None, START);
        let rotated = made(rotated.await.unwrap());
        assert_eq!((rotated.id, rotated.prefix.as_str()), (key.id, "new"));
        assert_eq!(rotated.scopes, key.scopes);
        let former = keys.find_key(&[1; 32]).await.unwrap().unwrap();
        assert_eq!(former.former_ends_at, Some(after(60)));
        let current = keys.find_key(&[2; 32]).await.unwrap().unwrap();
        assert_eq!((current.key_id, current.former_ends_at), (key.id, None));
        // The next rotation without an overlap ends both.
        let rotated = of_account.rotate(key.id, "newer", &[3; 32], None, None, START);
        made(rotated.await.unwrap());
        for ended in [[1; 32], [2; 32]] {
            assert_eq!(keys.find_key(&ended).await.unwrap(), None);
        }
        let other = store.keys_of(AccountId::new(account.get() + 1));
        let of_other = other.rotate(key.id, "x", &[4; 32], None, None, START).await;
        assert_eq!(of_other.unwrap(), KeyCreation::NotFound);
        assert_eq!(other.revoke(key.id, START).await.unwrap(), None);
        assert_eq!(other.list().await.unwrap(), []);
        // The operator's rotation keeps the rights and the limits.
        let old = keys.list_keys(account).await.unwrap().remove(0);
        let next = keys.rotate_key(&old, "next", &[5; 32], START, START).await;
        let next = of_account.find(next.unwrap().unwrap().id).await.unwrap();
        let next = next.unwrap();
        assert_eq!((next.manage, &next.addresses), (true, &key.addresses));
    })
    .await;
}

#[tokio::test]
async fn key_changes_keep_what_is_not_named() {
    on_each_database(|store| async move {
        let of_account = store.keys_of(account(&store).await);
        let key = of_account.create(&new_key(1), 2, None, START).await;
        let key = made(key.unwrap());
        let change = KeyChange {
            scopes: Some(None),
            ..KeyChange::default()
        };
        let changed = of_account.change(key.id, &change, START).await.unwrap();
        let expected = OwnedKey {
            scopes: None,
            ..key.clone()
        };
        assert_eq!(changed, Some(expected));
        let late = of_account.change(key.id, &change, after(1_000)).await;
        assert_eq!(late.unwrap(), None, "it has expired");
        for (number, allowed) in [(2, true), (3, false)] {
            let outcome = of_account.create(&new_key(number), 2, None, START).await;
            assert_eq!(
                outcome.unwrap() != KeyCreation::TooMany,
                allowed,
                "{number}"
            );
        }
        let revoked = of_account.revoke(key.id, after(1)).await.unwrap().unwrap();
        let again = of_account.revoke(key.id, after(2)).await.unwrap().unwrap();
        assert_eq!(revoked.revoked_at, again.revoked_at);
        assert_eq!(of_account.list().await.unwrap().len(), 2, "it stays listed");
        let third = of_account.create(&new_key(3), 2, None, after(2)).await;
        made(third.unwrap());
    })
    .await;
}

#[tokio::test]
async fn idempotency_key_makes_one_key() {
    on_each_database(|store| async move {
        let account = account(&store).await;
        let requests = (1..=8).map(|number| {
            let store = store.clone();
            let (new, sealed) = (new_key(number), sealed("create"));
            tokio::spawn(async move {
                let of_account = store.keys_of(account);
                of_account.create(&new, 1, Some(&sealed), START).await
            })
        });
        let mut keys = Vec::new();
        for request in requests.collect::<Vec<_>>() {
            match request.await.unwrap().unwrap() {
                KeyCreation::Created(key) => keys.push(key),
                KeyCreation::Repeated => {}
                other @ (KeyCreation::TooMany | KeyCreation::NotFound) => panic!("{other:?}"),
            }
        }
        assert_eq!(keys.len(), 1);
        let known = store.idempotency_keys().find(account, "once", START).await;
        let known = known.unwrap().unwrap();
        assert_eq!(known.subject, keys[0].id.to_string());
        assert_eq!(known.sealed.as_deref(), Some("ciphertext"));
    })
    .await;
}

fn created(invited: Invited) -> Member {
    match invited {
        Invited::Created(member) => member,
        other @ (Invited::Existing(_) | Invited::TooMany) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn last_owner_stays() {
    on_each_database(|store| async move {
        let people = store.members_of(account(&store).await);
        let invite = async |email: &str, role| {
            let invited = people.invite(email, "Name", role, 3, START).await;
            invited.unwrap()
        };
        let first = created(invite("Eva@Mlyn.example", MemberRole::Owner).await);
        assert_eq!(
            (first.email.as_str(), first.state),
            ("eva@mlyn.example", MemberState::Invited)
        );
        let same = invite("EVA@mlyn.example", MemberRole::Read).await;
        assert_eq!(same, Invited::Existing(first.clone()));
        let read = Some(MemberRole::Read);
        for outcome in [
            people.change(first.id, None, read).await.unwrap(),
            people.remove(first.id).await.unwrap(),
        ] {
            assert_eq!(outcome, MemberChange::LastOwner);
        }
        let second = created(invite("jan@mlyn.example", MemberRole::Owner).await);
        // Two hosts remove one owner each: one of them stays.
        let both = tokio::join!(people.remove(first.id), people.remove(second.id));
        let outcomes = [both.0.unwrap(), both.1.unwrap()];
        assert!(outcomes.contains(&MemberChange::LastOwner), "{outcomes:?}");
        assert_eq!(people.list().await.unwrap().len(), 1);
        created(invite("a@mlyn.example", MemberRole::Billing).await);
        created(invite("b@mlyn.example", MemberRole::Billing).await);
        let more = invite("c@mlyn.example", MemberRole::Billing).await;
        assert_eq!(more, Invited::TooMany);
        assert_eq!(people.remove(99).await.unwrap(), MemberChange::NotFound);
    })
    .await;
}

#[tokio::test]
async fn sign_in_link_works_once_and_in_time() {
    on_each_database(|store| async move {
        let account = account(&store).await;
        let people = store.members_of(account);
        let invited = people.invite("eva@mlyn.example", "Eva", MemberRole::Owner, 9, START);
        let member = created(invited.await.unwrap()).id;
        let sessions = store.sessions();
        let limit = SendLimit {
            key: "sign-in to eva@mlyn.example".to_owned(),
            most: 2,
            window: Duration::from_secs(3_600),
        };
        let link = async |digest: u8, now| {
            let ends = now + Duration::from_secs(900);
            let digest = [digest; 32];
            let made = sessions.create_link(member, &digest, &limit, ends, now);
            made.await.unwrap()
        };
        assert_eq!(link(1, START).await, LinkCreation::Created);
        assert_eq!(link(2, START).await, LinkCreation::Created);
        let refused = link(3, after(1)).await;
        assert_eq!(refused, LinkCreation::TooMany(Some(after(3_600))));
        let (late, day) = (after(900), after(86_400));
        let expired = sessions.sign_in(&[1; 32], &[10; 32], day, late).await;
        assert_eq!(expired.unwrap(), None);
        let [one, other] = [11, 12].map(|session| {
            let store = store.clone();
            tokio::spawn(async move {
                let (sessions, session) = (store.sessions(), [session; 32]);
                let signed = sessions.sign_in(&[2; 32], &session, day, after(60));
                signed.await.unwrap()
            })
        });
        let found: Vec<_> = [one.await.unwrap(), other.await.unwrap()]
            .into_iter()
            .flatten()
            .collect();
        assert_eq!(found.len(), 1, "a link works once: {found:?}");
        assert_eq!(found[0].account_id, account);
        let joined = people.list().await.unwrap().remove(0);
        assert_eq!(
            (joined.state, joined.joined_at),
            (MemberState::Active, Some(after(60)))
        );
        assert_eq!(link(3, after(3_600)).await, LinkCreation::Created);
        let sweep = async |since, now| sessions.sweep(9, since, now).await.unwrap();
        assert_eq!(sweep(START, after(86_399)).await, 2, "links");
        assert_eq!(sweep(START, after(86_399)).await, 0);
        assert_eq!(sweep(after(60), after(61)).await, 0, "in use");
        assert_eq!(sweep(after(61), after(61)).await, 1, "unused");
    })
    .await;
}

#[tokio::test]
async fn session_ends_with_its_owner() {
    on_each_database(|store| async move {
        let account = account(&store).await;
        let (people, of_account) = (store.members_of(account), store.keys_of(account));
        let mut members = Vec::new();
        for email in ["eva@mlyn.example", "jan@mlyn.example"] {
            let invited = people.invite(email, "Eva", MemberRole::Owner, 9, START);
            members.push(created(invited.await.unwrap()).id);
        }
        let sessions = store.sessions();
        let limit = SendLimit {
            key: "sign-in".to_owned(),
            most: 9,
            window: Duration::from_secs(3_600),
        };
        for session in [21, 22, 23_u8] {
            let member = members[usize::from(session == 23)];
            let session = [session; 32];
            let link = sessions.create_link(member, &session, &limit, after(900), START);
            assert_eq!(link.await.unwrap(), LinkCreation::Created);
            let signed = sessions.sign_in(&session, &session, after(5_000), START);
            assert!(signed.await.unwrap().is_some());
        }
        let find = async |session: u8, now| sessions.find(&[session; 32], START, now).await.unwrap();
        sessions.touch(&[21; 32], after(9)).await.unwrap();
        sessions.touch(&[21; 32], after(8)).await.unwrap();
        let seen = find(21, after(10)).await.unwrap();
        assert_eq!(seen.last_seen_at, after(9));
        let unused = sessions.find(&[21; 32], after(10), after(10)).await;
        assert_eq!(unused.unwrap(), None, "unused for too long");
        // A change of role applies to running sessions.
        let read = Some(MemberRole::Read);
        people.change(members[1], None, read).await.unwrap();
        let owner = find(23, START).await.unwrap().owner;
        assert!(
            matches!(&owner, SessionOwner::Member { role: MemberRole::Read, email, .. } if email == "jan@mlyn.example"),
            "{owner:?}"
        );
        assert!(sessions.end(&[21; 32]).await.unwrap());
        assert!(!sessions.end(&[21; 32]).await.unwrap());
        assert_eq!(sessions.end_all(members[0]).await.unwrap(), 1);
        assert_eq!((find(21, START).await, find(22, START).await), (None, None));
        people.remove(members[1]).await.unwrap();
        assert_eq!(find(23, START).await, None);

        let key = made(of_account.create(&new_key(1), 9, None, START).await.unwrap());
        for session in [31, 32] {
            let digest = [session; 32];
            let begin = async |secret: u8| {
                let secret = [secret; 32];
                let begun = sessions.sign_in_by_key(key.id, &secret, &digest, after(5_000), START);
                begun.await.unwrap()
            };
            let (current, other) = if session == 31 { (1, 2) } else { (2, 1) };
            assert!(!begin(other).await, "not the key's current secret");
            assert!(begin(current).await);
            let owner = find(session, START).await.unwrap().owner;
            let expected = SessionOwner::Key {
                id: key.id,
                manage: true,
            };
            assert_eq!(owner, expected);
            if session == 31 {
                let end = Some(after(60));
                let rotated = of_account.rotate(key.id, "new", &[2; 32], end, None, START);
                made(rotated.await.unwrap());
                assert_eq!(find(31, START).await, None);
            }
        }
        assert_eq!(find(32, after(1_000)).await, None, "the key has expired");
        of_account.revoke(key.id, after(5)).await.unwrap();
        assert_eq!(find(32, after(5)).await, None);
    })
    .await;
}

#[tokio::test]
async fn person_switches_between_own_accounts_only() {
    on_each_database(|store| async move {
        let keys = store.keys();
        let mut members = Vec::new();
        for (name, email) in [
            ("Mlyn", "eva@mlyn.example"),
            ("Pila", "eva@mlyn.example"),
            ("Huta", "jan@huta.example"),
        ] {
            let account = keys.create_account(name, "starter", START).await.unwrap();
            let people = store.members_of(account.id);
            let invited = people.invite(email, "Eva", MemberRole::Owner, 9, START);
            members.push(created(invited.await.unwrap()).id);
        }
        let sessions = store.sessions();
        let limit = SendLimit {
            key: "sign-in".to_owned(),
            most: 9,
            window: Duration::from_secs(3_600),
        };
        let link = sessions.create_link(members[0], &[1; 32], &limit, after(900), START);
        assert_eq!(link.await.unwrap(), LinkCreation::Created);
        let of_link = sessions.member_of_link(&[1; 32], START).await.unwrap();
        assert_eq!(
            of_link.map(|member| member.account),
            Some("Mlyn".to_owned())
        );
        let late = sessions.member_of_link(&[1; 32], after(900)).await;
        assert_eq!(late.unwrap(), None);
        let signed = sessions
            .sign_in(&[1; 32], &[2; 32], after(5_000), START)
            .await;
        assert!(signed.unwrap().is_some());
        let of_person = sessions.memberships("Eva@mlyn.example").await.unwrap();
        let names: Vec<&str> = of_person.iter().map(|one| one.account.as_str()).collect();
        assert_eq!(names, ["Mlyn", "Pila"], "the one in use first");
        let foreign = sessions.switch(&[2; 32], members[2], &[3; 32], START).await;
        assert_eq!(foreign.unwrap(), None);
        let switched = sessions.switch(&[2; 32], members[1], &[4; 32], START).await;
        assert_eq!(
            switched.unwrap().unwrap().account_id,
            of_person[1].account_id
        );
        assert_eq!(sessions.find(&[2; 32], START, START).await.unwrap(), None);
        assert_eq!(sessions.end_all(members[0]).await.unwrap(), 1);
        assert_eq!(sessions.find(&[4; 32], START, START).await.unwrap(), None);
    })
    .await;
}
