import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { setsMax } from "../../../src/invoices/store/Enablements.ts"
import { colombianSandbox } from "../../../src/documents/rules/parties/SandboxIds.ts"
import { account, keys } from "../../support/apps/Accounts.ts"
import { bearer } from "../../support/apps/Requests.ts"
import { post, refused } from "./Refused.ts"

const {
  number = "",
  prefix,
  from_number = 1,
  to_number = 1,
  valid_from = "",
  valid_to = "",
  technical_key = ""
} = colombianSandbox.range
const range = { number, prefix, from_number, to_number, valid_from, valid_to, technical_key }

const good = { test_set_id: "b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b12", invoices: 1, credit_notes: 0, debit_notes: 0 }
const enable = (change: object, key: string = keys.live) =>
  post("/v1/account/enablement", { ...good, ...change }, bearer(key))

/** The faults of the authority's test sets. */
export const badEnablements = [
  ...refused("account_not_live", [["a test set of a test key", enable({}, keys.test), /with a live key/]]),
  ...refused("parameter_missing", [
    ["no test set", enable({ test_set_id: undefined }), /required/, "test_set_id"],
    ["no count", enable({ debit_notes: undefined }), /required/, "debit_notes"]
  ]),
  ...refused("parameter_unknown", [["a count of receipts", enable({ receipts: 1 }), /not known/, "receipts"]]),
  ...refused("parameter_invalid", [
    ["a name for a test set", enable({ test_set_id: "my test set" }), /TestSetId/, "test_set_id"],
    ["an empty test set", enable({ test_set_id: "" }), /TestSetId/, "test_set_id"],
    ["no invoice", enable({ invoices: 0 }), /from 1 to 100/, "invoices"],
    ["101 invoices", enable({ invoices: 101 }), /from 1 to 100/, "invoices"],
    ["half a note", enable({ credit_notes: 0.5 }), /from 0 to 100/, "credit_notes"],
    ["a text for a count", enable({ debit_notes: "10" }), /must be a number/, "debit_notes"],
    [
      "a test range whose end comes before its start",
      enable({ range: { ...range, to_number: 1 } }),
      /not be less than from_number/,
      "range.to_number"
    ],
    ["a short key", enable({ range: { ...range, technical_key: "abc" } }), /40 hex digits/, "range.technical_key"]
  ])
]

const sets = (ids: ReadonlyArray<string>, status: "running" | "passed") =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const at = new Date()
    // No actor works on a running test set during the test.
    const next_action_at = status === "running" ? new Date(at.getTime() + 86_400_000) : null
    const finished_at = status === "running" ? null : at
    const row = {
      account_id: account,
      livemode: true,
      status,
      run: 1,
      wanted: "{}",
      range: "{}",
      technical_key_sealed: ""
    }
    const times = { started_at: at, resumed_at: at, answering_since: at, finished_at, next_action_at }
    return Effect.forEach(ids, (id) => sql`insert into enablements ${sql.insert({ ...row, ...times, id })}`, {
      discard: true
    })
  })

/** The faults that depend on earlier requests, on PostgreSQL. */
export const badEnablementMoments = [
  {
    given: sets(["b7d1c2a4-93cf-4a9e-8a2f-6c2f5d0e9b11"], "running"),
    bad: refused("enablement_running", [
      ["a second test set", enable({}), /is running, and an account can run only one/]
    ])
  },
  {
    given: sets(
      Array.from({ length: setsMax }, (_, index) => `test-set-${index}`),
      "passed"
    ),
    bad: refused("enablement_limit_reached", [["one test set over the limit", enable({}), /has had 100 test sets/]])
  }
].flatMap(({ bad, given }) => bad.map((one) => ({ ...one, given })))
