import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { latestEvent, eventsAfter } from "../EventStream.ts"
import { Failed } from "../Failures.ts"
import { Output } from "../Output.ts"
import { type Document, get, type Kind, nameOf } from "./Kinds.ts"
import { documentLines, faultsOf } from "./ShownDocument.ts"

/** Prints a document. Fails if the document is rejected or failed, so that a script stops. */
export const print = Effect.fnUntraced(function* (document: Document) {
  const output = yield* Output
  yield* output.one(document, documentLines(document))
  if (document.status !== "rejected_by_authority" && document.status !== "failed") return
  const happened = document.status === "failed" ? "failed" : "was rejected by the tax authority"
  const [fault] = faultsOf(document)
  return yield* new Failed({
    message: `${nameOf(document)} ${happened}.`,
    ...(fault === undefined ? {} : { hint: fault })
  })
})

/** Waits for the event with a draft's outcome, and prints the document. */
export const printOutcome = Effect.fnUntraced(function* (kind: Kind, id: string) {
  const output = yield* Output
  yield* output.say(({ dim }) => dim(`${id} is now a draft. Ctrl-C ends the wait; Folio still processes the document.`))
  const seen = yield* latestEvent()
  const waited = Effect.gen(function* () {
    const first = yield* get(kind, id)
    if (first.status !== "draft") return first
    // The events after `seen` include every event since the document was a draft.
    const outcome = yield* eventsAfter(seen, { object_id: id }).pipe(
      Stream.mapEffect(() => get(kind, id)),
      Stream.filter(({ status }) => status !== "draft"),
      Stream.runHead
    )
    return Option.getOrElse(outcome, () => first)
  })
  yield* print(yield* output.during("waiting for the outcome")(waited))
})
