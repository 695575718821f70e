/*
 * Syldavia for `memoryWorld` of `@folio-einvoicing/service/testing`: its profile, a tax office in memory, and its
 * requests.
 */
import { Authority, AuthorityUnavailable, type Verdict } from "@folio-einvoicing/service/ports"
import type { MemoryWorldOptions, SignedContent, Translatable } from "@folio-einvoicing/service/testing"
import { Effect, Layer } from "effect"
import { createPublicKey, verify, X509Certificate } from "node:crypto"
import { profile } from "./OwnProfile.ts"

const partOf = (part: string | undefined) => JSON.parse(Buffer.from(part ?? "", "base64url").toString())

/** The content of a JWS; null if the signature does not verify. */
const read = (signed: Uint8Array): (SignedContent & { readonly acquirer: { readonly legal_name: string } }) | null => {
  const [head, body, signature = ""] = Buffer.from(signed).toString().split(".")
  const { publicKey } = new X509Certificate(Buffer.from(partOf(head).x5c[0], "base64"))
  const key = createPublicKey(publicKey.export({ type: "spki", format: "pem" }))
  return verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"))
    ? partOf(body)
    : null
}

const rejected = "Unknown Ltd"
const notYet = new AuthorityUnavailable({ message: "The tax office has a ticket only.", of_document: true })
const verdictOn = (isAccepted: boolean): Verdict => ({
  accepted: isAccepted,
  errors: isAccepted
    ? []
    : [{ rule: "S-9", severity: "rejection", message: "The buyer is not in the register.", path: null, hint: null }],
  notifications: [],
  answer: {}
})

/** A tax office in memory, created again for each sequence. */
const office = Layer.sync(Authority, () => {
  const verdicts = new Map<string, Verdict>()
  return Authority.of({
    submit: ({ cufe, signed }) =>
      Effect.suspend(() => {
        verdicts.set(cufe, verdictOn(read(signed)?.acquirer.legal_name !== rejected))
        return Effect.fail(notYet)
      }),
    verdict: ({ cufe }) => Effect.sync(() => verdicts.get(cufe) ?? null)
  })
})

/**
 * Puts Syldavia's numbers and currency into the drawn requests, which are Colombian. Syldavia has no rules for check
 * digits and sums, so a request that breaks only such rules deserves success.
 */
const translate = ({ body, collection, deserves, draw }: Translatable): Pick<Translatable, "body" | "deserves"> => {
  const isFine = "code" in deserves && !deserves.early
  if (collection === "customers") {
    const identification = { type: "31", number: "20000006" }
    const name = draw === "rejected" ? { legal_name: rejected } : {}
    return { body: { ...body, identification, ...name }, deserves: isFine ? { status: 201 } : deserves }
  }
  const money = collection === "invoices" ? { currency: "SYK" } : {}
  return { body: { ...body, ...money }, deserves: isFine ? { status: 202 } : deserves }
}

export const syldavia: MemoryWorldOptions = { profile, authority: office, read, translate }
