import { Account, AccountUpdate } from "../../schemas/Account.ts"
import { CertificateRequest } from "../../schemas/Certificate.ts"
import { get, group, insteadOfPatch, patch, post } from "./Endpoint.ts"

const path = "/v1/account"
const update = { payload: AccountUpdate, success: Account }

export class AccountApi extends group(
  "account",
  "Account",
  "The business account that issues documents.",
  get("retrieveAccount", path, {
    success: Account,
    summary: "Retrieve the account of the API key; also a way to check that a key works",
    description:
      "Answers with the account that the API key belongs to, in the mode of that key: its issuer, its default version and its certificate."
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
  })
) {}
