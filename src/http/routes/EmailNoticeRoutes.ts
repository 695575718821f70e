import { Clock, Effect, Layer, Option, Redacted, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiError } from "../../../schemas/ApiError.ts"
import { Api } from "../../api/Api.ts"
import { NoticeSignature } from "../../api/EmailNoticeApi.ts"
import { refuse } from "../../accounts/Command.ts"
import { verify } from "../../webhooks/rules/WebhookSignature.ts"
import { AccountEntity } from "../../accounts/AccountEntity.ts"
import { accountAddress } from "../../runtime/Address.ts"
import { Limits } from "../../runtime/Limits.ts"
import { Emails } from "../../invoices/store/Emails.ts"
import { answerOf } from "../request/Ask.ts"
import { bodyMissing, parse, readBody } from "../request/Pipeline.ts"
import { inTime, portInTime } from "../../runtime/PortCall.ts"
import { decodeBody } from "../request/Validation.ts"
import { RateLimit } from "../limits/RateLimit.ts"

const absent = new ApiError({
  code: "route_not_found",
  message:
    "There is nothing at /v1/email-notices: this service accepts no notices, because MAIL_NOTICE_SECRET is not set."
})

// The same error for a missing, wrong or old signature, so that a client cannot distinguish these cases.
const refused = new ApiError({
  code: "invalid_api_key",
  message: "This request needs a signature in Svc-Signature, made with MAIL_NOTICE_SECRET within the last 300 seconds."
})

export const layerSignature = Layer.effect(
  NoticeSignature,
  Effect.gen(function* () {
    const limit = yield* RateLimit
    const { noticeSecret: secret } = yield* Limits
    return NoticeSignature.of({
      noticeSignature: (handler, { credential, endpoint }) =>
        Effect.gen(function* () {
          if (secret === undefined) return yield* absent
          const request = yield* HttpServerRequest.HttpServerRequest
          const body = new Uint8Array(yield* request.arrayBuffer)
          const verdict = verify({
            secret: Redacted.value(secret),
            header: Redacted.value(credential),
            body,
            now: Math.floor((yield* Clock.currentTimeMillis) / 1000)
          })
          if (Result.isFailure(verdict)) return yield* Effect.andThen(portInTime(limit.ofAddress), refused)
          const notice = yield* parse(yield* readBody(request))
          if (notice === undefined) return yield* bodyMissing
          yield* refuse(decodeBody(endpoint, notice).violations)
          return yield* inTime(handler)
        }) as Effect.Effect<never>
    })
  })
)

const answer = (recorded: boolean) => ({ object: "email_notice" as const, recorded })

const messageId = /^<?(em_[0-9a-hjkmnp-tv-z]{26})\.((?:inv|cn|dn)_[0-9a-hjkmnp-tv-z]{26})@[^@<>]+>?$/u

export const layer = HttpApiBuilder.group(
  Api,
  "emailNotices",
  Effect.fn(function* (handlers) {
    const emails = yield* Emails
    const clientOf = yield* AccountEntity.client

    return handlers.handleAll({
      noteEmail: Effect.fn("noteEmail")(function* ({ payload: { at, message_id, reason, type } }) {
        const [, id, invoice_id] = messageId.exec(message_id) ?? []
        if (id === undefined || invoice_id === undefined) return answer(false)
        const email = yield* emails.locate(invoice_id, id)
        if (Option.isNone(email)) return answer(false)
        const notice = { invoice_id, id, type, at: new Date(at), reason: reason ?? null }
        const recorded = clientOf(accountAddress(email.value)).NoteEmail(notice)
        return answer(yield* answerOf(recorded, "Send the notice again: Folio records it only once."))
      })
    })
  })
)
