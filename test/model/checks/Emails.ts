import { unzipSync } from "fflate"
import type { Mail } from "../worlds/Surroundings.ts"
import { codeOf, type Document, isAccepted } from "./documents/Document.ts"
import type { AuditorOptions } from "./Auditor.ts"
import { byVersion, type EmailEvent, emailOf, isOutcome, livesOf, type Told } from "./Deliveries.ts"
import type { Documents } from "./documents/Documents.ts"
import { type Entry, isFirst, isSuccess, isUnknown, type Journal, meaning } from "./Journal.ts"
import { mayBeAccepted } from "./documents/Standing.ts"
import { Judge } from "./Judge.ts"

/** Outcomes that the model's mail servers give an address, by the sandbox's own rule. */
const outcomesOf = (to: string): ReadonlyArray<string> =>
  to.endsWith("@bounced.test")
    ? ["bounced"]
    : to.endsWith("@complained.test")
      ? ["delivered", "complained"]
      : ["delivered"]

const outcomeIn = ({ type }: EmailEvent) => type.slice(type.indexOf(".email.") + ".email.".length)

interface Mailed {
  readonly mail: Mail
  readonly document: string
}

/** Promises about emails: the documents that have them, their recipients, their content, and their events. */
export class Emails extends Judge {
  private readonly documents: Documents
  private readonly mailed = new Map<string, Array<Mailed>>()

  constructor(journal: Journal, options: AuditorOptions, say: (finding: string) => void, documents: Documents) {
    super(journal, options, say)
    this.documents = documents
  }

  /** Records an email that the service passed to a mail server. */
  sent(mail: Mail): void {
    const [id = "", document = ""] = mail.reference.split(".")
    const before = this.mailed.get(id) ?? []
    if (before.some(({ document: other }) => other !== document)) this.say(`the email ${id} carries two documents`)
    // The model's mail servers accept or refuse immediately: only a failed machine may send twice.
    if (!this.options.rough && before.length > 0) this.say(`the email ${id} of ${document} was sent again`)
    this.mailed.set(id, [...before, { mail, document }])
  }

  /**
   * Checks the final state. `documents` are all documents by id, and `told` their events. The documents of
   * `mayBeUnsent` are in contingency, and the authority may not have received them.
   */
  finish(
    documents: ReadonlyMap<string, Document>,
    told: ReadonlyMap<string, ReadonlyArray<Told>>,
    mayBeUnsent: ReadonlySet<string>
  ): void {
    const mailed = Map.groupBy([...this.mailed], ([, [first]]) => first!.document)
    for (const [id, document] of documents) {
      const events = (told.get(id) ?? []).map(({ event }) => event)
      const byEmail = Map.groupBy(
        events.filter((event): event is EmailEvent => event.data.object.object === "email"),
        (event): string => event.data.object.id
      )
      for (const event of [...byEmail.values()].flat()) this.shows(event, document)
      const expected = this.expected(document, events)
      const wrong = (what: string) => this.say(`${id} (${document.status}): ${what}`)
      for (const [email, to] of expected.certain) {
        const own = byEmail.get(email) ?? []
        // A correction cancels the pending emails of its document.
        if (own.length === 0 && this.journal.mayHave(id, "corrected")) continue
        if (own.some(({ data }) => data.object.to !== to)) wrong(`the email ${email} did not go to ${to}`)
        const outcomes = own.map(outcomeIn)
        if (outcomes.toSorted().join() !== outcomesOf(to).toSorted().join())
          wrong(`the email ${email} to ${to} has the events ${outcomes.join()}`)
      }
      const ids = new Set([...byEmail.keys(), ...(mailed.get(id) ?? []).map(([email]) => email)])
      for (const entry of this.asked(id).filter((one) => isSuccess(one) && isFirst(one))) {
        if (!mayBeAccepted(told.get(id) ?? [], entry)) wrong("was emailed on request, and was not accepted")
      }
      const strange = [...ids].filter((email) => !expected.certain.has(email))
      // A request without a response may have created an email.
      if (strange.length > expected.unheard) wrong(`has emails that no request asked for: ${strange.join()}`)
      const isUnsent = mayBeUnsent.has(id)
      for (const [email, list] of mailed.get(id) ?? [])
        this.carried(email, list, document, { isUnsent, to: expected.certain.get(email) })
      if (isAccepted(document) && document.email === null && expected.certain.size > 0)
        wrong("shows none of its emails")
    }
    for (const [id] of mailed) if (!documents.has(id)) this.say(`an email of ${id}, which does not exist`)
  }

  /** The required emails of a document with their addresses, and the number of further ones that are possible. */
  private expected(
    { customer_id, id }: Document,
    events: ReadonlyArray<Told["event"]>
  ): { readonly certain: ReadonlyMap<string, string>; readonly unheard: number } {
    const addressOf = (customer: string): string | undefined => this.journal.things.get(customer)?.maker?.body.email
    const address = addressOf(customer_id)
    const certain = new Map<string, string>()
    // Each acceptance creates one email: the acceptance in contingency, and the authority's.
    const outcomes = events.filter(isOutcome).toSorted(byVersion)
    const present = new Set(livesOf(outcomes).at(-1))
    const maker = this.journal.things.get(id)?.maker?.body.customer_id ?? customer_id
    for (const event of outcomes.filter(({ type }) => /^[a-z_]+\.accepted_/.test(type))) {
      // An email in contingency before a correction went to the customer of that time.
      const to = present.has(event) ? address : addressOf(maker)
      if (to !== undefined) certain.set(emailOf(event), to)
    }
    let unheard = 0
    for (const entries of Map.groupBy(this.asked(id), requestOf).values()) {
      const made = entries.find(isSuccess)
      if (made !== undefined)
        certain.set(JSON.parse(made.reply!.text).id, made.body?.to ?? JSON.parse(made.reply!.text).to)
      else if (entries.some(isUnknown)) unheard += 1
    }
    return { certain, unheard }
  }

  private asked(id: string): ReadonlyArray<Entry> {
    return this.journal.entries.filter((entry) => entry.kind === "email" && entry.target === id)
  }

  private shows({ data: { object }, id, livemode, type }: EmailEvent, document: Document): void {
    const wrong = (what: string) => this.say(`${id} (${type}) of ${document.id}: ${what}`)
    if (!type.startsWith(`${document.object}.email.`) || object.document_type !== document.object)
      wrong(`names the document type ${object.document_type}`)
    if (object.status !== type.slice(type.lastIndexOf(".") + 1)) wrong(`shows ${object.status}`)
    if (object.full_number !== document.full_number) wrong(`shows the number ${object.full_number}`)
    if (livemode !== document.livemode || object.livemode !== document.livemode) wrong("belongs to the other mode")
    if (JSON.stringify(object.metadata) !== JSON.stringify(document.metadata)) wrong("shows other metadata")
  }

  private carried(
    email: string,
    list: ReadonlyArray<Mailed>,
    document: Document,
    { isUnsent, to }: { readonly isUnsent: boolean; readonly to: string | undefined }
  ): void {
    const { full_number, id, livemode } = document
    for (const { mail } of list) {
      const wrong = (what: string) => this.say(`the email ${email} of ${id}: ${what}`)
      if (mail.livemode !== livemode) wrong("belongs to the other mode")
      if (to !== undefined && mail.to !== to) wrong(`was sent to ${mail.to}, not to ${to}`)
      const message = mail.message
      if (message === null || this.journal.mayHave(id, "corrected")) continue
      if (!message.subject.includes(`;${full_number};`)) wrong(`its subject is ${message.subject}`)
      const files = unzipSync(message.archive!.bytes)
      const xml = Buffer.from(files[`${full_number}.xml`] ?? []).toString("latin1")
      if (files[`${full_number}.pdf`] === undefined) wrong("carries no PDF")
      const code = codeOf(document) ?? ""
      const signed = this.documents.submittedBytes(code)
      // A document put into contingency without its actor stays there, and the authority never receives it.
      if (signed === undefined && !isUnsent) wrong("the authority never received its content")
      if (!xml.includes(signed === undefined ? code : withoutProlog(signed)))
        wrong("carries other bytes than the signed ones")
    }
  }
}

const withoutProlog = (xml: string) => xml.replace(/^<\?xml[^>]*\?>\s*/, "")

const requestOf = (entry: Entry) => `${entry.era} ${entry.apiKey} ${entry.key} ${meaning(entry)}`
