import { Schema } from "effect"

/** How the simulated authority is: as it should be, away, or answering after 10 s, or each document at the third attempt. */
export const AuthorityMode = Schema.Literals(["up", "down", "slow", "flaky"]).annotate({
  identifier: "AuthorityMode",
  description:
    "How the simulated authority of this account is. `down`: it does not answer. `slow`: after 10 s. `flaky`: it fails twice on each document.",
  message: "must be one of up, down, slow, flaky"
})
export type AuthorityMode = typeof AuthorityMode.Type

export class AuthorityModeRequest extends Schema.Opaque<AuthorityModeRequest>()(
  Schema.Struct({ mode: AuthorityMode.annotateKey({ examples: ["down"] }) }).annotate({
    identifier: "AuthorityModeRequest",
    description: "How the simulated authority shall be from now on.",
    examples: [{ mode: "down" }]
  })
) {}

export class SandboxAuthority extends Schema.Opaque<SandboxAuthority>()(
  Schema.Struct({ object: Schema.Literal("sandbox_authority"), mode: AuthorityMode }).annotate({
    identifier: "SandboxAuthority",
    description: "The simulated authority of this account.",
    examples: [{ object: "sandbox_authority", mode: "down" }]
  })
) {}

const secondsMax = 30 * 86_400

const Seconds = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: secondsMax }, { message: `must be a whole number from 1 to ${secondsMax}` })
)

export class AdvanceRequest extends Schema.Opaque<AdvanceRequest>()(
  Schema.Struct({
    seconds: Seconds.annotateKey({ description: "1 second to 30 days.", examples: [300] })
  }).annotate({
    identifier: "AdvanceRequest",
    description: "By how much all that waits shall be due sooner.",
    examples: [{ seconds: 300 }]
  })
) {}

export class ClockAdvance extends Schema.Opaque<ClockAdvance>()(
  Schema.Struct({ object: Schema.Literal("clock_advance"), seconds: Schema.Int }).annotate({
    identifier: "ClockAdvance",
    description: "All that waited is due sooner by this.",
    examples: [{ object: "clock_advance", seconds: 300 }]
  })
) {}
