//! Recorded states of sources.

use crate::{SourceNow, SourceSpan};

use super::*;

const GAP: Duration = Duration::from_secs(600);
const ILL: [&str; 2] = ["degraded", "late"];

fn now_is(source: &str, state: &str) -> SourceNow {
    let reason = ILL.contains(&state).then(|| "unavailable".to_owned());
    SourceNow {
        source: source.to_owned(),
        state: state.to_owned(),
        part: reason.as_ref().map(|_| "list".to_owned()),
        reason,
    }
}

fn span(source: &str, state: &str, from: u64, to: Option<u64>, next: Option<&str>) -> SourceSpan {
    SourceSpan {
        source: source.to_owned(),
        state: state.to_owned(),
        reason: Some("unavailable".to_owned()),
        part: Some("list".to_owned()),
        from_at: after(from),
        to_at: to.map(after),
        next_state: next.map(str::to_owned),
    }
}

#[tokio::test]
async fn state_is_stored_when_it_changes() {
    on_each_database(|store| async move {
        let states = store.source_states();
        assert_eq!(states.recording().await.unwrap(), None);
        for (second, of_a, of_b, begun) in [
            (0, "operational", "degraded", 2),
            (60, "degraded", "degraded", 1),
            (120, "degraded", "degraded", 0),
            (180, "operational", "late", 2),
        ] {
            let present = [now_is("a", of_a), now_is("b", of_b)];
            let stored = states.record(&present, GAP, after(second)).await.unwrap();
            assert_eq!(stored, begun, "{second}");
        }
        let recording = states.recording().await.unwrap().unwrap();
        assert_eq!((recording.since, recording.seen_at), (START, after(180)));
        let ill = states.spans(&ILL, START, 10).await.unwrap();
        let expected = [
            span("a", "degraded", 60, Some(180), Some("operational")),
            span("b", "degraded", 0, Some(180), Some("late")),
            span("b", "late", 180, None, None),
        ];
        assert_eq!(ill, expected);
        let later = states.spans(&ILL, after(180), 10).await.unwrap();
        assert_eq!(later, expected[2..]);
        assert_eq!(states.spans(&ILL, START, 1).await.unwrap(), expected[2..]);
    })
    .await;
}

#[tokio::test]
async fn state_ends_when_it_was_last_seen() {
    on_each_database(|store| async move {
        let states = store.source_states();
        let ill = [now_is("a", "degraded")];
        states.record(&ill, GAP, START).await.unwrap();
        states.record(&ill, GAP, after(600)).await.unwrap();
        states.record(&ill, GAP, after(2_000)).await.unwrap();
        let expected = [
            span("a", "degraded", 0, Some(600), None),
            span("a", "degraded", 2_000, None, None),
        ];
        assert_eq!(states.spans(&ILL, START, 10).await.unwrap(), expected);
    })
    .await;
}

#[tokio::test]
async fn removed_source_has_no_present_state() {
    on_each_database(|store| async move {
        let states = store.source_states();
        let ill = [now_is("a", "degraded")];
        states.record(&ill, GAP, START).await.unwrap();
        states.record(&[], GAP, after(60)).await.unwrap();
        let expected = [span("a", "degraded", 0, Some(60), None)];
        assert_eq!(states.spans(&ILL, START, 10).await.unwrap(), expected);
        assert_eq!(states.record(&ill, GAP, after(90)).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test]
async fn ended_states_are_swept_and_lasting_ones_stay() {
    on_each_database(|store| async move {
        let states = store.source_states();
        let both = [now_is("a", "degraded"), now_is("b", "degraded")];
        states.record(&both, GAP, START).await.unwrap();
        let one = [now_is("a", "operational"), now_is("b", "degraded")];
        states.record(&one, GAP, after(60)).await.unwrap();
        assert_eq!(states.sweep(after(60)).await.unwrap(), 0);
        assert_eq!(states.sweep(after(61)).await.unwrap(), 1);
        let left = states.spans(&ILL, START, 10).await.unwrap();
        assert_eq!(left, [span("b", "degraded", 0, None, None)]);
    })
    .await;
}
