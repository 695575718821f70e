"""A customer of Folio, from the registration of a buyer to a verified webhook.

test/clients/typescript/LanguageClients.full.test.ts has the expected result of each step."""

import http.server
import json
import os
import queue
import threading

from folio_invoices import ApiError, Folio, WebhookVerificationError, verify

url, key, run = os.environ["FOLIO_URL"], os.environ["FOLIO_KEY"], os.environ["FOLIO_RUN"]
port = int(os.environ["FOLIO_RECEIVER_PORT"])
folio = Folio(url, key, version="2026-01-01")
webhooks = queue.Queue()


def say(step, **result):
    print(json.dumps({"step": step, **result}), flush=True)


def refusal(call):
    try:
        call()
    except ApiError as error:
        fields = [one.param for one in error.errors]
        return {"status": error.status, "code": error.code, "fields": fields, "request_id": error.request_id}


def reason(*webhook):
    try:
        return verify(*webhook)["type"]
    except WebhookVerificationError as error:
        return error.reason


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        webhooks.put((self.rfile.read(int(self.headers["Content-Length"])), self.headers))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
events = ["invoice.accepted_by_authority", "invoice.rejected_by_authority"]
endpoint = folio.webhook_endpoints.create({"url": f"http://127.0.0.1:{port}/", "subscribed_events": events})

buyer = {
    "identification": {"type": "31", "number": "900000001", "check_digit": "1"},
    "legal_name": "Cliente de Prueba S.A.S.",
    "organization_type": "1",
}
customer = folio.customers.create(buyer, idempotency_key=f"{run}-customer")
say("customer", id=customer["id"])

order = {
    "customer_id": customer["id"],
    "currency": "COP",
    "operation_type": "10",
    "payment_means": {"code": "10", "type": "1"},
    "lines": [
        {
            "description": "Consultoría",
            "quantity": "1.00",
            "unit_code": "94",
            "unit_price": "100000.00",
            "line_extension_amount": "100000.00",
            "taxes": [{"code": "01", "rate": "19.00", "base": "100000.00", "value": "19000.00"}],
        }
    ],
}
invoice = folio.invoices.create(order, idempotency_key=f"{run}-order")
say("invoice", id=invoice["id"], status=invoice["status"])
again = folio.invoices.create(order, idempotency_key=f"{run}-order")
say("repeat", id=again["id"], same=again == invoice)
changed = {**order, "metadata": {"order": "1002"}}
say("conflict", **refusal(lambda: folio.invoices.create(changed, idempotency_key=f"{run}-order")))

body, headers = webhooks.get(timeout=60)
event = verify(body, headers, endpoint["secret"])
say("webhook", type=event["type"], invoice=event["data"]["object"]["id"])
other = "whsec_b3RoZXIgdGVzdCBzZWNyZXQgb2YgMzIgYnl0ZXMhISE="
unsigned = {name: value for name, value in headers.items() if "signature" not in name.lower()}
say(
    "forged",
    secret=reason(body, headers, other),
    body=reason(body + b" ", headers, endpoint["secret"]),
    unsigned=reason(body, unsigned, endpoint["secret"]),
    rotated=reason(body, headers, [other, endpoint["secret"]]),
)
issued = folio.invoices.retrieve(invoice["id"])
say("amounts", total=issued["totals"]["payable_amount"], number=issued["full_number"])
say("files", pdf=folio.invoices.pdf(invoice["id"])[:5].decode(), xml=folio.invoices.xml(invoice["id"])[:5].decode())

say("invalid", **refusal(lambda: folio.customers.create({"organization_type": "3"})))
say("unauthorized", **refusal(lambda: Folio(url, "sk_test_nobody").account.retrieve()))
say("missing", **refusal(lambda: folio.invoices.retrieve("inv_none")))

for index in range(4):
    folio.customers.create(buyer, idempotency_key=f"{run}-customer-{index}")
say("pages", ids=[one["id"] for one in folio.customers.list({"limit": 2})])
