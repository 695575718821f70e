import { Effect, Random } from "effect"
import type { Answer, Client } from "../../support/apps/Client.ts"
import { invoiceBody, noteBody } from "../../support/apps/Invoices.ts"
import { type Ledger, nameOf, type Order } from "../checks/Ledger.ts"
import { hostileName, type Shop } from "./Shops.ts"

const timeout = "5 seconds"
// 1, 2, 4, 4 … seconds, each with some jitter.
const waitMs = (attempt: number, random: number) => Math.min(1_000 * 2 ** attempt, 4_000) * (0.8 + 0.4 * random)

// Responses after which a client repeats its request. 408: the process hung while the request arrived. 429: while the
// database is down, requests that the client has abandoned still run in the service and count toward the key's limit.
const isUnserved = ({ status }: Answer) => status === 408 || status === 429 || status >= 500

/** Requests that no client should send, with the expected responses. None may create an invoice. */
const illegal: ReadonlyArray<{
  readonly status: number
  readonly change: (body: Record<string, unknown>) => unknown
  readonly withoutKey?: boolean
  readonly wrongApiKey?: boolean
}> = [
  { status: 400, change: (body) => body, withoutKey: true },
  { status: 401, change: (body) => body, wrongApiKey: true },
  { status: 404, change: (body) => ({ ...body, customer_id: "cust_01k0000000000000000000000a" }) },
  { status: 400, change: (body) => ({ ...body, lines: [] }) },
  { status: 400, change: (body) => ({ ...body, extra: true }) },
  { status: 400, change: (body) => `${JSON.stringify(body).slice(0, -1)},` }
]

const invoices = "/v1/invoices"

const orderOf = (shop: Shop, key: string, note: Record<string, string> = {}, lines = 1): Order => {
  const body = invoiceBody(shop.customer, { key: `${shop.name} ${key}`, ...note })
  return {
    shop,
    key,
    path: invoices,
    about: null,
    body: JSON.stringify({ ...body, lines: Array.from({ length: lines }, () => body.lines[0]) })
  }
}

/**
 * Careful clients: each makes a key before its first attempt, and repeats the request at any process until it gets a
 * response. Some clients misbehave: they send one request to all processes concurrently, use a key for two requests,
 * ask for other accounts' invoices, or send forbidden requests.
 */
export const makeClients = Effect.fnUntraced(function* (options: {
  readonly shops: ReadonlyArray<Shop>
  readonly client: (process: number, apiKey: string) => Client
  readonly processes: number
  readonly ledger: Ledger
}) {
  const { ledger, processes, shops } = options
  const random = yield* Random.Random
  const below = (count: number) => Math.floor(random.nextDoubleUnsafe() * count)
  const anyOf = <A>(list: ReadonlyArray<A>) => list[below(list.length)] as A
  const ordersOf = new Map<string, number>()
  const credited = new Set<string>()

  const send = Effect.fnUntraced(function* (shop: Shop, process: number, request: (client: Client) => Sent) {
    const answer = yield* request(options.client(process, shop.apiKey)).pipe(
      Effect.timeout(timeout),
      Effect.orElseSucceed(() => undefined)
    )
    ledger.saw(answer)
    return answer
  })

  // The first shop makes half of all orders. All shops count from one, so that their keys are equal.
  const newOrder = () => {
    const shop = anyOf([shops[0] as Shop, anyOf(shops)])
    const count = (ordersOf.get(shop.name) ?? 0) + 1
    ordersOf.set(shop.name, count)
    return orderOf(shop, `order ${count}`)
  }

  const post = (process: number, { body, key, path, shop }: Order) =>
    send(shop, process, (client) => client.post(path, body, { key }))

  /**
   * Repeats an order until it is acknowledged. If several orders compete for a key or a document, it stops when another
   * order wins.
   */
  const insist = Effect.fnUntraced(function* (wanted: Order, first = below(processes), isContested = false) {
    ledger.open.add(nameOf(wanted))
    const asked = Date.now()
    for (let attempt = 0; ; attempt++) {
      const began = Date.now()
      const answer = yield* post((first + attempt) % processes, wanted)
      if (answer?.status === 202 && answer.json.object !== "idempotent_request") {
        ledger.acknowledge(wanted, answer, began)
        ledger.waits.push({ asked, took: Date.now() - asked })
        break
      }
      if (answer?.status === 429 && wanted.shop.name !== hostileName) ledger.limited.push(Date.now())
      const isLater = answer === undefined || answer.status === 202 || isUnserved(answer)
      if (!isLater) {
        if (answer.status !== 409 || !isContested) ledger.unexpected(nameOf(wanted), answer)
        break
      }
      yield* Effect.sleep(waitMs(attempt, random.nextDoubleUnsafe()))
    }
    ledger.open.delete(nameOf(wanted))
  })

  const issue = Effect.suspend(() => insist(newOrder()))

  /** Sends the same order to every process concurrently; expects one invoice. */
  const twice = Effect.suspend(() => {
    const wanted = newOrder()
    const everywhere = Array.from({ length: processes }, (_, process) => insist(wanted, process))
    return Effect.all(everywhere, { concurrency: "unbounded", discard: true })
  })

  /** Sends two orders with one key concurrently; expects one invoice, of either order. */
  const race = Effect.suspend(() => {
    const one = newOrder()
    const other = orderOf(one.shop, one.key, { note: "another" })
    return Effect.all([insist(one, 0, true), insist(other, processes - 1, true)], {
      concurrency: "unbounded",
      discard: true
    })
  })

  // Requests of the hostile client's account wait behind its own flood, and can be rejected.
  const earlier = () => {
    const all = [...ledger.acknowledged.values()].filter(({ order }) => order.shop.name !== hostileName)
    return all.length === 0 ? undefined : anyOf(all)
  }

  /** Finds an invoice of a shop in this state: its order, and the invoice as the service lists it. */
  const oneThatIs = Effect.fnUntraced(function* (status: string) {
    const shop = anyOf(shops)
    const path = `${invoices}?limit=20&status=${status}`
    const answer = yield* send(shop, below(processes), (client) => client.get(path))
    const listed: ReadonlyArray<Listed> = answer?.status === 200 ? answer.json.data : []
    const known = listed.flatMap(({ metadata }) => ledger.acknowledged.get(metadata.key) ?? [])
    return known.length === 0 ? undefined : { ...anyOf(known), shop }
  })

  /** A second key of the shop, for a request about an invoice. */
  const keyFor = (shop: Shop, what: string) => {
    const count = (ordersOf.get(`${shop.name} ${what}`) ?? 0) + 1
    ordersOf.set(`${shop.name} ${what}`, count)
    return `${what} ${count}`
  }

  /** Requests a credit note for the whole of an accepted invoice, at most once per invoice. */
  const credit = Effect.gen(function* () {
    const found = yield* oneThatIs("accepted_by_authority")
    if (found === undefined || credited.has(found.id)) return
    credited.add(found.id)
    const { id, order, shop } = found
    const key = keyFor(shop, "note")
    const { lines } = JSON.parse(order.body)
    const body = JSON.stringify({ ...noteBody(id, { key: `${shop.name} ${key}` }), lines })
    yield* insist({ shop, key, path: "/v1/credit-notes", about: null, body })
  })

  /** Corrects a rejected invoice, which then has one more line, unless another client is faster. */
  const correct = Effect.gen(function* () {
    const found = yield* oneThatIs("rejected_by_authority")
    if (found === undefined) return
    const { id, order, shop } = found
    const { lines, ...rest } = JSON.parse(order.body)
    const body = JSON.stringify({ ...rest, lines: [...lines, lines[0]] })
    const path = `${invoices}/${id}/correct`
    yield* insist({ shop, key: keyFor(shop, "correction"), path, about: id, body }, below(processes), true)
  })

  /** Emails an accepted invoice. Only the sandbox has a mail server. */
  const email = Effect.gen(function* () {
    const found = yield* oneThatIs("accepted_by_authority")
    if (found === undefined || found.shop.owner.endsWith("/live")) return
    const { id, shop } = found
    const body = JSON.stringify({ to: "compras@example.com" })
    yield* insist({ shop, key: keyFor(shop, "email"), path: `${invoices}/${id}/email`, about: id, body })
  })

  const repeat = Effect.suspend(() => {
    const known = earlier()
    return known === undefined ? issue : insist(known.order)
  })

  /** Reuses an acknowledged key with another body: expects 409 and no effect. */
  const misuse = Effect.gen(function* () {
    const known = earlier()
    if (known === undefined) return
    const wrong = orderOf(known.order.shop, known.order.key, { note: "wrong" })
    const answer = yield* post(below(processes), wrong)
    const isRefused = answer?.status === 409
    // If two such requests are concurrent, the response to the second one says that the first is still in progress.
    const isUnderWay = answer?.json?.status === "in_progress"
    if (answer !== undefined && !isRefused && !isUnderWay && !isUnserved(answer)) {
      ledger.broken.otherBody.push(`${nameOf(wrong)} was answered ${answer.status} with another body: ${answer.text}`)
    }
  })

  const trespass = Effect.gen(function* () {
    const { change, status, withoutKey, wrongApiKey } = anyOf(illegal)
    const wrong = newOrder()
    const shop = wrongApiKey === true ? { ...wrong.shop, apiKey: wrong.shop.apiKey.replace(/.$/, "_") } : wrong.shop
    ledger.refusedOrders.add(nameOf(wrong))
    const answer = yield* send(shop, below(processes), (client) =>
      client.post(invoices, change(JSON.parse(wrong.body)), withoutKey === true ? {} : { key: wrong.key })
    )
    if (answer !== undefined && answer.status !== status && !isUnserved(answer)) {
      ledger.unexpected(`illegal ${nameOf(wrong)}`, answer)
    }
  })

  /**
   * Checks that an acknowledged document is immediately visible to its owner at every process, and to no other account.
   */
  const look = Effect.gen(function* () {
    const known = earlier()
    if (known === undefined) return
    const shop = anyOf(shops)
    const isOwn = shop.owner === known.order.shop.owner
    const answer = yield* send(shop, below(processes), (client) => client.get(`${known.order.path}/${known.id}`))
    if (answer === undefined || isUnserved(answer)) return
    if (!isOwn && answer.status !== 404) ledger.broken.leaks.push(`${shop.name} saw ${known.id}: ${answer.status}`)
    if (isOwn && (answer.status !== 200 || answer.json.id !== known.id))
      ledger.unexpected(`look at ${known.id}`, answer)
  })

  const operations: ReadonlyArray<readonly [weight: number, name: string, operation: Effect.Effect<void>]> = [
    [48, "issue", issue],
    [6, "credit", credit],
    [6, "correct", correct],
    [4, "email", email],
    [10, "twice concurrently", twice],
    [4, "two bodies concurrently", race],
    [8, "repeat", repeat],
    [4, "misuse of a key", misuse],
    [4, "illegal", trespass],
    [6, "look", look]
  ]

  /** Performs one operation, chosen at random. */
  const next = Effect.suspend(() => {
    let lot = below(100)
    const [, name, operation] = operations.find(([weight]) => (lot -= weight) < 0) ?? operations[0]!
    ledger.did(name)
    return operation
  })
  /** Requests an invoice with this many lines, for any shop. */
  const issueOf = (shop: Shop, key: string, lines: number) => insist(orderOf(shop, key, {}, lines))
  return { next, issue, issueOf }
})

interface Listed {
  readonly metadata: { readonly key: string }
}

type Sent = Effect.Effect<Answer, unknown>

/**
 * Starts `rate` operations a second, but none while `most` are running. Never ends; its operations end with the scope.
 */
export const keepBusy = Effect.fnUntraced(function* (
  operation: Effect.Effect<void>,
  { most, rate }: { readonly rate: number; readonly most: number },
  isOver: () => boolean
) {
  let underWay = 0
  const began = performance.now()
  let begun = 0
  while (!isOver()) {
    const due = Math.floor(((performance.now() - began) / 1000) * rate)
    // Operations that could not start in time are dropped: otherwise a burst would follow every outage.
    if (due - begun > rate) begun = due - 1
    for (; begun < due && underWay < most; begun++) {
      underWay += 1
      yield* operation.pipe(
        Effect.ensuring(Effect.sync(() => (underWay -= 1))),
        Effect.forkScoped({ startImmediately: true })
      )
    }
    yield* Effect.sleep("10 millis")
  }
  return { underWay: () => underWay }
})
