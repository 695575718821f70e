import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { errorCodes, type ErrorCode } from "../../schemas/ApiError.ts"
import { InvoiceId } from "../../schemas/Id.ts"
import type { InvoiceState } from "../../src/domain/InvoiceLifecycle.ts"
import { usableKeysMax } from "../../src/store/ApiKeys.ts"
import { endpointsPerAccountMax } from "../../src/store/WebhookEndpoints.ts"
import {
  customerBody,
  endpointBody,
  invoiceBody,
  noteBody,
  partialNoteBody,
  resolutionBody
} from "../support/Invoices.ts"
import { apiKeyIds, baseUrl, keys, layer as app } from "../support/MemoryApp.ts"
import { addCustomer, addEndpoint, addNumbered } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"
import { type Reply, send } from "../support/Requests.ts"
import { badBodies } from "./badBodies.ts"
import { badNotes } from "./badNotes.ts"
import { badResolutions } from "./badResolutions.ts"
import { badCertificates } from "./badCertificates.ts"
import { badRequests } from "./badRequests.ts"
import { type BadRequest, customer, get, post, refused } from "./Refused.ts"

const headersOf: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  invalid_api_key: { "www-authenticate": "Bearer" },
  idempotency_conflict: { "svc-should-retry": "false", "stripe-should-retry": "false" },
  service_unavailable: { "retry-after": "1" }
}

/** Every row there is but the log of refusals, by identity: rows are replaced, never changed. */
const stored = Effect.map(MemoryTables, ({ tables }) =>
  Object.entries({ ...tables, auditLog: [] }).flatMap(([table, rows]) =>
    [...rows.values()].map((row) => ({ table, row }))
  )
)

const check = Effect.fnUntraced(function* (reply: Reply, { code, message, param }: BadRequest) {
  const { status, type } = errorCodes[code]
  const { error, ...rest } = reply.json
  assert.strictEqual(error.code, code, reply.text)
  assert.strictEqual(reply.status, status)
  assert.strictEqual(error.type, type)
  assert.match(error.message, message)
  assert.strictEqual(error.param, param)
  assert.deepStrictEqual(rest, {})

  assert.match(reply.headers["content-type"] ?? "", /^application\/json/)
  assert.match(error.request_id, /^req_[0-9a-hjkmnp-tv-z]{26}$/)
  assert.strictEqual(reply.headers["request-id"], error.request_id)
  assert.strictEqual(reply.headers["cache-control"], "no-store")
  assert.strictEqual(reply.headers["svc-version"], "2026-01-01")
  assert.strictEqual(reply.headers["x-content-type-options"], "nosniff")
  assert.deepInclude(reply.headers, headersOf[code] ?? {})
  if (code === "method_not_allowed") {
    assert.strictEqual(reply.headers.allow, /use (.*)\.$/.exec(error.message)?.[1])
  }

  // Of several faults, which are all told, the first is the error itself.
  if (error.errors !== undefined) {
    const { rule: _, ...mirrored } = error.errors[0]
    assert.deepStrictEqual(mirrored, { param, code, message: error.message })
  }

  assert.strictEqual(error.doc_url, `${baseUrl}/docs/errors/${code}`)
  const page = yield* send({ path: `/docs/errors/${code}`, headers: { authorization: undefined } })
  assert.strictEqual(page.status, 200)
  assert.include(page.text, code)
})

const refuses = Effect.fnUntraced(function* (bad: BadRequest) {
  const before = yield* stored
  const reply = yield* send(bad.sent)
  const after = yield* stored
  assert.strictEqual(after.length, before.length)
  assert.isTrue(
    after.every(({ row }, index) => row === before[index]?.row),
    "a row was changed"
  )
  yield* check(reply, bad)
  return reply
})

layer(app)("bad input", (it) => {
  it.effect.each([...badRequests])("$code: $name", refuses)
  it.effect.each([...badBodies])("$code: $name", refuses)
  it.effect.each([...badResolutions])("$code: $name", refuses)
  it.effect.each([...badNotes])("$code: $name", refuses)
  it.effect.each([...badCertificates])("$code: $name", refuses)
})

const used = (key: string) => customer(customerBody(), { "idempotency-key": key })

const breakCall = (name: string) =>
  Effect.map(MemoryTables, (memory) => {
    memory.onCall = (call) => (call === name ? Effect.die(new Error("select password from secrets")) : Effect.void)
  })

const endpoint = endpointBody("https://hooks.example.com/folio")

const numberedId = InvoiceId.make(`inv_${"9".repeat(26)}`)

/** The document that has this id and a number, in a state. */
const numbered = Effect.fnUntraced(function* (state: InvoiceState) {
  const { tables } = yield* MemoryTables
  const { id } = yield* addNumbered(yield* addCustomer())
  const row = tables.invoices.get(id)
  if (row !== undefined) tables.invoices.set(numberedId, { ...row, id: numberedId, state, next_action_at: null })
})

/** Requests that are refused because of what was there before. */
const badMoments = [
  {
    given: send(used("a")),
    bad: refused("idempotency_conflict", [
      [
        "a key used for another body",
        customer({ ...customerBody(), legal_name: "Otra" }, { "idempotency-key": "a" }),
        /"a" was used for another request/
      ]
    ])
  },
  {
    given: send(used("b")),
    bad: refused("idempotency_conflict", [
      [
        "a key used on another path",
        post("/v1/webhook-endpoints", endpoint, { "idempotency-key": "b" }),
        /another path/
      ]
    ])
  },
  {
    given: Effect.forEach(Array.from({ length: endpointsPerAccountMax }), () => addEndpoint()),
    bad: refused("endpoint_limit_reached", [
      ["an endpoint too many", post("/v1/webhook-endpoints", endpoint), /at most 16/]
    ])
  },
  {
    given: numbered("numbered"),
    bad: [
      ...refused("invoice_not_cancelable", [
        ["a document with a number", post(`/v1/invoices/${numberedId}/cancel`, undefined), /without a number/]
      ]),
      ...refused("invoice_not_retryable", [
        ["a document that has not failed", post(`/v1/invoices/${numberedId}/retry`, undefined), /Only a failed invoice/]
      ]),
      ...refused("invoice_not_correctable", [
        [
          "a note to an invoice without an outcome",
          post("/v1/credit-notes", noteBody(numberedId)),
          /Only an invoice that was accepted can be corrected/,
          "invoice_id"
        ],
        [
          "an e-mail of a document that is not accepted",
          post(`/v1/invoices/${numberedId}/email`, { to: "a@example.com" }),
          /accepted/
        ]
      ])
    ]
  },
  {
    given: numbered("accepted_by_authority"),
    bad: refused("credit_exceeds_invoice", [
      [
        "more than the invoice has left",
        post("/v1/credit-notes", partialNoteBody(numberedId, "119000.01")),
        /^The invoice has \d+\.\d\d left to credit\./,
        "lines"
      ]
    ])
  },
  {
    given: send(post("/v1/resolutions", resolutionBody({ from_number: 10, to_number: 20 }))),
    bad: refused("resolution_overlap", [
      [
        "a range with a number of another",
        post("/v1/resolutions", resolutionBody({ from_number: 20, to_number: 30 })),
        /numbers 20 to 30 of prefix "FE" overlap those of res_\w+, 10 to 20/
      ]
    ])
  },
  {
    given: Effect.forEach(Array.from({ length: usableKeysMax }), () => send(post("/v1/api-keys", {}))),
    bad: refused("api_key_limit_reached", [["a key too many", post("/v1/api-keys", {}), /at most 100/]])
  },
  {
    given: Effect.void,
    bad: [
      ...refused("last_api_key", [
        [
          "the last key",
          {
            method: "DELETE",
            path: `/v1/api-keys/${apiKeyIds.live}`,
            headers: { authorization: `Bearer ${keys.live}` }
          },
          /Roll it/
        ]
      ]),
      ...refused("api_key_inactive", [
        [
          "a roll of a revoked key",
          post(`/v1/api-keys/${apiKeyIds.revoked}/roll`, { expires_in: 0 }),
          /was revoked or has expired/
        ]
      ])
    ]
  },
  {
    given: Effect.map(MemoryTables, ({ tables }) => tables.certificates.clear()),
    bad: refused(
      "account_not_live",
      (
        [
          ["/v1/invoices", invoiceBody("cust_1")],
          ["/v1/credit-notes", noteBody("inv_1")]
        ] as const
      ).map(
        ([path, body]) =>
          [
            `a live POST ${path} without a certificate`,
            post(path, body, { authorization: `Bearer ${keys.live}` }),
            /no signing certificate/
          ] as const
      )
    )
  },
  {
    given: breakCall("Customers.find"),
    bad: refused("internal_error", [["a read that breaks", get("/v1/customers/cust_1"), /inside the service/]])
  },
  {
    given: breakCall("ApiKeys.authenticate"),
    bad: refused("internal_error", [["a key that cannot be looked up", get("/v1/account"), /inside the service/]])
  },
  {
    given: breakCall("Customers.create"),
    bad: refused("internal_error", [["a command that breaks", customer(customerBody()), /inside the service/]])
  },
  {
    given: breakCall("Database.answers"),
    bad: refused("service_unavailable", [["a database that does not answer", get("/health/ready"), /database/]])
  }
].flatMap(({ bad, given }) => bad.map((one) => ({ ...one, given })))

describe("a bad moment", () => {
  for (const { given, ...bad } of badMoments) {
    layer(app)(`${bad.code}: ${bad.name}`, (it) => {
      it.effect("is refused and stores nothing", () =>
        Effect.gen(function* () {
          yield* given
          const reply = yield* refuses(bad)
          assert.notMatch(reply.text, /password|select|\bat .*\.ts/)
        })
      )
    })
  }
})

/** Codes that have their cases elsewhere: RawServer.test.ts, and RateLimit.test.ts. */
const elsewhere: ReadonlyArray<ErrorCode> = ["request_timeout", "rate_limited"]

const cases = [...badRequests, ...badBodies, ...badResolutions, ...badNotes, ...badCertificates, ...badMoments]

layer(app)("the table", (it) => {
  it.effect("has a case for every error code that can be met", () =>
    Effect.sync(() => {
      const covered = new Set(cases.map(({ code }) => code))
      const missing = (Object.keys(errorCodes) as Array<ErrorCode>).filter((code) => !covered.has(code))
      assert.sameMembers(missing, [...elsewhere])
    })
  )

  it.effect.each(Object.keys(errorCodes) as Array<ErrorCode>)("%s has a page: what it means, what to do", (code) =>
    Effect.gen(function* () {
      const { help, status, type } = errorCodes[code]
      assert.match(help, /\S[.:] \S/, "what it means, and what to do")
      const page = yield* send({ path: `/docs/errors/${code}`, headers: { authorization: undefined } })
      assert.strictEqual(page.status, 200)
      assert.match(page.headers["content-type"] ?? "", /^text\/html/)
      const text = page.text
        .replaceAll(/<\/?code>/g, "`")
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&")
      for (const said of [help, `<dd>${status}</dd>`, type]) assert.include(text, said)
      const { error } = JSON.parse(/<pre>([^]*)<\/pre>/.exec(text)?.[1] ?? "")
      assert.deepInclude(error, { code, type, doc_url: `${baseUrl}/docs/errors/${code}` })
      // The example says what the service says.
      const known = cases.filter((one) => one.code === code)
      if (known.length > 0)
        assert.isTrue(
          known.some(({ message }) => message.test(error.message)),
          error.message
        )
      assert.include((yield* send({ path: "/docs/errors" })).text, `/docs/errors/${code}`)
    })
  )
})
