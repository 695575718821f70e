"""Verifies the webhooks that it reads. For each, it prints the type of its event, or the reason for the rejection."""

import base64
import json
import sys

from folio_invoices import WebhookVerificationError, verify


def verdict(one):
    payload = None if one["payload"] is None else base64.b64decode(one["payload"])
    try:
        return verify(payload, one["headers"], one["secret"], now=one["now"], tolerance_seconds=one["tolerance"])["type"]
    except WebhookVerificationError as error:
        return error.reason


print(json.dumps([verdict(one) for one in json.load(sys.stdin)]))
