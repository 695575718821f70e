import { Schema } from "effect"
import { AcceptanceCode, acceptanceCodes } from "./Acceptance.ts"
import { field } from "./Field.ts"
import { atMost, notEmpty, wholeNumber } from "./Limits.ts"

export const AuthorityMode = Schema.Literals(["up", "down", "slow", "flaky"]).annotate({
  identifier: "AuthorityMode",
  description:
    "Mode of the simulated tax authority. `up`: responds immediately. `down`: does not respond. `slow`: responds after 10 seconds. `flaky`: the first two responses about each document are errors.",
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
  accept: asked("Outcome: the authority accepts the document."),
  reject: Schema.optionalKey(
    field(
      Schema.Array(Rule).check(notEmpty("must name at least one rule"), atMost(10, "must name at most 10 rules")),
      "Outcome: the authority rejects the document, and names these rules.",
      ["CBF03a"]
    )
  ),
  lose: asked(
    "Outcome: the authority validates the document, but its first response is lost, so that Folio queries the outcome."
  ),
  contingency: asked(
    "Outcome: the authority is unreachable for the document until Folio issues it in contingency, and accepts it afterwards."
  ),
  fail: asked(
    "Outcome: the authority refuses the document without validating it, so that the document fails. After a retry, the authority handles the document without a script."
  )
}
const outcomeNames = Object.keys(outcomes)

export class AuthorityScript extends Schema.Opaque<AuthorityScript>()(
  Schema.Struct({
    ...outcomes,
    delay: Schema.optionalKey(
      field(
        wholeNumber(1, 60),
        "Number of seconds before the authority responds, with the outcome of the script or its usual outcome.",
        30
      )
    ),
    events: Schema.optionalKey(
      field(
        Events,
        "Acceptance events to register on an accepted invoice on credit terms (payment type 2), in this order. Folio queries the events within a day. A claim (031) has reason 01.",
        ["030", "032", "033"]
      )
    )
  })
    .annotate({
      description:
        "A script for the simulated tax authority and one document: at most one outcome, a `delay`, `events`, or a combination. The outcome overrides the outcome of a test identification of the customer.",
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
        "Scripts for the account's next documents: the next invoice or note that you create takes the first script, and so on. A corrected document takes another script. The new scripts replace all scripts that no document has taken. `[]` removes all of them. The modes `down`, `slow` and `flaky` take precedence over scripts.",
        [{ reject: ["CBF03a"] }, { delay: 30 }, { lose: true }, { contingency: true }, { fail: true }]
      )
    )
  })
    .annotate({
      description: "New settings of the simulated tax authority. Omitted members stay the same.",
      examples: [{ mode: "down" }, { next: [{ reject: ["FAD06"] }] }]
    })
    .check(Schema.isMinProperties(1, { message: "must hold mode, next or both" }))
    .annotate({ identifier: "AuthorityModeRequest" })
) {}

export class SandboxAuthority extends Schema.Opaque<SandboxAuthority>()(
  Schema.Struct({
    object: Schema.Literal("sandbox_authority"),
    mode: AuthorityMode,
    next: field(Schema.Array(AuthorityScript), "Scripts that no document has taken yet, the next script first.", [])
  }).annotate({
    identifier: "SandboxAuthority",
    description: "The settings of this account's simulated tax authority.",
    examples: [{ object: "sandbox_authority", mode: "down", next: [] }]
  })
) {}

const secondsMax = 30 * 86_400

const Seconds = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: secondsMax }, { message: `must be a whole number from 1 to ${secondsMax}` })
)

export class AdvanceRequest extends Schema.Opaque<AdvanceRequest>()(
  Schema.Struct({
    seconds: field(Seconds, "Number of seconds by which to advance the test clock, from 1 to 2592000 (30 days).", 300)
  }).annotate({
    identifier: "AdvanceRequest",
    description: "The time by which to advance the test clock.",
    examples: [{ seconds: 300 }]
  })
) {}

export class ClockAdvance extends Schema.Opaque<ClockAdvance>()(
  Schema.Struct({ object: Schema.Literal("clock_advance"), seconds: Schema.Int }).annotate({
    identifier: "ClockAdvance",
    description: "The time by which the test clock was advanced, in seconds.",
    examples: [{ object: "clock_advance", seconds: 300 }]
  })
) {}
