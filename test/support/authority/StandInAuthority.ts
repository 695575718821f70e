import { Effect } from "effect"
import { unzipSync } from "fflate"
import * as http from "node:http"
import * as https from "node:https"
import type * as net from "node:net"
import {
  accepted,
  dianXml,
  type DianResponse,
  envelope,
  faults,
  processedBefore,
  rejectedBy,
  service,
  unknown
} from "./StandInAnswers.ts"
import { type Call, need, readEnvelope, Refused } from "./StandInEnvelope.ts"

/*
 * The authority's web service as callers see it, on 127.0.0.1: it verifies the envelope's signature with a library that canonicalizes
 * what arrived, keeps a journal by CUFE, and answers as it is told to.
 */

export type Answer =
  | { readonly _tag: "Dian"; readonly response: DianResponse }
  /** The inside of the body, as it stands. */
  | { readonly _tag: "Body"; readonly xml: string; readonly status?: number }
  | { readonly _tag: "Raw"; readonly status: number; readonly type: string; readonly text: string }
  /** Does its work, and breaks the connection before it has answered; or at once. */
  | { readonly _tag: "Reset"; readonly after: "work" | "nothing" }
  /** Never answers; or says 200 and drips. */
  | { readonly _tag: "Hang" | "Drip" }

/** A document that arrived, once for each code. */
export interface Arrived {
  readonly cufe: string
  readonly fileName: string
  readonly xmlName: string
  readonly bytes: Uint8Array
  /** How often it was sent. */
  times: number
  response: DianResponse
}

export interface StandInOptions {
  /** The code of a document: however documents are written. */
  readonly readCufe: (bytes: Uint8Array) => string | null
  /** A TLS identity; plain HTTP without one. */
  readonly tls?: { readonly key: string; readonly cert: string }
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

/** The service, until the scope closes. */
export const standInAuthority = Effect.fnUntraced(function* (options: StandInOptions) {
  const documents = new Map<string, Arrived>()
  const calls: Array<Call> = []
  const refusals: Array<string> = []
  let answer: (call: Call) => Answer | undefined = byItself
  /** What becomes of a document that is sent for the first time. */
  let judge = acceptAll
  let url = ""

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

  /** What the service itself answers, when it is not told otherwise. */
  const work = (call: Call): string => {
    const { operation, parameters } = call
    const known = documents.get(parameters["trackId"] ?? "")
    if (operation === "SendBillSync") return dianXml(operation, arrive(call))
    if (operation === "GetStatus") return dianXml(operation, known?.response ?? unknown)
    need(operation === "GetXmlByDocumentKey", `no operation ${operation}`)
    const found =
      known === undefined
        ? `<b:Code>66</b:Code><b:Message>No existe</b:Message>`
        : `<b:Code>100</b:Code><b:Message>Accion completada OK</b:Message><b:XmlBytesBase64>${Buffer.from(known.bytes).toString("base64")}</b:XmlBytesBase64>`
    return `<${operation}Response xmlns="${service}"><${operation}Result xmlns:b="urn:b">${found}</${operation}Result></${operation}Response>`
  }

  const handle = (request: http.IncomingMessage, response: http.ServerResponse) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("error", () => {})
    request.on("end", () => {
      try {
        const call = readEnvelope(Buffer.concat(chunks).toString(), request.headers, url, Date.now())
        calls.push(call)
        const told = answer(call)
        if (told === undefined) return reply(response, 200, soapType, envelope(work(call)))
        switch (told._tag) {
          case "Dian":
            return reply(response, 200, soapType, envelope(dianXml(call.operation, told.response)))
          case "Body":
            return reply(response, told.status ?? 200, soapType, envelope(told.xml))
          case "Raw":
            return reply(response, told.status, told.type, told.text)
          case "Reset":
            if (told.after === "work") work(call)
            return void (request.socket as net.Socket).resetAndDestroy()
          case "Hang":
            return undefined
          case "Drip": {
            response.writeHead(200, { "content-type": soapType })
            const drops = setInterval(() => response.write(" "), 20)
            return void response.once("close", () => clearInterval(drops))
          }
        }
      } catch (error) {
        // What is wrong with the message is the test's to see; the caller is told as little as by the authority.
        refusals.push(error instanceof Refused ? error.message : String(error))
        reply(response, 500, soapType, envelope(faults.security))
      }
    })
  }

  const server = options.tls === undefined ? http.createServer(handle) : https.createServer(options.tls, handle)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const { port } = server.address() as net.AddressInfo
  url = `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}/WcfDianCustomerServices.svc`

  return {
    url,
    calls,
    documents,
    /** What was wrong with messages that it took for no call. */
    refusals,
    /** Answers each call with this; undefined: as it does by itself. */
    answerWith: (next: typeof answer) => void (answer = next),
    /** Answers calls of one operation with this, and all others by itself. */
    answerTo: (operation: string, told: Answer) =>
      void (answer = (call) => (call.operation === operation ? told : undefined)),
    judgeBy: (next: typeof judge) => void (judge = next)
  }
})
