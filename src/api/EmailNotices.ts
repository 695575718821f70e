import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { EmailNotice, EmailNoticeRequest } from "../../schemas/Email.ts"
import { Errors } from "./Errors.ts"

/**
 * `Svc-Signature: t=<unix seconds>,v1=<hex>`, as on our webhooks: HMAC-SHA256 of `<t>.<raw body>` with MAIL_NOTICE_SECRET, at
 * most 300 seconds old. Fails with `invalid_api_key`; where no secret is set there is no such route.
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
      .annotate(
        OpenApi.Summary,
        "For the mail provider: tell that a message was delivered, has bounced or was complained of"
      )
      .annotate(
        OpenApi.Description,
        "A notice of an unknown message, or one that says nothing new, is answered 200 with `recorded` false: it need not be sent again."
      )
  )
  .middleware(NoticeSignature)
  .middleware(Errors)
  .annotate(OpenApi.Title, "E-mail notices")
  .annotate(OpenApi.Description, "What the mail provider says of messages. Signed with a shared secret; no key.") {}
