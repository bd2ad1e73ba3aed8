//! What the outcome of a guest's call means.

use wasmtime::{PoolConcurrencyLimitError, Trap};

use crate::bindings::types::Failure;
use crate::call_failure::{CallFailure, cleaned};
use crate::cpu::CpuSpent;
use crate::limits::{cpu_limit_met, wall_limit_met};
use crate::plain_text;
use crate::state::CallState;

/// Most characters of a trap's text: a few functions with long names.
const MAX_TRAP_CHARS: usize = 1_000;

/// Converts the outcome of a call and names the limit that it exceeded.
pub(super) fn judge<T>(
    state: &CallState,
    result: Result<wasmtime::Result<Result<T, Failure>>, tokio::time::error::Elapsed>,
) -> Result<T, CallFailure> {
    let error = match result {
        Err(_elapsed) => {
            let met = wall_limit_met(state.limits().wall);
            return Err(CallFailure::Limit(met));
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
