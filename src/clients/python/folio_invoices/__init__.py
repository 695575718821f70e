"""Folio's API and webhooks for Python 3.9 or later, without dependencies.

    from folio_invoices import Folio
    folio = Folio("https://folio.example", os.environ["FOLIO_API_KEY"])
    invoice = folio.invoices.retrieve("inv_…")
"""

from .client import Folio
from .errors import ApiError, FolioError, NoAnswerError, Violation
from .webhooks import WebhookVerificationError, verify

__all__ = ["ApiError", "Folio", "FolioError", "NoAnswerError", "Violation", "WebhookVerificationError", "verify"]
