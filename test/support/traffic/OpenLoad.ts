import { Effect } from "effect"
import { Agent, request } from "undici"
import { invoiceBody } from "../apps/Invoices.ts"

/** A request that was sent once: the client repeats none. */
export interface Sent {
  readonly key: string
  /** Time of sending, in milliseconds since the load began. */
  readonly at: number
  readonly milliseconds: number
  /** 0: no response. */
  readonly status: number
  readonly id: string
  readonly retryAfter: string | undefined
  /** The response, or why there was none. */
  readonly text: string
}

export interface Payer {
  readonly apiKey: string
  readonly customer: string
}

// Shorter than a drain: a process that stops closes the connections that are idle at its end.
const idleMs = 1_000

/**
 * Sends `POST /v1/invoices` `rate` times a second, without waiting for earlier responses. Half of the requests end
 * their connections, unless `keepsAlive`. `stop` waits for the responses.
 */
export const openLoad = Effect.fnUntraced(function* (
  url: string,
  payers: ReadonlyArray<Payer>,
  rate: number,
  { connections, keepsAlive }: { readonly connections: number; readonly keepsAlive: boolean } = {
    connections: 50,
    keepsAlive: false
  }
) {
  const keptAlive = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ connections, pipelining: 1, keepAliveMaxTimeout: idleMs })),
    (agent) => Effect.promise(() => agent.destroy())
  )
  const began = performance.now()
  const all: Array<Promise<Sent>> = []
  const answered: Array<Sent> = []

  const send = async (index: number): Promise<Sent> => {
    const payer = payers[index % payers.length]!
    const key = `open ${index}`
    const at = performance.now() - began
    const ended = (status: number, text: string, retryAfter?: string): Sent => {
      const id = status === 202 ? String(JSON.parse(text).id) : ""
      const sent = { key, at, milliseconds: performance.now() - began - at, status, id, retryAfter, text }
      answered.push(sent)
      return sent
    }
    try {
      const answer = await request(`${url}/v1/invoices`, {
        method: "POST",
        dispatcher: keptAlive,
        reset: !keepsAlive && Math.floor(index / payers.length) % 2 === 0,
        headers: {
          authorization: `Bearer ${payer.apiKey}`,
          "content-type": "application/json",
          "idempotency-key": key
        },
        body: JSON.stringify(invoiceBody(payer.customer, { key }))
      })
      return ended(answer.statusCode, await answer.body.text(), answer.headers["retry-after"]?.toString())
    } catch (error) {
      return ended(0, String(error))
    }
  }
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - began) / 1000) * rate)
    while (all.length < due) all.push(send(all.length))
  }, 5)
  yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
  return {
    /** In Unix milliseconds. */
    began: performance.timeOrigin + began,
    /** The requests that have ended so far. */
    answered: answered as ReadonlyArray<Sent>,
    now: () => performance.now() - began,
    stop: Effect.suspend(() => {
      clearInterval(timer)
      return Effect.promise(() => Promise.all(all))
    })
  }
})
