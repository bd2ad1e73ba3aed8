"""Verifies webhooks as receivers do, with nothing of the service's own.

Reads cases from standard input and writes, for each, whether the service's own signature is right (Python's hmac) and
whether that of Standard Webhooks is (the package standardwebhooks; null with the argument "alone").
"""
import datetime
import hashlib
import hmac
import json
import sys


def own(case):
    body = bytes.fromhex(case["body"])
    digest = hmac.new(case["secret"].encode(), body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(digest, case["headers"]["x-webhook-signature"])


def standard(case):
    from standardwebhooks import webhooks

    class Clock(datetime.datetime):
        """The time of the case: the library refuses what is old."""

        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(case["now"], tz)

    webhooks.datetime = Clock
    try:
        webhooks.Webhook(case["secret"]).verify(bytes.fromhex(case["body"]), case["headers"])
    except webhooks.WebhookVerificationError:
        return False
    return True


alone = "alone" in sys.argv
verdicts = [[own(case), None if alone else standard(case)] for case in json.load(sys.stdin)]
json.dump(verdicts, sys.stdout)
