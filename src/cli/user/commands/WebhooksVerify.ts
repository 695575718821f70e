import * as Clock from "effect/Clock"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { diagnose, type Diagnosis } from "../../../clients/typescript/Diagnosis.ts"
import { type Fault, faults } from "../../../clients/typescript/Faults.ts"
import { Failed, Misuse } from "../Failures.ts"
import { bytesOf } from "../FileOutput.ts"
import * as Flags from "../Flags.ts"
import { Output } from "../Output.ts"
import { timeOf } from "../Times.ts"

const named = { svc: "Svc-Signature", standard: "webhook-signature" } as const

/** Parses a header written `Name: value`, as in curl. */
const headerOf = Effect.fnUntraced(function* (text: string) {
  const [, name, value] = /^\s*([^\s:]+)\s*:(.*)$/su.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value.trim()] as const
  return yield* new Misuse({
    message: `--header ${JSON.stringify(text)} has no name: write 'Svc-Signature: t=…,v1=…'.`
  })
})

const sentence = (fault: Fault, { ageSeconds }: Diagnosis): string => {
  const off = Math.abs(ageSeconds ?? 0)
  if (fault === "too_old") return `The signature is right, but ${off} s old: more than 300 s.`
  if (fault === "in_the_future") return `The signature is right, but ${off} s in the future: more than 300 s.`
  return faults[fault][0]
}

const verify = Command.make(
  "verify",
  {
    secrets: Flag.String("secret").pipe(
      Flag.withMetavar("whsec_…"),
      Flag.withDescription("The endpoint's secret; may be repeated"),
      Flag.atLeast(1)
    ),
    headers: Flag.String("header").pipe(
      Flag.withAlias("H"),
      Flag.withMetavar("HEADER"),
      Flag.withDescription("A header as received: 'Svc-Signature: t=…'; may be repeated"),
      Flag.atLeast(0),
      Flag.withDefault<ReadonlyArray<string>>([])
    ),
    file: Flag.String("file").pipe(
      Flag.withAlias("f"),
      Flag.withMetavar("FILE"),
      Flag.withDescription("The body; if omitted, standard input"),
      Flag.withDefault("-")
    ),
    at: Flags.text("at", "TIME", "Verify as of this time, for example from a log line")
  },
  Effect.fnUntraced(function* (flags) {
    const output = yield* Output
    const headers = yield* Effect.forEach(flags.headers, headerOf)
    const now = new Date(flags.at === undefined ? yield* Clock.currentTimeMillis : yield* timeOf(flags.at))
    if (flags.file === "-" && process.stdin.isTTY) yield* output.say(() => "Type or paste the body, then press Ctrl-D.")
    const body = yield* bytesOf(flags.file)
    const diagnosis = yield* Effect.promise(() => diagnose({ body, headers, secrets: flags.secrets, now }))
    const found = diagnosis.faults.map((fault) => ({
      code: fault,
      message: sentence(fault, diagnosis),
      advice: faults[fault][1]
    }))
    const isValid = found.length === 0
    const which = diagnosis.secret === null || flags.secrets.length === 1 ? "" : `, with secret ${diagnosis.secret + 1}`
    const answer = {
      valid: isValid,
      faults: found,
      scheme: diagnosis.scheme === null ? null : named[diagnosis.scheme],
      secret: diagnosis.secret === null ? null : diagnosis.secret + 1,
      age_seconds: diagnosis.ageSeconds
    }
    yield* output.one(answer, ({ dim, green, red }) =>
      isValid
        ? [`${green("Valid")}: ${answer.scheme} is right${which}, and ${diagnosis.ageSeconds} s old.`]
        : [
            ...found.flatMap(({ advice, message }) => [red(message), `  ${advice}`]),
            ...(diagnosis.isSigned ? [dim(`With that fixed, ${answer.scheme} is right${which}.`)] : [])
          ]
    )
    if (!isValid)
      return yield* new Failed({ message: `The webhook is not genuine: ${found.map(({ code }) => code).join(", ")}.` })
  })
).pipe(
  Flags.described(
    "Verify a webhook's signature, and name its faults",
    "folio webhooks verify --secret whsec_… -H 'Svc-Signature: …' < body.json"
  )
)

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Verify a webhook's signature, and name its faults"),
  Command.withSubcommands([verify]),
  Command.withExamples([{ command: "folio webhooks verify --secret whsec_… -H 'Svc-Signature: …' < body.json" }])
)
