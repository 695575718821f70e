import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { makeSelfSigned } from "../../src/documents/signature/Certificate.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { AuthorityRefusal } from "../../src/outbound/authority/Authority.ts"
import { alone, invoiceOf, issuing } from "../support/apps/ActorsAlone.ts"
import { accepted } from "../support/apps/Fakes.ts"
import { giveCertificate } from "../support/authority/LiveAccounts.ts"
import { become } from "../support/apps/MemoryRows.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { itOn } from "../support/Tests.ts"
import { typesOf } from "../support/mail/Mailed.ts"

const it = itOn(alone)

/** A numbered document of the account's live mode, and its actor. */
const issuingLive = Effect.gen(function* () {
  const { key, ...others } = yield* issuing
  yield* become(key.id, { livemode: true })
  return { ...others, key: { ...key, livemode: true } }
})

/** Gives the account a certificate that is valid, of the key pair that it has. */
const renewCertificate = Effect.gen(function* () {
  const [old] = (yield* MemoryTables).tables.certificates.values()
  yield* giveCertificate(old!.account_id, old!.pem)
})

const expire = Effect.map(MemoryTables, ({ tables }) => {
  for (const row of tables.certificates.values()) {
    tables.certificates.set(row.id, { ...row, not_after: new Date(row.not_before.getTime() + 1) })
  }
})

describe("a live invoice", () => {
  it.effect("is signed with the account's newest certificate", function* () {
    const { authority, key, proceed, tables } = yield* issuingLive
    const certificates: Array<string> = []
    authority.onSubmit = ({ certificate, signed }) => {
      assert.isNotNull(readSignedDocument(signed))
      assert.include(Buffer.from(signed).toString(), certificate.certificate)
      certificates.push(certificate.certificate)
      return Effect.succeed(accepted)
    }
    yield* proceed(key)
    const [first] = tables.certificates.values()
    yield* giveCertificate(first!.account_id, yield* makeSelfSigned("Tienda", new Date()))
    const second = yield* issuingLive
    yield* second.proceed(second.key)
    assert.lengthOf(new Set(certificates), 2)
  })

  it.effect("fails when the certificate has expired, keeps its number, and is issued under it later", function* () {
    const { authority, key, proceed, tables } = yield* issuingLive
    const before = yield* invoiceOf(key)
    yield* expire
    yield* proceed(key)
    const failed = yield* invoiceOf(key)
    assert.strictEqual(failed.state, "failed")
    assert.strictEqual(failed.full_number, before.full_number)
    assert.deepInclude(Object(failed.failure), { code: "no_certificate", retryable: true })
    assert.match(failed.failure?.message ?? "", /expired on 2026-11-21 .*POST \/v1\/account\/certificate/)
    assert.deepStrictEqual(typesOf(tables.events), ["invoice.failed"])
    assert.lengthOf(authority.calls, 0)

    yield* renewCertificate
    // What a retry makes of it.
    yield* become(key.id, { state: "numbered", failure: null, attempts: 0 })
    yield* proceed(key)
    const issued = yield* invoiceOf(key)
    assert.deepStrictEqual([issued.state, issued.full_number], ["accepted_by_authority", before.full_number])
  })

  it.effect("whose outcome is not known waits for a certificate to ask with", function* () {
    const { authority, key, proceed } = yield* issuingLive
    yield* become(key.id, { state: "submitted", attempts: 1 })
    yield* expire
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "submitted")
    assert.isNotNull((yield* invoiceOf(key)).next_action_at)
    assert.lengthOf(authority.calls, 0)

    yield* renewCertificate
    authority.onVerdict = () => Effect.succeed(accepted)
    yield* proceed(key)
    assert.strictEqual((yield* invoiceOf(key)).state, "accepted_by_authority")
  })

  it.effect("that the authority refuses for good fails with what it says", function* () {
    const { authority, key, proceed } = yield* issuingLive
    authority.onSubmit = () => Effect.fail(new AuthorityRefusal({ message: "NIT no autorizado" }))
    yield* proceed(key)
    const row = yield* invoiceOf(key)
    assert.strictEqual(row.state, "failed")
    assert.deepInclude(Object(row.failure), { code: "authority_refused", retryable: true })
    assert.include(row.failure?.message, "(NIT no autorizado)")
  })
})
