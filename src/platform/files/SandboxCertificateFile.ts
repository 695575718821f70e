import { Clock, Effect, Layer } from "effect"
import { X509Certificate } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { fromPem, makeSelfSigned, SandboxCertificate } from "../../documents/signature/Certificate.ts"
import { another, attempt, damaged, keep } from "./DataFiles.ts"
import { DataDir } from "./DataDir.ts"

const certificateIn = (path: string, content: string) =>
  Effect.try({
    try: () => {
      const certificate = fromPem(content)
      // Without this check, a truncated certificate would be detected only by the documents that are signed with it.
      const { subject, validToDate } = new X509Certificate(Buffer.from(certificate.certificate, "base64"))
      return { path, certificate, subject, notAfter: validToDate }
    },
    catch: () => damaged(path, content.trim(), "a key and a certificate as PEM", another)
  })

/**
 * The existing certificate of the sandbox, or undefined; none is made. Fails when the file cannot be read or is damaged.
 *
 * @internal
 */
export const existingCertificate = Effect.gen(function* () {
  const dataDir = yield* DataDir
  const path = Path.join(dataDir, "sandbox-certificate.pem")
  if (!Fs.existsSync(path)) return undefined
  return yield* certificateIn(path, yield* attempt(path, () => Fs.readFileSync(path, "utf8")))
})

/**
 * The default `SandboxCertificate`: the file `sandbox-certificate.pem` in `DataDir`, which is made when missing. Fails with
 * `DataDirError` when the file cannot be used.
 *
 * @example
 * ```ts
 * import { DataDir, sandboxCertificateLayer } from "@folio-einvoicing/service/platform"
 * import { Layer } from "effect"
 *
 * export const certificate = Layer.provide(sandboxCertificateLayer, DataDir.layer("/var/lib/folio"))
 * ```
 */
export const sandboxCertificateLayer = Layer.effect(
  SandboxCertificate,
  Effect.gen(function* () {
    const now = new Date(yield* Clock.currentTimeMillis)
    const { content, path } = yield* keep("sandbox-certificate.pem", makeSelfSigned("Folio sandbox", now))
    return (yield* certificateIn(path, content)).certificate
  })
)
