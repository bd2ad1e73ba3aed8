"""What schemathesis must know of this service beyond its OpenAPI document.

The document cannot state some rules: a name needs a letter or a digit, one filter at least is required, a target must be
public. A request that breaks only such rules may be refused with 422 although it fits the document. `EXPLAINED` lists the
rules, by operation and by the field that the answer names.
"""

import itertools
import json
import os
import re

import schemathesis

# Ids that exist, by the name of the path parameter, and the key of the sandbox.
KNOWN = json.loads(os.environ["LUSTRA_KNOWN_IDS"])
SANDBOX_KEY = "lst_test_sandbox"
NUMBERS = itertools.count()
# Seconds that a request may wait for an event; nothing happens here.
LONG_WAITS = {str(seconds) for seconds in range(1, 26)}
FORMS = {"ico": "[0-9]{8}", "orsr_id": "[0-9]{1,12}(/[0-9]{0,6})?", "id": "[1-9][0-9]*"}

TABLES = ("text/csv", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")

FILTERS = ("name", "city", "legal_form", "status", "nace_code", "established_from", "established_to")

SELECTION = ("ico", "subscription_id", "event", "from", "to")


def says_little(value):
    """Texts are trimmed, and one without letters and digits finds nothing."""
    text = str(value)
    return text != text.strip() or not any(char.isalnum() for char in text)


def query(rule):
    """A rule about one parameter of the query."""
    return lambda case, name: name in (case.query or {}) and rule(case.query[name])


def no_filter(case, name):
    return not any(known in (case.query or {}) for known in FILTERS)


def span_is_reversed(case, name):
    return case.query.get("established_from", "") > case.query.get("established_to", "9999")


def other_than_q(case, name):
    return case.query.get("term") != case.query.get("q")


def a_name_says_little(case, name):
    return any(says_little(text) for text in case.body["names"])


def always(case, name):
    return True


AUTOCOMPLETE = {"q": query(says_little), "term": other_than_q}
ENTITIES = {name: query(says_little) for name in ("q", "category", "sector")}
TARGETS = dict.fromkeys(("webhook_url", "url", "email", "emails", "notification_emails"), always)

EXPLAINED = {
    "GET /v1/search/autocomplete": AUTOCOMPLETE,
    "GET /v1/sandbox/search/autocomplete": AUTOCOMPLETE,
    "GET /v1/search/name": {"q": query(says_little)},
    "GET /v1/search/advanced": {
        **{name: no_filter for name in FILTERS},
        **{
            name: lambda case, name: no_filter(case, name) or query(says_little)(case, name)
            for name in ("name", "city", "legal_form")
        },
        "established_to": lambda case, name: no_filter(case, name) or span_is_reversed(case, name),
    },
    "GET /v1/nbs/entities": ENTITIES,
    "GET /v1/sandbox/nbs/entities": ENTITIES,
    "GET /v1/company/ico/{ico}/nbs-agents": ENTITIES,
    "GET /v1/sandbox/company/ico/{ico}/nbs-agents": ENTITIES,
    "POST /v1/batch/ico": {"file": always, "scope": always},
    "POST /v1/batch/names": {"names": a_name_says_little, "file": always, "scope": always},
    # Whether a host has the columns, and whether the batch has the scopes. All three are for tables only.
    "GET /v1/batch/{id}/results": {"columns": always, "scope": always, "header": always},
    # Whether a host has the kind of events, and whether there is the subscription.
    "GET /v1/notifications/deliveries": {"event": always, "from": always, "to": always},
    "POST /v1/notifications/deliveries/resend": {name: always for name in SELECTION},
    # Whether the cursor lies in the log.
    "GET /v1/notifications/events": {"after": always},
    # Whether notices may be sent there.
    "POST /v1/notifications": TARGETS,
    "POST /v1/notifications/imports": {**TARGETS, "events": always, "file": always},
    "POST /v1/notifications/test": TARGETS,
    "POST /v1/account/thresholds": TARGETS,
    # Whether it is being tried at this moment.
    "POST /v1/notifications/deliveries/{delivery_id}/resend": {"delivery_id": always},
}


@schemathesis.serializer(*TABLES)
def table(context, value):
    """Files are sent as they are."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Every other id is one that exists."""
    for name, value in (path_parameters or {}).items():
        is_batch = name == "id" and "/batch/" in context.operation.path
        known = KNOWN.get("batch_id" if is_batch else name)
        number = sum(map(ord, str(value)))
        # What the document does not allow stays as it is.
        is_right = re.fullmatch(FORMS.get(name, ".*"), str(value), re.DOTALL) or is_batch
        if known and number % 2 == 0 and is_right:
            path_parameters[name] = known[number // 2 % len(known)]
    return path_parameters


@schemathesis.hook
def before_call(context, case, kwargs):
    key = (case.headers or {}).get("Idempotency-Key")
    if key and case.meta and case.meta.generation.mode.is_positive:
        # A key names one request; schemathesis sends it with others.
        case.headers["Idempotency-Key"] = f"{next(NUMBERS)}-{key[:240]}"
    if str((case.query or {}).get("wait")) in LONG_WAITS:
        case.query["wait"] = 0
    if case.path.startswith("/v1/sandbox/"):
        case.headers = {**(case.headers or {}), "X-API-Key": SANDBOX_KEY}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure counts."""
    if failure.code == "ST201" and (case.query or {}).get("scope") in ("", [], [""]):
        # `allowEmptyValue`: no scope at all.
        return False
    if case.media_type in TABLES and failure.code in ("ST201", "ST202"):
        # Every text is a table of some kind, and the document does not describe those that are refused.
        return False
    if failure.code != "ST202" or response.status_code != 422:
        return True
    rules = EXPLAINED.get(f"{case.method} {case.path}", {})
    named = response.json().get("errors", {})
    return not named or not all(name in rules and rules[name](case, name) for name in named)
