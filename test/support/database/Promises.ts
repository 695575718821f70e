import { eventOf, type InvoiceState, isOpen, transition } from "../../../src/invoices/rules/InvoiceLifecycle.ts"
import { kindOf } from "../../../schemas/DocumentKinds.ts"
import type { Books } from "./Books.ts"
import type { Received } from "../receiver/Receiver.ts"

/** Violations of a promise, one per line; empty if it was kept. */
export type Broken = ReadonlyArray<string>

/** By endpoint, the POSTs that arrived there, in order of arrival. */
export type Posts = ReadonlyMap<string, ReadonlyArray<Received>>

const twice = (values: ReadonlyArray<string>): Broken => {
  const seen = new Set<string>()
  return values.filter((value) => seen.has(value) || !seen.add(value))
}

/** Keys that were acknowledged with an id, and have no invoice of that id. */
export const lost = (acknowledged: ReadonlyMap<string, string>, { invoices }: Books): Broken => {
  const idsOf = Map.groupBy(invoices, (row) => row.key)
  return [...acknowledged]
    .filter(([key, id]) => !idsOf.get(key)?.some((row) => row.id === id))
    .map(([key, id]) => `${key}: ${id} was acknowledged, there is ${idsOf.get(key)?.[0]?.id ?? "none"}`)
}

/** Keys with more than one invoice. */
export const doubled = ({ invoices }: Books): Broken => twice(invoices.map((row) => row.key))

/** Numbers of a range that no document has, and a counter that is not the next of them. */
export const gaps = ({ invoices, lost: given, ranges }: Books): Broken =>
  ranges.flatMap((range) => {
    const numbers = new Set(invoices.filter((row) => row.resolution_id === range.id).map((row) => row.number))
    const holes = given.filter((hole) => hole.resolution_id === range.id)
    const isLost = (number: bigint) => holes.some((hole) => hole.from_number <= number && number <= hole.to_number)
    const missing: Array<string> = []
    for (let number = range.from_number; number < range.next_number; number++) {
      if (numbers.delete(number) === isLost(number)) missing.push(`${range.prefix}${number} of ${range.id}`)
    }
    return [...missing, ...[...numbers].map((number) => `${number} is beyond the counter of ${range.id}`)]
  })

/** Numbers and invoice codes that two documents have, and printed numbers that do not match. */
export const twins = ({ invoices, ranges }: Books): Broken => {
  const prefixOf = new Map(ranges.map((range) => [range.id, range.prefix]))
  const numbered = invoices.filter((row) => row.number !== null)
  return [
    ...twice(numbered.map((row) => `${row.owner} ${row.full_number}`)),
    ...twice(numbered.map((row) => `${row.cufe}`)),
    ...numbered
      .filter((row) => row.full_number !== `${prefixOf.get(row.resolution_id ?? "")}${row.number}`)
      .map((row) => `${row.id}: ${row.full_number} is not ${row.number}`)
  ]
}

const unsigned: ReadonlyArray<InvoiceState> = ["queued", "numbered", "failed", "canceled"]

/** Signed bytes that do not verify or belong to another document, and bytes that differ from `before`. */
export const alteredDocuments = (
  { documents, invoices }: Books,
  before: ReadonlyMap<string, string> = new Map()
): Broken =>
  invoices.flatMap((row) => {
    const document = documents.get(row.id)
    const earlier = before.get(row.id)
    if (document === undefined) return unsigned.includes(row.state) ? [] : [`${row.id} has no document`]
    if (document.full_number !== row.full_number || document.cufe !== row.cufe)
      return [`${row.id} signs something else`]
    return earlier === undefined || earlier === document.digest ? [] : [`${row.id} was signed twice`]
  })

/** Documents whose log is not a legal way from `queued` to their state, with each step taken once. */
export const illegalHistories = ({ invoices, steps }: Books): Broken => {
  const log = Map.groupBy(steps, (step) => step.id)
  return invoices.flatMap((row) => {
    let state: InvoiceState = "queued"
    let isIssued = false
    for (const step of log.get(row.id) ?? []) {
      const legal = transition(state, step.command, { hasNumber: state !== "queued", isIssued })
      if (step.from !== state || legal._tag === "Failure" || legal.success !== step.to) {
        return [`${step.command} of ${row.id} from ${step.from} to ${step.to}, in ${state}`]
      }
      state = step.to
      const leaves = step.command === "Submit" || step.command === "EnterContingency"
      isIssued = step.command !== "Correct" && step.command !== "Return" && (isIssued || leaves)
    }
    return state === row.state ? [] : [`${row.id} is ${row.state}, its log ends in ${state}`]
  })
}

/** Numbers of documents that ended, by owner, kind and outcome, that differ from the counted usage. */
export const miscounted = ({ invoices, steps, usage }: Books): Broken => {
  if (usage === null) return []
  const ownerOf = new Map(invoices.map((row) => [row.id, row.owner]))
  const ends = steps.filter(({ to }) => !isOpen(to)).map(({ id, to }) => `${ownerOf.get(id)} ${kindOf(id)} ${to}`)
  const ended = new Map([...Map.groupBy(ends, (end) => end)].map(([end, some]) => [end, some.length]))
  const counted = new Map(
    usage.map(({ documents, kind, outcome, owner }) => [`${owner} ${kind} ${outcome}`, documents])
  )
  return [...new Set([...ended.keys(), ...counted.keys()])]
    .filter((end) => ended.get(end) !== counted.get(end))
    .map((end) => `${end}: ${ended.get(end) ?? 0} ended, ${counted.get(end) ?? 0} counted`)
}

/** Documents with unfinished work, or without an outcome. */
export const unfinished = ({ invoices }: Books): Broken =>
  invoices
    .filter((row) => row.waiting || !row.state.endsWith("_by_authority"))
    .map((row) => `${row.id} is ${row.state}${row.waiting ? ", waiting" : ""}`)

const isOfEmail = ({ type }: Books["events"][number]) => type.includes(".email.")

const versionOf = (id: string, version: number) => `version ${version} of ${id}`

/** Transitions without exactly one event of their own, and events without a transition. */
export const straysAmongEvents = ({ events: all, invoices, steps }: Books): Broken => {
  const events = all.filter((event) => !isOfEmail(event))
  const eventsOf = Map.groupBy(events, (event) => versionOf(event.object_id, event.object_version))
  const ownerOf = new Map(invoices.map((row) => [row.id, row.owner]))
  const expected = new Map(
    steps.flatMap((step) => {
      const outcome = eventOf(step.command)
      return outcome === null ? [] : [[versionOf(step.id, step.version), `${kindOf(step.id)}.${outcome}`] as const]
    })
  )
  return [
    ...[...expected]
      .filter(([at]) => eventsOf.get(at)?.length !== 1)
      .map(([at, type]) => `${eventsOf.get(at)?.length ?? 0} events ${type} of ${at}`),
    ...events
      .filter((event) => expected.get(versionOf(event.object_id, event.object_version)) !== event.type)
      .map((event) => `${event.type} of ${versionOf(event.object_id, event.object_version)} has no transition`),
    ...events
      .filter((event) => ownerOf.get(event.object_id) !== event.owner)
      .map((event) => `${event.id} is another owner's`)
  ]
}

/** Emails without an event or with more than one, and events that differ from the email's outcome. */
export const straysAmongEmails = ({ emails, events }: Books): Broken => {
  const told = Map.groupBy(events.filter(isOfEmail), (event) => String(JSON.parse(event.body).data.object.id))
  const ids = new Set(emails.map(({ id }) => id))
  return [
    ...emails.flatMap(({ id, invoice_id, status }) => {
      const types = (told.get(id) ?? []).map(({ type }) => type).join()
      return types === `${kindOf(invoice_id)}.email.${status}` ? [] : [`${id} is ${status}, its events are ${types}`]
    }),
    ...[...told.keys()].filter((id) => !ids.has(id)).map((id) => `an event of ${id}, which is not there`)
  ]
}

const isReceived = (post: Received) => post.answered !== undefined && post.answered < 300

const place = (endpoint: string, event: string) => `${event} at ${endpoint}`

/**
 * Events that did not arrive at an endpoint of their owner with the stored bytes, or that are not recorded as
 * delivered.
 */
export const undelivered = ({ deliveries, endpoints, events }: Books, posts: Posts): Broken => {
  const endpointsOf = Map.groupBy(endpoints, (endpoint) => endpoint.owner)
  const rowsOf = Map.groupBy(deliveries, (row) => place(row.endpoint_id, row.event_id))
  const arrived = new Map(
    [...posts].flatMap(([endpoint, list]) =>
      [...Map.groupBy(list, (post) => place(endpoint, post.event.id))].map(([at, some]) => [at, some] as const)
    )
  )
  return events.flatMap((event) =>
    (endpointsOf.get(event.owner) ?? []).flatMap(({ id }) => {
      const at = place(id, event.id)
      const rows = rowsOf.get(at) ?? []
      const some = arrived.get(at) ?? []
      if (rows.length !== 1 || rows[0]?.status !== "succeeded") return [`${at}: ${rows[0]?.status ?? "no delivery"}`]
      if (!some.some(isReceived)) return [`${at}: not received`]
      return some.every((post) => post.body === event.body) ? [] : [`${at}: other bytes`]
    })
  )
}

/** By endpoint, POSTs beyond the recorded attempts and events received more than once, after a kill or a freeze. */
export const repeated = ({ deliveries, endpoints }: Books, posts: Posts): ReadonlyMap<string, number> => {
  const recorded = Map.groupBy(deliveries, (row) => row.endpoint_id)
  return new Map(
    endpoints.map(({ id }) => {
      const attempts = new Map(recorded.get(id)?.map((row) => [row.event_id, row.attempts]))
      let count = 0
      for (const [event, some] of Map.groupBy(posts.get(id) ?? [], (post) => post.event.id)) {
        const received = some.filter(isReceived).length
        count += Math.max(some.length - (attempts.get(event) ?? 0), received - 1, 0)
      }
      return [id, count] as const
    })
  )
}

/** Events of one resource that were first received at an endpoint after a later one. */
export const reordered = ({ endpoints, events }: Books, posts: Posts): Broken => {
  const seqOf = new Map(events.map((event) => [event.id, event.seq] as const))
  return endpoints.flatMap(({ id }) => {
    const latest = new Map<string, bigint>()
    const seen = new Set<string>()
    return (posts.get(id) ?? []).flatMap((post) => {
      const { event } = post
      const seq = seqOf.get(event.id) ?? -1n
      if (!isReceived(post) || seen.has(event.id)) return []
      seen.add(event.id)
      const before = latest.get(event.data.object.id) ?? -1n
      if (seq > before) latest.set(event.data.object.id, seq)
      return seq > before ? [] : [`${event.id} at ${id}`]
    })
  })
}

/** POSTs of an event that is not stored, or that belongs to another account or mode than the endpoint. */
export const leaked = ({ endpoints, events }: Books, posts: Posts): Broken => {
  const eventOwner = new Map(events.map((event) => [event.id as string, event.owner]))
  return endpoints.flatMap(({ id, owner }) =>
    (posts.get(id) ?? [])
      .filter(({ event }) => {
        const said = `${event.account}/${event.livemode ? "live" : "test"}`
        return said !== owner || eventOwner.get(event.id) !== owner
      })
      .map(({ event }) => `${event.id} at ${id}`)
  )
}
