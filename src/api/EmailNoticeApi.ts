import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { EmailNotice, EmailNoticeRequest } from "../../schemas/Email.ts"
import { Errors } from "./ErrorApi.ts"

/**
 * Requires `Svc-Signature: t=<unix seconds>,v1=<hex>`, as on Folio's webhooks: HMAC-SHA256 of `<t>.<raw body>` with
 * MAIL_NOTICE_SECRET, at most 300 seconds old. Fails with `invalid_api_key`, or with `route_not_found` if no secret is
 * set.
 */
export class NoticeSignature extends HttpApiMiddleware.Service<NoticeSignature>()("folio/api/NoticeSignature", {
  security: {
    noticeSignature: HttpApiSecurity.apiKey({ in: "header", key: "Svc-Signature" }).pipe(
      HttpApiSecurity.annotate(
        OpenApi.Description,
        "Signature in the form `t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>` with MAIL_NOTICE_SECRET, at most 300 seconds old."
      )
    )
  }
}) {}

export class EmailNoticesApi extends HttpApiGroup.make("emailNotices")
  .add(
    HttpApiEndpoint.post("noteEmail", "/v1/email-notices", { payload: EmailNoticeRequest, success: EmailNotice })
      .annotate(OpenApi.Summary, "Report an email status")
      .annotate(
        OpenApi.Description,
        "Reports that an email was delivered, bounced or marked as spam. The mail provider sends this request and signs it with a shared secret. If the message is unknown or the notice adds nothing new, Folio returns 200 with `recorded` false. The mail provider need not retry it."
      )
  )
  .middleware(NoticeSignature)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Email notices")
  .annotate(
    OpenApi.Description,
    "Notices of the mail provider about emails. A notice needs a signature with a shared secret, but no API key."
  ) {}
