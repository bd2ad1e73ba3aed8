//! Failures of calls, and the limits that they exceeded.

use time::OffsetDateTime;
use wasmtime::{PoolConcurrencyLimitError, Trap};

use crate::bindings::types::Failure;
use crate::cpu::CpuSpent;
use crate::limits::cpu_limit_met;
use crate::plain_text;
use crate::state::CallState;

/// Most characters of a trap's text: a few functions with long names.
const MAX_TRAP_CHARS: usize = 1_000;

/// Why a call returned no result.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CallFailure {
    /// The concurrency limit is reached; the connector is not at fault.
    #[error("busy")]
    Busy,
    /// The circuit is open until this time.
    #[error("it failed too often and is left alone until {}", crate::clock::rfc3339(*.0))]
    Resting(OffsetDateTime),
    /// The connector returned this failure.
    #[error("{}", reason(.0))]
    Failed(Failure),
    /// A limit of the host was exceeded.
    #[error("limit {0}")]
    Limit(String),
    /// The guest's code trapped.
    #[error("trap: {0}")]
    Trap(String),
    /// The answer does not fit its schema.
    #[error("its answer does not fit its schema at {pointer:?}: {why}")]
    Schema { pointer: String, why: String },
    /// The connector lacks this ability.
    #[error("it does not offer {0}")]
    NotOffered(&'static str),
}

/// A connector's failure as one line.
#[must_use]
pub fn reason(failure: &Failure) -> String {
    match failure {
        Failure::Unavailable(why) => format!("unavailable: {why}"),
        Failure::Throttled(Some(seconds)) => format!("throttled: wait {seconds} s"),
        Failure::Throttled(None) => "throttled".to_owned(),
        Failure::Malformed(drift) => {
            format!(
                "malformed: {}: expected {}, found {}",
                drift.what, drift.expected, drift.found
            )
        }
        Failure::Misconfigured(why) => format!("misconfigured: {why}"),
        Failure::Refused(why) => format!("refused: {why}"),
        Failure::Other((code, why)) => format!("{code}: {why}"),
    }
}

impl CallFailure {
    /// Whether the failure counts for the circuit breaker. An unavailable or rate-limiting register, a refused request,
    /// an exceeded limit, a trap and a schema violation do; busy, misconfigured and malformed for one company do not.
    /// Without a request a register cannot have failed: a list that was never imported does not open the circuit.
    #[must_use]
    pub fn counts(&self, requests: u64) -> bool {
        match self {
            Self::Failed(Failure::Unavailable(_) | Failure::Throttled(_)) => requests > 0,
            Self::Failed(failure) => matches!(failure, Failure::Refused(_)),
            Self::Limit(_) | Self::Trap(_) | Self::Schema { .. } => true,
            Self::Busy | Self::Resting(_) | Self::NotOffered(_) => false,
        }
    }
}

/// The kinds that failures are counted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The concurrency limit was reached.
    Busy,
    /// The circuit was open.
    Resting,
    /// A register was unreachable.
    Unavailable,
    /// A register rate-limited the host.
    Throttled,
    /// A register responded in an unknown format.
    Malformed,
    /// The operator must correct the configuration.
    Misconfigured,
    /// The host refused a request.
    Refused,
    /// The connector's own failure code.
    Other,
    /// A limit of the sandbox was exceeded.
    Limit,
    /// The guest's code trapped.
    Trap,
    /// The answer did not fit its schema.
    Schema,
    /// The connector lacks the ability.
    NotOffered,
}

impl FailureKind {
    /// All kinds in numeric order.
    pub const ALL: [Self; 12] = [
        Self::Busy,
        Self::Resting,
        Self::Unavailable,
        Self::Throttled,
        Self::Malformed,
        Self::Misconfigured,
        Self::Refused,
        Self::Other,
        Self::Limit,
        Self::Trap,
        Self::Schema,
        Self::NotOffered,
    ];

    /// The kind's name in metrics and lists.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Busy => "busy",
            Self::Resting => "resting",
            Self::Unavailable => "unavailable",
            Self::Throttled => "throttled",
            Self::Malformed => "malformed",
            Self::Misconfigured => "misconfigured",
            Self::Refused => "refused",
            Self::Other => "other",
            Self::Limit => "limit",
            Self::Trap => "trap",
            Self::Schema => "schema",
            Self::NotOffered => "not_offered",
        }
    }
}

impl CallFailure {
    #[must_use]
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Busy => FailureKind::Busy,
            Self::Resting(_) => FailureKind::Resting,
            Self::Failed(Failure::Unavailable(_)) => FailureKind::Unavailable,
            Self::Failed(Failure::Throttled(_)) => FailureKind::Throttled,
            Self::Failed(Failure::Malformed(_)) => FailureKind::Malformed,
            Self::Failed(Failure::Misconfigured(_)) => FailureKind::Misconfigured,
            Self::Failed(Failure::Refused(_)) => FailureKind::Refused,
            Self::Failed(Failure::Other(_)) => FailureKind::Other,
            Self::Limit(_) => FailureKind::Limit,
            Self::Trap(_) => FailureKind::Trap,
            Self::Schema { .. } => FailureKind::Schema,
            Self::NotOffered(_) => FailureKind::NotOffered,
        }
    }
}

/// Converts the outcome of a call and names the limit that it exceeded.
pub(super) fn judge<T>(
    state: &CallState,
    result: Result<wasmtime::Result<Result<T, Failure>>, tokio::time::error::Elapsed>,
) -> Result<T, CallFailure> {
    let error = match result {
        Err(_elapsed) => {
            let seconds = state.limits().wall.as_secs_f64();
            return Err(CallFailure::Limit(format!("wall: {seconds:.1} s used")));
        }
        Ok(Ok(Ok(value))) => return Ok(value),
        Ok(Ok(Err(failure))) => return Err(CallFailure::Failed(cleaned(failure))),
        Ok(Err(error)) => error,
    };
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return Err(CallFailure::Busy);
    }
    if error.is::<CpuSpent>() {
        let met = cpu_limit_met(state.limits().cpu);
        return Err(CallFailure::Limit(met));
    }
    if let Some(met) = &state.guard.met {
        return Err(CallFailure::Limit(met.clone()));
    }
    let text = format!("{error:#}");
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        let mib = state.limits().crossing >> 20;
        return Err(CallFailure::Limit(format!(
            "result too large: more than {mib} MiB in one crossing"
        )));
    }
    if text.contains("resource table has no free keys") || text.contains("handle table") {
        return Err(CallFailure::Limit(format!(
            "handles: more than {}",
            state.limits().handles
        )));
    }
    if matches!(error.downcast_ref::<Trap>(), Some(Trap::StackOverflow)) {
        return Err(CallFailure::Limit(
            "stack: the guest's calls nest too deeply".to_owned(),
        ));
    }
    // The first lines contain the trap and the innermost functions.
    let first: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(6)
        .collect();
    // The component's author chose the function names.
    let text = plain_text::one_line(&first.join("; "), MAX_TRAP_CHARS);
    Err(CallFailure::Trap(text))
}

/// A guest's failure with texts that are safe to log, store and show.
fn cleaned(mut failure: Failure) -> Failure {
    let clean = |text: &mut String| plain_text::clean(text, plain_text::REASON);
    match &mut failure {
        Failure::Unavailable(why) | Failure::Misconfigured(why) | Failure::Refused(why) => {
            clean(why);
        }
        Failure::Throttled(_) => {}
        Failure::Malformed(drift) => {
            clean(&mut drift.what);
            clean(&mut drift.expected);
            clean(&mut drift.found);
            drift.evidence.iter_mut().for_each(clean);
        }
        Failure::Other((code, why)) => {
            plain_text::clean(code, plain_text::NAME);
            clean(why);
        }
    }
    failure
}

impl CallFailure {
    /// A schema failure. Pointer and reason may contain names that the guest chose.
    pub(super) fn schema(pointer: &str, why: &str) -> Self {
        Self::Schema {
            pointer: plain_text::one_line(pointer, plain_text::REASON),
            why: plain_text::one_line(why, plain_text::REASON),
        }
    }
}
