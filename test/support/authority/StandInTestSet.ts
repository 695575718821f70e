import { unzipSync } from "fflate"
import { accepted, dianFields, type DianResponse, service, unknown } from "./StandInAnswers.ts"
import { type Call, need } from "./StandInEnvelope.ts"

/*
 * The authority's environment for enablement: it receives documents of test sets, and gives each verdict some time
 * after the arrival.
 */

/** A document of a test set that arrived, once for each code. */
export interface TestDocumentArrived {
  readonly cufe: string
  readonly number: string
  readonly kind: string
  readonly environment: string
  readonly testSetId: string
  readonly bytes: Uint8Array
  /** Number of times it was sent. */
  times: number
  /** Number of queries for its verdict by its upload. */
  asked: number
}

const pending: DianResponse = { StatusCode: "", IsValid: "false", StatusDescription: "Batch en proceso de validación." }

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

const uploaded = (zipKey: string | null, messages: ReadonlyArray<string> = []) =>
  `<SendTestSetAsyncResponse xmlns="${service}"><SendTestSetAsyncResult xmlns:b="http://schemas.datacontract.org/2004/07/UploadDocumentResponse" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><b:ErrorMessageList xmlns:c="http://schemas.datacontract.org/2004/07/XmlParamsResponseTrackId"${
    messages.length === 0 ? ' i:nil="true"/>' : ">"
  }${messages
    .map(
      (message) =>
        `<c:XmlParamsResponseTrackId><c:DocumentKey i:nil="true"/><c:ProcessedMessage>${escaped(message)}</c:ProcessedMessage><c:SenderCode i:nil="true"/><c:Success>false</c:Success><c:XmlFileName>fv</c:XmlFileName></c:XmlParamsResponseTrackId>`
    )
    .join("")}${messages.length === 0 ? "" : "</b:ErrorMessageList>"}${
    zipKey === null ? '<b:ZipKey i:nil="true"/>' : `<b:ZipKey>${zipKey}</b:ZipKey>`
  }</SendTestSetAsyncResult></SendTestSetAsyncResponse>`

const answers = (responses: ReadonlyArray<DianResponse>) =>
  `<GetStatusZipResponse xmlns="${service}"><GetStatusZipResult xmlns:b="http://schemas.datacontract.org/2004/07/DianResponse" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${responses
    .map((response) => `<b:DianResponse>${dianFields(response)}</b:DianResponse>`)
    .join("")}</GetStatusZipResult></GetStatusZipResponse>`

/** The environment's behaviour, which a test changes. */
interface Play {
  /** The verdict on a document; null for none. */
  judge: (document: TestDocumentArrived) => DianResponse | null
  /** Number of queries by the upload before the verdict is given. */
  pendingFor: number
  /** Message with which it rejects a document instead of receiving it. */
  refusal: string | null
}

export const standInTestSet = (readCufe: (bytes: Uint8Array) => string | null) => {
  const arrived = new Map<string, TestDocumentArrived>()
  const uploads = new Map<string, string>()
  const play: Play = { judge: ({ cufe, number }) => accepted(number, cufe), pendingFor: 1, refusal: null }

  const arrive = ({ parameters }: Call): string => {
    const { contentFile = "", fileName = "", testSetId = "" } = parameters
    if (play.refusal !== null) return uploaded(null, [play.refusal])
    const entries = Object.entries(unzipSync(Buffer.from(contentFile, "base64")))
    need(entries.length === 1, `${entries.length} files in the archive`)
    const [xmlName, bytes] = entries[0]!
    need(/^(fv|nc|nd)\d{10}000\d{2}[0-9a-f]{8}\.xml$/.test(xmlName), `the name ${xmlName}`)
    need(fileName === `z${xmlName.slice(2, -4)}.zip`, `the names ${fileName} and ${xmlName}`)
    const cufe = readCufe(bytes)
    if (cufe === null) return uploaded(null, ["Archivo no válido."])
    const text = Buffer.from(bytes).toString()
    const known = arrived.get(cufe)
    if (known !== undefined) known.times += 1
    else {
      arrived.set(cufe, {
        cufe,
        number: /<\/cbc:ProfileExecutionID>\s*<cbc:ID>([^<]+)</.exec(text)?.[1] ?? "",
        environment: /<cbc:ProfileExecutionID>(\d)</.exec(text)?.[1] ?? "",
        kind: { fv: "invoice", nc: "credit_note", nd: "debit_note" }[xmlName.slice(0, 2)] ?? "",
        testSetId,
        bytes,
        times: 1,
        asked: 0
      })
    }
    const zipKey = `zip-${uploads.size + 1}`
    uploads.set(zipKey, cufe)
    return uploaded(zipKey)
  }

  const verdictOf = (document: TestDocumentArrived) => play.judge(document) ?? pending

  return {
    arrived,
    play,
    /** The response to a call, if the call is about a test set. */
    answer: (call: Call): string | undefined => {
      if (call.operation === "SendTestSetAsync") return arrive(call)
      const trackId = call.parameters["trackId"] ?? ""
      if (call.operation === "GetStatusZip") {
        const document = arrived.get(uploads.get(trackId) ?? "")
        if (document === undefined) return answers([pending])
        document.asked += 1
        return answers([document.asked <= play.pendingFor ? pending : verdictOf(document)])
      }
      return undefined
    },
    /** The response to a query by a document's code. */
    status: (cufe: string): DianResponse => {
      const document = arrived.get(cufe)
      return document === undefined ? unknown : verdictOf(document)
    }
  }
}
