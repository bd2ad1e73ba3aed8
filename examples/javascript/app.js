// Licences that the example register gave to a company.
//
// Asking and reading are apart: `enrich` asks, `read` takes the register's text and gives facts, and needs no host.
// A failure of the contract is thrown as `{ tag, val }`.

import { send } from "lustra:connector/http@1.0.0";
import { MANIFEST } from "./manifest.js";

/** What every connector has. */
export const connector = {
  describe: () => MANIFEST,
};

/** The sections that this one gives. */
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

/** The section of an answer. Only the register's own word says that it knows no such number. */
function licences(status, text, ico) {
  if (status === 429) {
    throw { tag: "throttled", val: undefined };
  }
  if (status === 404 && parse(text).error === "unknown-ico") {
    return { has_licence: false, licences: [] };
  }
  if (status !== 200) {
    throw { tag: "unavailable", val: `register: status ${status}` };
  }
  return read(text, ico);
}

/** Text in, facts out. Another form than the known one is `malformed`; nothing is guessed. */
function read(text, ico) {
  const answer = parse(text);
  if (answer.ico !== ico) {
    throw malformed("ico", ico);
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
    // An error page, for example.
  }
  throw malformed("answer", "a JSON object");
}

function string(one, member) {
  if (typeof one?.[member] !== "string") {
    throw malformed(`licences/*/${member}`, "a text");
  }
  return one[member];
}

/** What was found is left out: it may be a person's name. */
function malformed(what, expected) {
  return { tag: "malformed", val: { what: `register: ${what}`, expected, found: "something else", evidence: undefined } };
}
