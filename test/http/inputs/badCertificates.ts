import forge from "node-forge"
import { localDate } from "../../../src/runtime/AuthorityTime.ts"
import { keyFile } from "../../support/authority/LiveAccounts.ts"
import { keys } from "../../support/apps/Accounts.ts"
import { post, refused } from "./Refused.ts"
import { bearer } from "../../support/apps/Requests.ts"

const live = bearer(keys.live)
const upload = (body: unknown, headers = live) => post("/v1/account/certificate", body, headers)

const good = keyFile()
const body = { pkcs12: good.pkcs12, password: good.password }
const file = (change: Parameters<typeof keyFile>[0]) => {
  const { password, pkcs12 } = keyFile(change)
  return upload({ pkcs12, password })
}

/** The date in this many days, counted from the begin of the hour as the file does. */
const dateIn = (days: number) => localDate(Math.floor(Date.now() / 3_600_000) * 3_600_000 + days * 86_400_000)

const emptyFile = forge.pkcs12.toPkcs12Asn1(null as unknown as forge.pki.rsa.PrivateKey, [], "x", {
  generateLocalKeyId: false
})
const empty = forge.util.encode64(forge.asn1.toDer(emptyFile).getBytes())

/** The faults of certificates, and of requests that need a live key. */
export const badCertificates = [
  ...refused("account_not_live", [
    ["a certificate of a test key", upload(body, bearer(keys.test)), /with a live key/],
    ["ranges for a test key", post("/v1/resolutions/import"), /with a live key/],
    ["ranges without an authority", post("/v1/resolutions/import", undefined, live), /AUTHORITY_URL/]
  ]),
  ...refused("parameter_missing", [
    ["no file", upload({ password: "x" }), /required/, "pkcs12"],
    ["no password", upload({ pkcs12: good.pkcs12 }), /required/, "password"]
  ]),
  ...refused("parameter_unknown", [
    ["a key in addition to the file", upload({ ...body, key: "x" }), /not known/, "key"]
  ]),
  ...refused("parameter_invalid_empty", [["an empty file", upload({ ...body, pkcs12: "" }), /not be empty/, "pkcs12"]]),
  ...refused("parameter_too_long", [
    ["a file of 65,537 characters", upload({ ...body, pkcs12: "A".repeat(65_537) }), /at most 65536/, "pkcs12"],
    ["a password of 257 characters", upload({ ...body, password: "x".repeat(257) }), /at most 256/, "password"]
  ]),
  ...refused("parameter_invalid", [
    ["a number for a file", upload({ ...body, pkcs12: 5 }), /must be a string/, "pkcs12"],
    ["PEM for a file", upload({ ...body, pkcs12: "-----BEGIN CERTIFICATE-----" }), /base64/, "pkcs12"],
    ["base64 of something else", upload({ ...body, pkcs12: "QUJDRA==" }), /not a PKCS#12 file/, "pkcs12"],
    ["half a file", upload({ ...body, pkcs12: good.pkcs12.slice(0, 1024) }), /not a PKCS#12 file/, "pkcs12"],
    ["another password", upload({ ...body, password: "other" }), /does not open/, "password"],
    ["an empty password", upload({ ...body, password: "" }), /does not open/, "password"],
    ["no key", file({ without: "key" }), /no RSA private key/, "pkcs12"],
    ["no key, and two certificates", file({ without: "key", several: true }), /one certificate, alone/, "pkcs12"],
    ["neither key nor certificate", upload({ pkcs12: empty, password: "x" }), /no certificate: export/, "pkcs12"],
    ["a short key elsewhere", file({ without: "key", bits: 1024 }), /1024 bits/, "pkcs12"],
    ["no certificate", file({ without: "certificate" }), /no certificate: export/, "pkcs12"],
    ["a certificate of another key", file({ mismatched: true }), /no certificate of its key/, "pkcs12"],
    ["a short key", file({ bits: 1024 }), /1024 bits; .* 2048 to 4096/, "pkcs12"],
    ["an expired certificate", file({ from: -365, to: -1 }), new RegExp(`expired on ${dateIn(-1)}`), "pkcs12"],
    ["a certificate that begins tomorrow", file({ from: 1 }), new RegExp(`valid from ${dateIn(1)}`), "pkcs12"]
  ])
]
