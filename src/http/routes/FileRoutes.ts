import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { DocumentKind } from "../../../schemas/FiscalDocument.ts"
import { Api } from "../../api/Api.ts"
import { CurrentPrincipal } from "../../api/Authorization.ts"
import { DocumentFiles } from "../../invoices/DocumentFiles.ts"
import { network } from "../limits/RateLimit.ts"
import { holds } from "../request/Accept.ts"
import { portInTime } from "../../runtime/PortCall.ts"

interface Asked {
  readonly params: { readonly id: string }
  readonly headers: { readonly "if-none-match"?: string }
}

/** A browser shows a PDF and saves an XML. */
const disposition = { pdf: "inline", xml: "attachment" }

/** File name for the browser: the document's number, without characters of paths and quotes. */
const fileName = (full_number: string, file: keyof typeof disposition) =>
  `${full_number.replaceAll(/[^A-Za-z0-9-]/g, "_")}.${file}`

export const layer = HttpApiBuilder.group(
  Api,
  "files",
  Effect.fn(function* (handlers) {
    const files = yield* DocumentFiles
    const answer = (kind: DocumentKind, file: keyof typeof disposition) =>
      Effect.fn("retrieveFile")(function* ({ headers, params }: Asked) {
        const { account_id, api_key_id, livemode } = yield* CurrentPrincipal
        const { headers: sent } = yield* HttpServerRequest.HttpServerRequest
        // A request without an API key follows a signed link, so the client's network takes the turn instead of the
        // key.
        const asker = sent["authorization"] === undefined ? yield* network : api_key_id
        const { bytes, full_number, tag } = yield* portInTime(
          files[file]({ account_id, livemode, kind, id: params.id }, asker)
        )
        const etag = `"${tag}"`
        const cache = { ETag: etag, "Cache-Control": "private, no-cache" }
        if (holds(headers["if-none-match"], etag)) return HttpServerResponse.empty({ status: 304, headers: cache })
        return HttpServerResponse.uint8Array(yield* portInTime(bytes), {
          contentType: `application/${file}`,
          headers: {
            ...cache,
            "Content-Disposition": `${disposition[file]}; filename="${fileName(full_number, file)}"`
          }
        })
      })
    return handlers.handleAll({
      retrieveInvoicePdf: answer("invoice", "pdf"),
      retrieveInvoiceXml: answer("invoice", "xml"),
      retrieveCreditNotePdf: answer("credit_note", "pdf"),
      retrieveCreditNoteXml: answer("credit_note", "xml"),
      retrieveDebitNotePdf: answer("debit_note", "pdf"),
      retrieveDebitNoteXml: answer("debit_note", "xml")
    })
  })
)
