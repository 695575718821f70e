import { kindOf } from "../../../schemas/DocumentKinds.ts"
import type { Books } from "../../support/database/Books.ts"
import * as Promises from "../../support/database/Promises.ts"
import type { Injected } from "../Faults.ts"
import type { Supervised } from "../Fleet.ts"
import type { Ledger } from "./Ledger.ts"
import type { Receivers } from "../parties/Receivers.ts"
import type { KnownDocument, ScriptedAuthority } from "../parties/ScriptedAuthority.ts"
import { hostileName } from "../parties/Shops.ts"
import { type Line, spread, tallied } from "./Scoreboard.ts"

export interface Run {
  readonly books: Books
  readonly ledger: Ledger
  readonly authority: ScriptedAuthority
  readonly receivers: Receivers
  readonly fleet: ReadonlyArray<Supervised>
  readonly faults: ReadonlyArray<Injected>
  /** Seconds that the clients worked. */
  readonly seconds: number
}

type Broken = Promises.Broken

/** Documents with an acknowledged request of this kind, one entry per request. */
const requestsOf = ({ requested }: Ledger, what: string) =>
  [...requested.values()].flatMap(({ order }) => (order.path.endsWith(`/${what}`) ? [order.about ?? ""] : []))

const correctionsOf = ({ steps }: Books) => steps.flatMap(({ command, id }) => (command === "Correct" ? [id] : []))
const emailsOf = ({ emails }: Books) => emails.map(({ invoice_id }) => invoice_id)

const countOf = (list: ReadonlyArray<string>, id: string) => list.filter((one) => one === id).length

const miscounted = (asked: ReadonlyArray<string>, done: ReadonlyArray<string>): Broken =>
  [...new Set([...asked, ...done])].flatMap((id) =>
    countOf(asked, id) === countOf(done, id)
      ? []
      : [`${id}: ${countOf(asked, id)} acknowledged, ${countOf(done, id)} done`]
  )

/**
 * The books without the orders of the hostile client's flood, which have no key and are not in the ledger. The promises
 * about numbers, the authority and webhooks hold for these orders as well.
 */
const withoutFlood = (books: Books, { acknowledged }: Ledger): Books => {
  const hostile = [...acknowledged.values()].find(({ order }) => order.shop.name === hostileName)?.order.shop.owner
  return { ...books, invoices: books.invoices.filter(({ key, owner }) => key !== null || owner !== hostile) }
}

/** Promises to clients: compares acknowledgements with the stored documents. */
const ofClients = ({ books: all, ledger }: Run): ReadonlyArray<Line> => {
  const books = withoutFlood(all, ledger)
  const ids = new Map([...ledger.acknowledged].map(([name, { id }]) => [name, id]))
  const ownerOf = new Map(books.invoices.map((row) => [row.key, row.owner]))
  return [
    { name: "acknowledged invoices lost", broken: Promises.lost(ids, books) },
    { name: "duplicate invoices per key", broken: Promises.doubled(books) },
    { name: "replayed responses with other bytes", broken: ledger.broken.otherBytes },
    { name: "keys that served two bodies", broken: ledger.broken.otherBody },
    {
      name: "invoices without an acknowledgement, or of rejected requests",
      broken: books.invoices.flatMap(({ id, key }) =>
        (ids.has(key) || ledger.open.has(key)) && !ledger.refusedOrders.has(key) ? [] : [`${id} of ${key}`]
      )
    },
    { name: "corrections lost or duplicated", broken: miscounted(requestsOf(ledger, "correct"), correctionsOf(books)) },
    { name: "emails lost or duplicated", broken: miscounted(requestsOf(ledger, "email"), emailsOf(books)) },
    { name: "orders never acknowledged", broken: [...ledger.open] },
    { name: "unexpected responses", broken: ledger.broken.unexpected },
    {
      name: "cross-account and cross-mode leaks to clients",
      broken: [
        ...ledger.broken.leaks,
        ...[...ledger.acknowledged].flatMap(([name, { order }]) =>
          (ownerOf.get(name) ?? order.shop.owner) === order.shop.owner ? [] : [`${name} is another owner's`]
        )
      ]
    }
  ]
}

const ofNumbers = ({ books }: Run): ReadonlyArray<Line> => [
  { name: "number gaps", broken: Promises.gaps(books) },
  { name: "duplicate numbers and CUFEs", broken: Promises.twins(books) },
  { name: "signed bytes altered or of another document", broken: Promises.alteredDocuments(books) },
  { name: "illegal histories", broken: Promises.illegalHistories(books) },
  { name: "documents counted wrongly", broken: Promises.miscounted(books) },
  { name: "invoices without an outcome", broken: Promises.unfinished(books) }
]

const digestsOf = (document: KnownDocument) => new Set(document.submissions.map(({ digest }) => digest))

/** Promises about the authority: compares its journal with the books. */
const ofAuthority = ({ authority, books }: Run): ReadonlyArray<Line> => {
  const rowOf = new Map(books.invoices.map((row) => [row.cufe, row]))
  const known = [...authority.documents]
  const accepted = known.filter(([, document]) => document.verdict.accepted)
  const disagree = books.invoices.flatMap((row): Broken => {
    const document = authority.documents.get(row.cufe ?? "")
    const said =
      document === undefined ? "nothing" : `${document.verdict.accepted ? "accepted" : "rejected"}_by_authority`
    return row.state === said ? [] : [`${row.id} is ${row.state}, the authority says ${said}`]
  })
  const bodies = books.events.flatMap((event): Broken => {
    const { object, status, authority_errors, ...shown } = JSON.parse(event.body).data.object
    if (object === "email") return []
    const cufe = shown.cufe ?? shown.cude
    const verdict = authority.documents.get(cufe)?.verdict
    const said = verdict?.accepted === true ? "accepted_by_authority" : "rejected_by_authority"
    return status === said && JSON.stringify(authority_errors) === JSON.stringify(verdict?.errors)
      ? []
      : [`${event.id} tells ${status} of ${cufe}`]
  })
  return [
    {
      name: "documents accepted more than once per invoice",
      broken: [...Map.groupBy(accepted, ([, { number }]) => number)].flatMap(([number, documents]) =>
        documents.length === 1 ? [] : [`${number}: ${documents.map(([cufe]) => cufe.slice(0, 12)).join(", ")}`]
      )
    },
    {
      name: "CUFEs with more than one byte string",
      broken: known.flatMap(([cufe, document]) => (digestsOf(document).size === 1 ? [] : [cufe]))
    },
    {
      name: "submitted bytes that are not the stored ones",
      broken: known.flatMap(([cufe, document]) => {
        const stored = books.documents.get(rowOf.get(cufe)?.id ?? "") ?? books.former.get(cufe)
        const digest = stored?.digest
        return digest !== undefined && digestsOf(document).has(digest) ? [] : [cufe]
      })
    },
    {
      name: "corrected documents that the authority has not rejected",
      broken: [...books.former].flatMap(([cufe, { id }]) =>
        authority.documents.get(cufe)?.verdict.accepted === false ? [] : [`${cufe.slice(0, 12)} of ${id}`]
      )
    },
    { name: "documents the authority could not verify", broken: authority.unreadable },
    { name: "outcomes that are not the authority's", broken: disagree },
    { name: "events that differ from the authority's verdict", broken: bodies }
  ]
}

// Each of these faults may interrupt every delivery in flight of an endpoint, once.
const cutting: ReadonlyArray<Injected["kind"]> = ["kill", "long freeze", "database kill"]
const interrupting: ReadonlyArray<Injected["kind"]> = [...cutting, "brief freeze", "stop"]

const ofWebhooks = ({ books, faults, receivers }: Run): ReadonlyArray<Line> => {
  const posts = receivers.posts()
  const cuts = faults.filter(({ kind }) => cutting.includes(kind)).length
  const repeated = Promises.repeated(books, posts)
  return [
    { name: "events per transition other than 1", broken: Promises.straysAmongEvents(books) },
    { name: "events per email outcome other than 1", broken: Promises.straysAmongEmails(books) },
    { name: "deliveries lost", broken: Promises.undelivered(books, posts) },
    ...books.endpoints.map(({ id, max_in_flight }) => ({
      name: `duplicate deliveries at ${id.slice(0, 14)}… (${max_in_flight} in flight, ${cuts} cuts)`,
      value: repeated.get(id) ?? 0,
      atMost: max_in_flight * cuts
    })),
    { name: "events out of order within a resource", broken: Promises.reordered(books, posts) },
    { name: "bad signatures", broken: receivers.badSignatures },
    { name: "cross-account and cross-mode leaks to receivers", broken: Promises.leaked(books, posts) }
  ]
}

/** Milliseconds from a fault to the first success of a request sent after it, by shop. */
const recoveries = ({ faults, ledger }: Run) => {
  // The hostile client sends no orders during the faults.
  const neighbours = ledger.successes.filter(({ shop }) => shop !== hostileName)
  const byShop = [...Map.groupBy(neighbours, ({ shop }) => shop).values()]
  return faults
    .filter(({ kind }) => interrupting.includes(kind))
    .map(({ began, kind }) => ({
      kind,
      after: byShop.map((list) =>
        list.reduce(
          (least, success) => (success.began >= began ? Math.min(least, success.at - began) : least),
          Infinity
        )
      )
    }))
}

// A fault at the very end has no later request to measure.
const seen = (values: ReadonlyArray<number>) => values.filter(Number.isFinite)

const ofTheRun = (run: Run): ReadonlyArray<Line> => {
  const { authority, books, faults, fleet, ledger, receivers, seconds } = run
  const recovered = recoveries(run)
  const kinds = Map.groupBy(faults, ({ kind }) => kind)
  return [
    { name: "processes that ended without a signal, or not with 0", broken: fleet.flatMap((one) => one.faults.exits) },
    { name: "faults injected", says: tallied([...kinds].map(([kind, list]) => [kind, list.length])) },
    {
      name: "failed starts (database down, or another fault)",
      says: `${fleet.reduce((sum, one) => sum + one.faults.failedStarts, 0)}`
    },
    {
      name: "authority calls by outcome: lost, slow, 503, repeated, queried",
      says: tallied(Object.entries(authority.tally))
    },
    { name: "webhooks rejected, hanging, slow", says: tallied(Object.entries(receivers.tally)) },
    { name: "operations", says: tallied(ledger.operations) },
    { name: "responses by status", says: tallied(ledger.statuses) },
    {
      name: "credit notes, corrections, emails",
      says: [books.invoices.filter(({ id }) => kindOf(id) === "credit_note"), correctionsOf(books), emailsOf(books)]
        .map((list) => list.length)
        .join(", ")
    },
    { name: "replays compared", says: `${ledger.replays()}` },
    ...[...Map.groupBy(recovered, ({ kind }) => kind)].flatMap(([kind, list]) => [
      {
        name: `after a ${kind}, first success of any shop`,
        says: spread(seen(list.map(({ after }) => Math.min(...after))), "ms")
      },
      {
        name: `after a ${kind}, every shop served again`,
        says: spread(seen(list.map(({ after }) => Math.max(...after))), "ms")
      }
    ]),
    {
      name: "invoices, and acknowledgements a second",
      says: `${books.invoices.length}, ${(ledger.successes.length / seconds).toFixed(1)}`
    },
    {
      name: "POST to acknowledgement",
      says: spread(
        ledger.successes.map(({ at, began }) => at - began),
        "ms"
      )
    }
  ]
}

/** Compares the journals of clients, authority and receivers with the database, for each promise. */
export const reckon = (run: Run): ReadonlyArray<Line> => [
  ...ofClients(run),
  ...ofNumbers(run),
  ...ofAuthority(run),
  ...ofWebhooks(run),
  ...ofTheRun(run)
]
