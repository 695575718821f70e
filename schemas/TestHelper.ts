import { Schema } from "effect"
import { field } from "./Field.ts"

export const AuthorityMode = Schema.Literals(["up", "down", "slow", "flaky"]).annotate({
  identifier: "AuthorityMode",
  description:
    "How the simulated tax authority behaves. `up`: it answers at once. `down`: it does not answer. `slow`: it answers after 10 seconds. `flaky`: its first two answers about each document fail.",
  message: "must be one of up, down, slow, flaky"
})
export type AuthorityMode = typeof AuthorityMode.Type

export class AuthorityModeRequest extends Schema.Opaque<AuthorityModeRequest>()(
  Schema.Struct({ mode: AuthorityMode.annotateKey({ examples: ["down"] }) }).annotate({
    identifier: "AuthorityModeRequest",
    description: "How the simulated tax authority behaves from now on.",
    examples: [{ mode: "down" }]
  })
) {}

export class SandboxAuthority extends Schema.Opaque<SandboxAuthority>()(
  Schema.Struct({ object: Schema.Literal("sandbox_authority"), mode: AuthorityMode }).annotate({
    identifier: "SandboxAuthority",
    description: "How the simulated tax authority behaves for this account from now on.",
    examples: [{ object: "sandbox_authority", mode: "down" }]
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
