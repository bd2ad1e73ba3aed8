// Verifies webhooks as receivers do, with nothing of the service's own.
//
// Reads cases from standard input and writes, for each, whether the service's own signature is right (Node's crypto)
// and whether that of Standard Webhooks is (the package standardwebhooks, below the folder that is the first argument;
// null with the argument "alone").
"use strict";
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");

function own({ secret, body, headers }) {
  const digest = crypto.createHmac("sha256", secret).update(Buffer.from(body, "hex")).digest();
  const claimed = Buffer.from(headers["x-webhook-signature"], "hex");
  return claimed.length === digest.length && crypto.timingSafeEqual(digest, claimed);
}

function standard({ secret, body, headers, now }) {
  const library = require(path.join(process.argv[2], "node_modules", "standardwebhooks"));
  // The time of the case: the library refuses what is old.
  Date.now = () => now * 1000;
  try {
    new library.Webhook(secret).verify(Buffer.from(body, "hex"), headers);
    return true;
  } catch (error) {
    if (error instanceof library.WebhookVerificationError) return false;
    throw error;
  }
}

const alone = process.argv.includes("alone");
const cases = JSON.parse(fs.readFileSync(0, "utf8"));
const verdicts = cases.map((one) => [own(one), alone ? null : standard(one)]);
process.stdout.write(JSON.stringify(verdicts));
