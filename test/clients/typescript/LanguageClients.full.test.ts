import { assert } from "@effect/vitest"
import { Array, Effect } from "effect"
import * as TestApp from "../../support/apps/TestApp.ts"
import { freePort } from "../../support/processes/ServiceProcess.ts"
import { it } from "../../support/Tests.ts"
import { languages, linesOf, run } from "./Languages.ts"

type Result = Readonly<Record<string, unknown>>

/** A value of a step that cannot be known in advance. */
interface Known {
  readonly invoice: string
}

const refused = (status: number, code: string, fields: ReadonlyArray<string> = []) => ({ status, code, fields })

/**
 * The scenario, which is the same in every language. A program gets these variables: `FOLIO_URL`, `FOLIO_KEY`,
 * `FOLIO_RECEIVER_PORT` (the port at which it receives webhooks) and `FOLIO_RUN` (a word that starts its idempotency
 * keys). First it registers its webhook endpoint. Then it takes these steps, and prints a line of JSON after each: the
 * step's name as `step`, and these members. It prints an API error as `status`, `code`, `request_id`, and in `fields`
 * the `param` of each error. It prints a verified webhook as its event's type, and a rejected one as the reason.
 */
const steps: ReadonlyArray<readonly [name: string, what: string, expected: (known: Known) => Result]> = [
  ["customer", "Registers the sandbox's buyer whose invoices are accepted. Says its id.", () => ({})],
  ["invoice", "Issues an invoice over 119000.00. Says its id and status.", () => ({ status: "draft" })],
  ["repeat", "The same, with the same key. Is it the same?", ({ invoice }) => ({ id: invoice, same: true })],
  ["conflict", "Another invoice with the same key.", () => refused(409, "idempotency_conflict")],
  [
    "webhook",
    "Receives a webhook and verifies it. Says the type, and the invoice's id.",
    ({ invoice }) => ({ type: "invoice.accepted_by_authority", invoice })
  ],
  [
    "forged",
    "Judges that webhook with another secret, with a space after its body, without signatures, and with two secrets.",
    () => ({ secret: "mismatch", body: "mismatch", unsigned: "missing", rotated: "invoice.accepted_by_authority" })
  ],
  ["amounts", "Retrieves the invoice. Says its total and its number.", () => ({ total: "119000.00" })],
  ["files", "Says the first five bytes of its files.", () => ({ pdf: "%PDF-", xml: "<?xml" })],
  [
    "invalid",
    "Registers a buyer of whom all is missing but a wrong organization_type.",
    () => refused(400, "parameter_missing", ["identification", "legal_name", "organization_type"])
  ],
  ["unauthorized", "Asks with another key.", () => refused(401, "invalid_api_key")],
  ["missing", "Asks for the invoice inv_none.", () => refused(404, "resource_missing")],
  ["pages", "Registers four more buyers, and says the ids of all, who were listed in pages of two.", () => ({})]
]

/** The members that the step must print. */
const only = (line: Result, expected: Result) =>
  Object.fromEntries(Object.keys(expected).map((name) => [name, line[name]]))

for (const language of languages) {
  it.live.skipIf(!language.isThere)(
    `the client in ${language.name} issues an invoice, receives its outcome, and gets an error for each wrong request`,
    function* () {
      const port = yield* freePort
      yield* Effect.gen(function* () {
        const { apiKey, client, url } = yield* TestApp.TestApp
        const stdout = yield* run(language, language.file("scenario"), {
          env: { FOLIO_URL: url, FOLIO_KEY: apiKey, FOLIO_RECEIVER_PORT: String(port), FOLIO_RUN: "run" }
        })
        const lines = linesOf<Result>(stdout)
        assert.deepStrictEqual(
          lines.map(({ step }) => step),
          steps.map(([name]) => name)
        )
        const said = (step: string): Result => lines.find((line) => line["step"] === step) ?? {}
        const known = { invoice: String(said("invoice")["id"]) }
        for (const [name, what, expected] of steps) {
          assert.deepStrictEqual(only(said(name), expected(known)), expected(known), what)
          if ("status" in expected(known) && name !== "invoice") assert.match(String(said(name)["request_id"]), /^req_/)
        }
        // The service's own view of the same objects.
        const customers = yield* client.get("/v1/customers?limit=100")
        const ids = customers.json.data.map(({ id }: { readonly id: string }) => id)
        assert.lengthOf(ids, 5)
        assert.deepStrictEqual(said("pages")["ids"], ids)
        assert.strictEqual(said("customer")["id"], Array.lastNonEmpty(ids))
        const { json } = yield* client.get("/v1/invoices")
        assert.lengthOf(json.data, 1)
        assert.deepInclude(json.data[0], { id: known.invoice, full_number: said("amounts")["number"] })
      }).pipe(Effect.provide(TestApp.layer({ allow: `127.0.0.1:${port}` })))
    }
  )
}
