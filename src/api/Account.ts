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
    summary: "Retrieve the account of the API key; also a way to check that a key works",
    description:
      "Answers with the account that the API key belongs to, in the mode of that key: its issuer, its default version and its certificate. `live` says, for keys of both modes, what is left to do before live documents can be issued."
  }),
  patch("updateAccount", path, {
    ...update,
    summary: "Change the account and the issuer of documents that are numbered from now on",
    description:
      "The fields in the body are changed in the mode of the API key, and all other fields stay: a test key changes nothing in live mode. Documents that have their number keep the issuer as it was. The first issuer of the live mode is sent with all of its fields. The issuer of a mode may be changed 100 times within 24 hours; more changes are refused with 429."
  }),
  post("updateAccountByPost", path, {
    ...update,
    summary: "Change the account: the same as PATCH",
    description: insteadOfPatch
  }),
  post("uploadCertificate", `${path}/certificate`, {
    payload: CertificateRequest,
    success: Account,
    summary: "Upload the certificate that signs the live documents of the account",
    description:
      "Only with a live key. The private key in the file is stored encrypted and never shown again. Live documents that are signed from now on are signed with this certificate."
  }),
  post("startEnablement", enablement, {
    payload: EnablementRequest,
    success: Enablement,
    summary: "Pass the test set of the tax authority that every issuer passes before it issues (habilitación)",
    description:
      "Only with a live key. Folio makes the documents from the test range, signs them with the certificate and the software of the account, sends them to the authority's environment for enablement and asks for their verdicts; GET shows how it stands. Documents that the authority rejects, or never answers, are replaced. No number of the account's own ranges is used, and nothing is mailed. The same request while the test set runs, or after it was passed, answers with how it stands; after it failed, the test set goes on with what is missing.",
    handling: { checkedAs: "enablement" }
  }),
  get("retrieveEnablement", enablement, {
    success: Enablement,
    summary: "See how far the test set of the tax authority is",
    description:
      "The test set that was asked for last, with each document, its verdict, and the rules it broke with hints. 404 before the first one."
  }),
  put("putSoftware", software, {
    payload: SoftwareRequest,
    success: Account,
    summary: "Set the software that the account has registered with the authority",
    description:
      "Only with a live key. Live documents that are numbered from now on name this software in place of the one of the service; those before keep what they had. The PIN is stored encrypted and never shown again. May be sent before the issuer. Issuer and software may be changed 100 times within 24 hours."
  }),
  remove("deleteSoftware", software, {
    success: Account,
    summary: "Go back to the software of the service",
    description:
      "Only with a live key. Live documents that are numbered from now on name the software of the service. The same when the account had none of its own."
  }),
  put("putLogo", logo, {
    payload: [pngBody, jpegBody],
    success: Account,
    summary: "Set the logo of the printed documents",
    description:
      "Send the bytes of a PNG or JPEG as the body, with `Content-Type: image/png` or `image/jpeg`; the bytes themselves say which: at most 200 kB, 10,000 pixels a side and 1,000,000 pixels in all, neither animated nor interlaced. Documents that are numbered from now on are printed with the picture; those before keep what they had.",
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
      "The bytes as they were sent, PNG or JPEG. The answer has an ETag; a request with `If-None-Match` is answered with 304 when the client's copy is current. 404 without a logo."
  }),
  remove("deleteLogo", logo, {
    success: Account,
    summary: "Remove the logo",
    description: "Documents that are numbered from now on are printed without a logo. The same when there was none."
  })
) {}
