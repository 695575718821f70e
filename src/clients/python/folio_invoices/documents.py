from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Optional

from .resource import Body, JsonObject, Resource, segment

if TYPE_CHECKING:
    from .client import Folio, Query


class Documents(Resource):
    """The methods that invoices, credit notes and debit notes share. Each example uses one of the three."""

    def __init__(self, folio: Folio, kind: str) -> None:
        super().__init__(folio)
        self._path = f"/v1/{kind}"

    def _of(self, id: str) -> str:
        return f"{self._path}/{segment(id)}"

    def create(self, document: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Issues a document: ``folio.invoices.create(order, idempotency_key="order-1001")["id"]``"""
        return self._post(self._path, idempotency_key, document)

    def validate(self, document: Body) -> JsonObject:
        """Validates a document without storing it: ``folio.invoices.validate(order)["errors"]``"""
        return self._post(f"{self._path}/validate", None, document)

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields documents, newest first.

            for one in folio.invoices.list({"created[gte]": "2026-01-01T00:00:00Z"}): …
        """
        return self._folio.pages(self._path, query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns a document: ``folio.invoices.retrieve("inv_…")["status"]``"""
        return self._get(self._of(id))

    def cancel(self, id: str, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Cancels a draft without a number: ``folio.invoices.cancel("inv_…")``"""
        return self._post(f"{self._of(id)}/cancel", idempotency_key)

    def retry(self, id: str, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Retries a failed document, which keeps its number: ``folio.credit_notes.retry("cn_…")``"""
        return self._post(f"{self._of(id)}/retry", idempotency_key)

    def correct(self, id: str, document: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Corrects a rejected document, which keeps its number: ``folio.invoices.correct("inv_…", order)["status"]``"""
        return self._post(f"{self._of(id)}/correct", idempotency_key, document)

    def timeline(self, id: str) -> JsonObject:
        """Returns the timeline of a document: ``folio.debit_notes.timeline("dn_…")["data"]``"""
        return self._get(f"{self._of(id)}/timeline")

    def send_email(self, id: str, email: Optional[Body] = None, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Sends the email of a document again: ``folio.invoices.send_email("inv_…", {"to": "copia@cliente.test"})``"""
        return self._post(f"{self._of(id)}/email", idempotency_key, email or {})

    def emails(self, id: str, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields the emails of a document, newest first: ``for email in folio.invoices.emails("inv_…"): …``"""
        return self._folio.pages(f"{self._of(id)}/emails", query)

    def pdf(self, id: str) -> bytes:
        """Returns the PDF of a document: ``pathlib.Path("1.pdf").write_bytes(folio.invoices.pdf("inv_…"))``"""
        return self._folio.download(f"{self._of(id)}/pdf")

    def xml(self, id: str) -> bytes:
        """Returns the signed XML of a document: ``pathlib.Path("1.xml").write_bytes(folio.invoices.xml("inv_…"))``"""
        return self._folio.download(f"{self._of(id)}/xml")


class Invoices(Documents):
    """Invoices: ``folio.invoices``"""

    def annul(self, id: str, annulment: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Annuls an invoice with a credit note over all lines.

            folio.invoices.annul("inv_…", {"reason": "Pedido cancelado"})
        """
        return self._post(f"{self._of(id)}/annul", idempotency_key, annulment)
