import { Effect, Redacted } from "effect"
import { fileNames, zipped } from "./AuthorityFiles.ts"
import { AuthorityRefusal, AuthorityUnavailable, type TestSet } from "./Authority.ts"
import type { LiveAuthority } from "./AuthoritySettings.ts"
import { type DocumentAnswer, documentAnswerOf, unavailable, verdictOf } from "./AuthorityAnswers.ts"
import { childOf, fieldsOf, textField, type XmlElement } from "./soap/SoapAnswers.ts"
import { makeSoapExchange, type SoapExchangeOptions } from "./soap/SoapExchange.ts"

/** The environment for enablement, and the software in the documents of accounts without their own. */
export interface TestSetOptions extends SoapExchangeOptions {
  readonly software?: LiveAuthority["software"] | undefined
}

const messageMax = 500

// The authority's message for an accepted test set, which accepts no more documents.
const isAccepted = (message: string) => /(?<!\bno )\bse encuentra Aceptado\b/i.test(message)

/** The reasons why the authority rejected an upload: its messages about each file. */
const reasonsOf = (result: XmlElement): string =>
  (childOf(result, "ErrorMessageList")?.children ?? [])
    .map((one) => textField(fieldsOf(one), "ProcessedMessage"))
    .filter((text) => text !== "")
    .join(" ")
    .slice(0, messageMax)

const unknown = unavailable("no_verdict", "The authority does not know the document.")

/** The response about the document with this code, from the responses about an upload. */
const answerAbout = (result: XmlElement, cufe: string): DocumentAnswer => {
  const all = result.children.map((child) => ({
    answer: documentAnswerOf(child),
    key: textField(fieldsOf(child), "XmlDocumentKey").toLowerCase()
  }))
  const own = all.find(({ key }) => key === cufe) ?? (all.length === 1 && all[0]?.key === "" ? all[0] : undefined)
  return own?.answer ?? { _tag: "unclear", message: "The authority's response does not include the document." }
}

/**
 * The authority's environment for enablement. SendTestSetAsync sends a document, one per ZIP, and GetStatusZip gives
 * its verdict later. The response "in process" proves nothing: unknown uploads get it too.
 */
export const makeTestSet = Effect.fnUntraced(function* (options: TestSetOptions) {
  const exchange = yield* makeSoapExchange(options)

  const send: TestSet["send"] = Effect.fn("TestSetLive.send")(function* (submission, test_set_id) {
    const parameters = [
      ["fileName", fileNames(submission).zip],
      ["contentFile", Buffer.from(zipped(submission)).toString("base64")],
      ["testSetId", test_set_id]
    ] as const
    const result = yield* exchange({ operation: "SendTestSetAsync", parameters }, submission.certificate)
    const key = textField(fieldsOf(result), "ZipKey")
    if (key !== "") return key.slice(0, messageMax)
    const message = reasonsOf(result)
    if (isAccepted(message)) return null
    if (message !== "") return yield* new AuthorityRefusal({ message })
    return yield* new AuthorityUnavailable({
      message: "The authority accepted an upload without returning its key.",
      trouble: "no_verdict"
    })
  })

  const verdict: TestSet["verdict"] = Effect.fn("TestSetLive.verdict")(function* (document, upload) {
    const call =
      upload === null
        ? ({ operation: "GetStatus", parameters: [["trackId", document.cufe]] } as const)
        : ({ operation: "GetStatusZip", parameters: [["trackId", upload]] } as const)
    const result = yield* exchange(call, document.certificate)
    const answer = upload === null ? documentAnswerOf(result) : answerAbout(result, document.cufe)
    return yield* answer._tag === "missing" ? unknown : verdictOf(answer, document)
  })

  const software = options.software && { ...options.software, pin: Redacted.value(options.software.pin) }
  return { software, send, verdict } satisfies TestSet
})
