from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Optional

from .resource import Body, JsonObject, Resource, segment

if TYPE_CHECKING:
    from .client import Query


class WebhookEndpoints(Resource):
    """Webhook endpoints: ``folio.webhook_endpoints``"""

    def _of(self, id: str) -> str:
        return f"/v1/webhook-endpoints/{segment(id)}"

    def create(self, endpoint: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Creates an endpoint: ``folio.webhook_endpoints.create({"url": …, "subscribed_events": ["*"]})["secret"]``"""
        return self._post("/v1/webhook-endpoints", idempotency_key, endpoint)

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields all endpoints, without their secrets: ``for endpoint in folio.webhook_endpoints.list(): …``"""
        return self._folio.pages("/v1/webhook-endpoints", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns an endpoint: ``folio.webhook_endpoints.retrieve("we_…")["health"]``"""
        return self._get(self._of(id))

    def update(self, id: str, changes: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Updates an endpoint: ``folio.webhook_endpoints.update("we_…", {"is_active": False})``"""
        return self._patch(self._of(id), idempotency_key, changes)

    def delete(self, id: str) -> JsonObject:
        """Deletes an endpoint: ``folio.webhook_endpoints.delete("we_…")``"""
        return self._delete(self._of(id))

    def rotate_secret(self, id: str, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Rotates the signing secret: ``folio.webhook_endpoints.rotate_secret("we_…")["secret"]``"""
        return self._post(f"{self._of(id)}/rotate-secret", idempotency_key)

    def deliveries(self, id: str, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields the deliveries of an endpoint.

            for one in folio.webhook_endpoints.deliveries("we_…", {"status": "failed"}): …
        """
        return self._folio.pages(f"{self._of(id)}/deliveries", query)

    def recover(self, id: str, recovery: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Delivers the events that the endpoint missed.

            folio.webhook_endpoints.recover("we_…", {"since": "2026-01-01T00:00:00Z"})
        """
        return self._post(f"{self._of(id)}/recover", idempotency_key, recovery)

    def test(self, id: str, sample: Optional[Body] = None, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Sends a test event: ``folio.webhook_endpoints.test("we_…")``"""
        return self._post(f"{self._of(id)}/test", idempotency_key, sample or {})


class WebhookDeliveries(Resource):
    """Deliveries of one event to one endpoint: ``folio.webhook_deliveries``"""

    def retrieve(self, id: str) -> JsonObject:
        """Returns a delivery: ``folio.webhook_deliveries.retrieve("whd_…")["status"]``"""
        return self._get(f"/v1/webhook-deliveries/{segment(id)}")

    def attempts(self, id: str, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields the attempts of a delivery: ``for attempt in folio.webhook_deliveries.attempts("whd_…"): …``"""
        return self._folio.pages(f"/v1/webhook-deliveries/{segment(id)}/attempts", query)

    def redeliver(self, id: str, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Redelivers an event: ``folio.webhook_deliveries.redeliver("whd_…")``"""
        return self._post(f"/v1/webhook-deliveries/{segment(id)}/redeliver", idempotency_key)
