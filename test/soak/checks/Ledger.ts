import type { Answer } from "../../support/apps/Client.ts"
import type { Shop } from "../parties/Shops.ts"

/**
 * A request for an invoice or a credit note. The key of its metadata, `shop key`, is the only one of its kind in the database. One
 * that corrects or e-mails a document, `about`, has made nothing of that name.
 */
export interface Order {
  readonly shop: Shop
  readonly path: string
  readonly about: string | null
  readonly key: string
  readonly body: string
}

export const nameOf = ({ key, shop }: Order) => `${shop.name} ${key}`

interface Acknowledged {
  readonly order: Order
  readonly id: string
  readonly text: string
}

/** When a request that succeeded was sent and was answered, in Unix milliseconds. */
export interface Success {
  readonly shop: string
  readonly began: number
  readonly at: number
}

/** How long an order took from its first attempt, at `asked` in Unix milliseconds, to its acknowledgement. */
export interface Wait {
  readonly asked: number
  readonly took: number
}

const count = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1)

/** What the clients know: every key, body and answer; and what they saw that must not be. */
export const makeLedger = () => {
  const acknowledged = new Map<string, Acknowledged>()
  const requested = new Map<string, Acknowledged>()
  const refusedOrders = new Set<string>()
  const open = new Set<string>()
  const statuses = new Map<string, number>()
  const operations = new Map<string, number>()
  const successes: Array<Success> = []
  const waits: Array<Wait> = []
  const limited: Array<number> = []
  const broken = {
    otherBytes: new Array<string>(),
    otherBody: new Array<string>(),
    unexpected: new Array<string>(),
    leaks: new Array<string>()
  }
  let replays = 0

  return {
    /** What was made, by the name of its order. */
    acknowledged,
    /** Corrections and e-mails that were acknowledged, by the name of their order. */
    requested,
    /** Orders that were refused for good: no invoice may come of them. */
    refusedOrders,
    /** Orders that a client is still repeating. */
    open,
    statuses,
    operations,
    successes,
    waits,
    /** When an order of anybody but the hostile client was answered with 429, in Unix milliseconds. */
    limited,
    broken,
    replays: () => replays,
    did: (operation: string) => count(operations, operation),
    /** Every answer by its status, and `none` where none came. */
    saw: (answer: Answer | undefined) =>
      count(statuses, answer === undefined ? "none" : answer.status === 409 ? "409" : `${`${answer.status}`[0]}xx`),
    /** An answer that acknowledged the order: the first, or one that must be the very same. */
    acknowledge: (order: Order, answer: Answer, began: number) => {
      const name = nameOf(order)
      const list = order.about === null ? acknowledged : requested
      const first = list.get(name)
      successes.push({ shop: order.shop.name, began, at: Date.now() })
      if (first === undefined) {
        list.set(name, { order, id: String(answer.json.id), text: answer.text })
        return
      }
      replays += 1
      if (first.text !== answer.text) broken.otherBytes.push(`${name}: ${first.text} then ${answer.text}`)
      if (first.order.body !== order.body) broken.otherBody.push(`${name} was acknowledged for two bodies`)
    },
    unexpected: (order: string, answer: Answer) =>
      broken.unexpected.push(`${order}: ${answer.status} ${answer.text.slice(0, 300)}`)
  }
}
export type Ledger = ReturnType<typeof makeLedger>
