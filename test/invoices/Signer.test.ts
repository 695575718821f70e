import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SandboxCertificate, SigningUnavailable } from "../../src/documents/signature/Certificate.ts"
import { breakable, installed } from "../ports/Faults.ts"
import { alone, commandsOf, invoiceOf, issuing, waitOf } from "../support/apps/ActorsAlone.ts"
import { accepted } from "../support/apps/Fakes.ts"
import { itOn } from "../support/Tests.ts"

const it = itOn(alone)

describe("A document whose signer fails", () => {
  it.effect("returns to signed if its call gets no signature, and leaves once the signer works", function* () {
    const { authority, key, proceed, tables } = yield* issuing
    const signer = breakable()
    yield* installed(yield* SandboxCertificate, "sign", signer)
    let arrived = 0
    authority.onSubmit = ({ certificate }) =>
      Effect.suspend(() => {
        // The document is signed by now, and only its call is not.
        if (arrived === 0 && signer.calls < 3)
          signer.fault = () => Effect.fail(new SigningUnavailable({ message: "401" }))
        return Effect.as(
          Effect.tap(certificate.sign(Buffer.from("a call")), () => Effect.sync(() => void (arrived += 1))),
          accepted
        )
      })
    yield* proceed(key)
    for (let times = 1; times <= 2; times++) {
      const row = yield* invoiceOf(key)
      assert.deepInclude(row, { state: "signed", submitted_at: null, contingency_since: null, failure: null })
      assert.strictEqual(row.waiting?.code, "signer_unavailable")
      assert.match(row.waiting?.message ?? "", /\(401\)/)
      // The failure of a signer is no outage of the authority.
      assert.strictEqual(tables.circuits.size, 0)
      yield* TestClock.adjust(yield* waitOf(key))
      yield* proceed(key)
    }
    signer.fault = null
    signer.calls = 3
    yield* TestClock.adjust(yield* waitOf(key))
    yield* proceed(key)
    assert.deepInclude(yield* invoiceOf(key), { state: "accepted_by_authority", waiting: null })
    assert.strictEqual(arrived, 1)
    assert.strictEqual(
      (yield* commandsOf(key)).join(" "),
      "Number Sign Submit Return Submit Return Submit Return Submit Accept"
    )
  })
})
