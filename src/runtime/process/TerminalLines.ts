import { Clock, Config, Effect, Layer, LogLevel } from "effect"
import { type AnsweredRequest, type EndedDocument, Onlooker } from "../Onlooker.ts"
import { read } from "../Setting.ts"
import { Redactor } from "../telemetry/Redaction.ts"
import { Settings } from "./Settings.ts"

/** Output at a terminal: a line for each request and outcome, and under load one line per second. */

const windowMs = 1_000
// Maximum of lines in a second. At its end, a summary counts the rest. Later seconds have only a summary, until a
// second has no more events than this.
const linesMax = 5

// Fits an invoice's path.
const pathWidth = 44
const pathMax = 60
// Monitors, and clients that follow the request log, send one request per second.
const unseen = /^\/(health|metrics|v1\/requests)(\/|$)/

// A client may put any text into a path. Show names of routes and ids. Hide texts that could be an email address or a
// personal number, or could move the cursor.
const isId = (segment: string) => /^[a-z]{2,4}_[0-9a-z]{26}(_\d+)?$/.test(segment)
const hasNumber = (segment: string) => /\d([.-]?\d){4}/.test(segment)
const isShown = (segment: string) => isId(segment) || (/^[\w.~-]*$/.test(segment) && !hasNumber(segment))
const shortPath = (path: string) => {
  const shown = path
    .split("/")
    .map((segment) => (isShown(segment) ? segment : "…"))
    .join("/")
  return shown.length > pathMax ? `${shown.slice(0, pathMax - 1)}…` : shown
}

const colours = { dim: 2, red: 31, green: 32, yellow: 33 } as const
type Colour = keyof typeof colours

const colourOfStatus = (status: number): Colour => (status < 400 ? "green" : status < 500 ? "yellow" : "red")
const outcomes: Readonly<Record<EndedDocument["outcome"], Colour>> = {
  accepted_by_authority: "green",
  accepted_contingency: "yellow",
  rejected_by_authority: "yellow",
  failed: "red"
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000]
] as const

/** `840 ms`, `1.2 s`, `3 min`, `5 h` or `2 d`. */
const duration = (milliseconds: number) => {
  const unit = units.find(([, size]) => milliseconds >= 2 * size)
  if (unit !== undefined) return `${Math.round(milliseconds / unit[1])} ${unit[0]}`
  return milliseconds < 1_000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1_000).toFixed(1)} s`
}

/** `12 more requests, 3 failed`, or nothing. */
const more = (count: number, noun: string, bad: number, how: string) =>
  count === 0 ? [] : [`${count} more ${noun}${count === 1 ? "" : "s"}${bad === 0 ? "" : `, ${bad} ${how}`}`]

/** Makes the onlooker that writes lines to `write`, and `endSecond`, which writes a summary of the omitted lines. */
export const make = (options: {
  readonly write: (line: string) => void
  readonly hasColour: boolean
  readonly redact: (text: string) => string
  readonly clock: Pick<Clock.Clock, "currentTimeMillisUnsafe">
}) => {
  let happened = 0
  let wasMuch = false
  let unshown = { requests: 0, failed: 0, documents: 0, notAccepted: 0 }

  const paint = (colour: Colour, text: string) =>
    options.hasColour ? `\u001b[${colours[colour]}m${text}\u001b[0m` : text
  const say = (text: string) => {
    const time = new Date(options.clock.currentTimeMillisUnsafe()).toISOString().slice(11, 19)
    options.write(`${paint("dim", time)} ${options.redact(text)}`)
  }
  const isShownAlone = () => ++happened <= linesMax && !wasMuch

  const requestLine = ({ code, method, milliseconds, path, status }: AnsweredRequest) => {
    const answer = paint(colourOfStatus(status), `${status}`)
    const took = paint("dim", duration(milliseconds))
    return `${method.padEnd(6)} ${shortPath(path).padEnd(pathWidth)} ${answer} ${took}${code === undefined ? "" : ` ${code}`}`
  }

  const onlooker: NonNullable<typeof Onlooker.Service> = {
    answered: (request) => {
      if (unseen.test(request.path)) return
      if (isShownAlone()) return say(requestLine(request))
      unshown.requests++
      if (request.status >= 400) unshown.failed++
    },
    ended: ({ kind, milliseconds, name, outcome, reason }) => {
      if (isShownAlone()) {
        const why = reason === undefined ? "" : ` ${reason}`
        const took = paint("dim", duration(milliseconds))
        return say(`${kind.replace("_", " ")} ${name} ${paint(outcomes[outcome], outcome)} ${took}${why}`)
      }
      unshown.documents++
      if (outcome !== "accepted_by_authority") unshown.notAccepted++
    }
  }

  const endSecond = () => {
    const { documents, failed, notAccepted, requests } = unshown
    const parts = [
      ...more(requests, "request", failed, "failed"),
      ...more(documents, "document", notAccepted, "not accepted")
    ]
    if (parts.length > 0) say(`… ${parts.join("; ")}`)
    wasMuch = happened > linesMax
    happened = 0
    unshown = { requests: 0, failed: 0, documents: 0, notAccepted: 0 }
  }

  return { onlooker, endSecond }
}

const write = (line: string) => void process.stdout.write(`${line}\n`)

const noColour = Config.String("NO_COLOR").pipe(Config.withDefault(""))

/** Shows requests and outcomes if standard output is a terminal, and the log is text of level `Info` or lower. */
export const layer = Layer.effect(
  Onlooker,
  Effect.gen(function* () {
    const { format, level } = (yield* Settings).log
    const hasColour = (yield* read(noColour)) === ""
    if (!process.stdout.isTTY || format === "json" || LogLevel.isGreaterThan(level, "Info")) return undefined
    const { endSecond, onlooker } = make({ write, hasColour, redact: yield* Redactor, clock: yield* Clock.Clock })
    yield* Effect.sync(endSecond).pipe(Effect.delay(windowMs), Effect.forever, Effect.forkScoped)
    return onlooker
  })
)
