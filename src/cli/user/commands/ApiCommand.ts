import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { Api } from "../ApiRequests.ts"
import { textOf, writeOut } from "../FileOutput.ts"
import * as Flags from "../Flags.ts"

const methods = ["GET", "POST", "PATCH", "DELETE"] as const

/** The body from the command line: a text, `@file`, or `@-` for standard input. */
const bodyOf = (given: string) => (given.startsWith("@") ? textOf(given.slice(1)) : Effect.succeed(given))

export const api = Command.make(
  "api",
  {
    method: Argument.Literals("method", methods).pipe(Argument.withDescription(methods.join(", "))),
    path: Flags.argument("path", "Path, for example /v1/invoices?limit=1"),
    data: Flags.text("data", "JSON", "The body: JSON, @file, or @- for standard input").pipe(Flag.withAlias("d")),
    key: Flags.idempotencyKey
  },
  Effect.fnUntraced(function* ({ data, key, method, path }) {
    const service = yield* Api
    const body = data === undefined ? undefined : yield* bodyOf(data)
    const { bytes, header } = yield* service.send({
      method,
      path: path.startsWith("/") ? path : `/${path}`,
      body,
      key
    })
    const isText = /json|text|xml/.test(header("content-type") ?? "")
    yield* writeOut(bytes, { isText, isLine: isText })
  })
).pipe(
  Flags.described(
    "Send any request, and print the response unchanged",
    "folio api POST /v1/customers -d @customer.json"
  )
)
