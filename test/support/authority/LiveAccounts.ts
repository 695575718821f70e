import { Clock, Effect, Redacted } from "effect"
import forge from "node-forge"
import { generateKeyPairSync } from "node:crypto"
import type { AccountId } from "../../../schemas/Id.ts"
import * as ColombianProfile from "../../../src/documents/ColombianProfile.ts"
import { sandboxSoftware } from "../../../src/documents/ubl/UblSoftware.ts"
import { Certificates } from "../../../src/accounts/store/Certificates.ts"
import { Ids } from "../../../src/database/Ids.ts"

/** The software that live documents name, as settings. */
export const softwareSettings = {
  SOFTWARE_ID: "f0110000-0000-4000-8000-00000000000a",
  SOFTWARE_PIN: "75315",
  SOFTWARE_NIT: "900373115-3"
}

/** The Colombian profile with this software. */
export const colombia = ColombianProfile.layer({
  live: { provider: sandboxSoftware.provider, id: softwareSettings.SOFTWARE_ID, pin: softwareSettings.SOFTWARE_PIN }
})

/** Gives a live account this key and certificate for signing, valid for a year from now. */
export const giveCertificate = Effect.fnUntraced(function* (account_id: AccountId, pem: string) {
  const now = yield* Clock.currentTimeMillis
  const id = yield* (yield* Ids).certificate
  yield* (yield* Certificates).insert(
    {
      account_id,
      id,
      subject: "CN=Folio test",
      not_before: new Date(now - 1_000),
      not_after: new Date(now + 365 * 86_400_000),
      created_at: new Date(now)
    },
    Redacted.make(pem)
  )
})

export interface KeyFile {
  /** The file in base64, as in a request. */
  readonly pkcs12: string
  readonly password: string
  /** The certificate in DER and base64, as in a document. */
  readonly certificate: string
  /** The private key as PEM text, also of a file without it. */
  readonly key: string
  /** A part of the key's PEM text. */
  readonly keyText: string
}

const hour = 3_600_000
const day = 24 * hour

const newKeys = (bits: number) => {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: bits,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" }
  })
  return { key: forge.pki.privateKeyFromPem(privateKey), public: forge.pki.publicKeyFromPem(publicKey) }
}

type Keys = ReturnType<typeof newKeys>

const certify = (subject: string, keys: Keys, by: { name: string; keys: Keys }, from: number, to: number) => {
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = keys.public
  certificate.serialNumber = `0${Math.floor(Math.random() * 1e15)}`
  certificate.validity.notBefore = new Date(from)
  certificate.validity.notAfter = new Date(to)
  certificate.setSubject([{ name: "commonName", value: subject }])
  certificate.setIssuer([{ name: "commonName", value: by.name }])
  certificate.sign(by.keys.key, forge.md.sha256.create())
  return certificate
}

// Creating a key pair takes longer than most tests: one of each kind is enough for all tests of a file.
const kept = new Map<string, Keys>()
const keysOf = (name: string, bits = 2048) => {
  const keys = kept.get(name + bits) ?? newKeys(bits)
  kept.set(name + bits, keys)
  return keys
}

interface KeyFileOptions {
  /** In milliseconds; the real time in whole hours if omitted. */
  readonly now?: number
  /** Days from now. */
  readonly from?: number
  readonly to?: number
  readonly bits?: number
  readonly subject?: string
  readonly without?: "key" | "certificate"
  /** Whether the file holds another certificate that its root issued. */
  readonly several?: boolean
  /** Whether the certificate belongs to another key. */
  readonly mismatched?: boolean
  /** The iteration count that the file declares for its checksum's key. */
  readonly iterations?: number
  readonly algorithm?: "aes256" | "3des"
}

const keptFiles = new Map<string, KeyFile>()

/** A PKCS#12 file as certification authorities issue it: key, certificate, and the issuer's certificate. */
export const keyFile = (options: KeyFileOptions = {}): KeyFile => {
  const change = { now: Math.floor(Date.now() / hour) * hour, ...options }
  const name = JSON.stringify(change)
  const file = keptFiles.get(name) ?? newFile(change)
  keptFiles.set(name, file)
  return file
}

const newFile = (change: KeyFileOptions & { readonly now: number }): KeyFile => {
  const { algorithm = "aes256", bits = 2048, from = -1, now, to = 365 } = change
  const { subject = "Tienda S.A.S." } = change
  const password = "canary-file-password"
  const keys = keysOf("holder", bits)
  const root = { name: "Autoridad de prueba", keys: keysOf("authority") }
  const holder = change.mismatched === true ? keysOf("another") : keys
  const own = certify(subject, holder, root, now + from * day, now + to * day)
  const above = certify(root.name, root.keys, root, now - day, now + 3_650 * day)
  const file = forge.pkcs12.toPkcs12Asn1(
    change.without === "key" ? (null as unknown as forge.pki.rsa.PrivateKey) : keys.key,
    change.without === "certificate"
      ? []
      : [above, own, ...(change.several === true ? [certify("Otra", keysOf("another"), root, now, now + day)] : [])],
    password,
    { algorithm, count: 2048, generateLocalKeyId: false }
  )
  if (change.iterations !== undefined) {
    const checksum = (file.value as Array<forge.asn1.Asn1>)[2]?.value as Array<forge.asn1.Asn1>
    checksum[2]!.value = forge.asn1.integerToDer(change.iterations).getBytes()
  }
  const key = forge.pki.privateKeyToPem(keys.key)
  return {
    pkcs12: forge.util.encode64(forge.asn1.toDer(file).getBytes()),
    password,
    key,
    keyText: key.split("\n")[12]?.trim() ?? "",
    certificate: forge.util.encode64(forge.asn1.toDer(forge.pki.certificateToAsn1(own)).getBytes())
  }
}
