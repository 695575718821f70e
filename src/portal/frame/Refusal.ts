import { Data, Effect } from "effect"
import type { ApiError, Violation } from "../../../schemas/ApiError.ts"
import { errorCodes } from "../../../schemas/ErrorCode.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import type { Html } from "../../http/pages/Html.ts"

/** The API's error for a request of a page. `/docs/errors` explains the code. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: number
  readonly code: string
  readonly message: string
  /** The path of the field that the error is about. */
  readonly param?: string
  /** All invalid fields of the request, including `param`. */
  readonly errors: ReadonlyArray<Violation>
  readonly requestId: string | null
}> {}

interface ErrorBody {
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly request_id?: string
    readonly errors?: ReadonlyArray<Violation>
  }
}

/** The error in a response of the API. */
export const refusalOf = (status: number, body: Uint8Array): Refusal => {
  const { error } = JSON.parse(new TextDecoder().decode(body)) as ErrorBody
  const { code = "internal_error", message = `The service returned ${status}.`, param } = error ?? {}
  const only = param === undefined ? [] : [error as Violation]
  return new Refusal({
    status,
    code,
    message,
    ...(param === undefined ? {} : { param }),
    errors: error?.errors ?? only,
    requestId: error?.request_id ?? null
  })
}

/** The error of a page that rejects a form. It has the form of an API error. */
export const refusedFor = (errors: ReadonlyArray<Violation>): Refusal =>
  new Refusal({
    status: 400,
    code: errors[0]?.code ?? "parameter_invalid",
    message: errors[0]?.message ?? "The form is not valid.",
    errors,
    requestId: null
  })

/** The error of a page that rejects the value of one field. */
export const refusedField = (param: string, message: string): Refusal =>
  refusedFor([violation(param, "parameter_invalid", message, "schema")])

/** The error for an address without a page. */
export const missing = (message: string): Refusal =>
  new Refusal({ status: 404, code: "resource_missing", message, errors: [], requestId: null })

/** Converts an error of the service to the error that a page shows. */
export const ofError = (error: ApiError): Refusal =>
  new Refusal({ ...error, status: errorCodes[error.code].status, errors: error.errors ?? [], requestId: null })

/** The codes of errors about the session. All other errors are about the form. */
const ofSession: ReadonlySet<string> = new Set(["capability_missing", "form_foreign", "invalid_api_key"])

/** Whether to show the form again with the typed values. Other errors are about the session or a missing page. */
export const isOfForm = ({ code, param, status }: Refusal): boolean =>
  !ofSession.has(code) && (status !== 404 || param !== undefined)

/** If the API rejects a change, shows the form again: with the typed values, the errors and the same status code. */
export const orShown =
  <P extends { readonly content: Html }, E2 = never, R2 = never>(
    pageOf: (refusal: Refusal) => P | Effect.Effect<P, E2, R2>
  ) =>
  <A, E, R>(sent: Effect.Effect<A, E | Refusal, R>) =>
    Effect.catchIf(
      sent,
      (error): error is E & Refusal => error instanceof Refusal && isOfForm(error),
      (refusal) =>
        Effect.map(settled(pageOf(refusal)), (page): P & { readonly status: number } => ({
          ...page,
          status: refusal.status
        }))
    )

/**
 * The API's response, or null for errors with one of these status codes. Without status codes: null for every error.
 */
export const orNull = <A, R>(asked: Effect.Effect<A, Refusal, R>, ...statuses: ReadonlyArray<number>) =>
  Effect.catchIf(
    asked,
    ({ status }) => statuses.length === 0 || statuses.includes(status),
    () => Effect.succeed(null)
  )

/** Wraps a plain value in an effect. Returns an effect unchanged. */
export const settled = <A, E, R>(found: A | Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(found) ? found : Effect.succeed(found)
