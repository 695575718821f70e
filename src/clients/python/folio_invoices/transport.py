"""Sends requests and retries them. This module is internal."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse, IncompleteRead
from random import random
from time import monotonic, sleep, time
from typing import Any, Mapping, Optional
from urllib.parse import urlsplit
from urllib.request import HTTPErrorProcessor, HTTPSHandler, Request, build_opener

from .errors import NoAnswerError

PAUSES = (1.0, 2.0, 4.0)
JITTER = 0.1
# The longest pause before a retry, in seconds. A response with a longer Retry-After goes to the caller.
LONGEST_PAUSE = 60.0
ANSWER_MAX = 32 * 1024 * 1024
CHUNK = 64 * 1024


class _AsItIs(HTTPErrorProcessor):
    """Returns every response unchanged. It follows no redirect, because the redirect target would get the API key."""

    def http_response(self, request: Request, response: Any) -> Any:
        return response

    https_response = http_response


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def printable(name: str, value: str) -> str:
    """Rejects a value that could start another header. The message omits the value, which may be a secret."""
    if not isinstance(value, str) or re.fullmatch(r"[\x20-\x7e]+", value) is None:
        raise ValueError(f"{name} must be a text of printable ASCII characters")
    return value


def _asked_pause(answer: Answer) -> float:
    value = answer.headers.get("retry-after") or ""
    if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def is_executing(answer: Answer) -> bool:
    """Whether another request with the same idempotency key is still executing."""
    return answer.status == 202 and answer.headers.get("retry-after") is not None


def _is_final(answer: Answer) -> bool:
    if answer.status == 409:
        return True
    should_retry = answer.headers.get("svc-should-retry")
    if should_retry is not None:
        return should_retry != "true"
    return not is_executing(answer) and answer.status != 429 and answer.status < 500


class Transport:
    def __init__(self, base_url: str, api_key: str, version: Optional[str], timeout: float, account: Optional[str] = None) -> None:
        parts = urlsplit(printable("base_url", base_url))
        if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or "?" in base_url or "#" in base_url:
            raise ValueError("base_url must be like https://folio.example, without a user, a query or a fragment")
        self.base_url = base_url.rstrip("/")
        self.version = version if version is None else printable("version", version)
        self.account = account if account is None else printable("account", account)
        self._timeout = timeout
        self._authorization = "Bearer " + printable("api_key", api_key)
        # A separate context, because a program can turn off the verification of the default one.
        self._opener = build_opener(_AsItIs, HTTPSHandler(context=ssl.create_default_context()))

    def send(
        self,
        method: str,
        target: str,
        body: Optional[bytes],
        content_type: str,
        accept: str,
        idempotency_key: Optional[str],
    ) -> Answer:
        """Sends a request up to four times.

        Pauses of 1 s, 2 s and 4 s precede the retries, or longer ones if Retry-After is longer.
        """
        headers = {"Accept": accept, "User-Agent": "folio-invoices-python"}
        if body is not None:
            headers["Content-Type"] = content_type
        if self.version is not None:
            headers["Svc-Version"] = self.version
        if self.account is not None:
            headers["Svc-Account"] = self.account
        if idempotency_key is not None:
            headers["Idempotency-Key"] = printable("idempotency_key", idempotency_key)
        failure = ""
        for pause in (*PAUSES, None):
            asked = 0.0
            try:
                answer = self._attempt(method, target, body, headers)
            except (OSError, HTTPException) as error:
                failure = f"{type(error).__name__}: {error}"
                # A retry within seconds cannot fix an invalid certificate.
                if isinstance(getattr(error, "reason", error), ssl.SSLCertVerificationError):
                    break
            else:
                asked = _asked_pause(answer)
                if pause is None or _is_final(answer) or asked > LONGEST_PAUSE:
                    return answer
            if pause is not None:
                sleep(max(pause, asked) * (1 + JITTER * random()))
        # Not raised in the except block: the frames of the caught failure contain the headers with the key.
        message = f"No response from {self.base_url}: {failure}"
        raise NoAnswerError(message, status=None, idempotency_key=idempotency_key)

    def _attempt(self, method: str, target: str, body: Optional[bytes], headers: Mapping[str, str]) -> Answer:
        request = Request(self.base_url + target, data=body, headers=dict(headers), method=method)
        request.add_unredirected_header("Authorization", self._authorization)
        with self._opener.open(request, timeout=self._timeout) as response:
            return Answer(response.status, response.headers, self._read(response, headers.get("Idempotency-Key")))

    def _read(self, response: HTTPResponse, idempotency_key: Optional[str]) -> bytes:
        deadline = monotonic() + self._timeout
        body = bytearray()
        while chunk := response.read1(CHUNK):
            body += chunk
            if len(body) > ANSWER_MAX:
                message = f"The response has more than {ANSWER_MAX} bytes. Request fewer objects with limit."
                raise NoAnswerError(message, status=response.status, idempotency_key=idempotency_key)
            if monotonic() > deadline:
                raise TimeoutError("the response took too long")
        if response.length:
            raise IncompleteRead(b"", response.length)
        return bytes(body)
