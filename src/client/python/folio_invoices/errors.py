from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional


class FolioError(Exception):
    """A call failed. ``except FolioError as error: save(error.idempotency_key)``

    ``idempotency_key`` is the key that all attempts of the call carried, or None. Repeat the call with the same key and the same
    body: nothing is done twice.
    """

    def __init__(self, message: str, *, status: Optional[int], idempotency_key: Optional[str]) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.idempotency_key = idempotency_key


class NoAnswerError(FolioError):
    """No answer came, or one that is not Folio's, so the outcome is unknown: ``except NoAnswerError: try_again_later()``

    ``status`` is the HTTP status, or None if nothing came.
    """


@dataclass(frozen=True)
class Violation:
    """One thing that is wrong with a request: ``for one in error.errors: print(one.param, one.message)``

    ``param`` is a path such as ``lines[0].quantity``. ``rule`` is the authority's rule that would reject it, if there is one.
    """

    param: str
    code: str
    message: str
    rule: Optional[str] = None


class ApiError(FolioError):
    """Folio refused or failed a request: ``except ApiError as error: print(error.status, error.code, error.param)``

    ``errors`` has all that is wrong with the request; ``code``, ``message`` and ``param`` are those of the first. ``request_id``
    is what to name when asking for help.
    """

    def __init__(self, error: dict[str, Any], *, status: int, idempotency_key: Optional[str]) -> None:
        super().__init__(str(error.get("message", "")), status=status, idempotency_key=idempotency_key)
        self.code = str(error.get("code", ""))
        self.type = str(error.get("type", ""))
        self.param: Optional[str] = error.get("param")
        self.doc_url = str(error.get("doc_url", ""))
        self.request_id = str(error.get("request_id", ""))
        self.has_more_errors = error.get("has_more_errors") is True
        self.errors = [
            Violation(str(one.get("param")), str(one.get("code")), str(one.get("message")), one.get("rule"))
            for one in error.get("errors") or []
        ]

    def __str__(self) -> str:
        return f"{self.code}: {self.message} ({self.status}, {self.request_id})"


def error_of(status: int, body: bytes, idempotency_key: Optional[str]) -> FolioError:
    """Reads the answer that refused a request: ``raise error_of(404, answer.body, None)``"""
    try:
        return ApiError(json.loads(body)["error"], status=status, idempotency_key=idempotency_key)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    message = f"The answer with status {status} is not Folio's. Check the base URL, and what stands between."
    return NoAnswerError(message, status=status, idempotency_key=idempotency_key)
