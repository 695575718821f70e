import forge from "node-forge"
import { pbkdf2Sync } from "node:crypto"
import { getPriority, setPriority } from "node:os"
import { isMainThread, parentPort, workerData } from "node:worker_threads"

/*
 * Reads a PKCS#12 file in a worker thread, because the file itself determines how long it takes to open, and a thread
 * can be terminated. Returns the PEM of the key, its certificate and the chain, or a fault. A file without a key holds
 * the certificate of a key elsewhere.
 */

export type Pkcs12Fault = "iterations" | "unreadable" | "password" | "several" | "no_certificate" | "mismatch"

export type Pkcs12Answer =
  | { readonly _tag: "Read"; readonly pem: string; readonly bits: number }
  | { readonly _tag: "Fault"; readonly fault: Pkcs12Fault }

/**
 * The limit of key derivation iterations over all keys of a file; higher than the defaults of programs that write these
 * files.
 */
const iterationsMax = 2_000_000
let iterations = 0

/** Counts the iterations of a key derivation before it runs. Throws if the total exceeds `iterationsMax`. */
const count = (more: number) => {
  iterations += more
  if (!(iterations <= iterationsMax)) throw new Error("too many iterations")
}

type Derive = (password: string, salt: unknown, id: number, rounds: number, bytes: number, md?: unknown) => unknown
type Pbkdf2 = (
  password: string,
  salt: string,
  rounds: number,
  bytes: number,
  md: { algorithm: string } | null
) => string

const derivations = forge as unknown as {
  readonly pkcs5: { pbkdf2: Pbkdf2 }
  readonly pbe: { generatePkcs12Key: Derive }
  readonly pkcs12: { generateKey: Derive }
}
const { generatePkcs12Key } = derivations.pbe
const counted: Derive = (password, salt, id, rounds, bytes, md) => {
  count(rounds)
  return generatePkcs12Key(password, salt, id, rounds, bytes, md)
}
derivations.pbe.generatePkcs12Key = counted
derivations.pkcs12.generateKey = counted
// Node's PBKDF2 takes a tenth of the time of forge's.
derivations.pkcs5.pbkdf2 = (password, salt, rounds, bytes, md) => {
  count(rounds)
  const [secret, grains] = [password, salt].map((text) => Buffer.from(text, "latin1")) as [Buffer, Buffer]
  return pbkdf2Sync(secret, grains, rounds, bytes, md?.algorithm ?? "sha1").toString("latin1")
}

const { keyBag, pkcs8ShroudedKeyBag, certBag } = forge.pki.oids as Record<string, string>

const fault = (what: Pkcs12Fault): Pkcs12Answer => ({ _tag: "Fault", fault: what })

/** A certificate and the chain of its issuers, as far as the file holds their certificates. */
const chainOf = (leaf: forge.pki.Certificate, all: ReadonlyArray<forge.pki.Certificate>) => {
  const chain = [leaf]
  for (let last = leaf; chain.length <= all.length;) {
    const issuer = all.find((other) => !chain.includes(other) && last.isIssuer(other))
    if (issuer === undefined) return chain
    chain.push(issuer)
    last = issuer
  }
  return chain
}

const bitsOf = ({ publicKey }: forge.pki.Certificate) => (publicKey as forge.pki.rsa.PublicKey).n.bitLength()

const pemOf = (leaf: forge.pki.Certificate, all: ReadonlyArray<forge.pki.Certificate>) =>
  chainOf(leaf, all).map((one) => forge.pki.certificateToPem(one))

/** The certificate of a file without a key: the only one that is not the issuer of another. */
const alone = (all: ReadonlyArray<forge.pki.Certificate>): Pkcs12Answer => {
  const leaves = all.filter((one) => !all.some((other) => other !== one && other.isIssuer(one)))
  const [leaf] = leaves
  if (leaf === undefined || leaves.length > 1) return fault("several")
  return { _tag: "Read", pem: pemOf(leaf, all).join("").replaceAll("\r", ""), bits: bitsOf(leaf) }
}

const read = (bytes: Uint8Array, password: string): Pkcs12Answer => {
  let asn1: forge.asn1.Asn1
  try {
    asn1 = forge.asn1.fromDer(Buffer.from(bytes).toString("latin1"))
  } catch {
    return fault("unreadable")
  }
  let file: forge.pkcs12.Pkcs12Pfx
  try {
    file = forge.pkcs12.pkcs12FromAsn1(asn1, false, password)
  } catch (error) {
    if (iterations > iterationsMax) return fault("iterations")
    // In a file without a MAC, a wrong password shows only in decrypted content that cannot be parsed.
    return fault(/password|MAC|decrypt|PKCS#8|SafeContents/i.test(String(error)) ? "password" : "unreadable")
  }
  const bagsOf = (type: string | undefined) => file.getBags({ bagType: type ?? "" })[type ?? ""] ?? []
  const keys = [...bagsOf(keyBag), ...bagsOf(pkcs8ShroudedKeyBag)].flatMap(({ key }) =>
    key === undefined || key === null ? [] : [key as forge.pki.rsa.PrivateKey]
  )
  const certificates = bagsOf(certBag).flatMap(({ cert }) => (cert === undefined || cert === null ? [] : [cert]))
  if (certificates.length === 0) return fault("no_certificate")
  if (keys.length === 0) return alone(certificates)
  for (const key of keys) {
    const own = certificates.find(({ publicKey }) => {
      const { e, n } = publicKey as forge.pki.rsa.PublicKey
      return n.equals(key.n) && e.equals(key.e)
    })
    if (own === undefined) continue
    const pem = [forge.pki.privateKeyToPem(key), ...pemOf(own, certificates)].join("")
    return { _tag: "Read", pem: pem.replaceAll("\r", ""), bits: key.n.bitLength() }
  }
  return fault("mismatch")
}

// As in `PrintWorker`.
if (!isMainThread && process.platform === "linux" && getPriority() < 5) setPriority(5)

const { bytes, password } = workerData as { readonly bytes: Uint8Array; readonly password: string }
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(read(bytes, password))
