import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { storableText } from "../../runtime/json/Storable.ts"

/** A trouble with the authority, in words for an issuer or an operator. */
export interface KnownTrouble {
  /**
   * The side that has the trouble: the authority, Folio (its network, its clock), one account (its certificate, its
   * permission to send), or a single document. Only the authority's own trouble allows contingency.
   */
  readonly of: "authority" | "service" | "account" | "document"
  /** Whether the authority may have the call's document. Folio then queries the document before it transmits again. */
  readonly may_have_left: boolean
  /** Whether the authority responded and rejects the call, so that it would reject the same call again. */
  readonly is_refusal: boolean
  /** The fault. */
  readonly what: string
  /** The effect on documents meanwhile. */
  readonly meanwhile: string
  /** The fix, for the operator. */
  readonly remedy: string
}

const waits =
  "The operator must fix the problem. Documents wait until then, and Folio transmits them automatically afterwards: none is issued in contingency."
const asks =
  "The authority may have the document. Folio first queries the authority, and transmits the document again only if the authority does not have it."
const holds =
  "This document has not left: it waits until the authority responds. If that takes long, it is issued in contingency and transmitted once the authority is back."
const unsigned =
  "Nothing has left. Documents wait until the signer works again, and Folio signs and transmits them automatically afterwards: none is issued in contingency."
const fails = "The authority returned no outcome. The document keeps its number: retry it once this is fixed."

/** The troubles with the authority, by code. */
export const authorityTroubles: Readonly<Record<AuthorityTrouble, KnownTrouble>> = {
  connection_refused: {
    of: "authority",
    may_have_left: false,
    is_refusal: false,
    what: "The authority's service takes no connections.",
    meanwhile:
      "Nothing has left. Documents wait. If that takes long, they are issued in contingency and transmitted once the authority is back.",
    remedy:
      "If the authority is down, there is nothing to do here: look for its notice. If others reach it, check that a firewall lets this machine out."
  },
  no_answer: {
    of: "authority",
    may_have_left: true,
    is_refusal: false,
    what: "The authority accepted the connection but did not respond, or closed it before its response was complete.",
    meanwhile: asks,
    remedy:
      "If the authority is slow or down, there is nothing to do here: look for its notice. If others get responses, look for a proxy that closes connections."
  },
  server_error: {
    of: "authority",
    may_have_left: true,
    is_refusal: false,
    what: "The authority responded with an error of its own server, or with a response that is not from its service.",
    meanwhile: asks,
    remedy:
      "If the authority is down, there is nothing to do here: look for its notice. If others get responses, check that AUTHORITY_URL is the address of its service and that no proxy responds instead."
  },
  in_process: {
    of: "document",
    may_have_left: true,
    is_refusal: false,
    what: 'The authority has received the document, and has neither accepted nor rejected it yet ("En proceso").',
    meanwhile: "Folio queries the outcome until there is one, and transmits nothing a second time.",
    remedy: "No action is needed: the authority accepts or rejects the document later."
  },
  name_not_found: {
    of: "service",
    may_have_left: false,
    is_refusal: false,
    what: "This service does not find the name of the authority's server in the DNS.",
    meanwhile: waits,
    remedy: "Check the host in AUTHORITY_URL, and the DNS servers of this machine (/etc/resolv.conf)."
  },
  no_route: {
    of: "service",
    may_have_left: false,
    is_refusal: false,
    what: "This service has no network route to the authority's server.",
    meanwhile: waits,
    remedy:
      "Check this machine's network: its default route, its firewall, and whether it reaches other addresses outside."
  },
  tls_failed: {
    of: "service",
    may_have_left: false,
    is_refusal: false,
    what: "No secure connection (TLS) to the authority's server could be made: its certificate is not trusted here, has expired or is for another name, or the connection was closed.",
    meanwhile: waits,
    remedy:
      "Check this machine's clock and its trusted certificates, that AUTHORITY_URL names the authority's host, and that no proxy opens the connection on the way."
  },
  not_the_service: {
    of: "service",
    may_have_left: true,
    is_refusal: false,
    what: "The server at the authority's address is not the authority's service, or does not admit this machine.",
    meanwhile: asks,
    remedy:
      "Check AUTHORITY_URL: it must be the whole address of the service, as the authority publishes it. Check that no proxy or filter responds instead."
  },
  signer_unavailable: {
    of: "account",
    may_have_left: false,
    is_refusal: false,
    what: "The signer that holds the key of the account's certificate returned no valid signature.",
    meanwhile: unsigned,
    remedy:
      "Check that the signer runs, that this machine reaches it and may use it, and that it holds the key of the account's certificate."
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
    remedy:
      "Check that the account's certificate is valid and not revoked, and that the clock of this machine is right."
  },
  clock_off: {
    of: "service",
    may_have_left: false,
    is_refusal: true,
    what: "The clock of this service differs from the authority's clock by more than the authority allows.",
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
      "In the authority's portal, associate the software with the account's NIT and its ranges. Check that the certificate is for that NIT."
  },
  another_document: {
    of: "document",
    may_have_left: true,
    is_refusal: false,
    what: "The authority responded with the outcome of another document.",
    meanwhile: asks,
    remedy: "If that takes long, contact the authority; the log has the document's number and the response's code."
  },
  no_verdict: {
    of: "document",
    may_have_left: true,
    is_refusal: false,
    what: "The authority responded, but neither accepted nor rejected the document.",
    meanwhile: asks,
    remedy: "If that takes long, contact the authority; the log has the document's number and the authority's response."
  }
}

/** The state of the authority in a trouble, in one word: not reached, responding with errors, or rejecting calls. */
export const statusIn = (trouble: AuthorityTrouble): "unreachable" | "failing" | "refusing" => {
  const { is_refusal, may_have_left } = authorityTroubles[trouble]
  if (is_refusal) return "refusing"
  return may_have_left && trouble !== "no_answer" ? "failing" : "unreachable"
}

/** The fault and its effect on documents, for a client that waits for a document. */
export const troubleMessage = (trouble: AuthorityTrouble): string =>
  `${authorityTroubles[trouble].what} ${authorityTroubles[trouble].meanwhile}`

// The longest detail, such as the authority's own text, that a document stores and shows.
const detailMax = 500

/** The reason why the authority rejects the caller, in the authority's text (`detail`) and in Folio's, and the fix. */
export const refusalMessage = (trouble: AuthorityTrouble, detail: string): string => {
  const { remedy, what } = authorityTroubles[trouble]
  return `${what} ${remedy} (${storableText(detail, detailMax)})`
}

/**
 * The message of a document that waits. `detail`: the authority's text about this document or its account. `isFresh`:
 * the document cannot have left, not even in part. A document that waits after a rejection may be with the authority,
 * because a document that cannot be there fails.
 */
export const waitingMessage = (trouble: AuthorityTrouble, detail: string, isFresh: boolean): string => {
  const { is_refusal, may_have_left, meanwhile, of, remedy, what } = authorityTroubles[trouble]
  const said = of === "document" || of === "account" ? ` (${storableText(detail, detailMax)})` : ""
  if (is_refusal) return `${what}${said} ${asks} ${remedy}`
  if (isFresh && may_have_left) return `${what}${said} ${of === "authority" ? holds : waits}`
  return `${what}${said} ${meanwhile}`
}
