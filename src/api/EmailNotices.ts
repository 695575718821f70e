import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { EmailNotice, EmailNoticeRequest } from "../../schemas/Email.ts"
import { Errors } from "./Errors.ts"

/**
 * Requires `Svc-Signature: t=<unix seconds>,v1=<hex>`, as on Folio's webhooks: HMAC-SHA256 of `<t>.<raw body>` with
 * MAIL_NOTICE_SECRET, at most 300 seconds old. Fails with `invalid_api_key`, or with `route_not_found` when no secret is set.
 */
export class NoticeSignature extends HttpApiMiddleware.Service<NoticeSignature>()("folio/api/NoticeSignature", {
  security: {
    noticeSignature: HttpApiSecurity.apiKey({ in: "header", key: "Svc-Signature" }).pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` with MAIL_NOTICE_SECRET, at most 300 seconds old."
      )
    )
  }
}) {}

export class EmailNoticesApi extends HttpApiGroup.make("emailNotices")
  .add(
    HttpApiEndpoint.post("noteEmail", "/v1/email-notices", { payload: EmailNoticeRequest, success: EmailNotice })
      .annotate(OpenApi.Summary, "Report that an e-mail was delivered, bounced or was marked as spam")
      .annotate(
        OpenApi.Description,
        "For the mail provider, which signs the request with a shared secret. A notice about an unknown message, or one that says nothing new, is answered with 200 and `recorded` false: it need not be sent again."
      )
  )
  .middleware(NoticeSignature)
  .middleware(Errors)
  .annotate(OpenApi.Title, "E-mail notices")
  .annotate(
    OpenApi.Description,
    "Notices of the mail provider about e-mails, signed with a shared secret and sent without an API key."
  ) {}
