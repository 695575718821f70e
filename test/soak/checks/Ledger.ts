import type { Answer } from "../../support/apps/Client.ts"
import type { Shop } from "../parties/Shops.ts"

/**
 * A request for an invoice or a credit note. Its metadata key, `shop key`, is unique in the database. An order that
 * corrects or emails a document (`about`) creates no document with that name.
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

/** Times at which a successful request was sent and answered, in Unix milliseconds. */
export interface Success {
  readonly shop: string
  readonly began: number
  readonly at: number
}

/** Time from an order's first attempt, at `asked` in Unix milliseconds, to its acknowledgement. */
export interface Wait {
  readonly asked: number
  readonly took: number
}

const count = (map: Map<string, number>, name: string) => map.set(name, (map.get(name) ?? 0) + 1)

/** The clients' journal: every key, body and response, and each response that breaks a promise. */
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
    /** Created documents, by the name of their order. */
    acknowledged,
    /** Acknowledged corrections and emails, by the name of their order. */
    requested,
    /** Orders with a final rejection: none of them may create an invoice. */
    refusedOrders,
    /** Orders that a client still repeats. */
    open,
    statuses,
    operations,
    successes,
    waits,
    /** Times of 429 responses to any client except the hostile one, in Unix milliseconds. */
    limited,
    broken,
    replays: () => replays,
    did: (operation: string) => count(operations, operation),
    /** Counts a response by its status, or as `none` without a response. */
    saw: (answer: Answer | undefined) =>
      count(statuses, answer === undefined ? "none" : answer.status === 409 ? "409" : `${`${answer.status}`[0]}xx`),
    /** Records a response that acknowledges the order. Later responses must equal the first one. */
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
