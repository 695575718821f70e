import { Account, AccountRequest, AccountStatus, AccountStatusRequest, AccountUpdate } from "../../schemas/Account.ts"
import { ApiKeyRequest, ApiKeyWithKey } from "../../schemas/ApiKey.ts"
import { field } from "../../schemas/Field.ts"
import { Page, pageQuery } from "../../schemas/Page.ts"
import { Usage, UsageQuery } from "../../schemas/Usage.ts"
import { Schema } from "effect"
import { created, get, group, nextPage, params, patch, post, postOnce } from "./Endpoint.ts"

const path = "/v1/accounts"
const item = `${path}/:id` as const

const filters = {
  status: field(Schema.optionalKey(AccountStatus), "Filter by the status of the account.", "active"),
  identification: field(
    Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^\d{2}-[0-9A-Za-z-]{1,20}$/u, {
          message: "must be the type and the number of an identification, such as 31-901234567"
        })
      )
    ),
    "Filter by the identification of the issuer in the mode of the API key: type and number, without check digit.",
    "31-901234567"
  ),
  live_ready: field(
    Schema.optionalKey(Schema.Literals(["true", "false"]).annotate({ message: "must be true or false" })),
    "Filter by `live.ready`: whether the account can issue live documents.",
    "false"
  )
}

const statusChange = { params, payload: AccountStatusRequest, success: Account }

/** The operations of a platform on its accounts. */
export class PlatformApi extends group(
  "accounts",
  "Accounts of a platform",
  "Accounts for which a platform issues documents. Requires a platform's key.",
  postOnce("createAccount", path, {
    payload: AccountRequest,
    success: created(Account),
    summary: "Create an account",
    description:
      "Creates an account of the platform with its issuer in the mode of the API key. With a live key, the account also gets the issuer in test mode. In test mode, the account starts with the numbering range of the sandbox. To act for the account, send its id in the header `Svc-Account`, or create an API key for it."
  }),
  get("listAccounts", path, {
    query: { ...pageQuery("ten"), ...filters },
    success: Page(Account, "AccountPage"),
    summary: "List accounts",
    description: `Lists the platform's accounts in the mode of the API key, newest first. \`live\` lists the remaining steps of each account. ${nextPage}`
  }),
  get("retrievePlatformAccount", item, {
    params,
    success: Account,
    summary: "Retrieve an account",
    description: "Returns one of the platform's accounts, in the mode of the API key."
  }),
  patch("updatePlatformAccount", item, {
    params,
    payload: AccountUpdate,
    success: Account,
    summary: "Update an account",
    description:
      "Changes the fields in the body in the mode of the API key, and keeps all other fields, as `PATCH /v1/account` does."
  }),
  post("suspendAccount", `${item}/suspend` as const, {
    ...statusChange,
    summary: "Suspend an account",
    description:
      "Suspends an account in both modes. The account can no longer create customers or documents. Reads, deliveries and documents in progress continue."
  }),
  post("resumeAccount", `${item}/resume` as const, {
    params,
    success: Account,
    summary: "Resume an account",
    description: "Resumes a suspended account in both modes. The request has no effect on an active account."
  }),
  post("closeAccount", `${item}/close` as const, {
    ...statusChange,
    summary: "Close an account",
    description:
      "Closes an account for ever, in both modes, and deactivates its numbering ranges. Its documents stay readable, and the account cannot change anything. Fails with 409 while the account has documents, emails, deliveries or a test set in progress."
  }),
  get("retrieveUsage", `${item}/usage` as const, {
    params,
    query: UsageQuery,
    success: Usage,
    summary: "Retrieve an account's usage",
    description:
      "Returns the number of documents of one of the platform's accounts by day, kind and outcome, in the mode of the API key. Days are in the authority's time zone (-05:00 in Colombia). A document counts on the day on which it reaches the outcome, and not again until a retry or a correction leads to another outcome."
  }),
  post("createAccountApiKey", `${item}/api-keys` as const, {
    params,
    payload: ApiKeyRequest,
    success: created(ApiKeyWithKey),
    summary: "Create an account's API key",
    description:
      "Creates an API key for one of the platform's accounts, in the mode of the platform's key. Folio shows the key only once. The account's program can use the key without the header `Svc-Account`."
  })
) {}
