import { Effect, Random } from "effect"
import { hash } from "node:crypto"
import type * as http from "node:http"
import { buffer } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { readSignedDocument } from "../../../src/documents/signature/SignedDocument.ts"
import type { Verdict } from "../../../src/invoices/authority/Authority.ts"
import { listening } from "../../support/apps/Listening.ts"

/** A document in the authority's journal. */
export interface KnownDocument {
  /** The printed number with its issuer and environment: accepted at most once. */
  readonly number: string
  readonly verdict: Verdict
  /** Each submission that arrived: the SHA-256 of its bytes, its time, and whether the response was sent. */
  readonly submissions: Array<{ readonly digest: string; readonly at: number; answered: boolean }>
}

/** Kind of incident: no connection, 503 for most requests, or seconds for every response. */
export type Spell = "down" | "busy" | "slow"

// Without incidents: twenty of a hundred responses are lost after the document was recorded.
const chances = { lost: 0.2, slow: 0.05, unavailable: 0.02, rejected: 0.12, notified: 0.05 }
const busyRefusals = 0.8

const rejection = { rule: "FAK24", severity: "rejection", message: "DV del NIT", path: null, hint: null } as const
const notification = { rule: "FAJ43b", severity: "notification", message: "Nombre", path: null, hint: null } as const

/**
 * An authority on its own port that keeps a journal. It knows a document by its CUFE and always returns the same
 * verdict for it. It rejects some documents, loses responses, responds slowly and has incidents.
 */
export const scriptedAuthority = Effect.gen(function* () {
  const random = yield* Random.Random
  const happens = (chance: number) => random.nextDoubleUnsafe() < chance
  const documents = new Map<string, KnownDocument>()
  const unreadable: Array<string> = []
  const tally = { lost: 0, slow: 0, unavailable: 0, repeated: 0, questions: 0 }
  const spells = new Set<Spell>()
  let isCalm = false

  const pause = async () => {
    if (isCalm || !(spells.has("slow") || happens(chances.slow))) return
    tally.slow += 1
    await sleep(200 + random.nextDoubleUnsafe() * 3_000)
  }

  const judge = (content: { readonly full_number: string }): Verdict => {
    const accepted = !happens(chances.rejected)
    return {
      accepted,
      errors: accepted ? [] : [rejection],
      notifications: happens(chances.notified) ? [notification] : [],
      answer: { IsValid: accepted, Document: content.full_number }
    }
  }

  /** Verdict on submitted bytes, with the new entry in its journal; nothing for unreadable bytes. */
  const submit = (cufe: string, signed: Buffer) => {
    const content = readSignedDocument(signed)
    if (content === null || content.cufe !== cufe) {
      unreadable.push(cufe)
      return undefined
    }
    const number = `${content.environment} ${content.issuer.identification.number} ${content.full_number}`
    const known = documents.get(cufe) ?? { number, verdict: judge(content), submissions: [] }
    documents.set(cufe, known)
    if (known.submissions.length > 0) tally.repeated += 1
    const entry = { digest: hash("sha256", signed, "hex"), at: Date.now(), answered: false }
    known.submissions.push(entry)
    return { verdict: known.verdict, entry }
  }

  const handle = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    if (spells.has("down")) return void request.socket.destroy()
    const unwell = spells.has("busy") ? busyRefusals : isCalm ? 0 : chances.unavailable
    const bytes = await buffer(request).catch(() => undefined)
    if (bytes === undefined) return
    if (happens(unwell)) {
      tally.unavailable += 1
      return void response.writeHead(503).end()
    }
    await pause()
    const cufe = request.url?.split("/").at(-1) ?? ""
    if (request.method === "GET") {
      tally.questions += 1
      const known = documents.get(cufe)
      return void response.writeHead(known === undefined ? 404 : 200).end(JSON.stringify(known?.verdict))
    }
    const said = submit(cufe, bytes)
    if (said === undefined) return void response.writeHead(400).end()
    if (!isCalm && happens(chances.lost)) {
      tally.lost += 1
      return void request.socket.destroy()
    }
    response.once("finish", () => {
      said.entry.answered = true
    })
    response.writeHead(200).end(JSON.stringify(said.verdict))
  }

  const port = yield* listening((request, response) => void handle(request, response))
  return {
    url: `http://127.0.0.1:${port}`,
    /** By CUFE. */
    documents,
    /** Submissions whose signature does not verify, or whose bytes are not the named document. */
    unreadable,
    tally,
    begin: (spell: Spell) => void spells.add(spell),
    end: (spell: Spell) => void spells.delete(spell),
    /** Makes the authority answer everything immediately from now on. */
    calm: () => {
      isCalm = true
      spells.clear()
    }
  }
})
export type ScriptedAuthority = Effect.Success<typeof scriptedAuthority>
