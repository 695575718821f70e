import { Context, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { Version } from "../../schemas/Version.ts"
import type { CurrentPrincipal } from "./Authorization.ts"

export const idempotencyKeyMax = 128
export const bodyBytesMax = 256 * 1024

/** What the stages before the handler have found in a request. */
export interface Request {
  /** The dated version that answers are rendered in. */
  readonly version: Version
  /** The idempotency key, and the fingerprint of method, path and body as sent; null for a request without a key. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null
  /** The body as the endpoint's schema decodes it; the bytes of a file; undefined without a body. */
  readonly body: unknown
}

export class CurrentRequest extends Context.Service<CurrentRequest, Request>()("folio/api/CurrentRequest") {}

/** What is particular to the requests of an endpoint, for the stages before its handler. */
export interface HandlingValues {
  /**
   * `required`: a request without an `Idempotency-Key` is refused. `honoured`: the key is optional. `ignored`: the key has no effect,
   * as for GET and DELETE.
   */
  readonly idempotencyKey: "required" | "honoured" | "ignored"
  /** The body is no JSON but a file of one of these media types. */
  readonly file?: {
    readonly mediaTypes: ReadonlyArray<string>
    readonly bytesMax: number
    /** What to send, as an error tells it: "a PNG or JPEG of at most 200 kB". */
    readonly what: string
  }
  /** The body may be left out, which means `{}`. */
  readonly optionalBody?: true
  /** The body describes a document or a part of a document, so the body's violations name the authority's rules. */
  readonly rules?: "invoice" | "customer"
  /**
   * What the body describes as a whole. If the body does not fit its schema, the answer also has what the rules of such a body find in the
   * rest of it. Left out for a body without further rules, and for a change, which describes only a part.
   */
  readonly checkedAs?:
    | "credit_note"
    | "customer"
    | "debit_note"
    | "enablement"
    | "invoice"
    | "resolution"
    | "webhook_endpoint"
  /** The document of the request has its number and keeps it, so that no numbering range concerns the request. */
  readonly keepsNumber?: true
  /** The request asks for the violations of its body, so the violations are the answer and not a failure. */
  readonly judged?: true
  /** The request waits for events and may exceed the timeout of other requests; the handler limits its own time. */
  readonly mayWait?: true
  /** The handler takes its own turns, or turns of another kind. */
  readonly ownTurn?: true
  /**
   * The request creates something in a statement that it shares with others, or checks what would be created: it takes one of its account's
   * turns at that. Commands with a transaction of their own take turns in the account's actor.
   */
  readonly creation?: true
  /**
   * What the request does with a whole document, which is work in proportion to the document's size: `sent` for a body that is a
   * document to be signed and submitted, `copied` or `moved` for a document that the request only names.
   */
  readonly wholeDocument?: "sent" | "copied" | "moved"
}

/** The annotation of an endpoint that says how its requests are handled. */
export const Handling = Context.Reference<HandlingValues>("folio/api/Handling", {
  defaultValue: () => ({ idempotencyKey: "ignored" })
})

/** The stages of a request between the caller's key and the handler (`http/request/Pipeline`). */
export class Conventions extends HttpApiMiddleware.Service<
  Conventions,
  { provides: CurrentRequest; requires: CurrentPrincipal }
>()("folio/api/Conventions") {}

export const versionHeader = {
  "svc-version": Schema.optionalKey(Version)
}

const key = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(idempotencyKeyMax)).annotate({
  description:
    "A string of at most 128 printable ASCII characters that names the operation, such as a UUID. Send the same string on every retry: the operation is carried out once, and each retry gets the first answer."
})

/** Headers of a request with a required idempotency key (`requiredKeyHeaders`) or an optional one (`honouredKeyHeaders`). */
export const requiredKeyHeaders = { ...versionHeader, "idempotency-key": key }
export const honouredKeyHeaders = { ...versionHeader, "idempotency-key": Schema.optionalKey(key) }
