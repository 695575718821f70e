import { Clock, Effect, Layer } from "effect"
import { X509Certificate } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../documents/signature/Certificate.ts"
import { replaceCertificate, storedCertificate } from "../accounts/store/sandbox/StoredCertificate.ts"
import { PreviousSecretKey, SecretKey, Secrets } from "../database/Secrets.ts"
import { another, attempt, damaged, DataDir } from "../runtime/process/DataFiles.ts"

/** The file in `DataDir` for a team's own certificate. */
export const certificateFile = "sandbox-certificate.pem"

// The name in the service's own certificates; a team's certificate has another.
const ownName = "Folio sandbox"

const partsOf = (pem: string) => {
  const certificate = fromPem(pem)
  // Without this check, only the documents that it signs would reveal a truncated certificate.
  const { subject, validToDate } = new X509Certificate(Buffer.from(certificate.certificate, "base64"))
  return { pem, certificate, subject, notAfter: validToDate, isTeams: subject !== `CN=${ownName}` }
}

/**
 * The certificate in the file in `DataDir`, or undefined. Fails with `DataDirError` if the file is unreadable or
 * damaged.
 */
const inFile = Effect.gen(function* () {
  const path = Path.join(yield* DataDir, certificateFile)
  if (!Fs.existsSync(path)) return undefined
  const content = (yield* attempt(path, () => Fs.readFileSync(path, "utf8"))).trim()
  return yield* Effect.try({
    try: () => partsOf(content),
    catch: () => damaged(path, content, "a key and a certificate as PEM", another)
  })
})

const isPast = Effect.fnUntraced(function* (notAfter: Date) {
  return notAfter.getTime() <= (yield* Clock.currentTimeMillis)
})

/**
 * The stored certificate that signs test documents, or undefined. Makes none.
 *
 * @internal
 */
export const existingCertificate = Effect.map(storedCertificate, (pem) =>
  pem === undefined ? undefined : partsOf(pem)
)

/**
 * The certificate of all processes of the database. A file in `DataDir` counts if a team put it there, and otherwise
 * only if none is stored: earlier releases made such a file for each process. Replaces an expired certificate.
 */
const agreed = Effect.gen(function* () {
  const file = yield* inFile
  const stored = yield* existingCertificate
  const usable = file !== undefined && !(yield* isPast(file.notAfter)) ? file : undefined
  if (stored !== undefined && !(yield* isPast(stored.notAfter))) {
    if (usable === undefined || !usable.isTeams || usable.pem === stored.pem) return stored
  }
  const pem = usable?.pem ?? (yield* makeSelfSigned(ownName, new Date(yield* Clock.currentTimeMillis))).trim()
  return partsOf(yield* replaceCertificate(stored?.pem, pem))
})

/**
 * The default `SandboxCertificate`: one for all processes, encrypted in the database, and created if there is none. At
 * the next start, a team's own certificate in `sandbox-certificate.pem` in `DataDir` replaces it. Requires `SecretKey`
 * and a `SqlClient`. Fails with `DataDirError` if the file is unusable.
 */
export const layerSandboxCertificate = Layer.effect(
  SandboxCertificate,
  Effect.gen(function* () {
    const secrets = Secrets.layerOf(yield* SecretKey, yield* PreviousSecretKey)
    return (yield* Effect.provide(agreed, secrets)).certificate
  })
)
