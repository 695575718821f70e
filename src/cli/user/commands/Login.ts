import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Prompt from "effect/cli/Prompt"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { urlOf } from "../../../clients/typescript/Addresses.ts"
import { isObject, parsed } from "../../../clients/typescript/ResponseBody.ts"
import { errorIn, send } from "../../../clients/typescript/Send.ts"
import { accountHint, actingHeaders, isBaseUrl, modeOf, writeProfile } from "../Connection.ts"
import { Failed, Misuse, Unreachable } from "../Failures.ts"
import { textOf } from "../FileOutput.ts"
import { Output } from "../Output.ts"
import { shown } from "../Table.ts"
import * as Flags from "../Flags.ts"

/** The key: from a prompt at a terminal, else from the first line of standard input. */
const askedKey = Effect.gen(function* () {
  const { canPrompt } = yield* TerminalCapabilities.TerminalCapabilities
  if (!canPrompt) return (yield* textOf("-")).split("\n")[0]?.trim() ?? ""
  const typed = yield* Prompt.run(Prompt.Password({ message: "API key (sk_test_… or sk_live_…)" }))
  return Redacted.value(typed).trim()
})

const accountName = Effect.fnUntraced(function* (url: string, key: string) {
  const request = { method: "GET", url: urlOf(url, "/v1/account", {}), apiKey: key, headers: yield* actingHeaders }
  const { received } = yield* Effect.promise((signal) => send(request, { signal, waits: [] }))
  if (received === undefined) {
    const message = `No Folio service responds at ${url}.`
    return yield* new Unreachable({ message, hint: "Is the service running there?" })
  }
  const { bytes, status } = received
  if (status === 401) return yield* new Failed({ message: `The service at ${url} rejects this key.` })
  if (errorIn(received)?.error.code === "account_required") {
    return yield* new Failed({ message: "This key belongs to a platform.", hint: accountHint })
  }
  const body = parsed(bytes)
  if (status === 200 && isObject(body) && "name" in body && typeof body.name === "string") return body.name
  return yield* new Unreachable({ message: `The response from ${url} is not Folio's: status ${status}.` })
})

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
        message: `--url must be a URL such as https://folio.example.com, without a user or a password.`
      })
    }
    const key = yield* askedKey
    const mode = modeOf(key)
    if (mode === undefined) return yield* new Misuse({ message: "An API key begins with sk_test_ or sk_live_." })
    const account = yield* accountName(url, key)
    const path = yield* writeProfile({ url, api_key: key })
    yield* output.one({ url, account, mode, profile: path }, ({ green }) => [
      `${green("Logged in")} to ${shown(account)} at ${url}, with a ${mode === "live" ? "LIVE" : "test"} key. Saved in ${path}`
    ])
  })
).pipe(
  Flags.described(
    "Save a service's URL and an API key; prompts for the key",
    "folio login --url https://folio.example.com"
  )
)
