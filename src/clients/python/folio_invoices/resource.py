from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional, Union
from urllib.parse import quote

if TYPE_CHECKING:
    from .client import Folio

JsonObject = Dict[str, Any]
Body = Mapping[str, Any]


class Resource:
    """The methods of one resource, such as ``folio.customers``."""

    def __init__(self, folio: Folio) -> None:
        self._folio = folio

    def _get(self, path: str) -> JsonObject:
        return self._folio.request("GET", path)

    def _post(self, path: str, key: Optional[str], body: Optional[Body] = None) -> JsonObject:
        return self._folio.request("POST", path, body=body, idempotency_key=key)

    def _patch(self, path: str, key: Optional[str], body: Body) -> JsonObject:
        return self._folio.request("PATCH", path, body=body, idempotency_key=key)

    def _put(self, path: str, key: Optional[str], body: Union[Body, bytes]) -> JsonObject:
        return self._folio.request("PUT", path, body=body, idempotency_key=key)

    def _delete(self, path: str) -> JsonObject:
        return self._folio.request("DELETE", path)


def segment(id: str) -> str:
    """Encodes an id as one segment of a path."""
    return quote(id, safe="")
