import { Effect, Schema } from "effect"
import type { Violation } from "../../schemas/ApiError.ts"
import { ErrorCode } from "../../schemas/ErrorCode.ts"
import { violation } from "../domain/documents/AuthorityRules.ts"
import { EgressGuard } from "../outbound/webhooks/EgressGuard.ts"
import { callPort, orDie, type PortMethod } from "../protocol/PortCall.ts"

const checkMethod: PortMethod = {
  name: "EgressGuard.checkUrl",
  isAnswer: Schema.is(
    Schema.Union([
      Schema.TaggedStruct("Allowed", { href: Schema.String }),
      Schema.TaggedStruct("Refused", { code: ErrorCode, message: Schema.String })
    ])
  )
}

/** Makes the function that asks the guard whether events may be sent to a URL. */
export const make = Effect.map(
  EgressGuard,
  (guard) => (url: string) => orDie(callPort(checkMethod, () => Effect.sync(() => guard.checkUrl(url))))
)

/** The violation of a URL that the guard refuses. */
export const urlViolation = ({ code, message }: Pick<Violation, "code" | "message">): Violation =>
  violation("url", code, message, "webhook_url")
