import * as Effect from "effect/Effect"
import type { Enablement, EnablementDocument } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Connection } from "../Connection.ts"
import { Failed, Misuse } from "../Failures.ts"
import { patiently } from "../listen/Patience.ts"
import { Output } from "../Output.ts"
import { type Column, type Paint, shown } from "../Table.ts"

const pauseMs = 1_500

/** The command's arguments. */
interface Given {
  readonly testSet: string | undefined
  readonly invoices: number | undefined
  readonly creditNotes: number | undefined
  readonly debitNotes: number | undefined
}

const nouns = { invoice: "invoice", credit_note: "credit note", debit_note: "debit note" } as const

const words = {
  waiting: "waiting to be sent",
  sent: "waiting for the outcome",
  accepted: "accepted",
  rejected: "rejected, to be replaced by another",
  number_used: "number already used, retrying with the next",
  refused: "refused",
  unanswered: "no outcome in time, to be replaced by another"
} as const satisfies Readonly<Record<EnablementDocument["status"], string>>

const painted = (status: EnablementDocument["status"], { dim, green, red, yellow }: Paint): string => {
  if (status === "accepted") return green(words.accepted)
  if (status === "waiting" || status === "sent") return dim(words[status])
  return (status === "rejected" || status === "refused" ? red : yellow)(words[status])
}

const faultsOf = ({ authority_errors, message }: EnablementDocument): ReadonlyArray<string> =>
  authority_errors.length === 0
    ? message === null
      ? []
      : [message]
    : authority_errors.map(
        ({ hint, message: text, rule }) =>
          `${rule}: ${text.replace(/[.\s]+$/, "")}.${hint === null ? "" : ` What to do: ${hint}`}`
      )

/** Progress per kind, without kinds that the test set doesn't require: "invoices 12/30 · credit notes 0/10". */
const countsOf = ({ credit_notes, debit_notes, invoices }: Enablement): string =>
  [["invoices", invoices] as const, ["credit notes", credit_notes] as const, ["debit notes", debit_notes] as const]
    .filter(([, { wanted }]) => wanted > 0)
    .map(([noun, { accepted, wanted }]) => `${noun} ${accepted}/${wanted}`)
    .join(" · ")

const columns: ReadonlyArray<Column<EnablementDocument>> = [
  ["DOCUMENT", ({ full_number }) => full_number],
  ["KIND", ({ kind }) => nouns[kind]],
  ["OUTCOME", ({ status }, paint) => painted(status, paint)]
]

const isOpen = ({ status }: EnablementDocument) => status === "waiting" || status === "sent"

/** The request for the flags; undefined to show the newest test set only. */
const requestOf = Effect.fnUntraced(function* ({ creditNotes, debitNotes, invoices, testSet }: Given) {
  const numbers = [invoices, creditNotes, debitNotes]
  if (testSet === undefined) {
    if (numbers.every((number) => number === undefined)) return undefined
    return yield* new Misuse({
      message: "--test-set-id is missing: the id of the test set (TestSetId) in the authority's portal."
    })
  }
  if (invoices === undefined) {
    return yield* new Misuse({
      message: "--invoices is missing: the number of invoices that the test set requires, from the authority's portal.",
      hint: "Give --credit-notes and --debit-notes too; 0 if omitted."
    })
  }
  return { test_set_id: testSet, invoices, credit_notes: creditNotes ?? 0, debit_notes: debitNotes ?? 0 }
})

/**
 * Prints the changes since the last call: documents with an outcome, the number accepted, and the reason for waiting.
 */
const printChanges = Effect.fnUntraced(function* (seen: Map<string, string>, state: Enablement) {
  const { say } = yield* Output
  for (const document of state.documents.filter((one) => !isOpen(one))) {
    const { full_number, kind, status } = document
    if (seen.has(full_number)) continue
    seen.set(full_number, status)
    if (status === "accepted") continue
    yield* say((paint) => `${paint.bold(full_number)}  ${nouns[kind]} ${painted(status, paint)}`)
    for (const fault of faultsOf(document)) yield* say(({ yellow }) => `  ${yellow(shown(fault))}`)
  }
  const line = countsOf(state)
  const waits = state.waiting === null ? "" : state.waiting.message
  if (seen.get("counts") !== line) yield* say(({ dim }) => `${dim("accepted:")} ${line}`)
  if (waits !== "" && seen.get("waits") !== state.waiting?.code) yield* say(({ yellow }) => yellow(shown(waits)))
  seen.set("counts", line).set("waits", state.waiting?.code ?? "")
})

const conclude = Effect.fnUntraced(function* (state: Enablement) {
  const output = yield* Output
  const others = state.documents.filter((one) => one.status !== "accepted" && !isOpen(one))
  if (output.isJson) yield* output.one(state, () => [])
  else {
    if (others.length > 0) {
      yield* output.say(({ bold }) => bold("Not accepted:"))
      yield* output.rows(others, columns)
      for (const one of others) {
        for (const fault of faultsOf(one)) yield* output.say(({ dim }) => `${dim(one.full_number)} ${shown(fault)}`)
      }
    }
    if (state.status === "passed") {
      yield* output.one(state, ({ green }) => [`${green("Passed.")} ${shown(state.message)}`])
    }
  }
  if (state.status === "passed") return
  return yield* new Failed({
    message: `The test set ${state.test_set_id} failed: ${countsOf(state)} accepted.`,
    hint: state.failure?.message ?? state.message
  })
})

/** Starts or resumes a test set, and shows its progress until it passes or fails. */
export const pass = Effect.fnUntraced(function* (given: Given) {
  const api = yield* Api
  const output = yield* Output
  const { from, mode } = yield* Connection
  const request = yield* requestOf(given)
  if (mode !== "live") {
    return yield* new Misuse({
      message: "Enablement needs a LIVE key, sk_live_…, because it tests the documents of the live issuer.",
      hint: `The key comes from ${from}. Save a live key with folio login --url ….`
    })
  }
  const look = api.call("account", "retrieveEnablement", {}, { isOnce: true })
  // No retries for the first call: a service that does not respond to it is more likely absent than down for a moment.
  let state = request === undefined ? yield* look : yield* api.call("account", "startEnablement", { payload: request })
  if (state.status === "running") {
    yield* output.say(({ dim }) =>
      dim(
        `The test set ${state.test_set_id} is running. Ctrl-C ends the display, not the test set; folio enable shows it again.`
      )
    )
  }
  const seen = new Map<string, string>()
  yield* printChanges(seen, state)
  while (state.status === "running") {
    yield* Effect.sleep(pauseMs)
    state = yield* patiently(look)
    yield* printChanges(seen, state)
  }
  return yield* conclude(state)
})
