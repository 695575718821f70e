from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional


class FolioError(Exception):
    """A call failed. ``except FolioError as error: save(error.idempotency_key)``

    ``idempotency_key`` is the key of all attempts of the call, or None. To retry the call, send the same body with the
    same key: Folio executes it once.
    """

    def __init__(self, message: str, *, status: Optional[int], idempotency_key: Optional[str]) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.idempotency_key = idempotency_key


class NoAnswerError(FolioError):
    """The outcome is unknown, without a response of Folio.

        except NoAnswerError as error: retry_later(error.idempotency_key)

    ``status`` is the HTTP status code, or None without a response.
    """


@dataclass(frozen=True)
class Violation:
    """An error in a request: ``for one in error.errors: print(one.param, one.message)``

    ``param`` is the field's path, such as ``lines[0].quantity``. ``rule`` is the authority's rule that the request
    breaks, or None.
    """

    param: str
    code: str
    message: str
    rule: Optional[str] = None


class ApiError(FolioError):
    """Folio rejected or failed a request: ``except ApiError as error: print(error.status, error.code, error.param)``

    ``errors`` lists everything that is wrong with the request. ``code``, ``message`` and ``param`` are those of the
    first error. Include ``request_id`` when you report a problem.
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
    """Returns the error of a response: ``raise error_of(404, answer.body, None)``"""
    try:
        return ApiError(json.loads(body)["error"], status=status, idempotency_key=idempotency_key)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        pass
    message = f"The response with status {status} is not Folio's. Check the base URL, and any proxy."
    return NoAnswerError(message, status=status, idempotency_key=idempotency_key)
