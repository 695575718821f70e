"""Makes one call for each case, and prints its result as a line of JSON. Records the pauses without waiting."""

import json
import os
import sys
import traceback

from folio_invoices import ApiError, Folio, NoAnswerError, transport

pauses = []
transport.sleep = pauses.append


def said(error, with_locals=True):
    shown = "".join(traceback.TracebackException.from_exception(error, capture_locals=with_locals).format())
    return f"{shown} {error!r} {vars(error)}"


def attempt(name, call):
    pauses.clear()
    result = {"case": name}
    try:
        result["outcome"] = call()
    except ApiError as error:
        result.update(outcome="ApiError", status=error.status, code=error.code, key=error.idempotency_key, said=said(error))
    except NoAnswerError as error:
        result.update(outcome="NoAnswerError", status=error.status, key=error.idempotency_key, said=said(error))
    except ValueError as error:
        # The frame that gets a bad key has it in a variable, like the frame that passes it.
        result.update(outcome="refused", said=said(error, with_locals=False))
    print(json.dumps({**result, "pauses": pauses}))


def folio(url=os.environ["FOLIO_URL"], timeout=30.0):
    return Folio(url, os.environ["FOLIO_KEY"], timeout=timeout)


def call(name):
    timeout = 0.3 if name in ("never", "drip") else 30.0
    return folio(timeout=timeout).request("POST", f"/v1/cases/{name}", body={"amount": "1.00"})["object"]


for name in sys.argv[1:]:
    attempt(name, lambda: call(name))
attempt("certificate", lambda: folio(os.environ["FOLIO_TLS_URL"]).versions()["object"])
attempt("shown", lambda: repr(folio()))
url = os.environ["FOLIO_URL"]
attempt("key", lambda: Folio(url, "sk_test\r\nX-Other: 1"))
attempt("version", lambda: Folio(url, "sk_test_x", version="2026-01-01\r\nX-Other: 1"))
attempt("user", lambda: Folio("http://somebody@127.0.0.1", "sk_test_x"))
attempt("scheme", lambda: Folio("file:///etc", "sk_test_x"))
attempt("idempotency key", lambda: folio().customers.create({}, idempotency_key="1\r\nX-Other: 1"))
attempt("method", lambda: folio().request("GET / HTTP/1.1\r\nX-Other: 1\r\n", "/v1/cases/x"))
attempt("path", lambda: folio().request("GET", "/v1/cases/x HTTP/1.1\r\nX-Other: 1"))
attempt("no id", lambda: folio().customers.delete(""))
attempt("parent", lambda: folio().customers.delete(".."))
