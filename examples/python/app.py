"""Licences of a company in the example register.

Requests and parsing are separate: `enrich` sends the request; `read` parses the register's text and needs no host.
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

# Read once at build time, because a running component has no files.
MANIFEST = (Path(__file__).parent / "manifest.json").read_text(encoding="utf-8")


class Connector(exports.Connector):
    """The functions that every connector implements."""

    def describe(self) -> str:
        return MANIFEST


class Enrichment(exports.Enrichment):
    """The sections of this connector."""

    def enrich(self, scope: str, subject: Subject) -> Section:
        if scope != "python_licences":
            raise Err(Failure_Other(("not-offered", scope)))
        path = f"/licences?ico={subject.ico}"
        request = http.Request(http.Method.GET, "register", path, [], None, [])
        answer = http.send(request)
        # The host owns the body; leaving the block releases it.
        with answer.body as body:
            content = licences(answer.status, body.text(None), subject.ico)
            return Section(
                content=json.dumps(content, ensure_ascii=False),
                unread=[],
                evidence=[body.evidence()],
                details=[],
            )


def licences(status: int, text: str, ico: str) -> dict:
    """Builds the section of an answer. A number that the register does not know is a result and not a failure."""
    if status == 429:
        raise Err(Failure_Throttled(None))
    if status not in (200, 404):
        raise Err(Failure_Unavailable(f"register: status {status}"))
    return read(status, text, ico)


def read(status: int, text: str, ico: str) -> dict:
    """Parses an answer. An unknown format is `malformed`.

    An answer counts only if it repeats the requested number: a failing register returns 404 too, and such an answer
    must not look like a company without a licence.
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
    """The failure for an answer in an unknown format."""
    return Err(Failure_Malformed(Drift("register", expected, found, None)))
