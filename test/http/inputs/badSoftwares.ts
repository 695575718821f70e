import { keys } from "../../support/apps/Accounts.ts"
import { bearer, type Sent } from "../../support/apps/Requests.ts"
import { refused } from "./Refused.ts"

const good = { id: "56f2ae4e-9812-4fad-9255-08fcfcd5ccb0", pin: "20187" }
const put = (change: object, key: string = keys.live): Sent => ({
  method: "PUT",
  path: "/v1/account/software",
  headers: bearer(key),
  body: { ...good, ...change }
})

/** The faults of an account's software. */
export const badSoftwares = [
  ...refused("account_not_live", [
    ["a software of a test key", put({}, keys.test), /with a live key/],
    [
      "a removal of the software with a test key",
      { method: "DELETE", path: "/v1/account/software", headers: bearer(keys.test) },
      /with a live key/
    ]
  ]),
  ...refused("parameter_missing", [
    ["a software without an id", put({ id: undefined }), /required/, "id"],
    ["a software without a PIN", put({ pin: undefined }), /required/, "pin"]
  ]),
  ...refused("parameter_unknown", [["a software with a name", put({ name: "Zu" }), /not known/, "name"]]),
  ...refused("parameter_invalid", [
    ["a software's id of 35 characters", put({ id: good.id.slice(1) }), /36 characters/, "id"],
    ["a software's id without hyphens", put({ id: "5".repeat(36) }), /36 characters/, "id"],
    ["a PIN with a space", put({ pin: "20 187" }), /without spaces/, "pin"],
    ["an empty PIN", put({ pin: "" }), /1 to 64 characters/, "pin"],
    ["a PIN of 65 characters", put({ pin: "1".repeat(65) }), /1 to 64 characters/, "pin"],
    ["a number for a PIN", put({ pin: 20_187 }), /must be a string/, "pin"],
    ["letters for a provider", put({ provider_nit: "NIT" }), /such as 900373115-3/, "provider_nit"],
    ["a provider with two check digits", put({ provider_nit: "900373115-3-3" }), /900373115-3/, "provider_nit"]
  ]),
  ...refused("invalid_check_digit", [
    [
      "a provider with another check digit",
      put({ provider_nit: "900373115-4" }),
      /the check digit of 900373115 is 3/,
      "provider_nit"
    ]
  ])
]
