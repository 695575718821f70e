import type { AuthorityError, DocumentKind } from "../../../schemas/FiscalDocument.ts"

/** The progress of a test set's document. Only `signed` and `sent` are open; all others are final outcomes. */
export const testDocumentStates = [
  "signed",
  "sent",
  "accepted",
  "rejected",
  "number_used",
  "refused",
  "unanswered"
] as const
export type TestDocumentState = (typeof testDocumentStates)[number]

/** The facts of a test set's document for the plan. */
export interface PlannedDocument {
  readonly kind: DocumentKind
  /** Its position among the wanted documents of its kind, from 1. */
  readonly place: number
  /** The run of the test set that made it. */
  readonly run: number
  readonly state: TestDocumentState
  /** The rules that rejected it. */
  readonly errors: ReadonlyArray<Pick<AuthorityError, "rule">>
  readonly prefix: string
}

export type Wanted = Readonly<Record<DocumentKind, number>>

/** A document to make. */
export interface DocumentToMake {
  readonly kind: DocumentKind
  readonly place: number
}

/** The reason why a test set cannot be passed at present. */
export type Obstacle =
  | { readonly _tag: "rejected"; readonly kind: DocumentKind; readonly rules: ReadonlyArray<string> }
  | { readonly _tag: "unanswered"; readonly kind: DocumentKind; readonly count: number }
  | { readonly _tag: "numbers_used"; readonly prefix: string }

export type Plan =
  | { readonly _tag: "passed" }
  | { readonly _tag: "blocked"; readonly obstacle: Obstacle }
  /** The documents to make now; none while open documents should finish first. */
  | { readonly _tag: "continues"; readonly make: ReadonlyArray<DocumentToMake> }

export const kinds: ReadonlyArray<DocumentKind> = ["invoice", "credit_note", "debit_note"]

// In one place, and in one run of the test set.
const rejectionsMax = 3
const unansweredMax = 3
const usedNumbersMax = 24

export const isOpen = ({ state }: Pick<PlannedDocument, "state">): boolean => state === "signed" || state === "sent"

const acceptedOf = (documents: ReadonlyArray<PlannedDocument>, kind: DocumentKind): number =>
  documents.filter((one) => one.kind === kind && one.state === "accepted").length

const rulesOf = ({ errors }: PlannedDocument) => [...new Set(errors.map(({ rule }) => rule))]

const sameRules = (one: PlannedDocument, other: PlannedDocument) =>
  rulesOf(one).toSorted().join(" ") === rulesOf(other).toSorted().join(" ")

/** The obstacle of a place: too many of its documents in this run were rejected, unanswered or had used numbers. */
const obstacleIn = (documents: ReadonlyArray<PlannedDocument>): Obstacle | undefined => {
  const of = (state: TestDocumentState) => documents.filter((one) => one.state === state)
  const [last, before] = of("rejected").toReversed()
  if (last !== undefined && (of("rejected").length >= rejectionsMax || (before && sameRules(last, before)))) {
    return { _tag: "rejected", kind: last.kind, rules: rulesOf(last) }
  }
  const unanswered = of("unanswered")
  if (unanswered.length >= unansweredMax) {
    return { _tag: "unanswered", kind: unanswered[0]!.kind, count: unanswered.length }
  }
  const used = of("number_used")
  return used.length >= usedNumbersMax ? { _tag: "numbers_used", prefix: used[0]!.prefix } : undefined
}

/**
 * The next step of a test set, from its documents in the order of their making. Each kind starts with one document. The
 * other documents of the kind follow once it is accepted, so that a common fault costs only one or two numbers. Notes
 * correct accepted invoices, and wait for the first accepted invoice. `openMax`: the maximum of open documents.
 */
export const planOf = (
  { run, wanted }: { readonly run: number; readonly wanted: Wanted },
  documents: ReadonlyArray<PlannedDocument>,
  openMax: number
): Plan => {
  if (kinds.every((kind) => acceptedOf(documents, kind) >= wanted[kind])) return { _tag: "passed" }
  const ofRun = documents.filter((one) => one.run === run)
  for (const places of Map.groupBy(ofRun, ({ kind, place }) => `${kind} ${place}`).values()) {
    if (places.some(({ state }) => state === "accepted")) continue
    const obstacle = obstacleIn(places)
    if (obstacle !== undefined) return { _tag: "blocked", obstacle }
  }
  let free = openMax - documents.filter(isOpen).length
  const hasInvoice = acceptedOf(documents, "invoice") > 0
  const make: Array<DocumentToMake> = []
  for (const kind of kinds) {
    if (kind !== "invoice" && !hasInvoice) continue
    const taken = new Set(
      documents
        .filter((one) => one.kind === kind && (isOpen(one) || one.state === "accepted"))
        .map(({ place }) => place)
    )
    const isProven = acceptedOf(documents, kind) > 0
    for (let place = 1; place <= wanted[kind] && free > 0; place++) {
      if (taken.has(place)) continue
      if (!isProven && (taken.size > 0 || make.some((one) => one.kind === kind))) break
      make.push({ kind, place })
      free -= 1
    }
  }
  return { _tag: "continues", make }
}

/** A number that a test set's document has used. */
export interface TakenNumber extends Pick<PlannedDocument, "state"> {
  readonly number: number
}

/**
 * The next number after the used numbers of a prefix, oldest first; `first` if there are none. Each of the last numbers
 * that the authority had already processed doubles the step: another system may have used thousands.
 */
export const nextNumber = (taken: ReadonlyArray<TakenNumber>, first: number): number => {
  const last = taken.at(-1)
  if (last === undefined) return first
  const used = taken.length - 1 - taken.findLastIndex(({ state }) => state !== "number_used")
  return Math.max(last.number, first - 1) + 2 ** Math.max(used - 1, 0)
}
