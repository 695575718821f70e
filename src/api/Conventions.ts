import { Context, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Version } from "../../schemas/Version.ts"
import type { CurrentPrincipal } from "./Authorization.ts"

export const idempotencyKeyMax = 128
export const bodyBytesMax = 256 * 1024

/** What the headers of a request say, once they have been checked. */
export interface Request {
  /** The dated version that answers are rendered in. */
  readonly version: Version
  /** The key, and the fingerprint of method, path and body as sent; null when the request carries no key. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
}

export class CurrentRequest extends Context.Service<CurrentRequest, Request>()("folio/api/CurrentRequest") {}

/** `required`: the request is refused without an `Idempotency-Key`. `ignored`: GET and DELETE. */
export const IdempotencyKey = Context.Reference<"required" | "honoured" | "ignored">("folio/api/IdempotencyKey", {
  defaultValue: () => "ignored"
})

/** The body may be left out; that is `{}`. */
export const OptionalBody = Context.Reference<boolean>("folio/api/OptionalBody", { defaultValue: () => false })

/** What the body says a document is made of: its faults name the authority's rules. */
export const Rules = Context.Reference<"invoice" | "customer" | null>("folio/api/Rules", { defaultValue: () => null })

/** The request may take longer than a database may: it waits for something to happen, and sees to its own time. */
export const MayWait = Context.Reference<boolean>("folio/api/MayWait", { defaultValue: () => false })

/** The handler sees to the turn of the request itself, or has turns of another kind. */
export const OwnTurn = Context.Reference<boolean>("folio/api/OwnTurn", { defaultValue: () => false })

/**
 * What the request does with a whole document, which is as much work as the document is large: its body is one that is then signed
 * and sent, or it copies or moves one that it only names.
 */
export const WholeDocument = Context.Reference<"sent" | "copied" | "moved" | null>("folio/api/WholeDocument", {
  defaultValue: () => null
})

/** Checks of the headers and the raw body, before any schema: media type, size, version, idempotency key, strict JSON. */
export class Conventions extends HttpApiMiddleware.Service<
  Conventions,
  { provides: CurrentRequest; requires: CurrentPrincipal }
>()("folio/api/Conventions") {}

/** The request asks what is wrong with its body: that is then the answer, and no failure. */
export const Judged = Context.Reference<boolean>("folio/api/Judged", { defaultValue: () => false })

export const versionHeader = {
  "svc-version": Schema.optionalKey(Version)
}

const key = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(idempotencyKeyMax)).annotate({
  description: "Any string of at most 128 characters, made once for each operation and repeated on every retry."
})

/** Headers of a request that must carry an idempotency key, and of one that may. */
export const requiredKeyHeaders = { ...versionHeader, "idempotency-key": key }
export const honouredKeyHeaders = { ...versionHeader, "idempotency-key": Schema.optionalKey(key) }
