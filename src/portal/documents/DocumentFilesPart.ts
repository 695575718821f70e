import { Effect, Layer } from "effect"
import { qrCode } from "../../documents/print/QrCode.ts"
import { html } from "../../http/pages/Html.ts"
import { page } from "../frame/PortalRoutes.ts"
import { missing } from "../frame/Refusal.ts"
import type { Visit } from "../frame/Visit.ts"
import { named } from "./DocumentView.ts"

/** The file name for saving, from the API's response. Accepts only plain characters. */
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
      // The browser shows a PDF, embedded or alone, and saves an XML file.
      ...(kind === "pdf" ? { isEmbedded: true } : fileName === undefined ? {} : { fileName })
    }
  })

const margin = 2

const qr = Effect.fnUntraced(function* (visit: Visit) {
  const { document } = yield* named(visit)
  if (document.qr_url === null) {
    return yield* missing("This document has no QR code yet. Folio adds the QR code with the number.")
  }
  const { runs, width } = qrCode(document.qr_url)
  const side = String(width + 2 * margin)
  const path = runs.map(({ length, x, y }) => `M${x + margin} ${y + margin}h${length}v1h-${length}z`).join("")
  // Dark on light in every color scheme, because a camera could not read it otherwise.
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
