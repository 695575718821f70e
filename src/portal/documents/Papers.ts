import { Effect, Layer } from "effect"
import { qrCode } from "../../documents/print/QrCode.ts"
import { html } from "../../http/pages/Html.ts"
import { page } from "../frame/Routes.ts"
import { missing } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { named } from "./Shown.ts"

/** The name under which a browser saves a file: that of the API's answer, of which only plain characters are left. */
const nameOf = (headers: Headers): string | undefined =>
  /filename="([\w.-]+)"/.exec(headers.get("content-disposition") ?? "")?.[1]

const paper = (kind: "pdf" | "xml") =>
  Effect.fnUntraced(function* (visit: Visit) {
    const { path } = yield* named(visit)
    const { body, headers } = yield* visit.file(`${path}/${kind}`)
    const fileName = nameOf(headers)
    return {
      contentType: `application/${kind}`,
      body,
      // A PDF is shown, in the page or by itself; an XML is saved.
      ...(kind === "pdf" ? { isEmbedded: true } : fileName === undefined ? {} : { fileName })
    }
  })

const margin = 2

const qr = Effect.fnUntraced(function* (visit: Visit) {
  const { document } = yield* named(visit)
  if (document.qr_url === null) {
    return yield* missing("This document has no QR code yet: it has one from when it is numbered.")
  }
  const { runs, width } = qrCode(document.qr_url)
  const side = String(width + 2 * margin)
  const path = runs.map(({ length, x, y }) => `M${x + margin} ${y + margin}h${length}v1h-${length}z`).join("")
  // Dark on light whatever the colours of the page are, or a camera would not read it.
  const { markup } = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    viewBox="0 0 ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <path fill="#fff" d="M0 0h${side}v${side}h-${side}z" />
    <path d="${path}" />
  </svg>`
  return { contentType: "image/svg+xml", body: markup }
})

/** The files of a document. */
export const layer = Layer.mergeAll(
  page("/portal/documents/:id/pdf", paper("pdf")),
  page("/portal/documents/:id/xml", paper("xml")),
  page("/portal/documents/:id/qr.svg", qr)
)
