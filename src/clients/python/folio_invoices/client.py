from __future__ import annotations

import json
import re
import uuid
from decimal import Decimal
from typing import Any, Dict, Iterable, Iterator, Mapping, Optional, Tuple, Union
from urllib.parse import urlencode

from .documents import Documents, Invoices
from .errors import NoAnswerError, error_of
from .resources import (
    Account,
    Acquirers,
    Accounts,
    ApiKeys,
    AuditLog,
    Catalogs,
    Customers,
    Events,
    Notices,
    PortalSessions,
    Requests,
    Resolutions,
    TestHelpers,
)
from .transport import Answer, Transport, is_executing
from .webhook_resources import WebhookDeliveries, WebhookEndpoints

JsonObject = Dict[str, Any]
Query = Mapping[str, Union[str, int, bool, Iterable[str], None]]


def _json_of(value: object) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    raise TypeError(f"{type(value).__name__} is not JSON; amounts are decimal strings")


def _pairs(query: Query) -> Iterator[Tuple[str, str]]:
    for name, value in query.items():
        if isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, (str, int)):
            yield name, str(value)
        elif value is not None:
            for one in value:
                yield name, one


class Folio:
    """The API as methods, by resource.

        folio = Folio("https://folio.example", os.environ["FOLIO_API_KEY"])
        customer = folio.customers.create({"legal_name": "Cliente S.A.S.", …}, idempotency_key="customer-1")

    Objects are dictionaries with the API's fields; amounts are decimal strings, and the client sends a
    ``decimal.Decimal`` as one. Every POST, PUT and PATCH has an idempotency key: the caller's, or a new one for the
    call. Without a response, or after 429 or 5xx, the client retries with the same key after 1, 2 and 4 seconds.
    Methods raise ``ApiError`` or ``NoAnswerError``. An unusable argument raises ``ValueError``.

    ``version`` is the dated version of the API, such as ``2026-01-01``; if omitted, the account's default. ``timeout``
    is in seconds: for the connection, for the start of the response, and for reading it. ``account`` is the account that
    a platform's key acts for, ``ten_…``; only for a platform's key.
    """

    def __init__(self, base_url: str, api_key: str, *, version: Optional[str] = None, timeout: float = 60.0, account: Optional[str] = None) -> None:
        self._base_url = base_url
        self._transport = Transport(base_url, api_key, version, timeout, account)
        self.account = Account(self)
        self.accounts = Accounts(self)
        self.api_keys = ApiKeys(self)
        self.customers = Customers(self)
        self.acquirers = Acquirers(self)
        self.invoices = Invoices(self, "invoices")
        self.credit_notes = Documents(self, "credit-notes")
        self.debit_notes = Documents(self, "debit-notes")
        self.resolutions = Resolutions(self)
        self.events = Events(self)
        self.portal_sessions = PortalSessions(self)
        self.requests = Requests(self)
        self.audit_log = AuditLog(self)
        self.notices = Notices(self)
        self.webhook_endpoints = WebhookEndpoints(self)
        self.webhook_deliveries = WebhookDeliveries(self)
        self.catalogs = Catalogs(self)
        self.test_helpers = TestHelpers(self)

    def __repr__(self) -> str:
        return f"Folio({self._base_url!r})"

    def request(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Query] = None,
        body: Union[Mapping[str, Any], bytes, None] = None,
        idempotency_key: Optional[str] = None,
    ) -> JsonObject:
        """Sends any request of the API: ``folio.request("GET", "/v1/invoices", query={"limit": 10})["data"]``"""
        answer, key = self._send(method, path, query, body, idempotency_key, "application/json")
        try:
            found = json.loads(answer.body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise error_of(answer.status, b"", key)
        return found

    def download(self, path: str) -> bytes:
        """Returns a file: ``pathlib.Path("1.pdf").write_bytes(folio.download("/v1/invoices/inv_…/pdf"))``"""
        return self._send("GET", path, None, None, None, "*/*")[0].body

    def pages(self, path: str, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields all objects of a list, newest first, and requests each page when needed.

            for customer in folio.pages("/v1/customers"): …

        ``limit`` in ``query`` is the page size; if omitted, 100.
        """
        asked = {"limit": 100, **(query or {})}
        while True:
            page = self.request("GET", path, query=asked)
            yield from page["data"]
            if not page["has_more"] or not page["data"]:
                return
            asked["starting_after"] = page["data"][-1]["id"]

    def versions(self) -> JsonObject:
        """Returns the dated versions of the API, newest first: ``folio.versions()["data"][0]``"""
        return self.request("GET", "/v1/versions")

    def _send(
        self,
        method: str,
        path: str,
        query: Optional[Query],
        body: Union[Mapping[str, Any], bytes, None],
        idempotency_key: Optional[str],
        accept: str,
    ) -> Tuple[Answer, Optional[str]]:
        if method not in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            raise ValueError("method must be GET, POST, PUT, PATCH or DELETE")
        if re.fullmatch(r"(/[\w.~%:@-]+)+", path, re.ASCII) is None or re.search(r"/\.{1,2}(/|$)", path):
            raise ValueError("path must be like /v1/invoices, encoded, and without a query")
        if idempotency_key is None and method in ("POST", "PUT", "PATCH"):
            idempotency_key = str(uuid.uuid4())
        if body is None or isinstance(body, bytes):
            sent = body
            content_type = "image/png" if sent is not None and sent.startswith(b"\x89PNG") else "image/jpeg"
        else:
            content_type = "application/json"
            sent = json.dumps(body, default=_json_of, allow_nan=False).encode()
        target = path + ("?" + urlencode(list(_pairs(query))) if query else "")
        answer = self._transport.send(method, target, sent, content_type, accept, idempotency_key)
        if is_executing(answer):
            message = "Another request with this idempotency key is still executing. Retry with the same key."
            raise NoAnswerError(message, status=answer.status, idempotency_key=idempotency_key)
        if not 200 <= answer.status < 300:
            raise error_of(answer.status, answer.body, idempotency_key)
        return answer, idempotency_key
