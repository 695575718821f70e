from __future__ import annotations

from typing import TYPE_CHECKING, Iterator, Optional, Sequence

from .resource import Body, JsonObject, Resource, segment

if TYPE_CHECKING:
    from .client import Query


class Account(Resource):
    """The account of the key: ``folio.account``"""

    def retrieve(self) -> JsonObject:
        """Returns the account: ``folio.account.retrieve()["key_mode"]``"""
        return self._get("/v1/account")

    def update(self, changes: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Updates the account: ``folio.account.update({"email": "facturas@tienda.test"})``"""
        return self._patch("/v1/account", idempotency_key, changes)

    def put_logo(self, picture: bytes, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Sets the logo of the PDFs: ``folio.account.put_logo(Path("logo.png").read_bytes())``"""
        return self._put("/v1/account/logo", idempotency_key, picture)

    def logo(self) -> bytes:
        """Returns the bytes of the logo: ``Path("logo").write_bytes(folio.account.logo())``"""
        return self._folio.download("/v1/account/logo")

    def delete_logo(self) -> JsonObject:
        """Removes the logo: ``folio.account.delete_logo()``"""
        return self._delete("/v1/account/logo")

    def start_enablement(self, test_set: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Starts the authority's test set: ``folio.account.start_enablement({"test_set_id": …, "invoices": 30, …})``"""
        return self._post("/v1/account/enablement", idempotency_key, test_set)

    def enablement(self) -> JsonObject:
        """Returns the progress of the test set: ``folio.account.enablement()["status"]``"""
        return self._get("/v1/account/enablement")

    def upload_certificate(self, certificate: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Stores the certificate that signs live documents.

            folio.account.upload_certificate({"pkcs12": …, "password": …})
        """
        return self._post("/v1/account/certificate", idempotency_key, certificate)

    def put_software(self, software: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Sets the software that live documents name: ``folio.account.put_software({"id": …, "pin": …})``"""
        return self._put("/v1/account/software", idempotency_key, software)

    def delete_software(self) -> JsonObject:
        """Removes the account's software, so that documents name the service's: ``folio.account.delete_software()``"""
        return self._delete("/v1/account/software")


class Accounts(Resource):
    """The accounts of a platform, for a platform's key: ``folio.accounts``"""

    def create(self, account: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Creates an account: ``folio.accounts.create({"legal_name": "Ferretería S.A.S.", …})["id"]``"""
        return self._post("/v1/accounts", idempotency_key, account)

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields all accounts: ``for account in folio.accounts.list({"status": "active"}): …``"""
        return self._folio.pages("/v1/accounts", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns an account: ``folio.accounts.retrieve("ten_…")["live"]["steps"]``"""
        return self._get(f"/v1/accounts/{segment(id)}")

    def update(self, id: str, changes: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Updates an account: ``folio.accounts.update("ten_…", {"email": "facturas@ferreteria.test"})``"""
        return self._patch(f"/v1/accounts/{segment(id)}", idempotency_key, changes)

    def suspend(self, id: str, reason: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Suspends an account, which then creates no documents: ``folio.accounts.suspend("ten_…", {"reason": "Mora"})``"""
        return self._post(f"/v1/accounts/{segment(id)}/suspend", idempotency_key, reason)

    def resume(self, id: str, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Resumes a suspended account: ``folio.accounts.resume("ten_…")``"""
        return self._post(f"/v1/accounts/{segment(id)}/resume", idempotency_key)

    def close(self, id: str, reason: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Closes an account for ever: ``folio.accounts.close("ten_…", {"reason": "Contract ended"})``"""
        return self._post(f"/v1/accounts/{segment(id)}/close", idempotency_key, reason)

    def usage(self, id: str, query: Optional[Query] = None) -> JsonObject:
        """Returns the documents of an account by day, kind and outcome, of the last 30 days by default.

            folio.accounts.usage("ten_…", {"from": "2026-11-01", "to": "2026-11-30"})["days"]
        """
        return self._folio.request("GET", f"/v1/accounts/{segment(id)}/usage", query=query)

    def create_api_key(self, id: str, api_key: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Creates an API key for an account, which only this response shows.

            folio.accounts.create_api_key("ten_…", {"name": "ERP"})["key"]
        """
        return self._post(f"/v1/accounts/{segment(id)}/api-keys", idempotency_key, api_key)


class ApiKeys(Resource):
    """The API keys of the account: ``folio.api_keys``"""

    def create(self, api_key: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Creates an API key, which only this response shows: ``folio.api_keys.create({"name": "The shop"})["key"]``

        The fields ``capabilities``, ``allowed_ips`` and ``expires_at`` restrict the key:

            folio.api_keys.create({"capabilities": ["create"], "allowed_ips": ["203.0.113.0/24"]})
        """
        return self._post("/v1/api-keys", idempotency_key, api_key)

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields all API keys, without the keys themselves: ``for key in folio.api_keys.list(): …``"""
        return self._folio.pages("/v1/api-keys", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns an API key, without the key itself: ``folio.api_keys.retrieve("key_…")["last4"]``"""
        return self._get(f"/v1/api-keys/{segment(id)}")

    def revoke(self, id: str) -> JsonObject:
        """Revokes an API key: ``folio.api_keys.revoke("key_…")``"""
        return self._delete(f"/v1/api-keys/{segment(id)}")

    def roll(self, id: str, options: Optional[Body] = None, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Rolls an API key, which replaces it with a new one.

            folio.api_keys.roll("key_…", {"expires_in": 3600})["key"]
        """
        return self._post(f"/v1/api-keys/{segment(id)}/roll", idempotency_key, options or {})


class PortalSessions(Resource):
    """Portal sessions: ``folio.portal_sessions``"""

    def create(self, session: Optional[Body] = None, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Creates a session, whose url works once, within 60 seconds: ``folio.portal_sessions.create()["url"]``"""
        return self._post("/v1/portal-sessions", idempotency_key, session or {})

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields all sessions, without their urls: ``for session in folio.portal_sessions.list(): …``"""
        return self._folio.pages("/v1/portal-sessions", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns a session, without its url: ``folio.portal_sessions.retrieve("ps_…")["status"]``"""
        return self._get(f"/v1/portal-sessions/{segment(id)}")

    def end(self, id: str) -> JsonObject:
        """Ends a session: ``folio.portal_sessions.end("ps_…")``"""
        return self._delete(f"/v1/portal-sessions/{segment(id)}")


class Customers(Resource):
    """Customers: ``folio.customers``"""

    def create(self, customer: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Registers a customer: ``folio.customers.create(buyer, idempotency_key="customer-1")["id"]``"""
        return self._post("/v1/customers", idempotency_key, customer)

    def validate(self, customer: Body) -> JsonObject:
        """Validates a customer without storing it: ``folio.customers.validate(buyer)["errors"]``"""
        return self._post("/v1/customers/validate", None, customer)

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields customers, newest first: ``for customer in folio.customers.list({"name": "muñoz"}): …``"""
        return self._folio.pages("/v1/customers", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns a customer: ``folio.customers.retrieve("cust_…")["legal_name"]``"""
        return self._get(f"/v1/customers/{segment(id)}")

    def replace(self, identification: str, customer: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Registers or replaces the customer with an identification.

            folio.customers.replace("31-900000001", buyer)["id"]
        """
        return self._put(f"/v1/customers/{segment(identification)}", idempotency_key, customer)

    def update(self, id: str, changes: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Updates a customer: ``folio.customers.update("cust_…", {"email": "compras@example.com"})``"""
        return self._patch(f"/v1/customers/{segment(id)}", idempotency_key, changes)

    def delete(self, id: str) -> JsonObject:
        """Deletes a customer; its invoices stay: ``folio.customers.delete("cust_…")``"""
        return self._delete(f"/v1/customers/{segment(id)}")


class Acquirers(Resource):
    """Look-ups of buyers at the tax authority: ``folio.acquirers``"""

    def retrieve(self, identification: str) -> JsonObject:
        """Requests from the authority a buyer's name and email.

            folio.acquirers.retrieve("31-900000001")["email"]
        """
        return self._get(f"/v1/acquirers/{segment(identification)}")


class Resolutions(Resource):
    """Numbering ranges: ``folio.resolutions``"""

    def create(self, resolution: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Registers a range: ``folio.resolutions.create({"document_type": "credit_note", "prefix": "DV"})["id"]``"""
        return self._post("/v1/resolutions", idempotency_key, resolution)

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields all ranges, newest first: ``for one in folio.resolutions.list(): print(one["warnings"])``"""
        return self._folio.pages("/v1/resolutions", query)

    def import_granted(self, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Imports the ranges that the authority has granted; requires a live key.

            folio.resolutions.import_granted()
        """
        return self._post("/v1/resolutions/import", idempotency_key)

    def retrieve(self, id: str) -> JsonObject:
        """Returns a range: ``folio.resolutions.retrieve("res_…")["status"]``"""
        return self._get(f"/v1/resolutions/{segment(id)}")

    def update(self, id: str, changes: Body, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Deactivates a range, or extends its validity: ``folio.resolutions.update("res_…", {"is_active": False})``"""
        return self._patch(f"/v1/resolutions/{segment(id)}", idempotency_key, changes)


class Events(Resource):
    """Events: ``folio.events``"""

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields events, newest first: ``for event in folio.events.list({"types[]": ["invoice.failed"]}): …``"""
        return self._folio.pages("/v1/events", query)

    def follow(self, after: str) -> Iterator[JsonObject]:
        """Yields the events after an event, oldest first, and waits for more.

            for event in folio.events.follow("evt_…"): …
        """
        while True:
            page = self._folio.request("GET", "/v1/events", query={"after": after, "wait": 20, "limit": 100})
            for event in page["data"]:
                after = event["id"]
                yield event

    def retrieve(self, id: str) -> JsonObject:
        """Returns an event: ``folio.events.retrieve("evt_…")["type"]``"""
        return self._get(f"/v1/events/{segment(id)}")

    def deliveries(self, id: str, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields the deliveries of an event: ``for delivery in folio.events.deliveries("evt_…"): …``"""
        return self._folio.pages(f"/v1/events/{segment(id)}/deliveries", query)


class Requests(Resource):
    """The request log of the last seven days: ``folio.requests``"""

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields requests, newest first: ``for request in folio.requests.list({"status": "4xx"}): …``"""
        return self._folio.pages("/v1/requests", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns a request with its bodies: ``folio.requests.retrieve("req_…")["response_body"]``"""
        return self._get(f"/v1/requests/{segment(id)}")


class AuditLog(Resource):
    """The audit log: ``folio.audit_log``"""

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields entries, newest first: ``for entry in folio.audit_log.list({"actor": "operator"}): …``"""
        return self._folio.pages("/v1/audit-log", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns an entry: ``folio.audit_log.retrieve("aud_…")["action"]``"""
        return self._get(f"/v1/audit-log/{segment(id)}")


class Notices(Resource):
    """Notices to the issuer: ``folio.notices``"""

    def list(self, query: Optional[Query] = None) -> Iterator[JsonObject]:
        """Yields notices, newest first: ``for notice in folio.notices.list({"status": "open"}): …``"""
        return self._folio.pages("/v1/notices", query)

    def retrieve(self, id: str) -> JsonObject:
        """Returns a notice: ``folio.notices.retrieve("ntc_…")["message"]``"""
        return self._get(f"/v1/notices/{segment(id)}")


class Catalogs(Resource):
    """Catalogs of codes: ``folio.catalogs``"""

    def retrieve(self, name: str) -> JsonObject:
        """Returns a catalog: ``folio.catalogs.retrieve("unidad-medida")["data"]``"""
        return self._get(f"/v1/catalogs/{segment(name)}")


class TestHelpers(Resource):
    """The simulated authority and the clock of the sandbox: ``folio.test_helpers``"""

    def set_authority(
        self,
        mode: Optional[str] = None,
        *,
        next: Optional[Sequence[JsonObject]] = None,
        idempotency_key: Optional[str] = None,
    ) -> JsonObject:
        """Sets the simulated authority's mode, and scripts the account's next documents.

        ``mode`` is ``up``, ``down``, ``slow`` or ``flaky``.

            folio.test_helpers.set_authority("up", next=[{"reject": ["FAD06"]}, {"fail": True}])
        """
        given = {"mode": mode, "next": next}
        body = {name: value for name, value in given.items() if value is not None}
        return self._post("/v1/test-helpers/authority", idempotency_key, body)

    def advance(self, seconds: int, *, idempotency_key: Optional[str] = None) -> JsonObject:
        """Advances the sandbox's clock for everything that waits: ``folio.test_helpers.advance(300)``"""
        return self._post("/v1/test-helpers/advance", idempotency_key, {"seconds": seconds})
