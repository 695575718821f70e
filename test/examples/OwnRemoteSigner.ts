/*
 * The service with live keys at a remote signer, over HTTPS with client certificates. Only the SHA-256 of the signed
 * bytes leaves the service:
 *
 *   SIGNER_URL=https://signer.internal:8443 SIGNER_CA=ca.pem SIGNER_CERT=folio.pem SIGNER_KEY=folio-key.pem \
 *     node OwnRemoteSigner.ts
 *
 *   GET  /keys/<SHA-1 of the certificate>        200 if the signer has its key, or 404
 *   POST /keys/<SHA-1 of the certificate>/sign   {"sha256": "<base64>"}: 200 {"signature": "<base64>"}
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { main } from "@folio-einvoicing/service"
import {
  type AccountCertificate,
  SigningKeys,
  SigningRefused,
  SigningUnavailable
} from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { createHash, X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"

const settings = Config.all({
  url: Config.String("SIGNER_URL"),
  ca: Config.String("SIGNER_CA"),
  cert: Config.String("SIGNER_CERT"),
  key: Config.String("SIGNER_KEY")
})

const Signed = Schema.Struct({ signature: Schema.Uint8ArrayFromBase64 })

const noKey = new SigningRefused({ message: "The signer of this service has no key of the certificate." })
const unavailable = (why: string) => new SigningUnavailable({ message: `The signer ${why}` })

// Each of these failures may pass, so Folio retries.
const failure = ({ status }: HttpClientResponse.HttpClientResponse) =>
  unavailable(status === 401 || status === 403 ? `does not admit this service (${status}).` : `returned ${status}.`)

const fingerprint = ({ certificate }: AccountCertificate) =>
  new X509Certificate(Buffer.from(certificate, "base64")).fingerprint.replaceAll(":", "").toLowerCase()

const signerAt = (url: string, client: HttpClient.HttpClient): typeof SigningKeys.Service => {
  const ask = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.mapError(client.execute(request), ({ message }) => unavailable(`was not reached: ${message}`))

  const sign = Effect.fnUntraced(function* (path: string, bytes: Uint8Array) {
    const sha256 = createHash("sha256").update(bytes).digest("base64")
    const response = yield* ask(HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(`${path}/sign`), { sha256 }))
    if (response.status !== 200) return yield* failure(response)
    const read = Effect.flatMap(response.json, Schema.decodeUnknownEffect(Signed))
    return (yield* Effect.mapError(read, () => unavailable("returned no signature."))).signature
  })

  return {
    signer: Effect.fnUntraced(function* (certificate) {
      const path = `${url}/keys/${fingerprint(certificate)}`
      const response = yield* ask(HttpClientRequest.get(path))
      if (response.status === 404) return yield* noKey
      if (response.status !== 200) return yield* failure(response)
      return { certificate: certificate.certificate, sign: (bytes) => sign(path, bytes) }
    })
  }
}

const signingKeys = Layer.unwrap(
  Effect.map(settings, ({ url, ...files }) => {
    const [ca, cert, key] = [files.ca, files.cert, files.key].map((file) => readFileSync(file, "utf8"))
    return Layer.effect(
      SigningKeys,
      Effect.map(HttpClient.HttpClient, (client) => signerAt(url, client))
    ).pipe(Layer.provide(NodeHttpClient.layerNodeHttpOptions({ ca, cert, key, keepAlive: true })))
  })
)

main({ signingKeys })
