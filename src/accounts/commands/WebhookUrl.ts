import { Effect } from "effect"
import type { Violation } from "../../../schemas/ApiError.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import { EgressGuard } from "../../webhooks/sender/EgressGuard.ts"

/** Makes the function that checks with the guard whether webhooks may go to a URL. */
export const make = Effect.map(EgressGuard, (guard) => (url: string) => Effect.sync(() => guard.checkUrl(url)))

/** The violation of a URL that the guard rejects. */
export const urlViolation = ({ code, message }: Pick<Violation, "code" | "message">): Violation =>
  violation("url", code, message, "webhook_url")
