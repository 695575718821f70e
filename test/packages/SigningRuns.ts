import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { constants, createPrivateKey, privateEncrypt, randomBytes, X509Certificate } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { text } from "node:stream/consumers"
import { readSignedDocument } from "../../src/documents/signature/SignedDocument.ts"
import { covered } from "../documents/signature/Covered.ts"
import { type Client, makeClient } from "../support/apps/Client.ts"
import { customerBody } from "../support/apps/Invoices.ts"
import { until } from "../support/apps/Until.ts"
import { keyFile, softwareSettings } from "../support/authority/LiveAccounts.ts"
import { accepted } from "../support/authority/StandInAnswers.ts"
import { grantedRange, rangesAnswer, standInAuthority } from "../support/authority/StandInAuthority.ts"
import { standInHost } from "../support/authority/StandInHost.ts"
import { identities } from "../support/authority/StandInTroubles.ts"
import { dataDirectory } from "../support/database/Postgres.ts"
import { accountOf, issued, ownDatabase, posted, running, settled } from "./ExampleService.ts"

/* Runs the programs of test/examples that sign with keys outside the service. */

const buyer = { ...customerBody(), identification: { type: "31", number: "800197268", check_digit: "4" } }
const fingerprintOf = (certificate: string) =>
  new X509Certificate(Buffer.from(certificate, "base64")).fingerprint.replaceAll(":", "").toLowerCase()

/** The program with a live account and its authority, before the upload of a certificate. */
const started = Effect.fnUntraced(function* (program: string, own: Readonly<Record<string, string>>) {
  const authority = yield* standInAuthority({ readCufe: (signed) => readSignedDocument(signed)?.cufe ?? null })
  authority.answerTo("GetNumberingRange", rangesAnswer([grantedRange]))
  authority.judgeBy(({ cufe }) => accepted("", cufe))
  const settings = yield* ownDatabase
  const service = yield* running(program, { ...settings, ...softwareSettings, AUTHORITY_URL: authority.url, ...own })
  return { authority, service, live: makeClient(service.url, yield* accountOf(settings)) }
})

const fileOf = ({ password, pkcs12 }: ReturnType<typeof keyFile>) => ({ password, pkcs12 })

/** Uploads the certificate without its key, and imports the ranges with a signed call. */
const certified = Effect.fnUntraced(function* (live: Client, file: ReturnType<typeof keyFile>) {
  const account = yield* posted(live, "/v1/account/certificate", fileOf(file), 200)
  assert.strictEqual(account.certificate.subject, "CN=Tienda S.A.S.")
  yield* posted(live, "/v1/resolutions/import", undefined, 200)
  assert.deepStrictEqual((yield* live.get("/v1/account")).json.live, { ready: true, steps: [] })
})

/** Asserts that the document was accepted under this number, with a signature that another library verifies. */
const verifies = Effect.fnUntraced(function* (live: Client, path: string, number: string, certificate: string) {
  const invoice = yield* settled(live, path)
  assert.deepInclude(invoice, { status: "accepted_by_authority", full_number: number }, JSON.stringify(invoice))
  const xml = (yield* live.get(`${path}/xml`)).text
  assert.include(xml, certificate)
  assert.lengthOf(covered(xml) ?? [], 3)
})

// The DER prefix of a SHA-256 digest in a signature of PKCS #1 v1.5.
const digestInfo = Buffer.from("3031300d060960864801650304020105000420", "hex")

type Mode = "signs" | "wrong key" | "refuses" | "hangs"

/** The signer of OwnRemoteSigner.ts: HTTPS, only for clients with a certificate of its own authority. */
const remoteSigner = Effect.fnUntraced(function* (file: ReturnType<typeof keyFile>) {
  const state = { mode: "signs" as Mode, has: new Set<string>(), signatures: 0 }
  const tls = { ...identities.trusted, ca: identities.root, requestCert: true, rejectUnauthorized: true }
  const host = yield* standInHost(tls, async (request, response) => {
    const [, fingerprint = "", sign] = /^\/keys\/([0-9a-f]{40})(\/sign)?$/.exec(request.url ?? "") ?? []
    if (state.mode === "refuses") return response.writeHead(401).end()
    if (!state.has.has(fingerprint)) return response.writeHead(404).end()
    if (sign === undefined) return response.writeHead(200).end()
    if (state.mode === "hangs") return undefined
    const sha256 = Buffer.from(JSON.parse(await text(request)).sha256, "base64")
    const digest = state.mode === "wrong key" ? randomBytes(32) : sha256
    const key = { key: file.key, padding: constants.RSA_PKCS1_PADDING }
    const signature = privateEncrypt(key, Buffer.concat([digestInfo, digest])).toString("base64")
    state.signatures += 1
    return response.setHeader("content-type", "application/json").end(JSON.stringify({ signature }))
  })
  return { ...host, state, url: `https://127.0.0.1:${host.port}` }
})

export const OwnRemoteSigner = Effect.fnUntraced(function* (program: string) {
  const file = keyFile({ without: "key" })
  const signer = yield* remoteSigner(file)
  const folder = yield* dataDirectory
  Fs.mkdirSync(folder, { recursive: true })
  const stored = (name: string, content: string) => {
    Fs.writeFileSync(Path.join(folder, name), content)
    return Path.join(folder, name)
  }
  const { authority, live, service } = yield* started(program, {
    SIGNER_URL: signer.url,
    SIGNER_CA: stored("ca.pem", identities.root),
    SIGNER_CERT: stored("folio.pem", identities.trusted.cert),
    SIGNER_KEY: stored("folio-key.pem", identities.trusted.key)
  })

  // An upload needs a signer that has the key and signs with it.
  const unknown = yield* posted(live, "/v1/account/certificate", fileOf(file), 400)
  assert.deepInclude(unknown.error, { code: "parameter_invalid", param: "pkcs12" })
  assert.match(unknown.error.message, /has no key of the certificate/)
  signer.state.has.add(fingerprintOf(file.certificate))
  signer.state.mode = "wrong key"
  const wrong = yield* posted(live, "/v1/account/certificate", fileOf(file), 503)
  assert.match(wrong.error.message, /does not match the certificate/)
  assert.isNull((yield* live.get("/v1/account")).json.certificate)
  signer.state.mode = "signs"
  yield* certified(live, file)
  yield* verifies(live, yield* issued(live, buyer), "FE1", file.certificate)

  // While the signer fails, documents keep their numbers and wait.
  const waits = Effect.fnUntraced(function* (why: RegExp) {
    const path = yield* issued(live, buyer)
    const { json } = yield* until(live.get(path), (answer) => Boolean(answer.json.waiting))
    assert.deepInclude(json, { status: "draft", stage: "numbered" })
    assert.strictEqual(json.waiting.code, "signer_unavailable")
    assert.match(json.waiting.message, why)
    return path
  })
  signer.state.mode = "hangs"
  const late = yield* waits(/no response within 15 s/)
  signer.state.mode = "signs"
  yield* verifies(live, late, "FE2", file.certificate)
  signer.state.mode = "wrong key"
  const paths = [yield* waits(/does not match the certificate/)]
  signer.state.mode = "refuses"
  paths.push(yield* waits(/does not admit this service \(401\)/))
  yield* signer.connections("refused")
  paths.push(yield* waits(/was not reached/))
  assert.match(yield* service.log, /The signer returned no valid signature; the document waits/)

  // A restart in the outage finds the signer still down, and then working.
  yield* service.signal("SIGTERM")
  assert.strictEqual((yield* service.ended).code, 0)
  yield* service.start()
  paths.push(yield* waits(/was not reached/))
  signer.state.mode = "signs"
  yield* signer.connections("taken")
  for (const [index, path] of paths.entries()) yield* verifies(live, path, `FE${index + 3}`, file.certificate)
  assert.deepStrictEqual(
    [...authority.documents.values()].map(({ times }) => times),
    [1, 1, 1, 1, 1, 1]
  )
  assert.deepStrictEqual(authority.refusals, [])
  assert.strictEqual(authority.calls.at(-1)?.certificate, file.certificate)
})

const softHsm = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so"].find((file) =>
  Fs.existsSync(file)
)
const hasTool = (process.env["PATH"] ?? "").split(":").some((folder) => Fs.existsSync(`${folder}/pkcs11-tool`))

/** The reason why this machine can't run OwnHardwareKeys.ts. Undefined if it can. */
export const hardwareLack = softHsm !== undefined && hasTool ? undefined : "needs softhsm2 and opensc"

export const OwnHardwareKeys = Effect.fnUntraced(function* (program: string) {
  const file = keyFile({ without: "key" })
  const folder = yield* dataDirectory
  Fs.mkdirSync(Path.join(folder, "tokens"), { recursive: true })
  const SOFTHSM2_CONF = Path.join(folder, "softhsm2.conf")
  Fs.writeFileSync(SOFTHSM2_CONF, `directories.tokendir = ${folder}/tokens\nobjectstore.backend = file\n`)
  const keyPath = Path.join(folder, "key.pem")
  Fs.writeFileSync(keyPath, createPrivateKey(file.key).export({ type: "pkcs8", format: "pem" }))
  const softHsmUtil = (args: string) =>
    execFileSync("softhsm2-util", args.split(" "), { env: { PATH: process.env["PATH"], SOFTHSM2_CONF } })
  softHsmUtil("--init-token --free --label folio --so-pin 1234 --pin 5678")
  const token = { PKCS11_MODULE: softHsm ?? "", PKCS11_TOKEN: "folio", PKCS11_PIN: "5678", SOFTHSM2_CONF }
  const { authority, live } = yield* started(program, token)

  const unknown = yield* posted(live, "/v1/account/certificate", fileOf(file), 400)
  assert.match(unknown.error.message, /token of this service has no key/)
  const id = fingerprintOf(file.certificate)
  softHsmUtil(`--import ${keyPath} --token folio --label tienda --id ${id} --pin 5678`)
  Fs.rmSync(keyPath)
  yield* certified(live, file)
  yield* verifies(live, yield* issued(live, buyer), "FE1", file.certificate)

  // The token is away for a moment.
  Fs.renameSync(Path.join(folder, "tokens"), Path.join(folder, "away"))
  const path = yield* issued(live, buyer)
  const { json } = yield* until(live.get(path), (answer) => Boolean(answer.json.waiting))
  assert.match(json.waiting.message, /pkcs11-tool failed/)
  Fs.renameSync(Path.join(folder, "away"), Path.join(folder, "tokens"))
  yield* verifies(live, path, "FE2", file.certificate)
  assert.deepStrictEqual(authority.refusals, [])
})
