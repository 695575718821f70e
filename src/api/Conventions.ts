import { Context, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Version } from "../../schemas/Version.ts"
import type { CurrentPrincipal } from "./Authorization.ts"

export const idempotencyKeyMax = 128

/** The results of the stages before the handler. */
export interface Request {
  /** The API version of the response. */
  readonly version: Version
  /** The idempotency key, and the fingerprint of method, path and body as sent. Null for a request without a key. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** The body as decoded by the endpoint's schema, or the bytes of a file. Undefined without a body. */
  readonly body: unknown
}

export class CurrentRequest extends Context.Service<CurrentRequest, Request>()("folio/api/CurrentRequest") {}

/** The settings of an endpoint for the stages before its handler. */
export interface HandlingValues {
  /**
   * `required`: Folio rejects a request without an `Idempotency-Key`. `honoured`: the key is optional. `ignored`: the
   * key has no effect, as for GET and DELETE.
   */
  readonly idempotencyKey: "required" | "honoured" | "ignored"
  /** The body is a file of one of these media types instead of JSON. */
  readonly file?: {
    readonly mediaTypes: ReadonlyArray<string>
    readonly bytesMax: number
    /** The expected file in an error message: "a PNG or JPEG of at most 200 kB". */
    readonly what: string
  }
  /** The body is optional. If omitted, it is `{}`. */
  readonly optionalBody?: true
  /** The body describes a document or a part of one, so its violations name the authority's rules. */
  readonly rules?: "invoice" | "customer"
  /**
   * The object that the whole body describes. If the body does not match its schema, the rules for this object check
   * the rest of the body, and the response lists their violations too. Absent for a body without further rules, and for
   * a change, which describes only a part.
   */
  readonly checkedAs?:
    | "credit_note"
    | "customer"
    | "debit_note"
    | "enablement"
    | "invoice"
    | "resolution"
    | "webhook_endpoint"
  /** The document keeps its number, so the request needs no numbering range. */
  readonly keepsNumber?: true
  /** The request validates its body, so the violations are the response and not a failure. */
  readonly validates?: true
  /** The request waits for events and may exceed the time-out of other requests. The handler limits its own time. */
  readonly mayWait?: true
  /** The handler takes its turns itself, or takes turns of another kind. */
  readonly takesOwnTurns?: true
  /**
   * The request creates an object in a statement that it shares with other requests, or validates such an object, so it
   * takes a turn of its account. Commands with their own transaction take turns in the account's actor.
   */
  readonly creation?: true
  /**
   * The work on a whole document, in proportion to its size: `sent` if the body is a document to sign and submit,
   * `copied` or `moved` if the request only names the document.
   */
  readonly wholeDocument?: "sent" | "copied" | "moved"
}

/** The endpoint annotation with these settings. */
export const Handling = Context.Reference<HandlingValues>("folio/api/Handling", {
  defaultValue: () => ({ idempotencyKey: "ignored" })
})

/** The stages of a request between the caller's key and the handler (`http/request/Pipeline`). */
export class Conventions extends HttpApiMiddleware.Service<
  Conventions,
  { provides: CurrentRequest; requires: CurrentPrincipal }
>()("folio/api/Conventions") {}

export const versionHeader = {
  "svc-version": Schema.optionalKey(Version),
  "svc-account": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Id of the account that a platform's key acts for. Only for a platform's key, and not for the operations at `/v1/accounts`.",
      examples: ["ten_01k9z3v8c2m4n6p8q0r2s4t6v8"]
    })
  )
}

const key = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(idempotencyKeyMax)).annotate({
  description:
    "Key of the operation: at most 128 printable ASCII characters, such as a UUID. Send the same key on every retry. Folio then executes the operation once, and each retry gets the first response."
})

/** The headers of a request with a required (`requiredKeyHeaders`) or optional (`honouredKeyHeaders`) key. */
export const requiredKeyHeaders = { ...versionHeader, "idempotency-key": key }
export const honouredKeyHeaders = { ...versionHeader, "idempotency-key": Schema.optionalKey(key) }
