import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Capability } from "../../../schemas/PortalSession.ts"
import type { PortalSessionWithUrl } from "../../client/Interface.ts"
import { Api } from "../Api.ts"
import { Connection } from "../Connection.ts"
import { find, invoices, kindOf } from "../documents/Kinds.ts"
import { Misuse } from "../Failures.ts"
import * as Flags from "../Flags.ts"
import { isId, objectOf } from "../Objects.ts"
import { Output } from "../Output.ts"
import { clock, secondsOf } from "../Times.ts"

const all: ReadonlyArray<Capability> = ["view", "deliver", "endpoints", "documents", "keys", "setup"]

/** The seconds that `--expires-in` says: `30m`, `8h`, `7d`, or a number of seconds. */
const lastingOf = Effect.fnUntraced(function* (text: string) {
  const [, count, unit = ""] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * (secondsOf[unit] ?? 1)
  return yield* new Misuse({
    message: `${JSON.stringify(text)} is no time that a session lasts.`,
    hint: "Write 30m, 8h or 7d; an hour if left out."
  })
})

/** The page about an object: that of its id, or of the document with a number. */
const pageOf = Effect.fnUntraced(function* (what: string) {
  if (!isId(what)) return `documents/${(yield* find(kindOf(what) ?? invoices, what)).id}`
  const page = objectOf(what)?.page
  if (page !== undefined) return `${page}/${what}`
  return yield* new Misuse({ message: `The portal has no page about ${what}.` })
})

const lines =
  ({ capabilities, expires_at }: PortalSessionWithUrl, url: string) =>
  ({ dim }: Output["Service"]["paint"]) => [
    url,
    dim("Works once, within 60 seconds."),
    dim(`The session lasts until ${clock(expires_at)}`),
    dim(`and may: ${capabilities.join(", ")}.`)
  ]

export const portal = Command.make(
  "portal",
  {
    what: Flags.argumentOrNone("what", "A document (FE12, inv_…) or another id, to begin on its page"),
    lasting: Flags.text("expires-in", "TIME", "How long the session lasts: 30m, 8h, 7d; 1h if left out"),
    capabilities: Flags.text(
      "capabilities",
      "LIST",
      `What it may do: ${all.join(",")}; all with a test key, view with a live one`
    )
  },
  Effect.fnUntraced(function* ({ capabilities, lasting = "1h", what }) {
    const api = yield* Api
    const { mode } = yield* Connection
    const output = yield* Output
    const expires_in = yield* lastingOf(lasting)
    const page = what === undefined ? undefined : yield* pageOf(what)
    const usual: ReadonlyArray<Capability> = mode === "test" ? all : ["view"]
    // The service refuses a word that it does not know, and names those that it does.
    const wanted = capabilities === undefined ? usual : (capabilities.split(",") as ReadonlyArray<Capability>)
    const session = yield* api.call("portalSessions", "createPortalSession", {
      payload: { expires_in, capabilities: wanted }
    })
    const url = page === undefined ? session.url : `${session.url}?to=${encodeURIComponent(page)}`
    yield* output.one({ ...session, url }, lines(session, url))
  })
).pipe(
  Flags.described(
    "Print a link that opens the portal in a browser",
    "folio portal",
    "folio portal FE12 --capabilities view,documents"
  )
)
