import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type AccountId, InvoiceId } from "../../schemas/Id.ts"
import * as ColombianProfile from "../../src/documents/ColombianProfile.ts"
import { fromPem, isLocal, makeSelfSigned } from "../../src/documents/signature/Certificate.ts"
import { type AccountCertificate, SigningKeys } from "../../src/documents/signature/SigningKeys.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import type { Software } from "../../src/documents/ubl/UblSoftware.ts"
import { softwareSecurityCode } from "../../src/documents/rules/Cufe.ts"
import { Signing } from "../../src/invoices/Signing.ts"
import { Accounts } from "../../src/accounts/store/Accounts.ts"
import { Certificates } from "../../src/accounts/store/Certificates.ts"
import { Softwares } from "../../src/accounts/store/Softwares.ts"
import { Invoices } from "../../src/invoices/store/Invoices.ts"
import { Ids } from "../../src/database/Ids.ts"
import { account, keys, otherAccount, testMode } from "../support/apps/Accounts.ts"
import { accepted, FakeAuthority } from "../support/apps/Fakes.ts"
import { customerBody, invoiceBody } from "../support/apps/Invoices.ts"
import { layer } from "../support/apps/PostgresApp.ts"
import { addInvoice, change } from "../support/apps/PostgresRows.ts"
import { bearer, get, post } from "../support/apps/Requests.ts"
import { until } from "../support/apps/Until.ts"
import { giveCertificate } from "../support/authority/LiveAccounts.ts"
import { describeLive } from "../support/Tests.ts"

const software = (id: string): Software => ({
  provider: { number: "900373115", check_digit: "3" },
  id,
  pin: "1"
})

/** The service's signing, in a process with this software for live documents. */
const signing = (live?: Software, signingKeys = SigningKeys.layer) =>
  Layer.build(
    Layer.fresh(Signing.layer).pipe(
      Layer.provide([ColombianProfile.layer({ test: software("of-test"), live }), signingKeys])
    )
  ).pipe(Effect.flatMap((context) => Effect.provide(Signing, context)))

const numbered = Effect.gen(function* () {
  const { id } = yield* addInvoice()
  return Option.getOrThrow(yield* (yield* Invoices).load({ ...testMode, id: InvoiceId.make(id) }))
})

/** Registers a software for an account's live mode; returns the issuer's version with that software. */
const register = Effect.fnUntraced(function* (account_id: AccountId, own: Software) {
  const id = yield* (yield* Ids).software
  const row = { account_id, id, software_id: own.id, provider_number: own.provider.number, created_at: new Date(0) }
  yield* (yield* Softwares).insert(row, Redacted.make(own.pin))
  const changed = yield* (yield* Accounts).update({ account_id, livemode: true }, (before) =>
    Effect.succeed({ ...before, software: id })
  )
  return changed.issuer_version
}, Effect.orDie)

const softwareIn = (signed: Uint8Array) => /<sts:SoftwareID[^>]*>([^<]*)</.exec(Buffer.from(signed).toString())?.[1]

const live = bearer(keys.live)
const ended = (path: string) =>
  Effect.map(
    until(get(path, live), ({ json }) => json.status !== "draft"),
    ({ json }) => json
  )

/** Creates a live invoice of the account and returns its path. */
const createLive = Effect.gen(function* () {
  const customer = yield* post("/v1/customers", customerBody("900373115"), live)
  const made = yield* post("/v1/invoices", invoiceBody(customer.json.id), live)
  assert.strictEqual(made.status, 202, made.text)
  return `/v1/invoices/${made.json.id}`
})

/** The key and certificate in the account's store, expired or not. */
const ownPem = Effect.gen(function* () {
  const { current, pem } = yield* Certificates
  return Redacted.value(yield* pem(Option.getOrThrow(yield* current(account))))
})

const renewCertificate = Effect.fnUntraced(function* (pem: string) {
  yield* giveCertificate(account, pem)
  yield* (yield* Certificates).forget(account)
})

/** A live invoice with a number and these columns, after all certificates of its account have expired. */
const withoutCertificate = Effect.fnUntraced(function* (columns: Readonly<Record<string, unknown>>) {
  const sql = yield* SqlClient.SqlClient
  const { calls } = yield* FakeAuthority
  const path = yield* createLive
  const { full_number, id } = yield* ended(path)
  yield* sql`update certificates set not_after = not_before + interval '1 millisecond' where account_id = ${account}`
  yield* (yield* Certificates).forget(account)
  calls.length = 0
  yield* change("invoices", id, { ...columns, next_action_at: new Date() })
  return { calls, full_number, path }
})

describeLive(layer)("A live document", (it) => {
  it.effect("carries the signature of the account's newest certificate", function* () {
    const authority = yield* FakeAuthority
    const certificates = new Set<string>()
    authority.onSubmit = ({ certificate, signed }) => {
      assert.isNotNull(readSignedDocument(signed))
      assert.include(Buffer.from(signed).toString(), certificate.certificate)
      certificates.add(certificate.certificate)
      return Effect.succeed(accepted)
    }
    yield* ended(yield* createLive)
    yield* renewCertificate(yield* makeSelfSigned("Tienda", new Date()))
    yield* ended(yield* createLive)
    assert.strictEqual(certificates.size, 2)
  })

  it.effect("fails when the certificate has expired, keeps its number, and is issued under it later", function* () {
    const { calls, full_number, path } = yield* withoutCertificate({
      state: "numbered",
      submitted_at: null,
      attempts: 0
    })
    const failed = yield* until(get(path, live), ({ json }) => json.status === "failed")
    assert.strictEqual(failed.json.full_number, full_number)
    assert.deepInclude(failed.json.failure, { code: "no_certificate", retryable: true })
    assert.match(failed.json.failure.message, /expired on \d{4}-\d\d-\d\d .*POST \/v1\/account\/certificate/)
    const listed = get(`/v1/events?object_id=${failed.json.id}`, live)
    const events = yield* until(listed, ({ json }) => json.data.length > 0)
    assert.strictEqual(events.json.data[0].type, "invoice.failed")
    assert.lengthOf(calls, 0)

    yield* renewCertificate(yield* ownPem)
    assert.strictEqual((yield* post(`${path}/retry`, undefined, live)).status, 202)
    assert.deepInclude(yield* ended(path), { status: "accepted_by_authority", full_number })
  })

  it.effect("waits for a certificate if its outcome is not known", function* () {
    const { calls, path } = yield* withoutCertificate({ state: "submitted", attempts: 1 })
    const waits = yield* until(get(path, live), ({ json }) => Boolean(json.waiting))
    assert.deepInclude(waits.json, { status: "draft", stage: "submitted" })
    assert.lengthOf(calls, 0)

    yield* renewCertificate(yield* ownPem)
    const authority = yield* FakeAuthority
    authority.onVerdict = () => Effect.succeed(accepted)
    yield* change("invoices", waits.json.id, { next_action_at: new Date() })
    assert.strictEqual((yield* ended(path)).status, "accepted_by_authority")
  })

  it.effect("gets its signature in this process without a time-out, if its key was uploaded", function* () {
    const { checkSigner, liveCertificate } = yield* signing(software("of-live"))
    assert.isTrue(isLocal(yield* liveCertificate(account)))
    const pem = Redacted.make(yield* ownPem)
    assert.strictEqual(yield* checkSigner(account, pem), pem)
    const chain = Redacted.make(Redacted.value(pem).slice(Redacted.value(pem).indexOf("-----BEGIN CERTIFICATE")))
    const refused = yield* Effect.flip(checkSigner(account, chain))
    assert.deepInclude(refused, { _tag: "SigningRefused" })
    assert.match(refused.message, /no RSA private key/)
  })

  it.effect("carries no wrong signature of a signer outside the service", function* () {
    const pem = yield* ownPem
    const other = fromPem(yield* makeSelfSigned("Otra", new Date()))
    const asked: Array<AccountCertificate> = []
    const state = { signer: other }
    const remote = Layer.succeed(SigningKeys, {
      signer: (certificate) =>
        Effect.sync(() => {
          asked.push(certificate)
          return { certificate: "of the port", sign: (bytes) => state.signer.sign(bytes) }
        })
    })
    const { checkSigner, liveCaller, sign } = yield* signing(software("of-live"), remote)
    const row = { ...(yield* numbered), livemode: true }
    // Another key's signature is right in form, and wrong for this certificate.
    assert.deepInclude(yield* Effect.flip(sign(row)), { _tag: "SigningUnavailable" })
    assert.deepInclude(yield* Effect.flip(checkSigner(account, Redacted.make(pem))), { _tag: "SigningUnavailable" })
    const caller = yield* liveCaller(account)
    assert.deepInclude(yield* Effect.flip(caller.sign(Buffer.from("a call"))), { trouble: "signer_unavailable" })

    state.signer = fromPem(pem)
    const signed = yield* sign(row)
    assert.isNotNull(readSignedDocument(signed))
    assert.include(Buffer.from(signed).toString(), state.signer.certificate)
    assert.deepStrictEqual(Buffer.from(yield* (yield* signing(software("of-live"))).sign(row)), Buffer.from(signed))
    // The key of the file is not stored, because the signer has it.
    const kept = Redacted.value(yield* checkSigner(account, Redacted.make(pem)))
    assert.match(kept, /^-----BEGIN CERTIFICATE-----/)
    assert.notInclude(kept, "PRIVATE KEY")
    // Once for the documents, and once for each upload.
    assert.lengthOf(asked, 3)
    for (const { account_id, certificate } of asked) {
      assert.deepStrictEqual([account_id, certificate], [account, state.signer.certificate])
    }
  })

  it.effect("names the software that is registered for its mode", function* () {
    const { sign } = yield* signing(software("of-live"))
    const row = yield* numbered
    assert.strictEqual(softwareIn(yield* sign(row)), "of-test")
    const signed = yield* sign({ ...row, livemode: true })
    assert.strictEqual(softwareIn(signed), "of-live")
    assert.strictEqual(readSignedDocument(signed)?.environment, "1")
  })

  it.effect("never names the sandbox's software", function* () {
    const { sign } = yield* signing()
    const row = yield* numbered
    assert.deepInclude(yield* Effect.flip(sign({ ...row, livemode: true })), {
      _tag: "Unsignable",
      code: "software_not_registered"
    })
    assert.strictEqual(softwareIn(yield* sign(row)), "of-test")
  })

  it.effect("names its account's own software, in the version of its issuer", function* () {
    const { sign } = yield* signing(software("of-live"))
    const row = { ...(yield* numbered), livemode: true }
    yield* giveCertificate(otherAccount, yield* ownPem)
    const versions = [
      [account, row.issuer_version, software("of-live")],
      [account, yield* register(account, { ...software("of-a"), pin: "a" }), { ...software("of-a"), pin: "a" }],
      [account, yield* register(account, { ...software("of-b"), pin: "b" }), { ...software("of-b"), pin: "b" }],
      [otherAccount, yield* register(otherAccount, software("of-other")), software("of-other")]
    ] as const
    for (const [account_id, issuer_version, { id, pin }] of versions) {
      const xml = yield* sign({ ...row, account_id, issuer_version })
      assert.strictEqual(softwareIn(xml), id)
      assert.include(Buffer.from(xml).toString(), `>${softwareSecurityCode(id, pin, row.full_number ?? "")}<`)
    }
  })

  it.effect("reaches its acquirer with the bytes that the authority has, and the authority's response", function* () {
    const { attach, sign } = yield* signing()
    const row = yield* numbered
    const signed = yield* sign(row)
    const applicationResponse = Buffer.from("<ApplicationResponse></ApplicationResponse>")
    const verdict = { signed, applicationResponse, validatedAt: Date.parse("2026-11-21T15:00:05Z") }
    const xml = Buffer.from(yield* attach(row, verdict)).toString()
    assert.include(xml, `<![CDATA[${Buffer.from(signed).toString()}]]>`)
    assert.include(xml, `<![CDATA[${applicationResponse.toString()}]]>`)
    assert.include(xml, `<cbc:ParentDocumentID>${row.full_number}<`)
    assert.include(xml, "<cbc:ValidationTime>10:00:05-05:00<")
  })
})
