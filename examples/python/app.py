"""Licences that the example register gave to a company.

Asking and reading are apart: `enrich` asks, `read` takes the register's text and gives facts, and needs no host.
"""

import json
from pathlib import Path

from componentize_py_types import Err
from wit_world import exports
from wit_world.exports.enrichment import Section, Subject
from wit_world.imports import http
from wit_world.imports.types import (
    Drift,
    Failure_Malformed,
    Failure_Other,
    Failure_Throttled,
    Failure_Unavailable,
)

# Read once, while the component is built: it has no files when it runs.
MANIFEST = (Path(__file__).parent / "manifest.json").read_text(encoding="utf-8")


class Connector(exports.Connector):
    """What every connector has."""

    def describe(self) -> str:
        return MANIFEST


class Enrichment(exports.Enrichment):
    """The sections that this one gives."""

    def enrich(self, scope: str, subject: Subject) -> Section:
        if scope != "python_licences":
            raise Err(Failure_Other(("not-offered", scope)))
        path = f"/licences?ico={subject.ico}"
        request = http.Request(http.Method.GET, "register", path, [], None, [])
        answer = http.send(request)
        # The body is the host's: leaving the block gives it back.
        with answer.body as body:
            content = licences(answer.status, body.text(None), subject.ico)
            return Section(
                content=json.dumps(content, ensure_ascii=False),
                unread=[],
                evidence=[body.evidence()],
                details=[],
            )


def licences(status: int, text: str, ico: str) -> dict:
    """The section of an answer. That the register does not know the number is a finding, not a failure."""
    if status == 429:
        raise Err(Failure_Throttled(None))
    if status not in (200, 404):
        raise Err(Failure_Unavailable(f"register: status {status}"))
    return read(status, text, ico)


def read(status: int, text: str, ico: str) -> dict:
    """Text in, facts out. Another form than the known one is `malformed`; nothing is guessed.

    An answer counts only when it names the number that was asked for. A register that is out of order answers 404 too,
    and that must not look like a company without a licence.
    """
    try:
        answer = json.loads(text)
        if answer["ico"] != ico:
            raise malformed(f"ico {ico}", "another number")
        if status == 404:
            if answer["error"] != "unknown-ico":
                raise malformed("unknown-ico with status 404", "another error")
            return {"has_licence": False, "licences": []}
        found = [
            {
                "number": one["number"].strip(),
                "kind": one["kind"],
                "valid_from": one["validFrom"],
                "valid_to": one["validTo"],
            }
            for one in answer["licences"]
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise malformed("licences as JSON", f"{type(error).__name__}: {error}") from error
    return {"has_licence": bool(found), "licences": found}


def malformed(expected: str, found: str) -> Err:
    """The failure of an answer in another form than the known one."""
    return Err(Failure_Malformed(Drift("register", expected, found, None)))
