import { Data, Result } from "effect"
import type { InvoiceStage, InvoiceStatus } from "../../schemas/Invoice.ts"

/** The states of a fiscal document, from creation on. Creation itself makes `queued`. */
export const states = [
  "queued",
  "numbered",
  "signed",
  "submitted",
  "accepted_by_authority",
  "rejected_by_authority",
  "accepted_contingency",
  "failed",
  "canceled"
] as const
export type InvoiceState = (typeof states)[number]

export const commands = [
  "Number",
  "Redate",
  "Sign",
  "Submit",
  "Accept",
  "Reject",
  "EnterContingency",
  "Fail",
  "Cancel",
  "Retry"
] as const
export type InvoiceCommand = (typeof commands)[number]

/** Each command's states of origin and where it leads from each. All else in this file derives from this table. */
export const transitions = {
  Number: { queued: "numbered" },
  Redate: { numbered: "numbered", signed: "numbered" },
  Sign: { numbered: "signed" },
  Submit: { signed: "submitted" },
  Accept: { submitted: "accepted_by_authority", accepted_contingency: "accepted_by_authority" },
  Reject: { submitted: "rejected_by_authority", accepted_contingency: "rejected_by_authority" },
  EnterContingency: {
    numbered: "accepted_contingency",
    signed: "accepted_contingency",
    submitted: "accepted_contingency"
  },
  Fail: { queued: "failed", numbered: "failed", signed: "failed", submitted: "failed" },
  Cancel: { queued: "canceled" },
  Retry: { failed: "queued" }
} as const satisfies Record<InvoiceCommand, Partial<Record<InvoiceState, InvoiceState>>>

const table: Record<InvoiceCommand, Partial<Record<InvoiceState, InvoiceState>>> = transitions

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
 * The state after a command. A document that has its number never goes back to where numbers are given: a number is never
 * given back and never given twice. One that is issued (its bytes may have left the house) is never signed or dated anew: it
 * goes back to where the same bytes are sent again.
 */
export const transition = (
  state: InvoiceState,
  command: InvoiceCommand,
  facts: { readonly hasNumber: boolean; readonly isIssued: boolean }
): Result.Result<InvoiceState, IllegalTransition> => {
  const target = table[command][state]
  if (target === undefined || (command === "Redate" && facts.isIssued)) {
    return Result.fail(new IllegalTransition({ state, command }))
  }
  if (target !== "queued" || !facts.hasNumber) return Result.succeed(target)
  return Result.succeed(facts.isIssued ? "signed" : "numbered")
}

/** The states from which a command is possible. */
export const sources = (command: InvoiceCommand): ReadonlyArray<InvoiceState> =>
  states.filter((state) => table[command][state] !== undefined)

/** What a client sees of a state: everything before an outcome is a draft. */
export const statusOf = (state: InvoiceState): InvoiceStatus => {
  switch (state) {
    case "queued":
    case "numbered":
    case "signed":
    case "submitted":
      return "draft"
    default:
      return state
  }
}

/** How far a document is. In contingency it is still with the authority: its verdict is to come. */
export const stageOf = (state: InvoiceState): InvoiceStage => {
  switch (state) {
    case "queued":
    case "numbered":
    case "signed":
    case "submitted":
      return state
    case "accepted_contingency":
      return "submitted"
    default:
      return "done"
  }
}

const outcomes = ["accepted_by_authority", "rejected_by_authority", "accepted_contingency", "failed"] as const
export type InvoiceOutcome = (typeof outcomes)[number]

/** The last part of the event a command emits (`invoice.` + outcome), or null. */
export const eventOf = (command: InvoiceCommand): InvoiceOutcome | null => {
  const targets = new Set(Object.values(table[command]))
  return outcomes.find((outcome) => targets.has(outcome)) ?? null
}

const askedForByClients: ReadonlyArray<InvoiceCommand> = ["Cancel", "Retry"]

/** Whether the service itself still has work to do. */
export const isOpen = (state: InvoiceState): boolean =>
  commands.some((command) => !askedForByClients.includes(command) && table[command][state] !== undefined)

/** Whether nothing can happen to the document any more. A failed one is neither open nor terminal: it can be retried. */
export const isTerminal = (state: InvoiceState): boolean =>
  commands.every((command) => table[command][state] === undefined)
