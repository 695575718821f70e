import { Schema } from "effect"
import type { HttpRouter } from "effect/http"
import { HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import type { CurrentPrincipal } from "./Authorization.ts"
import { Conventions } from "./Conventions.ts"
import { getIfChanged, params } from "./Endpoint.ts"
import { Errors } from "./ErrorApi.ts"

/**
 * Requires an API key or the query of a signed link. Fails with `invalid_api_key` if a request has neither, and with
 * `link_invalid` or `link_expired` for a bad link. A request with a link reads as the account in the link.
 */
export class FileAccess extends HttpApiMiddleware.Service<FileAccess, { provides: CurrentPrincipal }>()(
  "folio/api/FileAccess"
) {}

const part = (description: string, example: string) =>
  Schema.optionalKey(Schema.String.annotate({ description, examples: [example] }))

const link = {
  account: part("Part of a signed link: the id of the document's account.", "ten_01k9z3v8c2m4n6p8q0r2s4t6v8"),
  mode: part("Part of a signed link: the mode of the document, `test` or `live`.", "test"),
  expires: part("Part of a signed link: the time of expiry, in Unix seconds.", "1795276800"),
  signature: part(
    "Part of a signed link: the signature of the path and the other parameters.",
    "YmFzZTY0dXJsIG9mIGFuIEhNQUMtU0hBMjU2"
  )
}

/** The endpoint of a document's file, which returns bytes of the given media type. */
const file = <const Name extends string, const Path extends HttpRouter.PathInput>(
  name: Name,
  path: Path,
  contentType: string,
  summary: string,
  returns: string
) =>
  getIfChanged(name, path, {
    params,
    query: link,
    success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType })),
    summary,
    description: `${returns} Send an API key, or use the signed link in the object's \`pdf_url\` or \`xml_url\`. The link ignores tracking parameters: \`utm_…\`, \`_gl\`, \`_hsenc\`, \`_hsmi\`, \`dclid\`, \`fbclid\`, \`gbraid\`, \`gclid\`, \`gclsrc\`, \`igshid\`, \`li_fat_id\`, \`mc_cid\`, \`mc_eid\`, \`mkt_tok\`, \`msclkid\`, \`ttclid\`, \`twclid\`, \`wbraid\` and \`yclid\`. The response has an ETag. If you send \`If-None-Match\` and your copy is current, Folio returns 304.`,
    handling: { takesOwnTurns: true }
  })
    // No security scheme is an option, because a request with a signed link needs no key.
    .annotate(OpenApi.Override, { security: [{ apiKey: [] }, {}] })

/** The two files of a document type. `Name` is its part of an operation name, as in `retrieveInvoicePdf`. */
const files = <const Name extends string, const Path extends `/v1/${string}`>(
  name: Name,
  path: Path,
  article: "a" | "an",
  noun: string
) =>
  [
    file(
      `retrieve${name}Pdf` as const,
      `${path}/:id/pdf` as const,
      "application/pdf",
      `Download the ${noun} PDF`,
      `Returns the PDF of ${article} ${noun}. The PDF exists once the ${noun} is signed.`
    ),
    file(
      `retrieve${name}Xml` as const,
      `${path}/:id/xml` as const,
      "application/xml",
      `Download the ${noun} XML`,
      `Returns the signed XML of ${article} ${noun}, byte for byte as transmitted to the authority.`
    )
  ] as const

export class FilesApi extends HttpApiGroup.make("files")
  .add(
    ...files("Invoice", "/v1/invoices", "an", "invoice"),
    ...files("CreditNote", "/v1/credit-notes", "a", "credit note"),
    ...files("DebitNote", "/v1/debit-notes", "a", "debit note")
  )
  .middleware(Conventions)
  .middleware(FileAccess)
  .middleware(Errors)
  .annotateMerge(OpenApi.annotations({ title: "Files", description: "PDF and signed XML of documents." })) {}
