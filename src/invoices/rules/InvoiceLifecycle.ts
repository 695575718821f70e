import { Data, Result } from "effect"
import type { InvoiceStage, InvoiceStatus } from "../../../schemas/Invoice.ts"

const drafts = ["queued", "numbered", "signed", "submitted"] as const
const outcomes = ["accepted_by_authority", "rejected_by_authority", "accepted_contingency", "failed"] as const
export type InvoiceOutcome = (typeof outcomes)[number]

/** The states of a fiscal document. A new document is `queued`. */
export const states = [...drafts, ...outcomes, "canceled"] as const
export type InvoiceState = (typeof states)[number]

const ownCommands = [
  "Number",
  "Redate",
  "Sign",
  "Submit",
  "Return",
  "Accept",
  "Reject",
  "EnterContingency",
  "Fail"
] as const

/** The commands of Folio itself, and the commands of clients. */
export const commands = [...ownCommands, "Cancel", "Retry", "Correct"] as const
export type InvoiceCommand = (typeof commands)[number]

/**
 * For each command, the states that allow it and the state after each. The guards, the events and `isOpen` and
 * `isTerminal` in this file derive from this table.
 */
export const transitions = {
  Number: { queued: "numbered" },
  Redate: { numbered: "numbered", signed: "numbered" },
  Sign: { numbered: "signed" },
  Submit: { signed: "submitted" },
  Return: { submitted: "signed" },
  Accept: { submitted: "accepted_by_authority", accepted_contingency: "accepted_by_authority" },
  Reject: { submitted: "rejected_by_authority", accepted_contingency: "rejected_by_authority" },
  EnterContingency: { numbered: "accepted_contingency", signed: "accepted_contingency" },
  Fail: { queued: "failed", numbered: "failed", signed: "failed", submitted: "failed" },
  Cancel: { queued: "canceled" },
  Retry: { failed: "queued" },
  Correct: { rejected_by_authority: "numbered" }
} as const satisfies Record<InvoiceCommand, Partial<Record<InvoiceState, InvoiceState>>>

const table: Record<InvoiceCommand, Partial<Record<InvoiceState, InvoiceState>>> = transitions

/**
 * Whether a document's bytes may have left for the authority, or were issued to the buyer in contingency. From then on
 * the bytes never change, with two exceptions: Return undoes a submission that did not leave, and Correct writes a
 * rejected document again. After either, the document is not issued. The SQL function `is_issued` holds the same rule.
 */
export const isIssued = (row: {
  readonly submitted_at: Date | null
  readonly contingency_since: Date | null
}): boolean => row.submitted_at !== null || row.contingency_since !== null

/** A command that the document's state does not allow. */
export class IllegalTransition extends Data.TaggedError("IllegalTransition")<{
  readonly state: InvoiceState
  readonly command: InvoiceCommand
}> {
  override get message(): string {
    return `${this.command} is possible from ${sources(this.command).join(", ")}, not from ${this.state}.`
  }
}

/**
 * The state after a command; fails with `IllegalTransition` if the command is not possible. A document with a number
 * never returns to `queued`: a number is never given back and never given twice. A document with issued bytes
 * (`isIssued`) is never signed, dated or issued in contingency again: Retry returns it to `signed`, and the same bytes
 * are sent again. Only Return and Correct end this (`isIssued`).
 */
export const transition = (
  state: InvoiceState,
  command: InvoiceCommand,
  facts: { readonly hasNumber: boolean; readonly isIssued: boolean }
): Result.Result<InvoiceState, IllegalTransition> => {
  const target = table[command][state]
  const isForUnissued = command === "Redate" || command === "EnterContingency"
  if (target === undefined || (isForUnissued && facts.isIssued)) {
    return Result.fail(new IllegalTransition({ state, command }))
  }
  if (target !== "queued" || !facts.hasNumber) return Result.succeed(target)
  return Result.succeed(facts.isIssued ? "signed" : "numbered")
}

/** The states that allow a command. */
export const sources = (command: InvoiceCommand): ReadonlyArray<InvoiceState> =>
  states.filter((state) => table[command][state] !== undefined)

const isDraft = (state: InvoiceState): state is (typeof drafts)[number] => drafts.some((draft) => draft === state)

/** The status in the API for a state: `draft` for every state before an outcome. */
export const statusOf = (state: InvoiceState): InvoiceStatus => (isDraft(state) ? "draft" : state)

/**
 * The progress of a document in a state. In contingency it is `submitted`, because the authority's verdict is still
 * missing.
 */
export const stageOf = (state: InvoiceState): InvoiceStage => {
  if (isDraft(state)) return state
  return state === "accepted_contingency" ? "submitted" : "done"
}

/** The outcome at the end of the command's event type (`invoice.` + outcome); null if the command emits no event. */
export const eventOf = (command: InvoiceCommand): InvoiceOutcome | null => {
  const targets = new Set(Object.values(table[command]))
  return outcomes.find((outcome) => targets.has(outcome)) ?? null
}

/** Whether Folio itself still has work to do for a document in this state. */
export const isOpen = (state: InvoiceState): boolean =>
  ownCommands.some((command) => table[command][state] !== undefined)

/**
 * Whether no command is possible any more. A failed or rejected document is neither open nor terminal: a client can
 * retry a failed document and correct a rejected document.
 */
export const isTerminal = (state: InvoiceState): boolean =>
  commands.every((command) => table[command][state] === undefined)
