//! The requests in progress of one HTTP/2 connection, and when the host ends it.
//!
//! HTTP/1.1 needs none of this: its headers and its writes have time limits. A connection of HTTP/2 may be open without
//! a request, keep responses by closing its window, or cancel requests as fast as it opens them.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::admission::{Counted, CutOff};

/// Cancelled requests that a connection may have, however few requests it has made.
const TOLERATED: u64 = 100;

/// Time limits of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// Without a request in progress.
    pub(super) idle: Duration,
    /// Between two pieces of a response that the client takes.
    pub(super) write: Duration,
}

/// What one connection is doing.
#[derive(Debug)]
pub(super) struct Activity {
    state: Mutex<State>,
    /// Wakes the watch when requests were cancelled too often.
    cancelled: Notify,
}

#[derive(Debug)]
struct State {
    /// Since when there is no request in progress; meaningless while there is one.
    idle_since: Instant,
    under_way: usize,
    requests: u64,
    cancelled: u64,
    /// Responses of which a piece waits to be sent, by request.
    waiting: BTreeMap<u64, Instant>,
}

impl State {
    fn cancels_too_often(&self) -> bool {
        self.cancelled >= TOLERATED && self.cancelled * 2 > self.requests
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                idle_since: Instant::now(),
                under_way: 0,
                requests: 0,
                cancelled: 0,
                waiting: BTreeMap::new(),
            }),
            cancelled: Notify::new(),
        }
    }
}

impl Activity {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a request.
    pub(super) fn begin(self: &Arc<Self>) -> UnderWay {
        let mut state = self.lock();
        state.under_way += 1;
        state.requests += 1;
        UnderWay {
            activity: Arc::clone(self),
            number: state.requests,
            is_sent: false,
        }
    }

    /// Begins to measure idle time from now.
    pub(super) fn restart_idle(&self) {
        self.lock().idle_since = Instant::now();
    }

    /// Waits until the connection exceeds a limit.
    pub(super) async fn exceeds(&self, times: Times) -> CutOff {
        // While requests are in progress, nothing says when they end; look again after a part of the limits.
        let pause = times.idle.min(times.write) / 4;
        loop {
            let next = {
                let state = self.lock();
                let now = Instant::now();
                if state.cancels_too_often() {
                    return CutOff::Cancelling;
                }
                let oldest = state.waiting.values().min();
                let unread = oldest.map(|since| *since + times.write);
                if unread.is_some_and(|end| end <= now) {
                    return CutOff::Unread;
                }
                if state.under_way > 0 {
                    now + pause
                } else {
                    let end = state.idle_since + times.idle;
                    if end <= now {
                        return CutOff::Idle;
                    }
                    // A request that begins meanwhile has its own limit.
                    end.min(now + times.write)
                }
            };
            tokio::select! {
                () = sleep_until(next) => {}
                () = self.cancelled.notified() => {}
            }
        }
    }
}

/// A request in progress, until its response is sent or dropped.
#[derive(Debug)]
pub(super) struct UnderWay {
    activity: Arc<Activity>,
    number: u64,
    is_sent: bool,
}

impl UnderWay {
    /// The response was sent. If this is dropped before, the client cancelled the request.
    fn sent(&mut self) {
        self.is_sent = true;
    }

    /// A piece of the response waits for the client from now on.
    fn waits(&self) {
        let mut state = self.activity.lock();
        state.waiting.insert(self.number, Instant::now());
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut state = self.activity.lock();
        state.under_way -= 1;
        state.waiting.remove(&self.number);
        if state.under_way == 0 {
            state.idle_since = Instant::now();
        }
        if !self.is_sent {
            state.cancelled += 1;
            if state.cancels_too_often() {
                self.activity.cancelled.notify_one();
            }
        }
    }
}

/// The body of a response. It holds the place of its request until it is sent.
pub(super) struct CountedBody {
    body: Body,
    /// `None` on HTTP/1.1.
    under_way: Option<UnderWay>,
    /// `None` for a refused request.
    _place: Option<Counted>,
}

impl CountedBody {
    pub(super) fn new(body: Body, mut under_way: Option<UnderWay>, place: Option<Counted>) -> Self {
        if let Some(under_way) = &mut under_way {
            if body.is_end_stream() {
                under_way.sent();
            } else {
                // The library asks for the first piece when the client can take one.
                under_way.waits();
            }
        }
        Self {
            body,
            under_way,
            _place: place,
        }
    }
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        let is_end = self.body.is_end_stream();
        if let Some(under_way) = &mut self.under_way {
            if is_end || matches!(polled, Poll::Ready(None)) {
                under_way.sent();
            }
            // The library asks for the next piece when the client has taken enough of this one.
            match &polled {
                Poll::Ready(Some(Ok(_))) => under_way.waits(),
                Poll::Ready(None | Some(Err(_))) | Poll::Pending => {
                    let mut state = under_way.activity.lock();
                    state.waiting.remove(&under_way.number);
                }
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMES: Times = Times {
        idle: Duration::from_secs(15),
        write: Duration::from_secs(60),
    };

    async fn exceeds_within(activity: &Activity, seconds: u64) -> Option<CutOff> {
        let limit = Duration::from_secs(seconds);
        let exceeded = tokio::time::timeout(limit, activity.exceeds(TIMES)).await;
        exceeded.ok()
    }

    #[tokio::test(start_paused = true)]
    async fn connection_without_requests_is_idle() {
        let activity = Arc::new(Activity::default());
        assert_eq!(exceeds_within(&activity, 14).await, None);
        let mut request = activity.begin();
        assert_eq!(exceeds_within(&activity, 600).await, None);
        request.sent();
        drop(request);
        assert_eq!(exceeds_within(&activity, 14).await, None);
        assert_eq!(exceeds_within(&activity, 2).await, Some(CutOff::Idle));
    }

    #[tokio::test(start_paused = true)]
    async fn response_that_is_not_read_ends_the_connection() {
        let activity = Arc::new(Activity::default());
        let request = activity.begin();
        let mut body = CountedBody::new(Body::from("a piece"), Some(request), None);
        assert_eq!(exceeds_within(&activity, 59).await, None);
        let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        assert!(frame.is_some_and(|frame| frame.is_ok()));
        assert_eq!(exceeds_within(&activity, 59).await, None);
        assert_eq!(exceeds_within(&activity, 5).await, Some(CutOff::Unread));
    }

    #[tokio::test(start_paused = true)]
    async fn unread_response_ends_a_connection_that_was_idle() {
        let second = Duration::from_secs(1);
        let times = Times {
            write: second,
            ..TIMES
        };
        let activity = Arc::new(Activity::default());
        let mut exceeds = std::pin::pin!(activity.exceeds(times));
        let idle = tokio::time::timeout(second / 2, exceeds.as_mut()).await;
        assert!(idle.is_err());
        let mut body = CountedBody::new(Body::from("a piece"), Some(activity.begin()), None);
        let frame = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
        assert!(frame.is_some_and(|frame| frame.is_ok()));
        let unread = tokio::time::timeout(second * 2, exceeds).await;
        assert_eq!(unread.ok(), Some(CutOff::Unread));
    }

    #[tokio::test(start_paused = true)]
    async fn rapid_resets_end_the_connection() {
        let activity = Arc::new(Activity::default());
        for _ in 0..TOLERATED {
            let answer = CountedBody::new(Body::empty(), Some(activity.begin()), None);
            drop((answer, activity.begin()));
        }
        let half = exceeds_within(&activity, 1).await;
        assert_eq!(half, None, "as many were answered");
        drop(activity.begin());
        assert_eq!(exceeds_within(&activity, 1).await, Some(CutOff::Cancelling));
    }
}
