import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Event } from "../../../clients/typescript/Interface.ts"
import { Output } from "../Output.ts"
import { type Attempt, noAnswer } from "./Forward.ts"
import { safe, shown } from "../Table.ts"
import { timeOfDay } from "../Times.ts"

/** An attempt to send an event to the local URL. `isAgain`: the person resent it with a key. */
export interface Shown extends Attempt {
  readonly event: Event
  readonly attempt: number
  readonly isAgain: boolean
  /** Seconds until the next attempt; null if there is none. */
  readonly next: number | null
}

const inShort: Readonly<Record<string, string>> = { ECONNREFUSED: "connection refused", [noAnswer]: "no response" }

const columns = () => process.stdout.columns || 80

/**
 * Prints attempts: at a terminal, one line per event, which later attempts overwrite; in a pipe, one object per
 * attempt.
 */
export const make = Effect.map(Output, (output) => {
  const { paint } = output
  let isOpen = false

  const write = (text: string, isDone: boolean) =>
    Effect.sync(() => {
      process.stdout.write(`${isOpen ? "\r\u001b[2K" : ""}${text}${isDone ? "\n" : ""}`)
      isOpen = !isDone
    })

  /** Ends the line of an event that waits for a retry, so that other text goes below it. */
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
    // A wrapped line could not be overwritten.
    const room = columns() - 1
    const [outcome, rest] = [result.slice(0, room), after.slice(0, Math.max(0, room - result.length))]
    const left = Math.max(0, room - outcome.length - rest.length)
    const first = before.length <= left ? before : `${before.slice(0, Math.max(0, left - 2))}… `.slice(0, left)
    const color = acknowledged ? paint.green : paint.red
    return write(safe(`${first}${color(outcome)}${paint.dim(rest)}`), next === null)
  }

  // For a program, standard output has only the attempts.
  const say = (text: string) =>
    Effect.andThen(close, output.isJson ? Console.error(`folio: ${text}`) : output.say(({ dim }) => dim(text)))

  return { show, say, close }
})
