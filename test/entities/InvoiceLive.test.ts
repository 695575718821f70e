import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeSelfSigned } from "../../src/documents/Certificate.ts"
import { readSignedDocument } from "../../src/documents/SignedDocument.ts"
import { AuthorityRefusal } from "../../src/outbound/Authority.ts"
import { alone, invoiceOf, invoiceOwner } from "../support/ActorsAlone.ts"
import { accepted, FakeAuthority } from "../support/Fakes.ts"
import { giveCertificate } from "../support/LiveAccounts.ts"
import { addCustomer, addNumbered } from "../support/MemoryRows.ts"
import { MemoryTables } from "../support/MemoryTables.ts"

/** A numbered document of the account's live mode. */
const numberedLive = Effect.gen(function* () {
  const { tables } = yield* MemoryTables
  const key = yield* addNumbered(yield* addCustomer())
  const row = yield* invoiceOf(key)
  tables.invoices.set(key.id, { ...row, livemode: true })
  return { ...key, livemode: true }
})

const expire = Effect.map(MemoryTables, ({ tables }) => {
  for (const row of tables.certificates.values()) {
    tables.certificates.set(row.id, { ...row, not_after: new Date(row.not_before.getTime() + 1) })
  }
})

/** What a retry leaves of a document that has its number. */
const retry = Effect.fnUntraced(function* (id: string) {
  const { tables } = yield* MemoryTables
  const row = tables.invoices.get(id)
  if (row !== undefined) tables.invoices.set(id, { ...row, state: "numbered", failure: null, attempts: 0 })
})

describe("a live invoice", () => {
  it.effect("is signed with the account's newest certificate", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const certificates: Array<string> = []
      authority.onSubmit = ({ certificate, signed }) => {
        assert.isNotNull(readSignedDocument(signed))
        assert.include(Buffer.from(signed).toString(), certificate.certificate)
        certificates.push(certificate.certificate)
        return Effect.succeed(accepted)
      }
      yield* proceed(yield* numberedLive)
      const [first] = tables.certificates.values()
      yield* giveCertificate(first!.account_id, yield* makeSelfSigned("Tienda", new Date()))
      yield* proceed(yield* numberedLive)
      assert.lengthOf(new Set(certificates), 2)
    }).pipe(Effect.provide(alone))
  )

  it.effect("fails when the certificate has expired, keeps its number, and is issued under it later", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const key = yield* numberedLive
      const before = yield* invoiceOf(key)
      yield* expire
      yield* proceed(key)
      const failed = yield* invoiceOf(key)
      assert.strictEqual(failed.state, "failed")
      assert.strictEqual(failed.full_number, before.full_number)
      assert.deepInclude(Object(failed.failure), { code: "no_certificate", retryable: true })
      assert.match(failed.failure?.message ?? "", /expired on 2026-11-21 .*POST \/v1\/account\/certificate/)
      assert.deepStrictEqual(
        tables.events.map(({ type }) => type),
        ["invoice.failed"]
      )
      assert.lengthOf(authority.calls, 0)

      const [old] = tables.certificates.values()
      yield* giveCertificate(key.account_id, old!.pem)
      yield* retry(key.id)
      yield* proceed(key)
      const issued = yield* invoiceOf(key)
      assert.deepStrictEqual([issued.state, issued.full_number], ["accepted_by_authority", before.full_number])
    }).pipe(Effect.provide(alone))
  )

  it.effect("whose outcome is not known waits for a certificate to ask with", () =>
    Effect.gen(function* () {
      const { tables } = yield* MemoryTables
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const key = yield* numberedLive
      const row = yield* invoiceOf(key)
      tables.invoices.set(key.id, { ...row, state: "submitted", attempts: 1 })
      yield* expire
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
      assert.isNotNull((yield* invoiceOf(key)).next_action_at)
      assert.lengthOf(authority.calls, 0)

      const [old] = tables.certificates.values()
      yield* giveCertificate(key.account_id, old!.pem)
      authority.onVerdict = () => Effect.succeed(accepted)
      yield* proceed(key)
      assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
    }).pipe(Effect.provide(alone))
  )

  it.effect("that the authority refuses for good fails with what it says", () =>
    Effect.gen(function* () {
      const authority = yield* FakeAuthority
      const proceed = yield* invoiceOwner
      const key = yield* numberedLive
      authority.onSubmit = () => Effect.fail(new AuthorityRefusal({ message: "NIT no autorizado" }))
      yield* proceed(key)
      const row = yield* invoiceOf(key)
      assert.strictEqual(row.state, "failed")
      assert.deepInclude(Object(row.failure), { code: "authority_refused", retryable: true })
      assert.include(row.failure?.message, "(NIT no autorizado)")
    }).pipe(Effect.provide(alone))
  )
})
