import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { CustomerRequest, InvoiceRequest, Violation } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Connection, writePrivately } from "../Connection.ts"
import { Failed, type Failure, Misuse } from "../Failures.ts"
import { textOf } from "../FileOutput.ts"
import { persistently } from "../listen/Patience.ts"
import {
  columns,
  type Fault,
  headingOf,
  isColumn,
  type Item,
  itemsOfLines,
  itemsOfSheet,
  withoutDoubles
} from "./ImportedInvoices.ts"
import * as Progress from "./Progress.ts"
import { sheetOf } from "./Sheet.ts"
import * as Verdicts from "./ImportOutcomes.ts"

// The service runs this many requests of an account concurrently, so that none waits for another.
const concurrency = 8

// If one invoice gets an internal error this often, the error concerns that invoice.
const attemptsMax = 4

interface Import {
  readonly items: ReadonlyArray<Item>
  /** The heading of the file of failed invoices. */
  readonly heading: string
}

const read = Effect.fnUntraced(function* (file: string, hasComma: boolean): Effect.fn.Return<Import, Misuse> {
  const content = yield* textOf(file)
  if (!/\.csv$/i.test(file)) return { items: withoutDoubles(itemsOfLines(content)), heading: "" }
  const sheet = sheetOf(content)
  if (typeof sheet === "string") return yield* new Misuse({ message: `${file} cannot be read: ${sheet}` })
  const unknown = sheet.columns.find((column) => !isColumn(column))
  if (unknown !== undefined) {
    return yield* new Misuse({
      message: `${file} has the unknown column ${JSON.stringify(unknown)}.`,
      hint: `The columns are ${columns.join(", ")}, and metadata.NAME.`
    })
  }
  return { items: withoutDoubles(itemsOfSheet(sheet, hasComma)), heading: headingOf(sheet) }
})

// With the check digit, so that a mistyped number matches no customer.
const identified = ({ check_digit = "", number, type }: CustomerRequest["identification"]) =>
  `${type} ${number} ${check_digit}`

/** A customer in the file: its id once it is registered; in a dry run, its violations. */
interface Registered {
  readonly id: string | undefined
  readonly errors: ReadonlyArray<Violation>
}

/**
 * Finds the customers in the file. Registers a new one when an invoice needs it; in a dry run, validates it instead.
 */
const makeCustomers = Effect.fnUntraced(function* (items: ReadonlyArray<Item>, isDryRun: boolean) {
  const api = yield* Api
  const ids = new Map<string, Effect.Effect<Registered, Failure>>()
  if (items.some(({ customer }) => customer !== undefined)) {
    // The oldest comes last and wins, so that the choice among several with one identification is stable.
    yield* api
      .all("customers", "allCustomers", {})
      .pipe(
        Stream.runForEach(({ id, identification }) =>
          Effect.sync(() => ids.set(identified(identification), Effect.succeed({ id, errors: [] })))
        )
      )
  }
  return Effect.fnUntraced(function* (request: CustomerRequest, key: string) {
    const name = identified(request.identification)
    const known = ids.get(name)
    if (known !== undefined) return yield* known
    const payload = request
    const made: Effect.Effect<Registered, Failure> = isDryRun
      ? Effect.map(
          api.call("customers", "validateCustomer", { payload }, { isRead: true, isOnce: true }),
          ({ errors }) => ({ id: undefined, errors })
        )
      : Effect.map(
          api.call("customers", "createCustomer", { payload }, { key: `customer-${key}`, isOnce: true }),
          ({ id }) => ({ id, errors: [] })
        )
    const forget = Effect.sync(() => ids.delete(name))
    // Concurrent invoices share one call. After a failure, the next invoice calls again.
    const registered = yield* Effect.cached(
      made.pipe(
        Effect.tapError(() => forget),
        Effect.tap(({ errors }) => (errors.length === 0 ? Effect.void : forget))
      )
    )
    ids.set(name, registered)
    return yield* registered
  })
})

/** Whether all other invoices would fail with this error: the key is not valid, or has no permission. */
const endsAll = (failure: Failure) =>
  failure._tag === "Misuse" ||
  failure._tag === "Failed" ||
  (failure._tag === "Refused" && ["authentication_error", "permission_error"].includes(failure.body.error.type))

const faultsOf = ({ faultAt }: Item, failure: Failure): ReadonlyArray<Fault> => {
  if (failure._tag !== "Refused") return [faultAt(undefined, failure.message)]
  const { errors = [], message, param } = failure.body.error
  return errors.length === 0 ? [faultAt(param, message)] : errors.map((one) => faultAt(one.param, one.message))
}

/** The command's arguments. */
interface Given {
  readonly file: string
  readonly dryRun: boolean
  readonly resume: boolean
  readonly decimalComma: boolean
}

export const importFile = Effect.fnUntraced(function* ({ decimalComma, dryRun, file, resume }: Given) {
  const api = yield* Api
  const { mode, url } = yield* Connection
  const [, stem = "", ending = ""] = /^(.+)\.(csv|ndjson|jsonl)$/i.exec(file) ?? []
  if (ending === "") return yield* new Misuse({ message: `${file} must end in .csv or .ndjson.` })
  const { heading, items } = yield* read(file, decimalComma)
  if (items.length === 0) return yield* new Failed({ message: `${file} has no invoices.` })

  const account = yield* api.call("account", "retrieveAccount", {})
  const now = new Date(yield* Clock.currentTimeMillis)
  const target = { url, account: account.id, mode }
  const progress = dryRun ? undefined : yield* Progress.open(`${file}.progress`, target, now, resume)
  const left = items.filter(({ key }) => progress?.done.has(key) !== true)
  if (!dryRun && left.length > 0) yield* api.mayChange(`creating ${left.length} invoices`)
  const customerOf = yield* makeCustomers(left, dryRun)
  const verdicts = yield* Verdicts.make(items.length, items.length - left.length, dryRun ? "valid" : "created")

  let isWaiting = false
  const waiting = {
    waits: (failure: Failure) =>
      Effect.suspend(() => {
        if (isWaiting) return Effect.void
        isWaiting = true
        return verdicts.say(`waiting for ${url}: ${failure.message}`)
      }),
    answers: Effect.sync(() => {
      isWaiting = false
    }),
    attemptsMax
  }

  const check = Effect.fnUntraced(function* (payload: InvoiceRequest, hasCustomer: boolean, item: Item) {
    const { errors } = yield* api.call("invoices", "validateInvoice", { payload }, { isRead: true, isOnce: true })
    // A customer that this import would register has no id yet.
    const ours = errors.filter(({ param }) => hasCustomer || param !== "customer_id")
    return { id: null, faults: ours.map(({ message, param }) => item.faultAt(param, message)) }
  })

  const create = Effect.fnUntraced(function* (payload: InvoiceRequest, item: Item) {
    const { id } = yield* api.call("invoices", "createInvoice", { payload }, { key: item.key, isOnce: true })
    if (progress !== undefined) yield* progress.keep(item.key, id)
    return { id, faults: [] }
  })

  const verdictOf = Effect.fnUntraced(function* (item: Item) {
    if (item.faults.length > 0) return { id: null, faults: item.faults }
    const customer = item.customer as CustomerRequest | undefined
    const found = customer === undefined ? undefined : yield* customerOf(customer, item.key)
    if (found !== undefined && found.errors.length > 0) {
      return { id: null, faults: found.errors.map(({ message, param }) => item.faultAt(param, message)) }
    }
    const hasCustomer = found === undefined || found.id !== undefined
    const own = found === undefined ? {} : { customer_id: found.id ?? "" }
    const payload = { ...item.request, ...own } as InvoiceRequest
    return yield* dryRun ? check(payload, hasCustomer, item) : create(payload, item)
  })

  const work = (item: Item) =>
    persistently(verdictOf(item), waiting).pipe(
      Effect.catchIf(
        (failure) => !endsAll(failure),
        (failure) => Effect.succeed({ id: null, faults: faultsOf(item, failure) })
      ),
      Effect.flatMap(({ faults, id }) => verdicts.give(item, id, faults))
    )
  yield* Effect.forEach(left, work, { concurrency, discard: true })
  yield* verdicts.end

  const refused = verdicts.refused()
  if (refused.length === 0) return
  const failedFile = `${stem}.failed.${ending}`
  if (!dryRun) {
    yield* writePrivately(failedFile, heading + refused.map(({ error, item }) => item.again(error)).join(""))
  }
  return yield* new Failed({
    message: `${refused.length} of ${items.length} invoices were rejected.`,
    ...(dryRun ? {} : { hint: `They are in ${failedFile}: fix them there and import that file.` })
  })
})
