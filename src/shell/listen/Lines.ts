import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Event } from "../../client/Interface.ts"
import { Output } from "../Output.ts"
import { type Attempt, noAnswer } from "./Forward.ts"
import { safe, shown } from "../Table.ts"
import { timeOfDay } from "../Times.ts"

/** One attempt to send an event to the local address. `isAgain`: it was asked for by key. */
export interface Shown extends Attempt {
  readonly event: Event
  readonly attempt: number
  readonly isAgain: boolean
  /** After how many seconds the next attempt comes; null if none does. */
  readonly next: number | null
}

const inShort: Readonly<Record<string, string>> = { ECONNREFUSED: "nobody there", [noAnswer]: "no answer" }

const columns = () => process.stdout.columns || 80

/** Shows attempts: at a terminal one line an event, which its further attempts write over; else one object an attempt. */
export const make = Effect.map(Output, (output) => {
  const { paint } = output
  let isOpen = false

  const write = (text: string, isDone: boolean) =>
    Effect.sync(() => {
      process.stdout.write(`${isOpen ? "\r\u001b[2K" : ""}${text}${isDone ? "\n" : ""}`)
      isOpen = !isDone
    })

  /** Ends a line that waits for its next attempt, so that something else can be said below. */
  const close = Effect.sync(() => {
    if (isOpen) process.stdout.write("\n")
    isOpen = false
  })

  const show = ({ acknowledged, attempt, duration_ms, event, isAgain, next, reason, status }: Shown) => {
    const { full_number } = event.data.object
    if (output.isJson) {
      const { created, id, type } = event
      const said = { object: "forward", event: id, type, created, full_number, attempt, status, reason, duration_ms }
      return output.one({ ...said, acknowledged, again: isAgain }, () => [])
    }
    const result = status === null ? (inShort[reason ?? ""] ?? reason ?? "") : String(status)
    const [type, number] = next === null ? [event.type.padEnd(33), full_number.padEnd(13)] : [event.type, full_number]
    const before = shown(`${timeOfDay(event.created)}  ${type}  ${number}  `)
    const after = next === null ? `  ${duration_ms} ms${isAgain ? " · again" : ""}` : ` · in ${next} s`
    // A line that the terminal breaks in two could not be written over.
    const room = columns() - 1
    const [outcome, rest] = [result.slice(0, room), after.slice(0, Math.max(0, room - result.length))]
    const left = Math.max(0, room - outcome.length - rest.length)
    const first = before.length <= left ? before : `${before.slice(0, Math.max(0, left - 2))}… `.slice(0, left)
    const color = acknowledged ? paint.green : paint.red
    return write(safe(`${first}${color(outcome)}${paint.dim(rest)}`), next === null)
  }

  // Standard output has the attempts alone, where a program reads it.
  const say = (text: string) =>
    Effect.andThen(close, output.isJson ? Console.error(`folio: ${text}`) : output.say(({ dim }) => dim(text)))

  return { show, say, close }
})
