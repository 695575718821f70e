import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { invoiceStatuses } from "../../../schemas/Invoice.ts"
import {
  commands,
  eventOf,
  IllegalTransition,
  type InvoiceCommand,
  type InvoiceState,
  isOpen,
  isTerminal,
  sources,
  stageOf,
  states,
  statusOf,
  transition,
  transitions
} from "../../../src/invoices/rules/InvoiceLifecycle.ts"

/** The architecture's table, row by row. Every other pair is illegal. */
const legal: ReadonlyArray<readonly [from: InvoiceState, command: InvoiceCommand, to: InvoiceState]> = [
  ["queued", "Number", "numbered"],
  ["queued", "Cancel", "canceled"],
  ["queued", "Fail", "failed"],
  ["numbered", "Sign", "signed"],
  ["numbered", "Redate", "numbered"],
  ["numbered", "EnterContingency", "accepted_contingency"],
  ["numbered", "Fail", "failed"],
  ["signed", "Submit", "submitted"],
  ["submitted", "Return", "signed"],
  ["signed", "Redate", "numbered"],
  ["signed", "Fail", "failed"],
  ["signed", "EnterContingency", "accepted_contingency"],
  ["submitted", "Accept", "accepted_by_authority"],
  ["submitted", "Reject", "rejected_by_authority"],
  ["submitted", "Fail", "failed"],
  ["accepted_contingency", "Accept", "accepted_by_authority"],
  ["accepted_contingency", "Reject", "rejected_by_authority"],
  ["failed", "Retry", "queued"],
  ["rejected_by_authority", "Correct", "numbered"]
]

const after = (
  state: InvoiceState,
  command: InvoiceCommand,
  hasNumber: boolean,
  isIssued = false
): InvoiceState | null => Result.getOrElse(transition(state, command, { hasNumber, isIssued }), () => null)

describe("InvoiceLifecycle", () => {
  it("matches the architecture's table", () => {
    const rows = Object.entries(transitions).flatMap(([command, targets]) =>
      Object.entries(targets).map(([from, to]) => `${from} ${command} ${to}`)
    )
    assert.deepStrictEqual(rows.toSorted(), legal.map((row) => row.join(" ")).toSorted())
  })

  for (const state of states) {
    it.each(commands)(`${state}: %s`, (command) => {
      const target = legal.find((row) => row[0] === state && row[1] === command)?.[2] ?? null
      assert.strictEqual(after(state, command, false), target)
      assert.strictEqual(after(state, command, true), target === "queued" ? "numbered" : target)
      const issued =
        command === "Redate" || command === "EnterContingency" ? null : target === "queued" ? "signed" : target
      assert.strictEqual(after(state, command, true, true), issued)
    })
  }

  it("names the illegal command and the states in which it is possible", () => {
    const result = transition("numbered", "Cancel", { hasNumber: true, isIssued: false })
    const failure = Result.isFailure(result) ? result.failure : null
    assert.instanceOf(failure, IllegalTransition)
    assert.strictEqual(failure?.message, "Cancel is possible from queued, not from numbered.")
  })

  it("maps each state to one status, one stage, and whether there is work", () => {
    assert.deepStrictEqual(
      states.map((state) => [state, statusOf(state), stageOf(state), isOpen(state), isTerminal(state)]),
      [
        ["queued", "draft", "queued", true, false],
        ["numbered", "draft", "numbered", true, false],
        ["signed", "draft", "signed", true, false],
        ["submitted", "draft", "submitted", true, false],
        ["accepted_by_authority", "accepted_by_authority", "done", false, true],
        ["rejected_by_authority", "rejected_by_authority", "done", false, false],
        ["accepted_contingency", "accepted_contingency", "submitted", true, false],
        ["failed", "failed", "done", false, false],
        ["canceled", "canceled", "done", false, true]
      ]
    )
    assert.deepStrictEqual([...new Set(states.map(statusOf))].toSorted(), invoiceStatuses.toSorted())
  })

  it("has one outcome event for each command that ends in an outcome", () => {
    assert.deepStrictEqual(
      commands.map((command) => [command, eventOf(command)]),
      [
        ["Number", null],
        ["Redate", null],
        ["Sign", null],
        ["Submit", null],
        ["Return", null],
        ["Accept", "accepted_by_authority"],
        ["Reject", "rejected_by_authority"],
        ["EnterContingency", "accepted_contingency"],
        ["Fail", "failed"],
        ["Cancel", null],
        ["Retry", null],
        ["Correct", null]
      ]
    )
  })

  const state = Schema.Literals(states)
  const command = Schema.Literals(commands)

  it.prop("has the same sources as transitions", [state, command, Schema.Boolean], ([from, given, hasNumber]) => {
    assert.strictEqual(sources(given).includes(from), after(from, given, hasNumber) !== null)
  })

  it.prop(
    "emits an event exactly when the status becomes its name",
    [state, command, Schema.Boolean],
    ([from, given, hasNumber]) => {
      const to = after(from, given, hasNumber)
      if (to === null) return
      const outcome = eventOf(given)
      if (outcome === null) assert.isTrue(statusOf(to) === "draft" || to === "canceled")
      else assert.strictEqual(statusOf(to), outcome)
    }
  )

  it.prop("never loses a number, and never leaves a terminal state", [Schema.Array(command)], ([sequence]) => {
    let current: InvoiceState = "queued"
    let hasNumber = false
    for (const given of sequence) {
      const next = after(current, given, hasNumber)
      if (isTerminal(current)) assert.isNull(next)
      if (next === null) continue
      if (given === "Number") assert.isFalse(hasNumber)
      if (given === "Number") hasNumber = true
      current = next
      if (hasNumber) assert.isFalse(current === "queued" || current === "canceled")
      else assert.include(["queued", "failed", "canceled"], current)
    }
  })

  it("ends every path with an outcome, apart from retries, corrections, returns and new dates", () => {
    const walk = (path: ReadonlyArray<InvoiceState>, hasNumber: boolean): void => {
      const from = path.at(-1) ?? "queued"
      const onward = commands.filter(
        (given) => !["Retry", "Return", "Correct", "Redate"].includes(given) && after(from, given, hasNumber) !== null
      )
      if (onward.length === 0) assert.isFalse(isOpen(from))
      for (const given of onward) {
        const to = after(from, given, hasNumber) ?? from
        assert.notInclude(path, to)
        walk([...path, to], hasNumber || given === "Number")
      }
    }
    walk(["queued"], false)
    walk(["numbered"], true)
  })

  it.prop(
    "never signs, dates or enters contingency with an issued document, unless nothing left or it is corrected",
    [Schema.Array(command)],
    ([sequence]) => {
      let current: InvoiceState = "numbered"
      let issued = false
      for (const given of sequence) {
        const next = after(current, given, true, issued)
        if (next === null) continue
        if (issued) assert.notInclude(["Sign", "Redate", "EnterContingency"], given)
        issued =
          given !== "Correct" && given !== "Return" && (issued || given === "Submit" || given === "EnterContingency")
        current = next
      }
    }
  )

  it.prop("reaches an end from every state in which the service has work", [state], ([from]) => {
    const reachable = new Set<InvoiceState>([from])
    for (const at of reachable) for (const given of commands) reachable.add(after(at, given, true) ?? at)
    assert.isTrue([...reachable].some(isTerminal))
    assert.isTrue(!isOpen(from) || [...reachable].some((to) => !isOpen(to)))
  })
})
