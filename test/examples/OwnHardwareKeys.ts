/*
 * The service with live keys in a PKCS#11 token, such as a hardware security module. Each signature is a call of
 * `pkcs11-tool` of OpenSC, which logs in to the token:
 *
 *   PKCS11_MODULE=/usr/lib/softhsm/libsofthsm2.so PKCS11_TOKEN=folio PKCS11_PIN=… node OwnHardwareKeys.ts
 *
 * The id of a key (CKA_ID) is the SHA-1 of its certificate, as `openssl x509 -fingerprint -sha1` shows it.
 */
import { main } from "@folio-einvoicing/service"
import { SigningKeys, SigningRefused, SigningUnavailable } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer, Redacted, Semaphore } from "effect"
import { execFile } from "node:child_process"
import { X509Certificate } from "node:crypto"

const settings = Config.all({
  module: Config.String("PKCS11_MODULE"),
  token: Config.String("PKCS11_TOKEN"),
  pin: Config.Redacted("PKCS11_PIN")
})

// Processes of `pkcs11-tool` at a time. A token has a limit of sessions.
const atOnce = 4

/** Runs `pkcs11-tool` with this input, and returns its output. An interruption ends the process. */
const toolOf = ({ module, pin, token }: Config.Success<typeof settings>) => {
  const turns = Semaphore.makeUnsafe(atOnce)
  // The arguments of a process are public, so the PIN is in its environment.
  const env = { PATH: process.env["PATH"], SOFTHSM2_CONF: process.env["SOFTHSM2_CONF"], PIN: Redacted.value(pin) }
  const login = ["--module", module, "--token-label", token, "--login", "--pin", "env:PIN"]
  return (args: ReadonlyArray<string>, input: Uint8Array = new Uint8Array()) =>
    turns.withPermits(1)(
      Effect.callback<Buffer, SigningUnavailable>((resume) => {
        const tool = execFile("pkcs11-tool", [...login, ...args], { env, encoding: "buffer" }, (error, out, log) => {
          const why = log.toString().replaceAll(/\s+/g, " ").slice(0, 300)
          const message = `pkcs11-tool failed: ${why === "" ? String(error?.message) : why}`
          resume(error === null ? Effect.succeed(out) : Effect.fail(new SigningUnavailable({ message })))
        })
        // A process that ends early reads no input; its exit code reports the failure.
        tool.stdin?.on("error", () => {}).end(input)
        return Effect.sync(() => tool.kill("SIGKILL"))
      })
    )
}

const noKey = new SigningRefused({ message: "The token of this service has no key of the certificate." })

const signingKeys = Layer.effect(
  SigningKeys,
  Effect.map(settings, (values) => {
    const tool = toolOf(values)
    return {
      signer: Effect.fnUntraced(function* ({ certificate }) {
        const { fingerprint } = new X509Certificate(Buffer.from(certificate, "base64"))
        const id = fingerprint.replaceAll(":", "").toLowerCase()
        const keys = yield* tool(["--list-objects", "--type", "privkey"])
        if (!keys.toString().toLowerCase().includes(id)) return yield* noKey
        const sign = ["--sign", "--mechanism", "SHA256-RSA-PKCS", "--id", id]
        return { certificate, sign: (bytes) => tool(sign, bytes) }
      })
    }
  })
)

main({ signingKeys })
