import { Schema } from "effect"
import { AcceptanceCode, acceptanceCodes } from "./Acceptance.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty, wholeNumber } from "./Limits.ts"

export const AuthorityMode = Schema.Literals(["up", "down", "slow", "flaky"]).annotate({
  identifier: "AuthorityMode",
  description:
    "How the simulated tax authority behaves. `up`: it answers at once. `down`: it does not answer. `slow`: it answers after 10 seconds. `flaky`: its first two answers about each document fail.",
  message: "must be one of up, down, slow, flaky"
})
export type AuthorityMode = typeof AuthorityMode.Type

const asked = (description: string) =>
  Schema.optionalKey(field(Schema.Literal(true).annotate({ message: "must be true" }), description))

const Rule = Schema.String.check(
  Schema.isPattern(/^(?:[A-Z]{2,6}\d{2,3}[a-z]?|90)$/u, { message: "must be the code of a rule, such as FAD06" })
)

const eventCode = AcceptanceCode.annotate({ message: `must be one of ${acceptanceCodes.join(", ")}` })
const Events = Schema.Array(eventCode).check(
  notEmpty("must name at least one event"),
  atMost(acceptanceCodes.length, `must name at most ${acceptanceCodes.length} events`)
)

const outcomes = {
  accept: asked("The authority accepts the document."),
  reject: Schema.optionalKey(
    field(
      Schema.Array(Rule).check(notEmpty("must name at least one rule"), atMost(10, "must name at most 10 rules")),
      "The authority rejects the document by these rules.",
      ["CBF03a"]
    )
  ),
  lose: asked("The authority judges the document, but its first answer is lost: Folio asks for the verdict."),
  contingency: asked(
    "The authority cannot be reached for the document until the document is issued in contingency, and accepts it afterwards."
  ),
  fail: asked(
    "The authority refuses the document without judging it, so that the document fails. After a retry the document is judged as if it had no script."
  )
}
const outcomeNames = Object.keys(outcomes)

export class AuthorityScript extends Schema.Opaque<AuthorityScript>()(
  Schema.Struct({
    ...outcomes,
    delay: Schema.optionalKey(
      field(
        wholeNumber(1, 60),
        "The authority answers after so many seconds, with the outcome that the script names, or else as usual.",
        30
      )
    ),
    events: Schema.optionalKey(
      field(
        Events,
        "What is registered on the invoice when it was accepted and is on credit terms (payment form 2), in this order: Folio asks for it within a day. A claim (031) has the reason 01.",
        ["030", "032", "033"]
      )
    )
  })
    .annotate({
      description:
        "What the simulated tax authority does with one document: one outcome, a `delay`, `events`, or several of them. An outcome replaces the one that the customer's identification stands for.",
      examples: [{ reject: ["CBF03a"] }, { accept: true, delay: 30 }, { accept: true, events: ["030", "032", "033"] }]
    })
    .check(
      Schema.isMinProperties(1, { message: `must hold one of ${outcomeNames.join(", ")}, delay, events` }),
      Schema.makeFilter(({ events, fail, reject }) => events === undefined || (fail ?? reject) === undefined, {
        message: "must not hold events of a document that is not accepted"
      }),
      Schema.makeFilter((script) => Object.keys(script).filter((name) => outcomeNames.includes(name)).length <= 1, {
        message: `must hold only one of ${outcomeNames.join(", ")}`
      })
    )
    .annotate({ identifier: "AuthorityScript" })
) {}

const next = Schema.Array(AuthorityScript).check(atMost(100, "must hold at most 100 scripts"))

export class AuthorityModeRequest extends Schema.Opaque<AuthorityModeRequest>()(
  Schema.Struct({
    mode: Schema.optionalKey(AuthorityMode.annotateKey({ examples: ["down"] })),
    next: Schema.optionalKey(
      field(
        next,
        "Scripts for the account's next documents: the first invoice or note that is created from now on takes the first one, and so on. A document that is corrected takes the next one again. They replace the earlier scripts that no document has taken yet; `[]` only removes those. While the mode is `down`, `slow` or `flaky`, the mode comes before a script.",
        [{ reject: ["CBF03a"] }, { delay: 30 }, { lose: true }, { contingency: true }, { fail: true }]
      )
    )
  })
    .annotate({
      description: "How the simulated tax authority behaves from now on. A member that is left out stays as it is.",
      examples: [{ mode: "down" }, { next: [{ reject: ["FAD06"] }] }]
    })
    .check(Schema.isMinProperties(1, { message: "must hold mode, next or both" }))
    .annotate({ identifier: "AuthorityModeRequest" })
) {}

export class SandboxAuthority extends Schema.Opaque<SandboxAuthority>()(
  Schema.Struct({
    object: Schema.Literal("sandbox_authority"),
    mode: AuthorityMode,
    next: field(Schema.Array(AuthorityScript), "The scripts that no document has taken yet, the next one first.", [])
  }).annotate({
    identifier: "SandboxAuthority",
    description: "How the simulated tax authority behaves for this account from now on.",
    examples: [{ object: "sandbox_authority", mode: "down", next: [] }]
  })
) {}

const secondsMax = 30 * 86_400

const Seconds = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: secondsMax }, { message: `must be a whole number from 1 to ${secondsMax}` })
)

export class AdvanceRequest extends Schema.Opaque<AdvanceRequest>()(
  Schema.Struct({
    seconds: field(Seconds, "The number of seconds: from 1 to 2592000, which is 30 days.", 300)
  }).annotate({
    identifier: "AdvanceRequest",
    description: "By how much to advance the clock of the test mode.",
    examples: [{ seconds: 300 }]
  })
) {}

export class ClockAdvance extends Schema.Opaque<ClockAdvance>()(
  Schema.Struct({ object: Schema.Literal("clock_advance"), seconds: Schema.Int }).annotate({
    identifier: "ClockAdvance",
    description: "By how many seconds the clock of the test mode was advanced.",
    examples: [{ object: "clock_advance", seconds: 300 }]
  })
) {}
