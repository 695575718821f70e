import { Arbitrary, Schema } from "effect"
import {
  commands,
  eventOf,
  type InvoiceCommand,
  type InvoiceState,
  isOpen,
  isTerminal,
  states,
  statusOf,
  transition
} from "../../../../src/invoices/rules/InvoiceLifecycle.ts"

/** A command to one of a few documents, legal or not. */
const Command = Schema.Struct({
  document: Schema.Literals([0, 1, 2, 3]),
  command: Schema.Literals(commands)
})
/** Lifecycle commands in order, each to one of four documents. */
export type Commands = ReadonlyArray<typeof Command.Type>

/** Up to forty lifecycle commands, legal and illegal, to four documents. */
export const commandSequences: Arbitrary.Arbitrary<Commands> = Arbitrary.array(Arbitrary.schema(Command), {
  maxLength: 40
})

interface Document {
  state: InvoiceState
  number: number | null
  signed: string | null
  /** Number of times that it got a new date, which is part of the signed content. */
  date: number
  issued: boolean
  readonly events: Array<string>
}

const ends: ReadonlyArray<InvoiceState> = ["accepted_by_authority", "canceled"]
const judged = ["accepted_by_authority", "rejected_by_authority"] as const
const beyondSigning: ReadonlyArray<InvoiceState> = ["signed", "submitted", "accepted_contingency", ...judged]

/**
 * Executes commands by the lifecycle's table, on documents numbered by a counter, and reports violations.
 *
 * @param table the transition function; the lifecycle's own if omitted
 */
export const auditLifecycle = (sequence: Commands, table: typeof transition = transition): ReadonlyArray<string> => {
  const findings: Array<string> = []
  const documents = new Map<number, Document>()
  let next = 1
  for (const { command, document } of sequence) {
    const one = documents.get(document) ?? {
      state: "queued",
      number: null,
      signed: null,
      date: 0,
      issued: false,
      events: []
    }
    documents.set(document, one)
    const before = { ...one, events: [...one.events] }
    const result = table(one.state, command, { hasNumber: one.number !== null, isIssued: one.issued })
    const say = (what: string) => findings.push(`${command} on document ${document}, ${before.state}: ${what}`)
    if (result._tag === "Failure") continue
    if (ends.includes(before.state)) say("was in a final state")
    one.state = result.success
    if (command === "Number") {
      if (one.number !== null) say(`had the number ${one.number} already`)
      one.number = next++
    }
    if (command === "Redate") one.date += 1
    if (command === "Sign") one.signed = `${one.number} ${one.date}`
    if (command === "EnterContingency") one.signed = `${one.number} ${one.date}, type 04`
    if (command === "Submit" || command === "EnterContingency") one.issued = true
    if (command === "Return") one.issued = false
    if (command === "Correct") begin(one)
    const outcome = eventOf(command)
    if (outcome !== null) one.events.push(outcome)
    if (!states.includes(one.state)) say(`leads to ${one.state}`)
    if (one.number !== before.number && command !== "Number") say("changed the number")
    if (one.number === null && beyondSigning.includes(one.state)) say("proceeds without a number")
    if (one.number !== null && (one.state === "queued" || one.state === "canceled")) say("returns its number")
    if (command === "EnterContingency" && before.issued) say("issues in contingency although it may have been sent")
    const isKept = before.issued && command !== "Correct"
    if (isKept && one.signed !== before.signed) say("changed the signed bytes")
    if (isKept && one.date !== before.date) say("changed the date of a document that was sent")
    if (beyondSigning.includes(one.state) && one.signed !== null && !one.signed.startsWith(`${one.number} ${one.date}`))
      say("proceeds with the bytes of another date")
    if (outcome !== null && statusOf(one.state) !== outcome)
      say(`has the event ${outcome}, and is ${statusOf(one.state)}`)
    if (outcome === null && statusOf(one.state) !== "draft" && one.state !== "canceled") say("emits no event")
  }
  return [
    ...findings,
    ...[...documents].flatMap(([name, one]) => ended(name, one)),
    ...numbersOf([...documents.values()])
  ]
}

/** A rejected document gets new content: only its number stays. */
const begin = (one: Document) => {
  one.date += 1
  one.signed = null
  one.issued = false
  one.events.splice(0)
}

const ended = (name: number, { events, state }: Document): ReadonlyArray<string> => {
  const findings: Array<string> = []
  const verdicts = events.filter((event) => event.endsWith("_by_authority"))
  if (verdicts.length > 1) findings.push(`document ${name} has ${verdicts.length} verdicts`)
  if (isTerminal(state) !== ends.includes(state)) findings.push(`document ${name} is ${state}`)
  if (isOpen(state) && isTerminal(state)) findings.push(`document ${name} is ${state}, at its end and not`)
  if (!canEnd.get(state)) findings.push(`document ${name} cannot reach a final state from ${state}`)
  return findings
}

const after = (state: InvoiceState, command: InvoiceCommand): InvoiceState => {
  const result = transition(state, command, { hasNumber: state !== "queued", isIssued: false })
  return result._tag === "Success" ? result.success : state
}

const canEnd = new Map(
  states.map((state) => {
    const reached = new Set([state])
    for (const at of reached) for (const command of commands) reached.add(after(at, command))
    return [state, ends.some((end) => reached.has(end))]
  })
)

const numbersOf = (documents: ReadonlyArray<Document>): ReadonlyArray<string> => {
  const numbers = documents.flatMap(({ number }) => (number === null ? [] : [number])).toSorted((a, b) => a - b)
  return numbers.every((number, index) => number === index + 1) ? [] : [`the numbers are ${numbers.join()}`]
}
