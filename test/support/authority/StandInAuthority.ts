import { Effect } from "effect"
import { unzipSync } from "fflate"
import type * as http from "node:http"
import {
  accepted,
  dianXml,
  type DianResponse,
  envelope,
  faults,
  processedBefore,
  rejectedBy,
  service
} from "./StandInAnswers.ts"
import { type Call, need, readEnvelope, Refused } from "./StandInEnvelope.ts"
import { eventsAnswer, type StandInEvent } from "./StandInEvents.ts"
import { standInTestSet } from "./StandInTestSet.ts"
import { standInHost, type TlsIdentity } from "./StandInHost.ts"

/*
 * The authority's web service as callers see it, on 127.0.0.1. It verifies the envelope's signature with a library that
 * canonicalizes the received bytes, keeps a journal by CUFE, and answers as the test specifies.
 */

export type Answer =
  | { readonly _tag: "Dian"; readonly response: DianResponse }
  /** The inside of the body, unchanged. */
  | { readonly _tag: "Body"; readonly xml: string; readonly status?: number }
  | { readonly _tag: "Raw"; readonly status: number; readonly type: string; readonly text: string }
  /** Breaks the connection before its response: after its work, or immediately. */
  | { readonly _tag: "Reset"; readonly after: "work" | "nothing" }
  /** Does its work, and gives another response. */
  | { readonly _tag: "Worked"; readonly answer: Answer }
  /** Does its work, and breaks the connection in the middle of its response. */
  | { readonly _tag: "Half" }
  /** Never answers; or sends 200 and drips. */
  | { readonly _tag: "Hang" | "Drip" }

/** A document that arrived, once for each code. */
export interface Arrived {
  readonly cufe: string
  readonly fileName: string
  readonly xmlName: string
  readonly bytes: Uint8Array
  /** Number of times it was sent. */
  times: number
  response: DianResponse
}

export interface StandInOptions {
  /** Reads the code of a document, in any notation. */
  readonly readCufe: (bytes: Uint8Array) => string | null
  /** A TLS identity; plain HTTP without one. */
  readonly tls?: TlsIdentity
}

const nameForm = /^(fv|nc|nd)(\d{10}000\d{2}[0-9a-f]{8})\.xml$/

/** A range as the authority writes it. */
export const grantedRange = {
  FromNumber: "1",
  Prefix: "FE",
  ResolutionDate: "2026-01-19",
  ResolutionNumber: "18764000001",
  TechnicalKey: "FC8EAC422EBA16E22FFD8C6F94B3F40A6E38162C",
  ToNumber: "5000",
  ValidDateFrom: "2026-01-19T00:00:00",
  ValidDateTo: "2028-01-19"
}

export const rangesAnswer = (ranges: ReadonlyArray<typeof grantedRange>, code = "100"): Answer => {
  const fields = (range: typeof grantedRange) =>
    Object.entries(range)
      .map(([name, value]) => `<c:${name}>${value}</c:${name}>`)
      .join("")
  const list = ranges.map((range) => `<c:NumberRangeResponse>${fields(range)}</c:NumberRangeResponse>`).join("")
  return {
    _tag: "Body",
    xml: `<GetNumberingRangeResponse xmlns="${service}"><GetNumberingRangeResult xmlns:b="urn:b"><b:OperationCode>${code}</b:OperationCode><b:OperationDescription>Dicho</b:OperationDescription><b:ResponseList xmlns:c="urn:c">${list}</b:ResponseList></GetNumberingRangeResult></GetNumberingRangeResponse>`
  }
}

const soapType = "application/soap+xml; charset=utf-8"
const reply = (response: http.ServerResponse, status: number, type: string, text: string) =>
  void response.writeHead(status, { "content-type": type }).end(text)

const byItself = (): Answer | undefined => undefined
const acceptAll = ({ cufe }: { readonly cufe: string }): DianResponse => accepted("", cufe)

/** Runs the service until the scope closes. */
export const standInAuthority = Effect.fnUntraced(function* (options: StandInOptions) {
  const documents = new Map<string, Arrived>()
  const events = new Map<string, ReadonlyArray<StandInEvent>>()
  const calls: Array<Call> = []
  const refusals: Array<string> = []
  let answer: (call: Call) => Answer | undefined = byItself
  /** The verdict on a document that is sent for the first time. */
  let judge = acceptAll
  const testSet = standInTestSet(options.readCufe)
  let url = ""
  let clockOffMs = 0
  const now = () => Date.now() + clockOffMs

  const arrive = ({ parameters }: Call): DianResponse => {
    const { contentFile = "", fileName = "" } = parameters
    const entries = Object.entries(unzipSync(Buffer.from(contentFile, "base64")))
    need(entries.length === 1, `${entries.length} files in the archive`)
    const [xmlName, bytes] = entries[0]!
    need(nameForm.exec(xmlName)?.[2] === /^z(.*)\.zip$/.exec(fileName)?.[1], `the names ${fileName} and ${xmlName}`)
    const cufe = options.readCufe(bytes)
    if (cufe === null) return rejectedBy(["Regla: ZB01, Rechazo: Fallo en el esquema XML del archivo"])
    const known = documents.get(cufe)
    if (known !== undefined) {
      known.times += 1
      return processedBefore
    }
    const response = judge({ cufe })
    documents.set(cufe, { cufe, fileName, xmlName, bytes, times: 1, response })
    return response
  }

  /** The service's own response, if the test specifies none. */
  const work = (call: Call): string => {
    const { operation, parameters } = call
    const known = documents.get(parameters["trackId"] ?? "")
    const ofTestSet = testSet.answer(call)
    if (ofTestSet !== undefined) return ofTestSet
    if (operation === "SendBillSync") return dianXml(operation, arrive(call))
    if (operation === "GetStatus")
      return dianXml(operation, known?.response ?? testSet.status(parameters["trackId"] ?? ""))
    if (operation === "GetStatusEvent") {
      const cufe = parameters["trackId"] ?? ""
      return dianXml(operation, eventsAnswer(cufe, events.get(cufe) ?? []))
    }
    need(operation === "GetXmlByDocumentKey", `no operation ${operation}`)
    const found =
      known === undefined
        ? `<b:Code>66</b:Code><b:Message>No existe</b:Message>`
        : `<b:Code>100</b:Code><b:Message>Accion completada OK</b:Message><b:XmlBytesBase64>${Buffer.from(known.bytes).toString("base64")}</b:XmlBytesBase64>`
    return `<${operation}Response xmlns="${service}"><${operation}Result xmlns:b="urn:b">${found}</${operation}Result></${operation}Response>`
  }

  const give = (call: Call, told: Answer | undefined, response: http.ServerResponse): void => {
    if (told === undefined) return reply(response, 200, soapType, envelope(work(call)))
    switch (told._tag) {
      case "Dian":
        return reply(response, 200, soapType, envelope(dianXml(call.operation, told.response)))
      case "Body":
        return reply(response, told.status ?? 200, soapType, envelope(told.xml))
      case "Raw":
        return reply(response, told.status, told.type, told.text)
      case "Worked":
        work(call)
        return give(call, told.answer, response)
      case "Half": {
        const text = envelope(work(call))
        response.writeHead(200, { "content-type": soapType, "content-length": Buffer.byteLength(text) })
        return void response.write(text.slice(0, text.length / 2), () => response.socket?.resetAndDestroy())
      }
      case "Reset":
        if (told.after === "work") work(call)
        return void response.socket?.resetAndDestroy()
      case "Hang":
        return undefined
      case "Drip": {
        response.writeHead(200, { "content-type": soapType })
        const drops = setInterval(() => response.write(" "), 20)
        return void response.once("close", () => clearInterval(drops))
      }
    }
  }

  const handle = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const chunks: Array<Buffer> = []
    response.setHeader("date", new Date(now()).toUTCString())
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", () => {
      // A plain look at the service gets a page, as from WCF.
      if (request.method === "GET") return reply(response, 200, "text/html", "<html>WcfDianCustomerServices</html>")
      try {
        const call = readEnvelope(Buffer.concat(chunks).toString(), request.headers, url, now())
        calls.push(call)
        give(call, answer(call), response)
      } catch (error) {
        // The test can see the violation; the caller learns as little as from the authority.
        refusals.push(error instanceof Refused ? error.message : String(error))
        reply(response, 500, soapType, envelope(faults.security))
      }
    })
  }

  const { connections, identify, port } = yield* standInHost(options.tls, handle)
  url = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}/WcfDianCustomerServices.svc`

  return {
    url,
    calls,
    documents,
    /** The documents of test sets, and their verdicts. */
    testSet,
    /** Violations in the messages that it rejected. */
    refusals,
    /** Sets the response to each call; undefined restores its own responses. */
    answerWith: (next: typeof answer) => void (answer = next),
    /** Sets the response to calls of one operation; other calls get its own responses. */
    answerTo: (operation: string, told: Answer) =>
      void (answer = (call) => (call.operation === operation ? told : undefined)),
    judgeBy: (next: typeof judge) => void (judge = next),
    /** Sets the events registered on the invoice with this code. */
    eventsOf: (cufe: string, registered: ReadonlyArray<StandInEvent>) => void events.set(cufe, registered),
    connections,
    identify,
    /** Sets the offset of its clock from ours, for its Date header and its check of a message's time. */
    clockOff: (ms: number) => void (clockOffMs = ms)
  }
})

export type StandIn = Effect.Success<ReturnType<typeof standInAuthority>>
