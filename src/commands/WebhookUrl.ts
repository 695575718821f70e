import { Effect, Schema } from "effect"
import type { Violation } from "../../schemas/ApiError.ts"
import { ErrorCode } from "../../schemas/ErrorCode.ts"
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

export const violation = ({ code, message }: Pick<Violation, "code" | "message">): Violation => ({
  param: "url",
  code,
  message
})
