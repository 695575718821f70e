import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import * as ColombianProfile from "../../src/documents/ColombianProfile.ts"
import type { Software } from "../../src/documents/ubl/Software.ts"
import { Signing } from "../../src/issuing/Signing.ts"
import { Invoices } from "../../src/store/documents/Invoices.ts"
import { alone } from "../support/apps/ActorsAlone.ts"
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
