import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { InvoiceCreated, Validation } from "../../../../clients/typescript/Interface.ts"
import { Api } from "../../ApiRequests.ts"
import type { Kind } from "../../documents/Kinds.ts"
import { printOutcome } from "../../documents/Outcome.ts"
import { Failed } from "../../Failures.ts"
import { textOf } from "../../FileOutput.ts"
import * as Flags from "../../Flags.ts"
import { Output } from "../../Output.ts"

export const create = (kind: Kind) =>
  Command.make(
    "create",
    { file: Flags.file(`The ${kind.one}`), key: Flags.idempotencyKey, wait: Flags.wait },
    Effect.fnUntraced(function* (flags) {
      const api = yield* Api
      const output = yield* Output
      const body = yield* textOf(flags.file)
      const created = yield* api.json<InvoiceCreated>({ method: "POST", path: kind.path, body, key: flags.key })
      if (flags.wait) return yield* printOutcome(kind, created.id)
      yield* output.one(created, ({ bold, dim }) => [
        `${bold(created.id)} is now a draft.`,
        dim(`To see its outcome: folio ${kind.command} get ${created.id}`)
      ])
    })
  ).pipe(
    Flags.described(
      `Create ${kind.aOne}; Folio then numbers, signs and transmits it`,
      `folio ${kind.command} create -f order.json --wait`
    )
  )

export const validate = (kind: Kind) =>
  Command.make(
    "validate",
    { file: Flags.file(`The ${kind.one}`) },
    Effect.fnUntraced(function* (flags) {
      const api = yield* Api
      const output = yield* Output
      const body = yield* textOf(flags.file)
      const path = `${kind.path}/validate`
      const validation = yield* api.json<Validation>({ method: "POST", path, body, isRead: true })
      const { errors, valid, warnings = [] } = validation
      if (valid) {
        return yield* output.one(validation, ({ green, yellow }) => [
          green(`The ${kind.one} can be created.`),
          ...warnings.map(({ message, param }) => yellow(`${param}: ${message}`))
        ])
      }
      if (output.isJson) yield* output.one(validation, () => [])
      else {
        yield* output.rows(errors, [
          ["FIELD", ({ param }, { red }) => red(param)],
          ["CODE", ({ code }) => code],
          ["WHAT TO DO", ({ message }) => message]
        ])
      }
      const count = validation.has_more_errors === true ? `more than ${errors.length}` : String(errors.length)
      return yield* new Failed({ message: `The ${kind.one} breaks ${count} rule${errors.length === 1 ? "" : "s"}.` })
    })
  ).pipe(
    Flags.described(
      `Validate ${kind.aOne} without creating it; lists every violation`,
      `folio ${kind.command} validate -f order.json`
    )
  )
