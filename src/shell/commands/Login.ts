import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { urlOf } from "../../client/Addresses.ts"
import { bytesOf, parsed } from "../../client/ResponseBody.ts"
import { isBaseUrl, modeOf, writeProfile } from "../Connection.ts"
import { Failed, Misuse, Unreachable } from "../Failures.ts"
import { textOf } from "../Files.ts"
import { Output } from "../Output.ts"
import { shown } from "../Table.ts"
import * as Flags from "../Flags.ts"

/** The key: asked for at a terminal, else the first line of standard input. */
const askedKey = Effect.gen(function* () {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt) return (yield* textOf("-")).split("\n")[0]?.trim() ?? ""
  const typed = yield* Prompt.run(Prompt.Password({ message: "API key (sk_test_… or sk_live_…)" }))
  return Redacted.value(typed).trim()
})

const accountName = (url: string, key: string) =>
  Effect.tryPromise({
    try: async (signal) => {
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(urlOf(url, "/v1/account", {}), { headers, signal, redirect: "manual" })
      return { status: response.status, body: parsed(await bytesOf(response)) }
    },
    catch: () =>
      new Unreachable({ message: `Nothing that is Folio answers at ${url}.`, hint: "Is the service running there?" })
  }).pipe(
    Effect.flatMap(({ body, status }): Effect.Effect<string, Failed | Unreachable> => {
      if (status === 401) return Effect.fail(new Failed({ message: `The service at ${url} does not know this key.` }))
      const isAccount = typeof body === "object" && body !== null && "name" in body && typeof body.name === "string"
      return status === 200 && isAccount
        ? Effect.succeed(String(body.name))
        : Effect.fail(new Unreachable({ message: `The response from ${url} is not Folio's: status ${status}.` }))
    })
  )

export const login = Command.make(
  "login",
  {
    url: Flag.String("url").pipe(Flag.withDescription("The base URL of the service, https://…"))
  },
  Effect.fnUntraced(function* (flags) {
    const output = yield* Output
    const url = flags.url.replace(/\/$/, "")
    if (!isBaseUrl(url)) {
      return yield* new Misuse({
        message: `--url must be an address such as https://folio.example.com, without a user or a password.`
      })
    }
    const key = yield* askedKey
    const mode = modeOf(key)
    if (mode === undefined) return yield* new Misuse({ message: "An API key begins with sk_test_ or sk_live_." })
    const account = yield* accountName(url, key)
    const path = yield* writeProfile({ url, api_key: key })
    yield* output.one({ url, account, mode, profile: path }, ({ green }) => [
      `${green("Logged in")} to ${shown(account)} at ${url}, with a ${mode === "live" ? "LIVE" : "test"} key. Kept in ${path}`
    ])
  })
).pipe(
  Flags.described(
    "Keep the address of a service and an API key; asks for it",
    "folio login --url https://folio.example.com"
  )
)
