import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlError } from "effect/sql"
import type { InvoiceId } from "../../schemas/Id.ts"
import { commands, type InvoiceState, states, transition } from "../../src/invoices/rules/InvoiceLifecycle.ts"
import { type Step, Transitions } from "../../src/invoices/store/Transitions.ts"
import { conditionOf, restingAt } from "../support/database/Owners.ts"
import { TestDatabase } from "../support/database/Postgres.ts"
import { refusal } from "../support/database/Refusals.ts"
import { describeLive } from "../support/Tests.ts"
import { oneOwner } from "../support/database/TwoOwners.ts"

const setUp = Effect.gen(function* () {
  const { account, first, seed, service, sql: admin } = yield* oneOwner

  /** An invoice in any state, with or without a number. */
  const invoice = Effect.fnUntraced(function* (state: InvoiceState, hasNumber: boolean) {
    const [id] = yield* seed(1, hasNumber ? "numbered" : "queued")
    const copy = `inv_${String(copies++).padStart(26, "0")}` as InvoiceId
    const number = hasNumber ? { number: copies, full_number: copy, cufe: copy } : {}
    const change = JSON.stringify({ id: copy, state, ...number, ...conditionOf(state) })
    yield* admin`
      insert into invoices select c.* from invoices i, jsonb_populate_record(i, ${change}::jsonb) c
      where i.id = ${id!}`
    return copy
  })
  const step = (id: InvoiceId, version: number, from: InvoiceState, rest: Pick<Step, "command" | "to" | "signed">) =>
    Context.get(first, Transitions).move({
      key: { ...account, id },
      version,
      from,
      ...restingAt(rest.to),
      ...rest
    })

  return { admin, service, invoice, step }
})
let copies = 0

const numbered = `, resolution_id = (select id from resolutions), prefix = 'A', number = 7, full_number = 'A7', cufe = 'c',
  issue_date = '2026-11-21', issue_time = '10:00:00'`

/** The assignments for a row in this state, without its number. Submission and contingency times stay. */
const become = (state: InvoiceState) =>
  Object.entries(conditionOf(state))
    .map(([column, value]) => {
      const literal = value === null ? "null" : `'${value instanceof Date ? value.toISOString() : value}'`
      return column === "submitted_at" || column === "contingency_since"
        ? `${column} = coalesce(${column}, ${literal})`
        : `${column} = ${literal}`
    })
    .join(", ")

const withoutNumber: ReadonlyArray<InvoiceState> = ["queued", "canceled", "failed"]
const withNumber = states.filter((state) => state !== "queued" && state !== "canceled")

/** Statements that no role of the service may run, each with the rule that rejects it. `ID` is a submitted invoice. */
const forbidden: ReadonlyArray<readonly [statement: string, stoppedBy: string]> = [
  ["update invoices set number = number + 1 where id = 'ID'", "a number never changes"],
  ["update invoices set prefix = 'X' where id = 'ID'", "a number never changes"],
  ["update invoices set full_number = 'X1' where id = 'ID'", "a number never changes"],
  ["update invoices set number = null where id = 'ID'", "facts_of_its_state"],
  ["update invoices set cufe = 'x' where id = 'ID'", "the code and the date never change"],
  ["update invoices set cufe = null where id = 'ID'", "code_before_signature"],
  ["update invoices set issue_date = '2001-01-01' where id = 'ID'", "the code and the date never change"],
  ["update invoices set issue_time = '11:00:00' where id = 'ID'", "the code and the date never change"],
  ["update invoices set version = version - 1 where id = 'ID'", "the version never decreases"],
  [
    "update invoices set state = 'accepted_by_authority', next_action_at = null where id = 'ID'",
    "the version grows with every change"
  ],
  ["update invoices set next_action_at = null where id = 'ID'", "open_has_an_alarm"],
  ["update invoices set submitted_at = null where id = 'ID'", "facts_of_its_state"],
  ...["id", "customer_id", "currency", "lines", "totals", "acquirer", "metadata", "created_at", "account_id"].map(
    (column) =>
      [`update invoices set ${column} = ${column} where id = 'ID'`, "permission denied for table invoices"] as const
  ),
  ["update invoice_documents set signed = 'x' where invoice_id = 'ID'", "signed bytes never change once"],
  ["update resolutions set next_number = next_number - 1", "a number is never given back"],
  ["update resolutions set from_number = 1", "permission denied for table resolutions"],
  ["update resolutions set technical_key = ''", "permission denied for table resolutions"],
  ["update events set body = ''", "permission denied for table events"],
  ["update events set created_at = now()", "an event never changes"],
  ["delete from events", "an event is kept for a day at least"],
  ["update transitions set at = now()", "permission denied for table transitions"],
  ["update invoices set issuer_version = 2 where id = 'ID'", "the issuer of a numbered document never changes"],
  ["update issuers set issuer = '{}'", "permission denied for table issuers"],
  ["delete from issuers", "permission denied for table issuers"],
  ["update account_modes set issuer_version = 9", "permission denied for table account_modes"],
  ["update account_modes set issuer = null where not livemode", "an issuer is never removed"],
  ["update audit_log set actor = 'another'", "permission denied for table audit_log"],
  ["update audit_log set position = null, hash = null", "an entry of the audit log never changes"],
  ["update audit_chains set position = 0", "a chain of the audit log only grows"],
  ["update audit_chains set first_position = 9", "permission denied for table audit_chains"],
  ["delete from audit_chains", "permission denied for table audit_chains"],
  ["delete from audit_log", "permission denied for table audit_log"],
  ["truncate audit_log", "permission denied for table audit_log"],
  ["update api_keys set key_hash = ''", "permission denied for table api_keys"],
  ["update api_keys set revoked_at = null where id = 'key_ended'", "the end of a key is never postponed"],
  ["update api_keys set expires_at = expires_at + interval '1 s' where id = 'key_ended'", "the end of a key is never"],
  ["update api_keys set expires_at = null where id = 'key_ended'", "the end of a key is never postponed"],
  ["update attempts set response_body = ''", "permission denied for table attempts"],
  ["update emails set recipient = ''", "permission denied for table emails"],
  ["delete from api_keys", "a key stays until it has ended for a day"],
  ["update marks set id = id", "permission denied for table marks"],
  ["update logos set bytes = 'x'", "permission denied for table logos"],
  ["delete from logos", "permission denied for table logos"],
  ["insert into logos select id, false, repeat('0', 64), 'image/png', 'x' from accounts", "logos_check"],
  [
    "insert into logos select id, false, encode(sha256(b), 'hex'), 'image/png', b from accounts, convert_to(repeat('x', 200001), 'UTF8') b",
    "logos_bytes_check"
  ],
  ["insert into acquirers select id, false, '13', '1', false, 'Ana' from accounts", "an_unknown_acquirer_has_nothing"],
  ["update enablement_documents set number = 1", "permission denied for table enablement_documents"],
  ["update enablement_documents set cufe = ''", "permission denied for table enablement_documents"],
  ["delete from enablement_documents", "permission denied for table enablement_documents"],
  ["delete from enablements", "permission denied for table enablements"],
  [
    "insert into enablements (account_id, livemode, id, status, run, wanted, range, technical_key_sealed, started_at, resumed_at, answering_since, next_action_at) select id, false, 'a', 'running', 1, '{}', '{}', '', now(), now(), now(), now() from accounts",
    "enablements_livemode_check"
  ],
  ...["accounts", "customers", "resolutions", "invoices", "invoice_documents", "transitions", "emails"].map(
    (table) => [`delete from ${table}`, `permission denied for table ${table}`] as const
  ),
  ...["invoices", "deliveries", "idempotency_keys", "webhook_endpoints"].map(
    (table) => [`truncate ${table} cascade`, `permission denied for table ${table}`] as const
  ),
  ["create table mine (a int)", "permission denied for schema public"],
  ["alter table invoices disable trigger rules_of_documents", "must be owner of table invoices"],
  ["alter table invoices disable row level security", "must be owner of table invoices"],
  ["drop table attempts", "must be owner of table attempts"],
  ["create role mine", "permission denied to create role"],
  ["delete from effect_sql_migrations", "permission denied for table effect_sql_migrations"]
]

describeLive(TestDatabase.layer)("The database", (it) => {
  it.effect("allows exactly the state changes of the lifecycle", function* () {
    const { invoice, service } = yield* setUp
    const origins = [
      ...withoutNumber.map((from) => ({ from, hasNumber: false })),
      ...withNumber.map((from) => ({ from, hasNumber: true }))
    ]
    for (const { from, hasNumber } of origins) {
      for (const to of states) {
        const legal = commands.some((command) => {
          // A correction is an account's own transaction that also keeps the rejected document. A return also clears
          // the time of submission.
          if (command === "Correct" || command === "Return") return false
          const next = transition(from, command, { hasNumber, isIssued: false })
          return next._tag === "Success" && next.success === to
        })
        const id = yield* invoice(from, hasNumber)
        const number = hasNumber || withoutNumber.includes(to) ? "" : numbered
        const update = service.unsafe(
          `update invoices set state = '${to}', version = version + 1, ${become(to)} ${number} where id = '${id}' returning id`
        )
        // An allowed change is rolled back, so that the number is free for the next.
        const moved = yield* Effect.result(service.withTransaction(Effect.flatMap(update, Effect.fail)))
        const outcome = moved._tag === "Failure" && !SqlError.isSqlError(moved.failure) && moved.failure.length === 1
        assert.strictEqual(outcome, legal || from === to, `${from} (${hasNumber ? "with a" : "no"} number) to ${to}`)
      }
    }
  })

  it.effect("rejects the service's forbidden statements", function* () {
    const { invoice, service, step } = yield* setUp
    const id = yield* invoice("numbered", true)
    const signed = new TextEncoder().encode("signed")
    yield* step(id, 1, "numbered", { command: "Sign", to: "signed", signed })
    yield* step(id, 2, "signed", { command: "Submit", to: "submitted" })
    yield* service`update resolutions set next_number = next_number + 1`
    yield* service`
      insert into events (account_id, livemode, id, type, object_id, object_version, body, created_at)
      select account_id, livemode, 'evt_1', 'invoice.failed', id, 1, '{}', now() from invoices where id = ${id}`
    yield* service`
      insert into api_keys (id, account_id, livemode, key_hash, last_four, created_at, expires_at, revoked_at)
      select 'key_ended', id, false, 'x', 'xxxx', now(), now(), now() from accounts`
    yield* service`
      insert into audit_log (account_id, livemode, actor, action, details) select id, false, 'operator', '', '{}' from accounts`
    yield* service`insert into audit_chains (account_id, livemode, position) select id, false, 1 from accounts`
    for (const [statement, stoppedBy] of forbidden) {
      assert.include(yield* refusal(service.unsafe(statement.replaceAll("ID", id))), stoppedBy, statement)
    }
  })

  it.effect(
    "gives a number only to a queued draft, complete, and never returns the document to the queue",
    function* () {
      const { invoice, service } = yield* setUp
      const draft = yield* invoice("queued", false)
      const failed = yield* invoice("failed", false)
      const update = (id: string, set: string) =>
        refusal(service.unsafe(`update invoices set version = version + 1, ${set} where id = '${id}'`))
      const dateless = numbered.replace(/issue_date = '[^']*'/, "issue_date = null")
      assert.include(yield* update(draft, `state = 'queued' ${numbered}`), "facts_of_its_state")
      assert.include(yield* update(draft, `state = 'numbered' ${dateless}`), "number_is_whole")
      assert.include(yield* update(draft, "cufe = 'c'"), "number_is_whole")
      const afterwards = `state = 'numbered', ${become("numbered")} ${numbered}`
      assert.include(yield* update(failed, afterwards), "a number is given to a queued draft")
      assert.include(yield* update(draft, "state = 'numbered'"), "facts_of_its_state")
      const numberedOnce = yield* invoice("failed", true)
      assert.include(yield* update(numberedOnce, `state = 'queued', ${become("queued")}`), "facts_of_its_state")
    }
  )

  it.effect("requires a code before a signature, a submission or contingency", function* () {
    const { invoice, service } = yield* setUp
    const draft = yield* invoice("queued", false)
    const update = (set: string) =>
      refusal(service.unsafe(`update invoices set version = version + 1, ${set} where id = '${draft}'`))
    const codeless = numbered.replace("cufe = 'c'", "cufe = null").replace("'A7'", "'A9'")
    assert.strictEqual(yield* update(`state = 'numbered' ${codeless}`), "not refused")
    assert.include(yield* update("state = 'signed'"), "code_before_signature")
    const givenOut = "state = 'accepted_contingency', contingency_since = now()"
    assert.include(yield* update(givenOut), "code_before_signature")
    const failed = "state = 'failed', failure = '{}', next_action_at = null"
    assert.include(yield* update(`${failed}, submitted_at = now()`), "code_before_signature")
    assert.strictEqual(yield* update(failed), "not refused")
  })

  it.effect("gives each number and each code once", function* () {
    const { invoice, service } = yield* setUp
    const [first, second] = [yield* invoice("queued", false), yield* invoice("queued", false)]
    const number = (id: string, set: string) =>
      service.unsafe(`update invoices set version = version + 1, state = 'numbered' ${set} where id = '${id}'`)
    yield* number(first, numbered)
    assert.include(yield* refusal(number(second, numbered.replace("cufe = 'c'", "cufe = 'd'"))), "invoices_full_number")
    const another = numbered.replace("number = 7", "number = 8").replace("'A7'", "'A8'")
    assert.include(yield* refusal(number(second, another)), "invoices_cufe")
    // The same full number from another range.
    const other = numbered.replace("'A', number = 7", "'', number = 7").replace("cufe = 'c'", "cufe = 'd'")
    assert.include(yield* refusal(number(second, other)), "invoices_full_number")
  })

  it.effect("lets the date and the signature of a document change until its submission", function* () {
    const { invoice, service, step } = yield* setUp
    const signed = new TextEncoder().encode("signed")
    const id = yield* invoice("numbered", true)
    const date = (cufe: string) =>
      service`update invoices set cufe = ${cufe}, issue_date = '2001-01-01', issue_time = '00:00:01' where id = ${id}`
    const sign = service`update invoice_documents set signed = '\\x00' where invoice_id = ${id}`
    yield* date("dated again")
    yield* step(id, 1, "numbered", { command: "Sign", to: "signed", signed })
    assert.include(yield* refusal(date("too late")), "the code and the date never change")
    yield* sign
    // A signed document goes back, to be signed again.
    yield* service`
      update invoices set cufe = 'next day', state = 'numbered', version = 3, issue_date = '2001-01-02' where id = ${id}`
    yield* step(id, 3, "numbered", { command: "Sign", to: "signed" })
    yield* step(id, 4, "signed", { command: "Fail", to: "failed" })
    const unsent = service`
      update invoices set state = 'signed', version = 6, next_action_at = 'infinity', failure = null where id = ${id}`
    assert.include(yield* refusal(unsent), "a document that was never submitted is signed again")
    yield* step(id, 5, "failed", { command: "Retry", to: "numbered" })
    yield* date("dated after a retry")

    // The document may have arrived, and a retry does not change that.
    yield* step(id, 6, "numbered", { command: "Sign", to: "signed" })
    yield* step(id, 7, "signed", { command: "Submit", to: "submitted" })
    yield* step(id, 8, "submitted", { command: "Fail", to: "failed" })
    const corrected = service.unsafe(
      `update invoices set state = 'numbered', version = 10, ${become("numbered")} where id = '${id}'`
    )
    assert.include(yield* refusal(corrected), "facts_of_its_state")
    const forgotten = service`
      update invoices set state = 'signed', version = 10, next_action_at = 'infinity', failure = null, submitted_at = null
      where id = ${id}`
    assert.include(yield* refusal(forgotten), "a document that may have left stays issued")
    assert.isTrue((yield* step(id, 9, "failed", { command: "Retry", to: "signed" })).moved)
    assert.include(yield* refusal(date("too late")), "the code and the date never change")
    assert.include(
      yield* refusal(service`update invoice_documents set signed = 'other' where invoice_id = ${id}`),
      "signed bytes"
    )
  })

  it.effect("enforces its rules against the superuser too", function* () {
    const { admin, invoice } = yield* setUp
    const id = yield* invoice("accepted_by_authority", true)
    const revive = admin`
      update invoices set state = 'signed', version = version + 1, next_action_at = 'infinity' where id = ${id}`
    assert.include(yield* refusal(revive), "no command leads from accepted_by_authority to signed")
  })

  it.effect("limits the service's sessions", function* () {
    const { service } = yield* setUp
    const rows = yield* service`
      select current_user::text as role, session_user <> current_user as taken_on, current_setting('statement_timeout') as statement,
        current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle,
        current_setting('transaction_timeout') as transaction`
    const limits = { statement: "10s", lock: "3s", idle: "5s", transaction: "20s" }
    assert.deepStrictEqual(rows, [{ role: "folio_service", taken_on: true, ...limits }])
  })
})
