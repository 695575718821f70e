import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { storableText } from "../requests/Storable.ts"

/** What is known of a trouble with the authority, in words for whoever runs a shop or a server. */
export interface KnownTrouble {
  /**
   * Whose trouble it is: the authority's, this service's (its network, its clock), one account's (its certificate, its permission to
   * send), or that of one document alone. Only the authority's own trouble lets documents be issued in contingency.
   */
  readonly of: "authority" | "service" | "account" | "document"
  /** Whether the authority may have the document that the call carried: if so, it is asked for before anything is sent again. */
  readonly may_have_left: boolean
  /** Whether the authority answered and refuses the call, so that the same call would be refused again. */
  readonly is_refusal: boolean
  /** What is wrong. */
  readonly what: string
  /** What happens to documents meanwhile. */
  readonly meanwhile: string
  /** What to do about it, for whoever runs the service. */
  readonly remedy: string
}

const waits =
  "Whoever runs the service has to put that right: documents wait until then and go out by themselves; none is issued in contingency."
const asks =
  "The authority may have the document, so that it stays on its way and the authority is asked for it; it is sent again only once the authority says that it does not have it."
const holds =
  "Nothing of this document has left: it waits until the authority answers, and if that lasts it is issued in contingency and transmitted once the authority is back."
const fails = "The document was not judged; it keeps its number, and can be retried once this is put right."

/** Every trouble with the authority. */
export const authorityTroubles: Readonly<Record<AuthorityTrouble, KnownTrouble>> = {
  connection_refused: {
    of: "authority",
    may_have_left: false,
    is_refusal: false,
    what: "The authority's service takes no connections.",
    meanwhile:
      "Nothing has left. Documents wait, and if it lasts they are issued in contingency and transmitted once the authority is back.",
    remedy:
      "Nothing has to be done here if the authority is down: look for its notice. If others reach it, see that a firewall lets this machine out."
  },
  no_answer: {
    of: "authority",
    may_have_left: true,
    is_refusal: false,
    what: "The authority took the connection and gave no answer, or broke off before its answer was complete.",
    meanwhile: asks,
    remedy:
      "Nothing has to be done here if the authority is slow or down: look for its notice. If others get answers, look for a proxy that cuts connections."
  },
  server_error: {
    of: "authority",
    may_have_left: true,
    is_refusal: false,
    what: "The authority answered with an error of its own server, or with something that is no answer of its service.",
    meanwhile: asks,
    remedy:
      "Nothing has to be done here if the authority is down: look for its notice. If others get answers, see that AUTHORITY_URL is the address of its service and no proxy answers in its place."
  },
  in_process: {
    of: "document",
    may_have_left: true,
    is_refusal: false,
    what: 'The authority has received the document and is still judging it ("En proceso").',
    meanwhile:
      "The document stays on its way: the authority is asked for its verdict until there is one, and nothing is sent a second time.",
    remedy: "Nothing has to be done: the authority judges such documents later."
  },
  name_not_found: {
    of: "service",
    may_have_left: false,
    is_refusal: false,
    what: "The name of the authority's server is not found in the DNS by this service.",
    meanwhile: waits,
    remedy: "Check the host in AUTHORITY_URL, and the DNS servers of this machine (/etc/resolv.conf)."
  },
  no_route: {
    of: "service",
    may_have_left: false,
    is_refusal: false,
    what: "This service has no way through the network to the authority's server.",
    meanwhile: waits,
    remedy:
      "Check this machine's network: its default route, its firewall, and whether it reaches other addresses outside."
  },
  tls_failed: {
    of: "service",
    may_have_left: false,
    is_refusal: false,
    what: "No secure connection (TLS) to the authority's server could be made: its certificate is not trusted here, is expired or of another name, or the connection was cut.",
    meanwhile: waits,
    remedy:
      "Check this machine's clock and its trusted certificates, that AUTHORITY_URL names the authority's host, and that no proxy opens the connection on the way."
  },
  not_the_service: {
    of: "service",
    may_have_left: true,
    is_refusal: false,
    what: "What answers at the authority's address is not the authority's service, or does not let this machine in.",
    meanwhile: asks,
    remedy:
      "Check AUTHORITY_URL: it must be the whole address of the service, as the authority publishes it; and see that no proxy or filter answers in its place."
  },
  certificate_missing: {
    of: "account",
    may_have_left: false,
    is_refusal: true,
    what: "The account has no valid certificate to call the authority with.",
    meanwhile: fails,
    remedy: "Upload a valid certificate (POST /v1/account/certificate)."
  },
  certificate_refused: {
    of: "account",
    may_have_left: false,
    is_refusal: true,
    what: "The authority does not trust the account's certificate.",
    meanwhile: fails,
    remedy:
      "Upload a valid certificate of an accredited Colombian certification authority, issued to the account's NIT (POST /v1/account/certificate)."
  },
  security_refused: {
    of: "account",
    may_have_left: false,
    is_refusal: true,
    what: "The authority could not verify the signature or the time of the call (InvalidSecurity).",
    meanwhile: fails,
    remedy: "See that the account's certificate is valid and not revoked, and that the clock of this service is right."
  },
  clock_off: {
    of: "service",
    may_have_left: false,
    is_refusal: true,
    what: "The clock of this service differs from the authority's by more than the authority allows.",
    meanwhile: fails,
    remedy: "Set the clock of this machine by NTP (timedatectl set-ntp true)."
  },
  sender_refused: {
    of: "account",
    may_have_left: false,
    is_refusal: true,
    what: "The authority does not allow this sender to send documents for the account's NIT, or cannot read the package.",
    meanwhile: fails,
    remedy:
      "In the authority's portal, associate the software with the account's NIT and its ranges; see that the certificate is of that NIT."
  },
  another_document: {
    of: "document",
    may_have_left: true,
    is_refusal: false,
    what: "The authority answered with the verdict on another document.",
    meanwhile: asks,
    remedy: "Tell the authority if it lasts; the service's log has the document's number and the answer's code."
  },
  no_verdict: {
    of: "document",
    may_have_left: true,
    is_refusal: false,
    what: "The authority answered, and its answer has no verdict on the document.",
    meanwhile: asks,
    remedy:
      "Tell the authority if it lasts; the service's log has the document's number and what the authority answered."
  }
}

/** What the authority is to its callers in a trouble, in one word: it is not reached, it answers with errors, or it refuses calls. */
export const statusIn = (trouble: AuthorityTrouble): "unreachable" | "failing" | "refusing" => {
  const { is_refusal, may_have_left } = authorityTroubles[trouble]
  if (is_refusal) return "refusing"
  return may_have_left && trouble !== "no_answer" ? "failing" : "unreachable"
}

/** What is wrong and what happens to documents meanwhile: for whoever waits for a document. */
export const troubleMessage = (trouble: AuthorityTrouble): string =>
  `${authorityTroubles[trouble].what} ${authorityTroubles[trouble].meanwhile}`

// The most of a detail, such as the authority's own words, that a document keeps and shows.
const detailMax = 500

/** Why the authority refuses whoever calls, in the authority's words (`detail`) and ours, and what to put right. */
export const refusalMessage = (trouble: AuthorityTrouble, detail: string): string => {
  const { remedy, what } = authorityTroubles[trouble]
  return `${what} ${remedy} (${storableText(detail, detailMax)})`
}

/**
 * The words of a document that waits. `detail`: what the authority said of this document or its account. `isFresh`: nothing of the
 * document can have left. A document that waits after a refusal may be with the authority, because a document that cannot be there ends
 * as failed.
 */
export const waitingMessage = (trouble: AuthorityTrouble, detail: string, isFresh: boolean): string => {
  const { is_refusal, may_have_left, meanwhile, of, remedy, what } = authorityTroubles[trouble]
  const said = of === "document" || of === "account" ? ` (${storableText(detail, detailMax)})` : ""
  if (is_refusal) return `${what}${said} ${asks} ${remedy}`
  if (isFresh && may_have_left) return `${what}${said} ${of === "authority" ? holds : waits}`
  return `${what}${said} ${meanwhile}`
}
