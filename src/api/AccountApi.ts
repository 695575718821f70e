import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { LogoMediaType, pictureBytesMax } from "../../schemas/Logo.ts"
import { Account, AccountUpdate } from "../../schemas/Account.ts"
import { CertificateRequest } from "../../schemas/Certificate.ts"
import { Enablement, EnablementRequest } from "../../schemas/Enablement.ts"
import { SoftwareRequest } from "../../schemas/Software.ts"
import { get, getIfChanged, group, insteadOfPatch, patch, post, put, remove } from "./Endpoint.ts"

const path = "/v1/account"
const logo = `${path}/logo` as const
const enablement = `${path}/enablement` as const
const software = `${path}/software` as const
const pngBody = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/png" }))
const jpegBody = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "image/jpeg" }))
const update = { payload: AccountUpdate, success: Account }

export class AccountApi extends group(
  "account",
  "Account",
  "The business account that issues documents.",
  get("retrieveAccount", path, {
    success: Account,
    summary: "Retrieve the account",
    description:
      "Returns the account of the API key in the mode of that key: the issuer, the default version and the certificate. Use this request to check that a key works. `live` lists the remaining steps before the account can issue live documents, for keys of both modes."
  }),
  patch("updateAccount", path, {
    ...update,
    summary: "Update the account",
    description:
      "Changes the fields in the body and keeps all other fields. The change applies only to the mode of the API key. A changed issuer applies to documents that are numbered later; numbered documents keep their issuer. When you first send the issuer in live mode, send all its required fields. You can change the issuer of a mode 100 times within 24 hours. Folio rejects more changes with 429."
  }),
  post("updateAccountByPost", path, {
    ...update,
    summary: "Update the account (POST)",
    description: insteadOfPatch
  }),
  post("uploadCertificate", `${path}/certificate`, {
    payload: CertificateRequest,
    success: Account,
    summary: "Upload the signing certificate",
    description:
      "Uploads the certificate that signs the account's live documents. Requires a live key. Folio signs all later live documents with this certificate. Folio stores the private key encrypted and never shows it again."
  }),
  post("startEnablement", enablement, {
    payload: EnablementRequest,
    success: Enablement,
    summary: "Start the test set (habilitación)",
    description:
      "Starts a test set of the tax authority, which every issuer must pass before it issues live documents. Requires a live key. Folio creates the documents from the test range and signs them with the certificate and the software of the account. Folio then sends them to the authority's enablement environment and queries the outcomes. Folio replaces each document that the authority rejects or never responds to. Folio uses no number of the account's own ranges and sends no email. GET returns the progress. If you repeat the request while the test set runs or after it has passed, Folio returns the progress. If you repeat it after the test set has failed, Folio continues with the missing documents.",
    handling: { checkedAs: "enablement" }
  }),
  get("retrieveEnablement", enablement, {
    success: Enablement,
    summary: "Retrieve the test set",
    description:
      "Returns the latest test set with each document, its outcome, and the broken rules with hints. Returns 404 before the first test set."
  }),
  put("putSoftware", software, {
    payload: SoftwareRequest,
    success: Account,
    summary: "Set your software",
    description:
      "Sets the software that the account has registered with the authority. Requires a live key. Live documents that are numbered later name it instead of Folio's software; numbered documents keep their software. Folio stores the PIN encrypted and never shows it again. You can set the software before the issuer. You can change the issuer and the software 100 times within 24 hours."
  }),
  remove("deleteSoftware", software, {
    success: Account,
    summary: "Delete your software",
    description:
      "Deletes the account's own software. Requires a live key. Live documents that are numbered later name Folio's software. The request has no effect if the account has no software of its own."
  }),
  put("putLogo", logo, {
    payload: [pngBody, jpegBody],
    success: Account,
    summary: "Set the logo",
    description:
      "Sets the logo of the printed documents. Send the bytes of a PNG or JPEG as the body, with `Content-Type: image/png` or `image/jpeg`. Folio detects the format from the bytes. The maximum is 200 kB, 10,000 pixels per side and 1,000,000 pixels in total. The picture must be neither animated nor interlaced. Documents that are numbered later show the logo; numbered documents keep their logo.",
    handling: {
      file: {
        mediaTypes: LogoMediaType.literals,
        bytesMax: pictureBytesMax,
        what: "a PNG or JPEG of at most 200 kB"
      }
    }
  }),
  getIfChanged("retrieveLogo", logo, {
    success: [pngBody, jpegBody],
    summary: "Download the logo",
    description:
      "Returns the bytes of the PNG or JPEG that you sent. The response has an ETag. If you send `If-None-Match` and your copy is current, Folio returns 304. Returns 404 without a logo."
  }),
  remove("deleteLogo", logo, {
    success: Account,
    summary: "Delete the logo",
    description:
      "Deletes the logo. Documents that are numbered later have no logo. The request has no effect if the account has no logo."
  })
) {}
