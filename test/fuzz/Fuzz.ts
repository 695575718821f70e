import { Array, Effect } from "effect"
import { connect } from "node:net"
import { makeClient } from "../support/apps/Client.ts"
import { customerBody, endpointBody, invoiceBody } from "../support/apps/Invoices.ts"
import { type Known, type Message, message } from "./Messages.ts"

interface FuzzOptions {
  readonly url: string
  readonly apiKey: string
  /** URL that webhooks may reach. */
  readonly hook: string
  readonly seed: string
  /** Index of the first message of the seed to send. */
  readonly from: number
  readonly count: number
  /** Longest turn of the service since the last call, in milliseconds of its own CPU time. */
  readonly longestTurn?: Effect.Effect<number>
}

// Longer than any response of the service may take. Incomplete messages are ended earlier, after a silence.
const patienceMs = 20_000
const leastSilenceMs = 400
const connections = 32
const batch = 50

// Maximum event-loop turn, which others share, and maximum size of a response.
const turnMax = 250
const answerMax = 1_000_000

/** Sends bytes and returns all received bytes until the server closes; undefined if it does not close. */
const exchange = (url: URL, { bytes, whole }: Message, silenceMs = leastSilenceMs) =>
  Effect.callback<string | undefined>((resume) => {
    const socket = connect(Number(url.port), url.hostname)
    const received: Array<Buffer> = []
    // A server takes the end of the input for the end of its client: it is sent only after no more output is expected.
    const silence = setTimeout(() => !whole && socket.end(), silenceMs)
    const tooLong = setTimeout(() => {
      resume(Effect.undefined)
      socket.destroy()
    }, patienceMs)
    socket.on("data", (chunk) => {
      received.push(chunk)
      silence.refresh()
    })
    // The server may close while there are still bytes to write.
    socket.on("error", () => {})
    socket.on("close", () => {
      clearTimeout(silence)
      clearTimeout(tooLong)
      resume(Effect.succeed(Buffer.concat(received).toString("latin1")))
    })
    socket.write(bytes)
  })

// A stack trace, an SQL statement, or a message of a JavaScript error.
const insides = /\bat .{0,80}\.[jt]s:\d|\bselect .{1,60} from\b|TypeError|SqlError|node_modules|\[object Object\]/

/** Violations in one response. */
const wrongWith = (head: string, body: string): ReadonlyArray<string> => {
  const status = Number(head.slice(9, 12))
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(head)?.[1]?.trim()
  const wrong: Array<string> = []
  if (body.length > answerMax) wrong.push(`${status} with ${body.length} bytes`)
  if (status >= 500) wrong.push(`${status}: ${body.slice(0, 500)}`)
  if (status >= 200 && !/^req_[0-9a-z]{26}$/.test(header("request-id") ?? ""))
    wrong.push(`${status} without Request-Id`)
  if (status >= 400 && body.startsWith("{")) {
    if (insides.test(body)) wrong.push(`${status} shows its insides: ${body.slice(0, 500)}`)
    const id = /"request_id":"(\w+)"/.exec(body)?.[1]
    if (id !== header("request-id")) wrong.push(`Request-Id ${header("request-id")}, but request_id ${id}`)
  }
  return wrong
}

interface Received {
  readonly head: string
  readonly body: string
}

const statusOf = ({ head }: Received) => Number(head.slice(9, 12))

const jsonOf = ({ body }: Received): unknown => {
  try {
    return JSON.parse(Buffer.from(body, "latin1").toString())
  } catch {
    return null
  }
}

/** The responses on one connection; a response without a length ends with the connection. */
const answersIn = (received: string): ReadonlyArray<Received> => {
  const end = received.indexOf("\r\n\r\n")
  if (end === -1) return received === "" ? [] : [{ head: received, body: "" }]
  const head = received.slice(0, end)
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  const body = received.slice(end + 4)
  // A response to HEAD has a length but no body: the next response follows immediately.
  if (length === undefined || body.startsWith("HTTP/1.1 ")) return [{ head, body: "" }, ...answersIn(body)]
  return [{ head, body: body.slice(0, Number(length)) }, ...answersIn(body.slice(Number(length)))]
}

/** Creates one object of each kind, for the messages to name. */
const known = Effect.fnUntraced(function* ({ apiKey, hook, url }: FuzzOptions) {
  const client = makeClient(url, apiKey)
  const customer = yield* client.post("/v1/customers", customerBody(), { key: "known customer" })
  const invoice = yield* client.post("/v1/invoices", invoiceBody(customer.json.id), { key: "known invoice" })
  const endpoint = yield* client.post("/v1/webhook-endpoints", endpointBody(hook), { key: "known endpoint" })
  const prepayments = [{ amount: "19000.00", received_date: "2026-01-02" }]
  const payer = yield* client.post("/v1/customers", customerBody(), { key: "payer" })
  const prepaid = yield* client.post(
    "/v1/invoices",
    { ...invoiceBody(payer.json.id), prepayments },
    { key: "prepaid invoice" }
  )
  const deleted = yield* client.post("/v1/customers", customerBody(), { key: "deleted customer" })
  yield* client.request("DELETE", `/v1/customers/${deleted.json.id}`)
  const objects: Known = {
    apiKey,
    hook,
    customer: customer.json.id,
    payer: payer.json.id,
    deleted: deleted.json.id,
    invoice: invoice.json.id,
    prepaid: prepaid.json.id,
    endpoint: endpoint.json.id
  }
  return objects
})

/** Sends the messages of a seed, several in parallel, each on a connection of its own. */
export const fuzz = Effect.fnUntraced(function* (options: FuzzOptions) {
  const { count, from, longestTurn = Effect.succeed(0), seed } = options
  const url = new URL(options.url)
  const objects = yield* known(options)
  // Findings, each with the options that reproduce it.
  const findings: Array<string> = []
  // Number of responses by status; 0 for a connection closed without a response.
  const statuses = new Map<number, number>()
  const see = (status: number) => statuses.set(status, (statuses.get(status) ?? 0) + 1)

  // Usual response time on this machine: on a busy machine, a late response is not a missing one.
  let usualMs = 0
  const silenceMs = () => Math.max(leastSilenceMs, 4 * usualMs)

  const one = Effect.fnUntraced(function* (index: number) {
    const sent = message(seed, index, objects)
    const note = (what: string) =>
      findings.push(
        `message ${index} of seed ${seed}: ${what}\n  ${JSON.stringify(sent.bytes.toString("latin1").slice(0, 600))}`
      )
    const began = performance.now()
    const received = yield* exchange(url, sent, silenceMs())
    if (sent.whole) usualMs += (performance.now() - began - usualMs) / 10
    if (received === undefined) {
      note(`no end within ${patienceMs} ms`)
      return
    }
    const answers = answersIn(received)
    if (answers.length === 0) {
      see(0)
      if (sent.whole) note("closed without an answer")
    }
    for (const answer of answers) {
      see(statusOf(answer))
      for (const what of wrongWith(answer.head, answer.body)) note(what)
    }
    const [answer] = answers
    const what = answer && sent.wrongWith?.({ status: statusOf(answer), json: jsonOf(answer) })
    if (what !== undefined) note(what)
  })

  // Among messages sent in parallel, the culprit blocks the event loop again each time it is sent alone.
  const judge = Effect.fnUntraced(function* (index: number) {
    const sent = message(seed, index, objects)
    const turns = yield* Effect.forEach([1, 2, 3], () =>
      longestTurn.pipe(Effect.andThen(exchange(url, sent)), Effect.andThen(longestTurn))
    )
    const turn = Math.min(...turns)
    if (turn > (sent.turnMax ?? turnMax))
      findings.push(`message ${index} of seed ${seed}: the event loop worked ${turn} ms in one go`)
  })

  yield* longestTurn
  for (const indexes of Array.chunksOf(
    Array.makeBy(count, (index) => from + index),
    batch
  )) {
    yield* Effect.forEach(indexes, one, { concurrency: connections, discard: true })
    const turn = yield* longestTurn
    const suspects = indexes.filter((index) => turn > (message(seed, index, objects).turnMax ?? turnMax))
    yield* Effect.forEach(suspects, judge, { discard: true })
  }
  const ready = yield* makeClient(options.url, options.apiKey).get("/health/ready")
  if (ready.status !== 200) findings.push(`afterwards the service is not ready: ${ready.status} ${ready.text}`)
  return { findings, statuses }
})
