import { Clock, Effect, Option, Predicate } from "effect"
import type { AccountMode } from "../../../schemas/Account.ts"
import type { Violation } from "../../../schemas/ApiError.ts"
import type { Acquirer, CustomerRequest } from "../../../schemas/Customer.ts"
import type { EnablementRequest } from "../../../schemas/Enablement.ts"
import type { InvoiceRequest } from "../../../schemas/Invoice.ts"
import type { NoteRequest } from "../../../schemas/Note.ts"
import type { ResolutionRequest } from "../../../schemas/Resolution.ts"
import type { WebhookEndpointRequest } from "../../../schemas/WebhookEndpoint.ts"
import type { HandlingValues } from "../../api/Conventions.ts"
import * as NoteChecks from "../../invoices/commands/NoteChecks.ts"
import * as Command from "../../accounts/Command.ts"
import { rangeViolations } from "../../accounts/commands/EnablementCommands.ts"
import { ExternalIds, type NamedKind } from "../../database/ExternalIds.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import * as WebhookUrl from "../../accounts/commands/WebhookUrl.ts"
import { NationalProfile } from "../../documents/NationalProfile.ts"
import { unreadable } from "../../runtime/json/Unreadable.ts"
import { Customers, unknownCustomer } from "../../accounts/store/Customers.ts"
import { prefixViolations, Resolutions } from "../../accounts/store/Resolutions.ts"
import type { Fault } from "./Validation.ts"

type Found = Effect.Effect<ReadonlyArray<Violation>>

/** A check of rules that the schema of a body cannot express, and of the account's objects that the body names. */
type Check<Body> = (account: AccountMode, body: Body) => Found

/** The type of a body of each kind. */
interface Bodies {
  readonly credit_note: NoteRequest
  readonly customer: Acquirer & Pick<CustomerRequest, "external_id">
  readonly debit_note: NoteRequest
  readonly enablement: EnablementRequest
  readonly invoice: InvoiceRequest
  readonly resolution: ResolutionRequest
  readonly webhook_endpoint: WebhookEndpointRequest
}

type Kind = NonNullable<HandlingValues["checkedAs"]>

/** Makes the checks of rules that apply to a request as a whole. */
export const make = Effect.gen(function* () {
  const { localDate, rules } = yield* NationalProfile
  const customers = yield* Customers
  const externalIds = yield* ExternalIds
  const resolutions = yield* Resolutions
  const noteViolations = yield* NoteChecks.makeValidation
  const rangeOfNote = yield* NoteChecks.makeRangeCheck
  const verdictOn = yield* WebhookUrl.make

  const checks: { readonly [K in Kind]: ReadonlyArray<Check<Bodies[K]>> } = {
    credit_note: [(account, body) => noteViolations(account, "credit_note", body)],
    customer: [({ livemode }, body) => Effect.sync(() => rules.customer(body, livemode ? "live" : "test"))],
    debit_note: [(account, body) => noteViolations(account, "debit_note", body)],
    enablement: [(_, body) => Effect.sync(() => rangeViolations(rules, body))],
    invoice: [
      (account, { customer_id }) => unknownCustomer(customers, account, customer_id),
      (_, body) => Effect.map(Clock.currentTimeMillis, (now) => rules.invoice(body, localDate(now)))
    ],
    resolution: [(_, body) => Effect.sync(() => rules.resolution(body))],
    webhook_endpoint: [
      (_, { url }) =>
        Effect.map(verdictOn(url), (verdict) => (verdict._tag === "Allowed" ? [] : [WebhookUrl.urlViolation(verdict)]))
    ]
  }

  const taken = Effect.fnUntraced(function* (account: AccountMode, kind: NamedKind, external_id: string | undefined) {
    const refusal = yield* externalIds.refusal(account, kind, external_id ?? null)
    return Option.toArray(refusal).map(({ code, message, param = "external_id" }) =>
      violation(param, code, message, "account_object")
    )
  })

  /** The check of the external id of a new object. */
  const externalId: { readonly [K in Kind]?: Check<Bodies[K]> } = {
    credit_note: (account, body) => taken(account, "credit_note", body.external_id),
    customer: (account, body) => taken(account, "customer", body.external_id),
    debit_note: (account, body) => taken(account, "debit_note", body.external_id),
    invoice: (account, body) => taken(account, "invoice", body.external_id)
  }

  /** The check of the range that a new document gets its number from. */
  const range: { readonly [K in Kind]?: Check<Bodies[K]> } = {
    credit_note: (account, body) => rangeOfNote(account, "credit_note", body),
    debit_note: (account, body) => rangeOfNote(account, "debit_note", body),
    invoice: Effect.fnUntraced(function* (account, body) {
      const today = localDate(yield* Clock.currentTimeMillis)
      return (yield* prefixViolations(resolutions, account, body, today)).map(rules.named("invoice"))
    })
  }

  const found = (
    kind: Kind,
    account: AccountMode,
    body: unknown,
    ofNew: ReadonlyArray<{ readonly [K in Kind]?: Check<Bodies[K]> }>
  ): Found => {
    const all = [...checks[kind], ...ofNew.map((check) => check[kind])] as ReadonlyArray<Check<unknown> | undefined>
    return Effect.map(
      Effect.forEach(all.filter(Predicate.isNotUndefined), (check) =>
        Command.ofReadable(Effect.suspend(() => check(account, body)))
      ),
      (each) => each.flat()
    )
  }

  return {
    /** All violations in a body that fits its schema, and that would create an object. */
    whole: <K extends Kind>(kind: K, account: AccountMode, body: Bodies[K]): Found =>
      found(kind, account, body, [range, externalId]),
    /**
     * Violations in a body that fits its schema only in parts, by the checks that need only these parts. `keepsNumber`:
     * the body corrects a document, which needs no range.
     */
    rest: (
      kind: Kind,
      account: AccountMode,
      body: unknown,
      faults: ReadonlyArray<Fault>,
      keepsNumber: boolean
    ): Found =>
      faults.some(({ path }) => path.length === 0)
        ? Effect.succeed([])
        : found(kind, account, readable(body, faults), keepsNumber ? [] : [range])
  }
})

const unreadablePart: PropertyDescriptor = {
  enumerable: true,
  get: () => {
    throw unreadable
  }
}

/** A copy of a body without its unknown members. Reading a part with another fault throws `unreadable`. */
const readable = (value: unknown, faults: ReadonlyArray<Fault>): unknown => {
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  for (const [name, inside] of Map.groupBy(faults, ({ path: [first = ""] }) => first)) {
    const here = inside.filter(({ path }) => path.length === 1)
    if (here.some(({ isUnknown }) => isUnknown)) Reflect.deleteProperty(copy, name)
    else if (here.length > 0) Object.defineProperty(copy, name, unreadablePart)
    else {
      const below = inside.map((fault) => ({ ...fault, path: fault.path.slice(1) }))
      Reflect.set(copy, name, readable(Reflect.get(copy, name), below))
    }
  }
  return copy
}
