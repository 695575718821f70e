import * as crypto from "node:crypto"
import * as net from "node:net"

/** Throw-away certificates, made at run time, because Node reads X.509 but does not write it. ECDSA P-256, PEM. */
export interface Identity {
  readonly cert: string
  readonly key: string
}

const der = (tag: number, ...contents: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(contents)
  const length = content.length
  const header = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...header]), content])
}

const sequence = (...contents: ReadonlyArray<Uint8Array>) => der(0x30, ...contents)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const boolean = (value: boolean) => der(0x01, Buffer.from([value ? 0xff : 0]))
const octets = (content: Uint8Array) => der(0x04, content)
const time = (at: Date) => der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, ""), "latin1"))

const ecdsaSha256 = sequence(oid("2a8648ce3d040302"))
const nameOf = (common: string) => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(common)))))
const basicConstraints = (isCa: boolean) =>
  sequence(oid("551d13"), boolean(true), octets(sequence(...(isCa ? [boolean(true)] : []))))
const octetsOf = (ip: string) => {
  if (net.isIPv4(ip)) return Buffer.from(ip.split(".").map(Number))
  const [head = [], tail = []] = ip.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => "0")
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, "0")).join(""), "hex")
}
const alternativeNames = (names: ReadonlyArray<string>) =>
  sequence(
    oid("551d11"),
    octets(
      sequence(
        ...names.map((name) => (net.isIP(name) === 0 ? der(0x82, Buffer.from(name)) : der(0x87, octetsOf(name))))
      )
    )
  )

interface Subject {
  readonly name: string
  readonly names?: ReadonlyArray<string>
  readonly isCa?: boolean
  /** Expiry in days from now; if negative, the certificate has expired. */
  readonly days?: number
}

export interface Issuer extends Identity {
  readonly name: string
}

const day = 24 * 60 * 60 * 1000

/** A certificate for the subject, signed by the issuer or, without an issuer, by its own key. */
export const issue = (subject: Subject, issuer?: Issuer): Issuer => {
  const { privateKey, publicKey } = crypto.generateKeyPairSync("ec", { namedCurve: "P-256" })
  const end = Date.now() + (subject.days ?? 1) * day
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), crypto.randomBytes(8)])),
    ecdsaSha256,
    nameOf(issuer?.name ?? subject.name),
    sequence(time(new Date(end - 30 * day)), time(new Date(end))),
    nameOf(subject.name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(basicConstraints(subject.isCa ?? false), alternativeNames(subject.names ?? [subject.name])))
  )
  const signature = crypto.sign("sha256", toSign, issuer?.key ?? privateKey)
  const certificate = sequence(toSign, ecdsaSha256, der(0x03, Buffer.from([0]), signature))
  return {
    name: subject.name,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString("base64")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}
