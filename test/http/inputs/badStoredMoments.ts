import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { customersMax } from "../../../src/accounts/store/Customers.ts"
import { usableKeysMax } from "../../../src/accounts/store/ApiKeys.ts"
import { apiKeyIds, keys } from "../../support/apps/Accounts.ts"
import { customerBody } from "../../support/apps/Invoices.ts"
import { addEndpoint, change } from "../../support/apps/PostgresRows.ts"
import { bearer, send } from "../../support/apps/Requests.ts"
import { customer, post, refused } from "./Refused.ts"

// Each moment has its own identification, because all moments share an account.
const [named, unnamed, twice, beyond] = ["900373115", "900373116", "900373117", "900373118"] as const

const inactiveEndpoint = `we_${"9".repeat(26)}`

const external_id = "crm-put"

const create = (number: string, others: object = {}) => send(customer({ ...customerBody(number), ...others }))

const put = (number: string, others: object = {}) => ({
  method: "PUT",
  path: `/v1/customers/31-${number}`,
  body: { ...customerBody(number), ...others }
})

const roll = (id: string) => post(`/v1/api-keys/${id}/roll`, { expires_in: 0 })

/** The faults of customers, API keys and webhook endpoints that depend on stored rows, on PostgreSQL. */
export const badStoredMoments = [
  {
    given: create(named, { external_id }),
    bad: [
      ...refused("external_id_taken", [
        [
          "a second object with an external id, with PUT",
          put(unnamed, { external_id }),
          /names the customer cust_[0-9a-z]{26}, and/,
          "external_id"
        ],
        [
          "a second object with an external id",
          customer({ ...customerBody(unnamed), external_id }),
          /names the customer cust_[0-9a-z]{26}, and/,
          "external_id"
        ]
      ]),
      ...refused("parameter_invalid", [
        [
          "another external id for a customer, with PUT",
          put(named, { external_id: "crm-2" }),
          /external_id must be "crm-put" or be omitted: the customer cust_[0-9a-z]{26} keeps/,
          "external_id"
        ]
      ])
    ]
  },
  {
    given: Effect.andThen(create(twice), create(twice)),
    bad: refused("customer_ambiguous", [
      ["one of two customers", put(twice), /cust_[0-9a-z]{26} and cust_[0-9a-z]{26} have the same identification/]
    ])
  },
  {
    given: Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`update account_modes set customers = ${customersMax} where not livemode`
    ),
    bad: refused("customer_limit_reached", [
      ["one customer over the limit", customer(customerBody(beyond)), /at most 1000000/],
      ["one customer over the limit, with PUT", put(beyond), /at most 1000000/]
    ])
  },
  {
    given: Effect.flatMap(addEndpoint(), (id) =>
      change("webhook_endpoints", id, { id: inactiveEndpoint, is_active: false })
    ),
    bad: refused("endpoint_not_sending", [
      [
        "a sample to an inactive endpoint",
        post(`/v1/webhook-endpoints/${inactiveEndpoint}/test`),
        /Set is_active to true/
      ]
    ])
  },
  {
    given: Effect.void,
    bad: [
      ...refused("last_api_key", [
        [
          "the last key",
          { method: "DELETE", path: `/v1/api-keys/${apiKeyIds.live}`, headers: bearer(keys.live) },
          /Roll the key/
        ]
      ]),
      ...refused("resource_missing", [["a roll of a missing key", roll("key_1"), /no API key "key_1"/]]),
      ...refused("api_key_inactive", [
        ["a roll of a revoked key", roll(apiKeyIds.revoked), /was revoked or has expired/]
      ])
    ]
  },
  {
    given: Effect.forEach(Array.from({ length: usableKeysMax }), () => send(post("/v1/api-keys", {})), {
      concurrency: 8,
      discard: true
    }),
    bad: refused("api_key_limit_reached", [["one key over the limit", post("/v1/api-keys", {}), /at most 100/]])
  }
].flatMap(({ bad, given }) => bad.map((one) => ({ ...one, given })))
