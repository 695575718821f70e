import { Duration, Effect, Redacted } from "effect"
import { X509Certificate } from "node:crypto"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { Violation } from "../../../schemas/ApiError.ts"
import type { CertificateRequest } from "../../../schemas/Certificate.ts"
import { violation } from "../rules/AuthorityRules.ts"
import { subjectOf } from "./Certificate.ts"
import type { Pkcs12Answer, Pkcs12Fault } from "./Pkcs12Worker.ts"

/** A certificate that can sign live documents, with its key if the file holds it. */
export interface SigningIdentity {
  /** PEM: the key if the file holds it, its certificate, and the certificate chain as far as the file holds it. */
  readonly pem: Redacted.Redacted<string>
  readonly subject: string
  readonly not_before: Date
  readonly not_after: Date
}

const keyBitsMin = 2048
// With a key of twice the bits, a signature takes eight times as long, on threads that all accounts share.
const keyBitsMax = 4096
const readingTimeout = Duration.seconds(10)

const wrong = (message: string, param: "pkcs12" | "password" = "pkcs12"): Violation =>
  violation(param, "parameter_invalid", message, "certificate")

const faults: Readonly<Record<Pkcs12Fault, Violation>> = {
  iterations: wrong(
    "pkcs12 takes more than 2,000,000 iterations of its key derivation to open: export it again with fewer, such as 10,000."
  ),
  unreadable: wrong("pkcs12 is not a PKCS#12 file: send the bytes of the .p12 or .pfx file in base64."),
  password: wrong("password does not open the file. Check it, or export the file again.", "password"),
  several: wrong(
    "pkcs12 holds no key, and several certificates that issued none of the others: export one certificate, alone or with its chain."
  ),
  no_certificate: wrong("pkcs12 holds no certificate: export the key together with its certificate."),
  mismatch: wrong("pkcs12 holds no certificate of its key: export the key with the certificate made for it.")
}
const late = wrong("pkcs12 takes too long to open: export it again with fewer iterations of its key derivation.")

/** The place in PEM text at which its certificates start, after the key. */
export const certificatesFrom = (pem: string): number => pem.indexOf("-----BEGIN CERTIFICATE")

const day = (date: Date) => date.toISOString().slice(0, 10)

/**
 * Reads a PKCS#12 file in a worker thread. An interruption, by a time-out or by a canceled request, terminates the
 * thread.
 */
const readApart = (bytes: Uint8Array, password: string) =>
  Effect.callback<Pkcs12Answer>((resume) => {
    const worker = new Worker(new URL(`./Pkcs12Worker${extname(import.meta.filename)}`, import.meta.url), {
      workerData: { bytes, password },
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      execArgv: [],
      env: {}
    })
    const unreadable = () => resume(Effect.succeed({ _tag: "Fault", fault: "unreadable" }))
    worker.once("message", (answer: Pkcs12Answer) => resume(Effect.succeed(answer)))
    worker.once("error", unreadable)
    worker.once("exit", unreadable)
    return Effect.promise(() => worker.terminate())
  })

/**
 * Reads a PKCS#12 file and checks that its certificate can sign: an RSA key of 2048 to 4096 bits, valid at `now` (Unix
 * milliseconds). The key itself may be missing. Fails with a `Violation` that names the fault and the fix.
 */
export const readPkcs12 = Effect.fnUntraced(function* (request: CertificateRequest, now: number) {
  const bytes = new Uint8Array(Buffer.from(request.pkcs12, "base64"))
  const answer = yield* readApart(bytes, request.password).pipe(
    Effect.timeoutOrElse({ duration: readingTimeout, orElse: () => Effect.fail(late) })
  )
  if (answer._tag === "Fault") return yield* Effect.fail(faults[answer.fault])
  if (answer.bits < keyBitsMin || answer.bits > keyBitsMax) {
    return yield* Effect.fail(
      wrong(
        `pkcs12 holds an RSA key of ${answer.bits} bits; get a certificate with a key of ${keyBitsMin} to ${keyBitsMax} bits.`
      )
    )
  }
  const certificate = new X509Certificate(answer.pem.slice(certificatesFrom(answer.pem)))
  const identity: SigningIdentity = {
    pem: Redacted.make(answer.pem),
    subject: subjectOf(certificate),
    not_before: certificate.validFromDate,
    not_after: certificate.validToDate
  }
  if (identity.not_after.getTime() <= now) {
    return yield* Effect.fail(
      wrong(`pkcs12 holds a certificate that expired on ${day(identity.not_after)}: send the one that replaces it.`)
    )
  }
  if (identity.not_before.getTime() > now) {
    return yield* Effect.fail(
      wrong(
        `pkcs12 holds a certificate that is valid from ${day(identity.not_before)} on: send it again from that day on.`
      )
    )
  }
  return identity
})
