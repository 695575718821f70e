import { issue, type Issuer } from "../../webhooks/sender/Certificates.ts"
import { accepted, type DianResponse, faults, unknown } from "./StandInAnswers.ts"
import type { Answer } from "./StandInAuthority.ts"
import type { Call } from "./StandInEnvelope.ts"

/* Troubles that the stand-in plays, one per call: `service.answerWith(plays.wrongCertificate)`. */

type Play = (call: Call) => Answer | undefined

const html = "text/html; charset=utf-8"
const page = (status: number, title: string): Answer => ({
  _tag: "Raw",
  status,
  type: html,
  text: `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
})

const always =
  (answer: Answer): Play =>
  () =>
    answer

/** The service does its work, so that it has the document, but the caller gets another response. */
const worked =
  (answer: Answer): Play =>
  () => ({ _tag: "Worked", answer })

const inProcess: DianResponse = { StatusCode: "98", IsValid: "false", StatusDescription: "En Proceso" }

const untilAsked = (asks: number, meanwhile: DianResponse): Play => {
  const asked = new Map<string, number>()
  return ({ operation, parameters }) => {
    if (operation === "SendBillSync") return { _tag: "Worked", answer: { _tag: "Dian", response: inProcess } }
    if (operation !== "GetStatus") return undefined
    const { trackId = "" } = parameters
    const times = (asked.get(trackId) ?? 0) + 1
    asked.set(trackId, times)
    return times < asks ? { _tag: "Dian", response: meanwhile } : undefined
  }
}

const serverErrors = {
  "500": page(500, "Internal Server Error"),
  "502": page(502, "Bad Gateway"),
  "503": page(503, "Service Unavailable"),
  "504": page(504, "Gateway Time-out")
} as const

type ServerError = keyof typeof serverErrors

export const plays = {
  /** The response to a certificate that the authority does not trust. */
  wrongCertificate: always({ _tag: "Body", xml: faults.untrustedCertificate, status: 500 }),
  /** The response to a signature that the authority cannot verify, or to a time too far from its own. */
  invalidSecurity: always({ _tag: "Body", xml: faults.security, status: 500 }),
  /** The response to a sender that may not send for this issuer. */
  senderRefused: always({
    _tag: "Dian",
    response: {
      StatusCode: "89",
      IsValid: "false",
      StatusDescription: "NIT 900373115 no autorizado a enviar documentos para emisor con NIT 900373115."
    }
  }),
  /**
   * Receives documents and answers 98 for each, on sending and to its first `asks - 1` GetStatus; then there is a
   * verdict.
   */
  inProcessUntilAsked: (asks: number): Play => untilAsked(asks, inProcess),
  /**
   * Receives documents and answers 98 for each on sending, and 66 to its first `asks - 1` GetStatus: it does not see
   * them yet.
   */
  inProcessUnseen: (asks: number): Play => untilAsked(asks, unknown),
  /** The response is lost: half of it arrives; or none of it, with the document received or not. */
  halfAnswer: always({ _tag: "Half" }),
  resetAfterWork: always({ _tag: "Reset", after: "work" }),
  resetAfterRequest: always({ _tag: "Reset", after: "nothing" }),
  /** The authority's servers fail, and the document is received or not. */
  serverError: (status: ServerError) => always(serverErrors[status]),
  serverErrorAfterWork: (status: ServerError) => worked(serverErrors[status]),
  /** The document is received, and the response is the verdict on another one. */
  anotherDocument: worked({ _tag: "Dian", response: accepted("SETP1", "cd".repeat(48)) }),
  never: always({ _tag: "Hang" })
} as const

const root = issue({ name: "Test authority", isCa: true })
const named = (names: ReadonlyArray<string>, days: number, by: Issuer = root) =>
  issue({ name: names[0] ?? "", names, days }, by)

/** The certificates that a TLS host can present. Callers must trust `root`, in PEM. */
export const identities = {
  root: root.cert,
  trusted: named(["127.0.0.1"], 1),
  expired: named(["127.0.0.1"], -1),
  wrongName: named(["authority.invalid"], 1),
  untrusted: named(["127.0.0.1"], 1, issue({ name: "Unknown authority", isCa: true }))
} as const

/** Addresses without a service. RFC 6761 keeps the names below `.invalid` without an address. */
export const addresses = {
  noSuchName: "https://no-such-host.invalid/WcfDianCustomerServices.svc"
} as const
