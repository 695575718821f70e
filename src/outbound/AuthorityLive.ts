import { Context, Effect, Layer } from "effect"
import { Authority, AuthorityRefusal, AuthorityUnavailable, type DocumentName } from "./Authority.ts"
import { documentAnswerOf, rangesOf, storedXmlOf } from "./AuthorityAnswers.ts"
import { fileNames, zipped } from "./DocumentFiles.ts"
import { makeSoapExchange, type SoapExchangeOptions } from "./SoapExchange.ts"

export interface AuthorityLiveOptions extends SoapExchangeOptions {
  /** Who provides the software, without check digit, and the software's id: the authority is asked for ranges with them. */
  readonly software: { readonly provider: { readonly number: string }; readonly id: string }
  /** The CUFE or CUDE that a document says is its own; null where it says none. */
  readonly readCufe: (signed: Uint8Array) => string | null
}

const unavailable = (message: string) => Effect.fail(new AuthorityUnavailable({ message }))

const anotherDocument = "The authority answered for another document."

/**
 * The authority's web service. A document is sent with SendBillSync, which answers with the verdict; whatever leaves that open
 * is found out by its CUFE with GetStatus, and, where the authority has "processed it before", with GetXmlByDocumentKey: only
 * a document of our own CUFE counts as ours.
 */
export const layer = (options: AuthorityLiveOptions): Layer.Layer<Authority> =>
  Layer.effect(
    Authority,
    Effect.gen(function* () {
      const exchange = yield* makeSoapExchange(options)

      const submit: Authority["Service"]["submit"] = Effect.fn("AuthorityLive.submit")(function* (submission) {
        const contentFile = Buffer.from(zipped(submission)).toString("base64")
        const parameters = [
          ["fileName", fileNames(submission).zip],
          ["contentFile", contentFile]
        ] as const
        const result = yield* exchange({ operation: "SendBillSync", parameters }, submission.certificate)
        const answer = documentAnswerOf(result)
        switch (answer._tag) {
          case "judged":
            if (answer.key !== "" && answer.key !== submission.cufe) return yield* unavailable(anotherDocument)
            return answer.verdict
          case "refused":
            return yield* new AuthorityRefusal({ message: answer.message })
          case "known":
            return yield* unavailable(
              "The authority has processed a document of this number before; it is asked for ours."
            )
          case "missing":
            return yield* unavailable("The authority does not know the document that it was just sent.")
          case "unclear":
            return yield* unavailable(answer.message)
        }
      })

      /** Whether the document that the authority keeps under this code is ours. */
      const isKept = Effect.fnUntraced(function* ({ certificate, cufe }: DocumentName) {
        const parameters = [["trackId", cufe]] as const
        const xml = storedXmlOf(yield* exchange({ operation: "GetXmlByDocumentKey", parameters }, certificate))
        return xml !== null && options.readCufe(Buffer.from(xml)) === cufe
      })

      const verdict: Authority["Service"]["verdict"] = Effect.fn("AuthorityLive.verdict")(function* (document) {
        const parameters = [["trackId", document.cufe]] as const
        const result = yield* exchange({ operation: "GetStatus", parameters }, document.certificate)
        const answer = documentAnswerOf(result)
        switch (answer._tag) {
          case "judged":
            if (answer.key !== "" && answer.key !== document.cufe) return yield* unavailable(anotherDocument)
            if (answer.key === "" && answer.verdict.accepted && !(yield* isKept(document))) {
              return yield* unavailable(anotherDocument)
            }
            return answer.verdict
          case "missing":
            return null
          case "known":
            if (yield* isKept(document)) {
              return { accepted: true, errors: [], notifications: [], answer: answer.answer }
            }
            return yield* unavailable(
              "The authority has processed a document before, and does not show that it is ours."
            )
          case "refused":
          case "unclear":
            return yield* unavailable(answer.message)
        }
      })

      const ranges: Authority["Service"]["ranges"] = Effect.fn("AuthorityLive.ranges")(function* (issuer) {
        const parameters = [
          ["accountCode", issuer.issuer_nit],
          ["accountCodeT", options.software.provider.number],
          ["softwareCode", options.software.id]
        ] as const
        const found = rangesOf(yield* exchange({ operation: "GetNumberingRange", parameters }, issuer.certificate))
        return typeof found === "string" ? yield* new AuthorityRefusal({ message: found }) : found
      })

      return Authority.of({ submit, verdict, ranges })
    })
  )

/** One authority for both modes: test documents go to `test`, live ones to `live`, where there is one. */
export const layerByMode = (authorities: {
  readonly test: Layer.Layer<Authority>
  readonly live: Layer.Layer<Authority> | undefined
}): Layer.Layer<Authority> =>
  Layer.effect(
    Authority,
    Effect.gen(function* () {
      const test = Context.get(yield* Layer.build(authorities.test), Authority)
      if (authorities.live === undefined) {
        const nowhere = unavailable("There is no live authority: set AUTHORITY_URL.")
        return Authority.of({
          submit: (submission) => (submission.livemode ? nowhere : test.submit(submission)),
          verdict: (document) => (document.livemode ? nowhere : test.verdict(document)),
          servesLive: false
        })
      }
      const live = Context.get(yield* Layer.build(Layer.fresh(authorities.live)), Authority)
      const of = ({ livemode }: DocumentName) => (livemode ? live : test)
      return Authority.of({
        submit: (submission) => of(submission).submit(submission),
        verdict: (document) => of(document).verdict(document),
        ...(live.ranges === undefined ? {} : { ranges: live.ranges })
      })
    })
  )
