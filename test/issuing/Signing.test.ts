import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import type { AccountId } from "../../schemas/Id.ts"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import * as ColombianProfile from "../../src/documents/ColombianProfile.ts"
import type { Software } from "../../src/documents/ubl/Software.ts"
import { Signing } from "../../src/issuing/Signing.ts"
import { softwareSecurityCode } from "../../src/domain/documents/Cufe.ts"
import { Accounts } from "../../src/store/accounts/Accounts.ts"
import { Softwares } from "../../src/store/accounts/Softwares.ts"
import { Ids } from "../../src/store/sql/Ids.ts"
import { Invoices } from "../../src/store/documents/Invoices.ts"
import { alone } from "../support/apps/ActorsAlone.ts"
import { account, otherAccount } from "../support/apps/Accounts.ts"
import { giveCertificate } from "../support/authority/LiveAccounts.ts"
import { MemoryTables } from "../support/memory/MemoryTables.ts"
import { addCustomer, addNumbered } from "../support/apps/MemoryRows.ts"
import { itOn } from "../support/Tests.ts"

const software = (id: string): Software => ({
  provider: { number: "900373115", check_digit: "3" },
  id,
  pin: "1"
})

const signing = (live: Software | undefined) =>
  // `alone` holds another, with the software of all tests.
  Layer.fresh(Signing.layer).pipe(
    Layer.provide(ColombianProfile.layer({ test: software("of-test"), live })),
    Layer.provideMerge(alone)
  )

const it = itOn(signing(undefined))

const numbered = Effect.gen(function* () {
  const invoices = yield* Invoices
  const row = yield* invoices.load(yield* addNumbered(yield* addCustomer()))
  return Option.getOrThrow(row)
})

/** Gives the live mode of an account a software; gives the version of the issuer that has it. */
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

describe("A document's row", () => {
  itOn(signing(software("of-live"))).effect("is signed by the program that is registered for its mode", function* () {
    const { sign } = yield* Signing
    const row = yield* numbered
    assert.strictEqual(softwareIn(yield* sign(row)), "of-test")
    assert.strictEqual(softwareIn(yield* sign({ ...row, livemode: true })), "of-live")
    assert.strictEqual(readSignedDocument(yield* sign({ ...row, livemode: true }))?.environment, "1")
  })

  it.effect("is not signed as live by the sandbox's program", function* () {
    const { sign } = yield* Signing
    const row = yield* numbered
    assert.deepInclude(yield* Effect.flip(sign({ ...row, livemode: true })), {
      _tag: "Unsignable",
      code: "software_not_registered"
    })
    assert.strictEqual(softwareIn(yield* sign(row)), "of-test")
  })

  itOn(signing(software("of-live"))).effect(
    "is signed by its account's own program, the one of its issuer's version",
    function* () {
      const { sign } = yield* Signing
      const row = { ...(yield* numbered), livemode: true }
      const { tables } = yield* MemoryTables
      const pem = [...tables.certificates.values()][0]?.pem ?? ""
      yield* giveCertificate(otherAccount, pem)
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
    }
  )

  it.effect("becomes what its acquirer is sent, with the bytes that the authority has got", function* () {
    const { attach, sign } = yield* Signing
    const row = yield* numbered
    const signed = yield* sign(row)
    const applicationResponse = Buffer.from("<ApplicationResponse></ApplicationResponse>")
    const accepted = { signed, applicationResponse, validatedAt: Date.parse("2026-11-21T15:00:05Z") }
    const xml = Buffer.from(yield* attach(row, accepted)).toString()
    assert.include(xml, `<![CDATA[${Buffer.from(signed).toString()}]]>`)
    assert.include(xml, `<![CDATA[${applicationResponse.toString()}]]>`)
    assert.include(xml, `<cbc:ParentDocumentID>${row.full_number}<`)
    assert.include(xml, "<cbc:ValidationTime>10:00:05-05:00<")
  })
})
