import { Clock, Effect, Layer } from "effect"
import { X509Certificate } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../documents/signature/Certificate.ts"
import { replaceCertificate, storedCertificate } from "../../store/sandbox/StoredCertificate.ts"
import { SecretKey, Secrets } from "../../store/sql/Secrets.ts"
import { another, attempt, damaged, DataDir } from "./DataFiles.ts"

/** The file of `DataDir` in which a team may put a certificate of its own. */
export const certificateFile = "sandbox-certificate.pem"

// The name in the certificates that the service makes itself; a team's own has another.
const ownName = "Folio sandbox"

const partsOf = (pem: string) => {
  const certificate = fromPem(pem)
  // Without this check, a truncated certificate would be detected only by the documents that are signed with it.
  const { subject, validToDate } = new X509Certificate(Buffer.from(certificate.certificate, "base64"))
  return { pem, certificate, subject, notAfter: validToDate, isTeams: subject !== `CN=${ownName}` }
}

/** The certificate in the file of `DataDir`, or undefined. Fails with `DataDirError` when the file cannot be read or is damaged. */
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
 * The certificate that signs test documents, as it is stored, or undefined; none is made.
 *
 * @internal
 */
export const existingCertificate = Effect.map(storedCertificate, (pem) =>
  pem === undefined ? undefined : partsOf(pem)
)

/**
 * The certificate of all processes of the database. A file in `DataDir` counts when a team put it there, and otherwise only when
 * nothing is stored: earlier releases made such a file for each process. An expired certificate is replaced.
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
 * The default `SandboxCertificate`: one for all processes, sealed in the database, and made when there is none. A certificate of a
 * team's own in the file `sandbox-certificate.pem` in `DataDir` takes its place at the next start. Requires `SecretKey` and a
 * `SqlClient`. Fails with `DataDirError` when the file cannot be used.
 */
export const layerSandboxCertificate = Layer.effect(
  SandboxCertificate,
  Effect.gen(function* () {
    const secrets = Layer.provide(Secrets.layer, Layer.succeed(SecretKey, yield* SecretKey))
    return (yield* Effect.provide(agreed, secrets)).certificate
  })
)
