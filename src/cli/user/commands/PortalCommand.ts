import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Capability } from "../../../../schemas/PortalSession.ts"
import type { PortalSessionWithUrl } from "../../../clients/typescript/Interface.ts"
import { Api } from "../ApiRequests.ts"
import { Connection } from "../Connection.ts"
import { find, invoices, kindOf } from "../documents/Kinds.ts"
import { Misuse } from "../Failures.ts"
import * as Flags from "../Flags.ts"
import { isId, objectOf } from "../Objects.ts"
import { Output } from "../Output.ts"
import { clock, secondsOf } from "../Times.ts"

const all: ReadonlyArray<Capability> = ["view", "deliver", "endpoints", "documents", "keys", "setup"]

/** Parses `--expires-in` to seconds: `30m`, `8h`, `7d`, or a number of seconds. */
const lastingOf = Effect.fnUntraced(function* (text: string) {
  const [, count, unit = ""] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
  if (count !== undefined) return Number(count) * (secondsOf[unit] ?? 1)
  return yield* new Misuse({
    message: `--expires-in ${JSON.stringify(text)} is not a duration.`,
    hint: "Write 30m, 8h or 7d; if omitted, 1h."
  })
})

/** The portal page of an id, or of the document with a full number. */
const pageOf = Effect.fnUntraced(function* (what: string) {
  if (!isId(what)) return `documents/${(yield* find(kindOf(what) ?? invoices, what)).id}`
  const page = objectOf(what)?.page
  if (page !== undefined) return `${page}/${what}`
  return yield* new Misuse({ message: `The portal has no page for ${what}.` })
})

const lines =
  ({ capabilities, expires_at }: PortalSessionWithUrl, url: string) =>
  ({ dim }: Output["Service"]["paint"]) => [
    url,
    dim("The link works once, within 60 seconds."),
    dim(`The session lasts until ${clock(expires_at)}.`),
    dim(`Capabilities: ${capabilities.join(", ")}.`)
  ]

export const portal = Command.make(
  "portal",
  {
    what: Flags.argumentOrNone("what", "Document (FE12, inv_…) or other id: the page to open"),
    lasting: Flags.text("expires-in", "TIME", "Duration of the session: 30m, 8h, 7d; 1h if omitted"),
    capabilities: Flags.text(
      "capabilities",
      "LIST",
      `Capabilities: ${all.join(",")}; all with a test key, view with a live key`
    )
  },
  Effect.fnUntraced(function* ({ capabilities, lasting = "1h", what }) {
    const api = yield* Api
    const { mode } = yield* Connection
    const output = yield* Output
    const expires_in = yield* lastingOf(lasting)
    const page = what === undefined ? undefined : yield* pageOf(what)
    const usual: ReadonlyArray<Capability> = mode === "test" ? all : ["view"]
    // Not checked here: the service's error lists the valid capabilities.
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
