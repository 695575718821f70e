"""Calls every method of every resource once, and prints the public names that have no example."""

import collections.abc
import inspect
import json
import os

import folio_invoices
from folio_invoices import Folio

undocumented = []


def see(name, thing):
    text = inspect.getdoc(thing) or ""
    # `getdoc` removes the indentation of an example that has no other lines after the first.
    if not any(sign in text for sign in ("``", "    ", "folio.")):
        undocumented.append(name)


def methods(thing):
    return [(name, one) for name, one in inspect.getmembers(thing, callable) if not name.startswith("_")]


def call(method):
    needed = [one for one in inspect.signature(method).parameters.values() if one.default is one.empty]
    given = [{} if "Body" in str(one.annotation) else 1 if one.annotation == "int" else "x1" for one in needed]
    result = method(*given)
    if isinstance(result, collections.abc.Iterator):
        next(result, None)


folio = Folio(os.environ["FOLIO_URL"], "sk_test_x")
folio.versions()
for name, method in methods(folio):
    see(f"Folio.{name}", method)
for name, resource in vars(folio).items():
    if not name.startswith("_"):
        for inner, method in methods(resource):
            see(f"{name}.{inner}", method)
            call(method)
for name in folio_invoices.__all__:
    see(name, getattr(folio_invoices, name))
print(json.dumps({"undocumented": undocumented}))
