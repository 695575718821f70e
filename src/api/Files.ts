import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import type { CurrentPrincipal } from "./Authorization.ts"
import { Conventions, OwnTurn, versionHeader } from "./Conventions.ts"
import { Errors } from "./Errors.ts"

/**
 * An API key, or the query of a signed link in its place. Fails with `invalid_api_key` where there is neither, with
 * `link_invalid` and `link_expired`. Who follows a link reads for the account that it was made for.
 */
export class FileAccess extends HttpApiMiddleware.Service<FileAccess, { provides: CurrentPrincipal }>()(
  "folio/api/FileAccess"
) {}

const part = (description: string, example: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, examples: [example] }))

/** A file of a document, as bytes of this media type. */
const file = <const Name extends string, const Path extends `/${string}`>(
  name: Name,
  path: Path,
  contentType: string
) =>
  HttpApiEndpoint.get(name, path, {
    headers: {
      ...versionHeader,
      "if-none-match": Schema.optionalKey(Schema.String.annotate({ description: "The ETag of a copy you have." }))
    },
    params: { id: Schema.String.annotate({ description: "The id of the object." }) },
    query: {
      account: part("Of a signed link: whose file it opens.", "ten_01k9z3v8c2m4n6p8q0r2s4t6v8"),
      mode: part("Of a signed link: `test` or `live`.", "test"),
      expires: part("Of a signed link: until when it is good, in Unix seconds.", "1795276800"),
      signature: part("Of a signed link: what shows that this service made it.", "YmFzZTY0dXJsIG9mIGFuIEhNQUMtU0hBMjU2")
    },
    success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType }))
  })
    .annotate(OwnTurn, true)
    // Either of the two: nothing is asked of who follows a link.
    .annotate(OpenApi.Override, { security: [{ apiKey: [] }, {}] })
    .annotate(
      OpenApi.Description,
      "With a key, or without one by the link that the object carries. It has an ETag, and with `If-None-Match` the answer may be 304, without a body."
    )

export class FilesApi extends HttpApiGroup.make("files")
  .add(
    file("retrieveInvoicePdf", "/v1/invoices/:id/pdf", "application/pdf").annotate(
      OpenApi.Summary,
      "The printed invoice, from when it is signed"
    )
  )
  .add(
    file("retrieveInvoiceXml", "/v1/invoices/:id/xml", "application/xml").annotate(
      OpenApi.Summary,
      "The signed invoice, byte for byte as the authority has it"
    )
  )
  .add(
    file("retrieveCreditNotePdf", "/v1/credit-notes/:id/pdf", "application/pdf").annotate(
      OpenApi.Summary,
      "The printed credit note, from when it is signed"
    )
  )
  .add(
    file("retrieveCreditNoteXml", "/v1/credit-notes/:id/xml", "application/xml").annotate(
      OpenApi.Summary,
      "The signed credit note, byte for byte as the authority has it"
    )
  )
  .add(
    file("retrieveDebitNotePdf", "/v1/debit-notes/:id/pdf", "application/pdf").annotate(
      OpenApi.Summary,
      "The printed debit note, from when it is signed"
    )
  )
  .add(
    file("retrieveDebitNoteXml", "/v1/debit-notes/:id/xml", "application/xml").annotate(
      OpenApi.Summary,
      "The signed debit note, byte for byte as the authority has it"
    )
  )
  .middleware(Conventions)
  .middleware(FileAccess)
  .middleware(Errors)
  .annotate(OpenApi.Title, "Files")
  .annotate(OpenApi.Description, "What a document looks like to people, and to the authority.") {}
