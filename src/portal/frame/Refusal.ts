import { Data, Effect } from "effect"
import type { ApiError, Violation } from "../../../schemas/ApiError.ts"
import { errorCodes } from "../../../schemas/ErrorCode.ts"
import { violation } from "../../domain/documents/AuthorityRules.ts"
import type { Html } from "../../http/pages/Html.ts"

/** The API's error for a request of a page: what was refused and why, as `/docs/errors` explains the code. */
export class Refusal extends Data.TaggedError("Refusal")<{
  readonly status: number
  readonly code: string
  readonly message: string
  /** The path of the field that the error is about. */
  readonly param?: string
  /** Every field that the request has wrong, `param` among them. */
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

/** The refusal that an answer of the API holds. */
export const refusalOf = (status: number, body: Uint8Array): Refusal => {
  const { error } = JSON.parse(new TextDecoder().decode(body)) as ErrorBody
  const { code = "internal_error", message = `The service answered ${status}.`, param } = error ?? {}
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

/** The refusal of what a form sent, by its page: as the API refuses a request. */
export const refusedFor = (errors: ReadonlyArray<Violation>): Refusal =>
  new Refusal({
    status: 400,
    code: errors[0]?.code ?? "parameter_invalid",
    message: errors[0]?.message ?? "The form is not valid.",
    errors,
    requestId: null
  })

/** The refusal of the value of one field, by the page of its form. */
export const refusedField = (param: string, message: string): Refusal =>
  refusedFor([violation(param, "parameter_invalid", message, "schema")])

/** The refusal of an address where nothing is. */
export const missing = (message: string): Refusal =>
  new Refusal({ status: 404, code: "resource_missing", message, errors: [], requestId: null })

/** The refusal that an error of the service is, as a page shows it. */
export const ofError = (error: ApiError): Refusal =>
  new Refusal({ ...error, status: errorCodes[error.code].status, errors: error.errors ?? [], requestId: null })

/** The refusals of a session and not of what it sent. */
const ofSession: ReadonlySet<string> = new Set(["capability_missing", "form_foreign", "invalid_api_key"])

/** Whether a form can be shown again with what was typed; the other refusals are about the session, or about a page that is not there. */
export const isOfForm = ({ code, param, status }: Refusal): boolean =>
  !ofSession.has(code) && (status !== 404 || param !== undefined)

/** Answers a change that was refused with its form again, with what was typed and what is wrong with it, under the same status. */
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

/** What the API answers, or null when it refuses with one of these statuses; with any status if none is named. */
export const orNull = <A, R>(asked: Effect.Effect<A, Refusal, R>, ...statuses: ReadonlyArray<number>) =>
  Effect.catchIf(
    asked,
    ({ status }) => statuses.length === 0 || statuses.includes(status),
    () => Effect.succeed(null)
  )

/** What was found already, or is found by an effect, as an effect. */
export const settled = <A, E, R>(found: A | Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(found) ? found : Effect.succeed(found)
