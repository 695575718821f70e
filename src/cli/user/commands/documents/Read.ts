import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type { TimelinePage } from "../../../../clients/typescript/Interface.ts"
import { Api } from "../../ApiRequests.ts"
import { find, idOf, type Kind, nameOf, pathOf } from "../../documents/Kinds.ts"
import { documentColumns, documentLines, timelineColumns } from "../../documents/ShownDocument.ts"
import { write, writeOut } from "../../FileOutput.ts"
import * as Flags from "../../Flags.ts"
import { Output } from "../../Output.ts"
import { timeOf } from "../../Times.ts"

/** The argument that names a document. */
export const document = ({ idPrefix }: Kind) =>
  Flags.argument("document", `Full number, for example FE12, or id, ${idPrefix}…`)

const statuses = [
  "draft",
  "accepted_by_authority",
  "rejected_by_authority",
  "accepted_contingency",
  "failed",
  "canceled"
] as const

export const list = (kind: Kind) =>
  Command.make(
    "list",
    {
      status: Flags.choice("status", statuses, "Only with this status"),
      owner: Flags.text(kind.owner.flag, kind.owner.metavar, `Only of this ${kind.owner.flag}`),
      externalId: Flags.text("external-id", "ID", "Only with this external id: your own reference"),
      since: Flags.since,
      ...Flags.amount
    },
    Effect.fnUntraced(function* (flags) {
      const since = flags.since === undefined ? undefined : yield* timeOf(flags.since)
      const query = {
        limit: Flags.pageOf(flags),
        status: flags.status,
        external_id: flags.externalId,
        [kind.owner.query]: flags.owner,
        "created[gte]": since
      }
      const found = Flags.asked(flags)(kind.list(yield* Api, query))
      yield* (yield* Output).list(found, documentColumns, `No ${kind.one} matches.`)
    })
  ).pipe(
    Flags.described(
      `List ${kind.one}s, newest first`,
      `folio ${kind.command} list --status rejected_by_authority --since 7d`
    )
  )

export const get = (kind: Kind) =>
  Command.make(
    "get",
    { document: document(kind) },
    Effect.fnUntraced(function* (flags) {
      const found = yield* find(kind, flags.document)
      yield* (yield* Output).one(found, documentLines(found))
    })
  ).pipe(Flags.described(`Show ${kind.aOne} and its errors`, `folio ${kind.command} get ${kind.sample}`))

export const timeline = (kind: Kind) =>
  Command.make(
    "timeline",
    { document: document(kind) },
    Effect.fnUntraced(function* (flags) {
      const path = pathOf(kind, yield* idOf(kind, flags.document), "/timeline")
      const { data } = yield* (yield* Api).json<TimelinePage>({ method: "GET", path })
      yield* (yield* Output).rows(data, timelineColumns)
    })
  ).pipe(
    Flags.described(
      `List the timeline of ${kind.aOne}: steps, emails, events, deliveries`,
      `folio ${kind.command} timeline ${kind.sample}`
    )
  )

/** A file name for a document, without characters of the service's text that could change the path. */
const fileOf = (name: string, form: string) => `${name.replaceAll(/[^\w-]/g, "_")}.${form}`

export const file = (kind: Kind, form: "pdf" | "xml") =>
  Command.make(
    form,
    {
      document: document(kind),
      output: Flags.text("output", "FILE", "Output file; - is standard output").pipe(Flag.withAlias("o"))
    },
    Effect.fnUntraced(function* (flags) {
      const api = yield* Api
      const output = yield* Output
      const found = yield* find(kind, flags.document)
      const { bytes } = yield* output.during(`fetching the ${form.toUpperCase()}`)(
        api.send({ method: "GET", path: pathOf(kind, found.id, `/${form}`) })
      )
      if (flags.output === "-") return yield* writeOut(bytes, { isText: form === "xml" })
      const name = flags.output ?? fileOf(nameOf(found), form)
      yield* write(name, bytes, { isNew: flags.output === undefined })
      yield* output.one({ file: name, bytes: bytes.length, id: found.id }, ({ bold }) => [
        `${bold(name)}  ${Math.ceil(bytes.length / 1024)} KiB`
      ])
    })
  ).pipe(
    Flags.described(
      form === "pdf"
        ? `Download the PDF of ${kind.aOne}, named after its number`
        : `Download the signed XML of ${kind.aOne}, named after its number`,
      `folio ${kind.command} ${form} ${kind.sample} -o ${form === "pdf" ? "copy.pdf" : "-"}`
    )
  )
