import { Effect, Schema } from "effect"
import type * as http from "node:http"
import { Event } from "../../../schemas/Event.ts"
import { listening } from "../apps/Listening.ts"

/** A POST as it arrived. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes, which are signed. */
  readonly body: string
  readonly event: Event
  /** Time at which it had arrived in full, in Unix milliseconds. */
  readonly at: number
  /** Status of the completed response; undefined before that, or if the sender disconnected first. */
  answered?: number
}

/** A status, a response that never comes, or one that begins with 200 and drips for ever. */
export type Reply = number | "never" | "drip"

export interface Receiver {
  readonly port: number
  readonly url: (path: string) => string
  readonly received: ReadonlyArray<Received>
  readonly open: () => number
  /** Maximum number of concurrent POSTs. */
  readonly peak: () => number
  /** Sets the reply to the next POSTs: a reply, or a promise of one, which holds them open. */
  readonly answerWith: (answer: (received: Received) => Reply | Promise<Reply>) => void
}

const decodeEvent = Schema.decodeUnknownSync(Schema.fromJsonString(Event))

const accept: (one: Received) => Reply | Promise<Reply> = () => 200

const reply = (one: Received, response: http.ServerResponse, how: Reply) => {
  if (how === "never") return
  if (how === "drip") {
    response.writeHead(200)
    const drops = setInterval(() => response.write("."), 500)
    response.once("close", () => clearInterval(drops))
    return
  }
  response.once("finish", () => {
    one.answered = how
  })
  response.writeHead(how).end()
}

/** A customer's server for webhooks on 127.0.0.1; it answers 200 by default. */
export const receiver = Effect.gen(function* () {
  const received: Array<Received> = []
  let answer = accept
  let open = 0
  let peak = 0

  const port = yield* listening((request, response) => {
    open += 1
    peak = Math.max(peak, open)
    response.once("close", () => {
      open -= 1
    })
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString()
      const one: Received = {
        path: request.url ?? "",
        headers: request.headers as Record<string, string>,
        body,
        event: decodeEvent(body),
        at: Date.now()
      }
      received.push(one)
      void Promise.resolve(answer(one)).then((how) => reply(one, response, how))
    })
  })
  const result: Receiver = {
    port,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    received,
    open: () => open,
    peak: () => peak,
    answerWith: (next) => {
      answer = next
    }
  }
  return result
})
