import { Effect } from "effect"
import { createPublicKey, verify, X509Certificate } from "node:crypto"
import { buffer } from "node:stream/consumers"
import { listening } from "../support/apps/Listening.ts"

/* Loopback stand-ins for the services that the programs of test/examples call. */

/** The provider of OwnMailer.ts. `answers`: the status by recipient; 202 for other recipients. */
export const mailProvider = Effect.gen(function* () {
  const calls: Array<{ readonly key: string; readonly reference: string; readonly body: Record<string, unknown> }> = []
  const answers = new Map<string, number>()
  const port = yield* listening(async (request, response) => {
    const { authorization = "", "idempotency-key": reference } = request.headers
    const body = JSON.parse((await buffer(request)).toString())
    calls.push({ key: authorization, reference: String(reference), body })
    response.writeHead(request.url === "/v1/messages" ? (answers.get(body.to) ?? 202) : 404).end("as the stand-in says")
  })
  return { url: `http://127.0.0.1:${port}/v1`, calls, answers }
})

interface TaxDocument {
  times: number
  /** Number of status queries for the document. */
  asked: number
  readonly bytes: string
  readonly content: Record<string, unknown>
  readonly faults: ReadonlyArray<{ readonly rule: string; readonly text: string }>
}

const partOf = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString())

/** The content of a JWS; null if its signature does not match the certificate in it. */
export const readJws = (bytes: string) => {
  const [head, body, signature = ""] = bytes.split(".")
  const { publicKey } = new X509Certificate(Buffer.from(partOf(head).x5c[0], "base64"))
  const key = createPublicKey(publicKey.export({ type: "spki", format: "pem" }))
  const holds = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"))
  return holds ? partOf(body) : null
}

/** "SY" and digits, of which the first two check the others, as in bank account numbers. */
export const isCode = (code: string) => {
  const [, check = "", digits = ""] = /^SY(\d\d)(\d{20})$/.exec(code) ?? []
  return digits !== "" && (BigInt(digits) * 100n + BigInt(check)) % 97n === 1n
}

/** A buyer that the tax office of Syldavia does not know. */
export const unknownBuyer = "20000014"

/** The tax office of OwnAuthority.ts, which returns no verdict until `open` is set. */
export const taxOffice = Effect.gen(function* () {
  const documents = new Map<string, TaxDocument>()
  const state = { open: false }
  const port = yield* listening(async (request, response) => {
    const code = request.url?.match(/^\/test\/documents\/(\w+)$/)?.[1] ?? ""
    const known = documents.get(code)
    if (request.method === "GET") {
      if (known === undefined) return response.writeHead(404).end()
      known.asked += 1
      const verdict = known.faults.length > 0 ? { state: "rejected", faults: known.faults } : { state: "accepted" }
      const judged = { ...verdict, receipt: `receipt of ${code}` }
      return response.end(JSON.stringify(state.open ? judged : { state: "waiting" }))
    }
    const bytes = (await buffer(request)).toString()
    const content = readJws(bytes)
    const isFine = content !== null && content.cufe === code && isCode(code)
    const isKnown = content?.acquirer.identification.number !== unknownBuyer
    const faults = [
      ...(isFine ? [] : [{ rule: "S-8", text: "The signature or the code is wrong." }]),
      ...(isKnown ? [] : [{ rule: "S-9", text: "The buyer is not in the register." }])
    ]
    documents.set(code, { times: (known?.times ?? 0) + 1, asked: known?.asked ?? 0, bytes, content, faults })
    return response.writeHead(202).end(JSON.stringify({ ticket: `ticket of ${code}` }))
  })
  return { url: `http://127.0.0.1:${port}`, documents, state }
})
