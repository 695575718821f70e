import { Context, Effect, Layer } from "effect"
import {
  Authority,
  AuthorityRefusal,
  AuthorityUnavailable,
  type DocumentName,
  type RegisteredSoftware
} from "./Authority.ts"
import {
  acquirerOf,
  anotherDocument,
  documentAnswerOf,
  rangesOf,
  storedXmlOf,
  unavailable,
  verdictOf
} from "./AuthorityAnswers.ts"
import { eventsOf } from "./AuthorityEvents.ts"
import { fileNames, zipped } from "./AuthorityFiles.ts"
import { makeSoapExchange, type SoapExchangeOptions } from "./soap/SoapExchange.ts"
import { makeTestSet, type TestSetOptions } from "./TestSetLive.ts"

/** The authority's web service, the calling software, and the reader of a returned document. */
export interface AuthorityLiveOptions extends SoapExchangeOptions {
  /** The software for range look-ups of issuers without their own. If omitted, these issuers get no ranges. */
  readonly software?: RegisteredSoftware
  /** Reads the CUFE or CUDE that a document states for itself; null if the document states none. */
  readonly readCufe: (signed: Uint8Array) => string | null
}

const noSoftware = "The issuer has no registered software, which the look-up of its ranges needs."

const unknownAfterSubmit = unavailable("no_verdict", "The authority does not know the document that Folio just sent.")

/**
 * The SOAP web service of Colombia's authority. SendBillSync sends a document and responds with the verdict. GetStatus
 * looks up an unknown outcome by CUFE.
 *
 * If the authority has processed the document before, GetXmlByDocumentKey returns the authority's document. That
 * document counts as the submitted one only if it states the same CUFE.
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
        return yield* answer._tag === "missing" ? unknownAfterSubmit : verdictOf(answer, submission)
      })

      /** Whether the document that the authority stores under a document's CUFE states the same CUFE. */
      const isKept = Effect.fnUntraced(function* ({ certificate, cufe }: DocumentName) {
        const parameters = [["trackId", cufe]] as const
        const xml = storedXmlOf(yield* exchange({ operation: "GetXmlByDocumentKey", parameters }, certificate))
        return xml !== null && options.readCufe(Buffer.from(xml)) === cufe
      })

      const verdict: Authority["Service"]["verdict"] = Effect.fn("AuthorityLive.verdict")(function* (document) {
        const call = { operation: "GetStatus", parameters: [["trackId", document.cufe]] } as const
        const answer = documentAnswerOf(yield* exchange(call, document.certificate))
        switch (answer._tag) {
          case "missing":
            return null
          case "refused":
            return yield* unavailable("sender_refused", answer.message)
          case "known":
            if (yield* isKept(document)) {
              return { accepted: true, errors: [], notifications: [], answer: answer.answer }
            }
            return yield* unavailable(
              "another_document",
              "The authority has processed a document before, but does not confirm that it is this one."
            )
          case "verdict":
            if (answer.key === "" && answer.verdict.accepted && !(yield* isKept(document))) {
              return yield* anotherDocument
            }
        }
        return yield* verdictOf(answer, document)
      })

      const ranges: Authority["Service"]["ranges"] = Effect.fn("AuthorityLive.ranges")(function* (issuer) {
        const software = issuer.software ?? options.software
        if (software === undefined) return yield* new AuthorityRefusal({ message: noSoftware })
        const parameters = [
          ["accountCode", issuer.issuer_nit],
          ["accountCodeT", software.provider.number],
          ["softwareCode", software.id]
        ] as const
        const found = rangesOf(yield* exchange({ operation: "GetNumberingRange", parameters }, issuer.certificate))
        return typeof found === "string" ? yield* new AuthorityRefusal({ message: found }) : found
      })

      const acquirer: Authority["Service"]["acquirer"] = Effect.fn("AuthorityLive.acquirer")(function* (question) {
        const parameters = [
          ["identificationType", question.type],
          ["identificationNumber", question.number]
        ] as const
        return acquirerOf(yield* exchange({ operation: "GetAcquirer", parameters }, question.certificate))
      })

      const events: Authority["Service"]["events"] = Effect.fn("AuthorityLive.events")(function* (document) {
        const call = { operation: "GetStatusEvent", parameters: [["trackId", document.cufe]] } as const
        const found = eventsOf(yield* exchange(call, document.certificate), document.cufe)
        return found === null ? yield* anotherDocument : found
      })

      return Authority.of({ submit, verdict, ranges, acquirer, events })
    })
  )

/**
 * Combines two authorities: `test` gets test documents, and `live` gets live documents. Without `live`, live documents
 * fail.
 */
export const layerByMode = (authorities: {
  readonly test: Layer.Layer<Authority>
  readonly live: Layer.Layer<Authority> | undefined
  /** The service that accepts the documents of test sets. If omitted, no account can pass its enablement. */
  readonly testSet?: TestSetOptions | undefined
}): Layer.Layer<Authority> =>
  Layer.effect(
    Authority,
    Effect.gen(function* () {
      const test = Context.get(yield* Layer.build(authorities.test), Authority)
      const live = authorities.live && Context.get(yield* Layer.build(Layer.fresh(authorities.live)), Authority)
      const testSet = authorities.testSet && (yield* makeTestSet(authorities.testSet))
      const message = "This service has no live authority: set AUTHORITY_URL."
      const nowhere = Effect.fail(new AuthorityUnavailable({ message, trouble: "name_not_found" }))
      const portOf = ({ livemode }: Pick<DocumentName, "livemode">) => (livemode ? live : test)
      return Authority.of({
        submit: (submission) => portOf(submission)?.submit(submission) ?? nowhere,
        verdict: (document) => portOf(document)?.verdict(document) ?? nowhere,
        ...(live?.ranges === undefined ? {} : { ranges: live.ranges }),
        acquirer: (question) => portOf(question)?.acquirer?.(question) ?? nowhere,
        ...(test.events === undefined && live?.events === undefined
          ? {}
          : { events: (document: DocumentName) => portOf(document)?.events?.(document) ?? Effect.succeed([]) }),
        ...(testSet === undefined ? {} : { testSet }),
        servesLive: live !== undefined
      })
    })
  )
