// Licences of a company in the example register.
//
// Requests and parsing are separate: `enrich` sends the request; `read` parses the register's text and needs no host.
// A failure of the contract is thrown as `{ tag, val }`.

import { send } from "lustra:connector/http@1.0.0";
import { MANIFEST } from "./manifest.js";

/** The functions that every connector implements. */
export const connector = {
  describe: () => MANIFEST,
};

/** The sections of this connector. */
export const enrichment = {
  enrich(scope, subject) {
    if (scope !== "javascript_licences") {
      throw { tag: "other", val: ["not-offered", scope] };
    }
    const answer = send({
      method: "get",
      upstream: "register",
      path: `/licences?ico=${subject.ico}`,
      headers: [],
      options: [],
    });
    const content = licences(answer.status, answer.body.text(undefined), subject.ico);
    return {
      content: JSON.stringify(content),
      unread: [],
      evidence: [answer.body.evidence()],
      details: [],
    };
  },
};

/** Builds the section of an answer. A number that the register does not know is a result and not a failure. */
function licences(status, text, ico) {
  if (status === 429) {
    throw { tag: "throttled", val: undefined };
  }
  if (status !== 200 && status !== 404) {
    throw { tag: "unavailable", val: `register: status ${status}` };
  }
  return read(status, text, ico);
}

/**
 * Parses an answer. An unknown format is `malformed`.
 *
 * An answer counts only if it repeats the requested number: a failing register returns 404 too, and such an answer
 * must not look like a company without a licence.
 */
function read(status, text, ico) {
  const answer = parse(text);
  if (answer.ico !== ico) {
    throw malformed("ico", ico);
  }
  if (status === 404) {
    if (answer.error !== "unknown-ico") {
      throw malformed("error", "unknown-ico with status 404");
    }
    return { has_licence: false, licences: [] };
  }
  if (!Array.isArray(answer.licences)) {
    throw malformed("licences", "a list");
  }
  const licences = answer.licences.map((one) => ({
    number: string(one, "number").trim(),
    kind: string(one, "kind"),
    valid_from: string(one, "validFrom"),
    valid_to: one.validTo === null ? null : string(one, "validTo"),
  }));
  return { has_licence: licences.length > 0, licences };
}

function parse(text) {
  try {
    const answer = JSON.parse(text);
    if (answer !== null && typeof answer === "object") {
      return answer;
    }
  } catch {
    // The answer is not JSON, such as an error page.
  }
  throw malformed("answer", "a JSON object");
}

function string(one, member) {
  if (typeof one?.[member] !== "string") {
    throw malformed(`licences/*/${member}`, "a text");
  }
  return one[member];
}

/** The failure for an unknown format. It omits the found value, which may be a person's name. */
function malformed(what, expected) {
  return { tag: "malformed", val: { what: `register: ${what}`, expected, found: "something else", evidence: undefined } };
}
