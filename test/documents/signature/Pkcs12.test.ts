import { assert, describe } from "@effect/vitest"
import { Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { getPriority } from "node:os"
import { verify, X509Certificate } from "node:crypto"
import { fromPem } from "../../../src/documents/signature/Certificate.ts"
import { readPkcs12 } from "../../../src/documents/signature/Pkcs12.ts"
import { lowPriorityThreads } from "../../support/processes/Threads.ts"
import { until } from "../../support/apps/Until.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { it } from "../../support/Tests.ts"

describe("a PKCS#12 file", () => {
  it.live.each(["aes256", "3des"] as const)("opens with the protection %s, and its key signs", function* (algorithm) {
    const now = Date.now()
    const { certificate, password, pkcs12 } = keyFile({ algorithm, subject: "Tienda Ñandú S.A.S.", now })
    const identity = yield* readPkcs12({ pkcs12, password }, now)
    assert.strictEqual(identity.subject, "CN=Tienda Ñandú S.A.S.")
    assert.isBelow(identity.not_before.getTime(), now)
    assert.isAbove(identity.not_after.getTime(), now + 364 * 86_400_000)
    assert.strictEqual(String(identity.pem), "<redacted>")

    const signer = fromPem(Redacted.value(identity.pem))
    assert.strictEqual(signer.certificate, certificate)
    const { publicKey } = new X509Certificate(Buffer.from(signer.certificate, "base64"))
    const bytes = Buffer.from("a document")
    assert.isTrue(verify("sha256", bytes, publicKey, yield* signer.sign(bytes)))
    // The key, its certificate, and the issuer's certificate.
    const names = [...Redacted.value(identity.pem).matchAll(/-----BEGIN ([A-Z ]+)-----/g)].map(([, name]) => name)
    assert.deepStrictEqual(names, ["RSA PRIVATE KEY", "CERTIFICATE", "CERTIFICATE"])
  })

  it.live.each([false, true])(
    "may hold the certificate of a key elsewhere (with a further key: %s)",
    function* (several) {
      const now = Date.now()
      // With its key, a file may hold certificates of others.
      const { certificate, password, pkcs12 } = keyFile(several ? { now, several } : { now, without: "key" })
      const identity = yield* readPkcs12({ pkcs12, password }, now)
      assert.strictEqual(identity.subject, "CN=Tienda S.A.S.")
      const pem = Redacted.value(identity.pem)
      assert.strictEqual(pem.includes("PRIVATE KEY"), several)
      const [, leaf = ""] = /-----BEGIN CERTIFICATE-----([^-]+)-/.exec(pem) ?? []
      assert.strictEqual(leaf.replaceAll(/\s/g, ""), certificate)
      assert.lengthOf(pem.match(/BEGIN CERTIFICATE/g) ?? [], 2, "the certificate and its issuer")
    }
  )

  it.live("may contain a key of at most 4096 bits", function* () {
    const now = Date.now()
    const [longest, longer] = [keyFile({ bits: 4096, now }), keyFile({ bits: 4104, now })]
    assert.strictEqual((yield* readPkcs12(longest, now)).subject, "CN=Tienda S.A.S.")
    const refused = yield* Effect.result(readPkcs12(longer, now))
    assert.deepStrictEqual(Result.isFailure(refused) ? { ...refused.failure } : undefined, {
      param: "pkcs12",
      code: "parameter_invalid",
      message: "pkcs12 holds an RSA key of 4104 bits; get a certificate with a key of 2048 to 4096 bits."
    })
  })

  it.effect("times out after 10 s, and blocks no other work", function* () {
    const { password, pkcs12 } = keyFile({ iterations: 2_000_000 })
    const reading = yield* Effect.forkChild(Effect.flip(readPkcs12({ pkcs12, password }, Date.now())))
    yield* TestClock.adjust("10 seconds")
    const violation = yield* Fiber.join(reading)
    assert.match(String((violation as { message: string }).message), /too long to open/)
  })

  it.live.skipIf(process.platform !== "linux" || getPriority() !== 0)(
    "opens in a thread that gives way to others",
    function* () {
      // Threads of earlier tests can still end.
      const before = lowPriorityThreads()
      const { password, pkcs12 } = keyFile({ iterations: 2_000_000 })
      const reading = yield* Effect.forkChild(Effect.exit(readPkcs12({ pkcs12, password }, Date.now())))
      yield* until(
        Effect.sync(() => [...lowPriorityThreads()].filter((thread) => !before.has(thread))),
        ({ length }) => length === 1
      )
      yield* Fiber.interrupt(reading)
    }
  )

  it.live.each([2_000_001, 0x7f_ff_ff_ff])(
    "fails before any of the %i iterations that it claims",
    function* (iterations) {
      const { password, pkcs12 } = keyFile({ iterations })
      assert.deepStrictEqual(yield* Effect.flip(readPkcs12({ pkcs12, password }, Date.now())), {
        param: "pkcs12",
        code: "parameter_invalid",
        message:
          "pkcs12 takes more than 2,000,000 iterations of its key derivation to open: export it again with fewer, such as 10,000."
      })
    }
  )
})
