"""The webhook verifier.

A webhook is genuine if one of its two signatures over the received bytes is right for one of the receiver's secrets,
and its time is within five minutes of the receiver's clock.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from base64 import b64decode, b64encode
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

Headers = Union[Mapping[Any, Any], Iterable[Tuple[Any, Any]]]

_EXPLAINED = {
    "missing": "The request has no Svc-Signature and no webhook-signature header: it is not from Folio.",
    "malformed": "A signature header cannot be read.",
    "mismatch": "No signature is right for this body and secret. Pass the raw bytes of the body, and the secret of this "
    "endpoint.",
    "expired": "The signature is right, but its time is too old or in the future. Check this machine's clock.",
    "unusable": "Pass a secret that begins with whsec_, the headers, and the raw body as bytes or text, before it is parsed.",
    "not_an_event": "The signature is right, but the body is not an event.",
}

# The faults, the least useful to the receiver first. If there are several, the last in this list is reported.
_WEIGHT = ("malformed", "mismatch", "expired")


class WebhookVerificationError(Exception):
    """The verifier rejected a webhook. Respond with 400.

        except WebhookVerificationError as error: log(error.reason)

    ``reason`` is ``missing``, ``malformed``, ``mismatch``, ``expired``, ``not_an_event``, or ``unusable`` for a mistake
    of the receiver, such as no secret.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(_EXPLAINED[reason])
        self.reason = reason


def verify(
    payload: Union[bytes, str],
    headers: Headers,
    secret: Union[str, Iterable[str]],
    *,
    now: Optional[float] = None,
    tolerance_seconds: float = 300,
) -> Dict[str, Any]:
    """Returns the event of a genuine webhook. Raises only ``WebhookVerificationError``.

        event = verify(request.get_data(), request.headers, os.environ["FOLIO_WEBHOOK_SECRET"])

    ``payload`` is the raw body, not JSON that was parsed and serialized again. ``headers`` is a mapping, a list of
    pairs, or a WSGI environment; the case of names does not matter. ``secret`` is the endpoint's ``whsec_…``, or both
    secrets while you rotate it. ``now`` is in Unix seconds.
    """
    found = _headers_of(headers)
    secrets = _secrets_of(secret)
    if found is None or not secrets or not isinstance(payload, (bytes, bytearray, memoryview, str)):
        raise WebhookVerificationError("unusable")
    body = payload.encode("utf-8", "replace") if isinstance(payload, str) else bytes(payload)
    moment = time.time() if now is None else now
    faults: List[Optional[str]] = []
    for text, standard_key in secrets:
        if "svc-signature" in found:
            faults.append(_judge_svc(text, found["svc-signature"], body, moment, tolerance_seconds))
        if all(f"webhook-{name}" in found for name in ("id", "timestamp", "signature")):
            faults.append(_judge_standard(standard_key, found, body, moment, tolerance_seconds))
    if not faults:
        raise WebhookVerificationError("missing")
    if None not in faults:
        raise WebhookVerificationError(max((fault for fault in faults if fault is not None), key=_WEIGHT.index))
    try:
        event = json.loads(body.decode("utf-8", "replace"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or event.get("object") != "event" or "type" not in event:
        raise WebhookVerificationError("not_an_event")
    return event


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _text(value: object) -> Optional[str]:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, (list, tuple)):
        return ",".join(_text(one) or "" for one in value)
    return value if isinstance(value, str) else None


def _headers_of(headers: Any) -> Optional[Dict[str, str]]:
    """The signature headers, by their names in lower case; None if the argument has another type."""
    found: Dict[str, str] = {}
    try:
        pairs = headers.items() if hasattr(headers, "items") else headers
        for key, value in pairs:
            name = (_text(key) or "").lower()
            # WSGI has the name HTTP_SVC_SIGNATURE for the header Svc-Signature.
            name = name[len("http_") :].replace("_", "-") if name.startswith("http_") else name
            text = _text(value)
            if text is not None and name in ("svc-signature", "webhook-id", "webhook-timestamp", "webhook-signature"):
                found[name] = f"{found[name]},{text}" if name in found else text
    except (TypeError, ValueError):
        return None
    return found


def _secrets_of(secret: object) -> List[Tuple[bytes, bytes]]:
    """The two keys of each secret.

    The key of Svc-Signature is its text. The key of Standard Webhooks is the decoded part after ``whsec_``.
    """
    listed = [secret] if isinstance(secret, str) else secret if isinstance(secret, Iterable) else []
    secrets: List[Tuple[bytes, bytes]] = []
    for one in listed:
        if not isinstance(one, str) or not one.startswith("whsec_"):
            continue
        encoded = re.sub(r"[^A-Za-z0-9+/]", "", one[len("whsec_") :].replace("-", "+").replace("_", "/"))
        # A single digit of base64 encodes nothing. Anyone can sign with an empty key, so a missing setting must not count as
        # a secret.
        encoded = encoded[:-1] if len(encoded) % 4 == 1 else encoded
        if encoded:
            secrets.append((one.encode("utf-8", "replace"), b64decode(encoded + "=" * (-len(encoded) % 4))))
    return secrets


def _judge_svc(secret: bytes, header: str, body: bytes, now: float, tolerance: float) -> Optional[str]:
    fields = [field.strip(" \t") for field in header.split(",")]
    times = [field[2:] for field in fields if field.startswith("t=")]
    given = [field[3:] for field in fields if field.startswith("v1=")]
    if len(times) != 1 or not _is_time(times[0]) or not given:
        return "malformed"
    expected = hmac.new(secret, f"{times[0]}.".encode() + body, hashlib.sha256).hexdigest()
    return _judge(given, expected.encode(), int(times[0]), now, tolerance)


def _judge_standard(key: bytes, headers: Mapping[str, str], body: bytes, now: float, tolerance: float) -> Optional[str]:
    id, sent, signature = (headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    given = [part[3:] for part in signature.split(" ") if part.startswith("v1,")]
    if not _is_time(sent) or not given:
        return "malformed"
    signed = f"{id}.{sent}.".encode("utf-8", "replace") + body
    return _judge(given, b64encode(hmac.new(key, signed, hashlib.sha256).digest()), int(sent), now, tolerance)


def _is_time(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,12}", text) is not None


def _judge(given: List[str], expected: bytes, sent: int, now: float, tolerance: float) -> Optional[str]:
    matches = False
    # The loop compares all signatures, so its duration does not reveal which one is right.
    for one in given:
        matches = hmac.compare_digest(one.encode("utf-8", "replace"), expected) or matches
    # The signature is checked before the time, so only a genuine header is expired.
    if not matches:
        return "mismatch"
    # A time that is not a number makes the comparison false, so the webhook is rejected.
    return None if abs(now // 1 - sent) <= tolerance else "expired"
