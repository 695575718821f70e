import { issue, type Issuer } from "../../outbound/webhooks/Certificates.ts"
import { accepted, type DianResponse, faults, unknown } from "./StandInAnswers.ts"
import type { Answer } from "./StandInAuthority.ts"
import type { Call } from "./StandInEnvelope.ts"

/* The troubles that the stand-in plays, one call each: `service.answerWith(plays.wrongCertificate)`. */

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

/** The service does its work, so that it has the document, and the caller is answered otherwise. */
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
  /** As a certificate is answered that the authority does not trust. */
  wrongCertificate: always({ _tag: "Body", xml: faults.untrustedCertificate, status: 500 }),
  /** As a signature is answered that the authority cannot verify, or a time that is too far from its own. */
  invalidSecurity: always({ _tag: "Body", xml: faults.security, status: 500 }),
  /** As a sender is answered that may not send for this issuer. */
  senderRefused: always({
    _tag: "Dian",
    response: {
      StatusCode: "89",
      IsValid: "false",
      StatusDescription: "NIT 900373115 no autorizado a enviar documentos para emisor con NIT 900373115."
    }
  }),
  /** Takes documents and says 98 of each, on sending and to its first `asks - 1` GetStatus; then there is a verdict. */
  inProcessUntilAsked: (asks: number): Play => untilAsked(asks, inProcess),
  /** Takes documents and says 98 of each on sending, and 66 to its first `asks - 1` GetStatus: it does not see them yet. */
  inProcessUnseen: (asks: number): Play => untilAsked(asks, unknown),
  /** The answer is lost: half of it arrives; or nothing, with the document taken or not. */
  halfAnswer: always({ _tag: "Half" }),
  resetAfterWork: always({ _tag: "Reset", after: "work" }),
  resetAfterRequest: always({ _tag: "Reset", after: "nothing" }),
  /** The authority's servers fail, and the document is not taken; or it is. */
  serverError: (status: ServerError) => always(serverErrors[status]),
  serverErrorAfterWork: (status: ServerError) => worked(serverErrors[status]),
  /** The document is taken, and the answer is the verdict on another one. */
  anotherDocument: worked({ _tag: "Dian", response: accepted("SETP1", "cd".repeat(48)) }),
  never: always({ _tag: "Hang" })
} as const

const root = issue({ name: "Test authority", isCa: true })
const named = (names: ReadonlyArray<string>, days: number, by: Issuer = root) =>
  issue({ name: names[0] ?? "", names, days }, by)

/** The certificates that a TLS host can show. `root` is the one that callers are to trust, in PEM. */
export const identities = {
  root: root.cert,
  trusted: named(["127.0.0.1"], 1),
  expired: named(["127.0.0.1"], -1),
  wrongName: named(["authority.invalid"], 1),
  untrusted: named(["127.0.0.1"], 1, issue({ name: "Nobody's authority", isCa: true }))
} as const

/** Addresses at which no service is. RFC 6761 keeps the names below `.invalid` without any address. */
export const addresses = {
  noSuchName: "https://no-such-host.invalid/WcfDianCustomerServices.svc"
} as const
