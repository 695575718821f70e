import type { Mutant } from "./mutants.ts"

const emails = "src/store/Emails.ts"
const transitions = "src/store/Transitions.ts"
const work = "src/entities/EmailWork.ts"
const smtp = "src/outbound/MailerSmtp.ts"
const parcel = "src/documents/EmailParcel.ts"
const notices = "src/http/EmailNotices.ts"

const ofTheStore = ["test/store/Emails.pg.test.ts"]
const ofTheActor = ["test/entities/Email.test.ts"]
const ofTheServer = ["test/outbound/MailerSmtp.test.ts"]
const ofTheParcel = ["test/documents/EmailParcel.test.ts"]
const ofTheNotices = ["test/http/EmailNotices.test.ts"]

/** Guards of e-mails, broken. */
export const mailMutants: ReadonlyArray<Mutant> = [
  {
    name: "what is accepted in contingency is not e-mailed",
    file: transitions,
    find: "n.command in ('Accept', 'EnterContingency')",
    replace: "n.command in ('Accept')",
    tests: ofTheStore
  },
  {
    name: "what is rejected is e-mailed",
    file: transitions,
    find: "n.command in ('Accept', 'EnterContingency')",
    replace: "n.command in ('Accept', 'EnterContingency', 'Reject')",
    tests: ofTheStore
  },
  {
    name: "an e-mail is taken though somebody is sending it",
    file: emails,
    find: "                  and next_attempt_at <= now()\n",
    replace: "                  and next_attempt_at is not null\n",
    tests: ofTheStore
  },
  {
    name: "what became of an e-mail is told by each who says so",
    file: emails,
    find: "and e.status = any(string_to_array(n.origins, ' '))",
    replace: "and true",
    tests: ofTheStore
  },
  {
    name: "an attempt that is over sets the alarm of the next one",
    file: emails,
    find: "and (n.retry_ms < 0 or e.attempts = n.attempts)",
    replace: "",
    tests: ofTheStore
  },
  {
    name: "what a dead process was sending is not given back",
    file: "src/store/Workers.ts",
    find: "update emails e set next_attempt_at = now(), worker = null",
    replace: "update emails e set worker = null",
    tests: ofTheStore
  },
  {
    name: "an e-mail that cannot be made is tried for ever",
    file: work,
    find: "delay === null || email.attempts >= brokenMax",
    replace: "delay === null",
    tests: ofTheActor
  },
  {
    name: "a refusal is tried again",
    file: work,
    find: "if (error instanceof MailerRefused) return",
    replace: "if (false) return",
    tests: ofTheActor
  },
  {
    name: "e-mails of the sandbox are put together, and sent",
    file: "src/outbound/Mailer.ts",
    find: "envelope.livemode ? live(envelope, message) : sendInSandbox(envelope)",
    replace: "live(envelope, message)",
    tests: ofTheActor
  },
  {
    name: "nobody tells the actor that there is an e-mail",
    file: "src/entities/InvoiceSteps.ts",
    find: "if (emailed) yield* telling.mail(row)",
    replace: "",
    tests: ofTheActor
  },
  {
    name: "the sweeper does not look for e-mails",
    file: "src/entities/Sweeper.ts",
    find: "sweepDeliveries, sweepEmails]",
    replace: "sweepDeliveries]",
    tests: ofTheActor
  },
  {
    name: "each attempt has a Message-ID of its own",
    file: smtp,
    find: "messageId: `<${envelope.reference}@${domain}>`,",
    replace: "",
    tests: ofTheServer
  },
  {
    name: "a server that knows no TLS is told all the same",
    file: smtp,
    find: "requireTLS: !secure && !loopback,",
    replace: "",
    tests: ofTheServer
  },
  {
    name: "a server that does not know us bounces every address",
    file: smtp,
    find: 'const isAboutIt = command === "RCPT TO" || command === "DATA"',
    replace: "const isAboutIt = true",
    tests: ofTheServer
  },
  {
    name: "a semicolon of a name parts the subject",
    file: parcel,
    find: 'oneLine(text).replaceAll(";", ",")',
    replace: "oneLine(text)",
    tests: ofTheParcel
  },
  {
    name: "HTML is not escaped",
    file: parcel,
    find: 'text.replaceAll(/[&<>"\']/g, (character) => entities[character] ?? "")',
    replace: "text + String(entities).slice(0, 0)",
    tests: ofTheParcel
  },
  {
    name: "an attachment may be larger than 2 MB",
    file: parcel,
    find: "const fits = whole.length <= archiveBytesMax",
    replace: "const fits = true",
    tests: ofTheParcel
  },
  {
    name: "a ZIP is made in the zone of its machine",
    file: parcel,
    find: "return new Date(year, month - 1, day, 12)",
    replace: "return new Date(Date.UTC(year, month - 1, day, 12))",
    tests: ofTheParcel
  },
  {
    name: "a forged notice is believed",
    file: notices,
    find: "if (Result.isFailure(verdict)) return",
    replace: "if (false) return",
    tests: ofTheNotices
  },
  {
    name: "an old notice is believed",
    file: notices,
    find: "if (Result.isFailure(verdict)) return",
    replace: 'if (Result.isFailure(verdict) && verdict.failure !== "expired") return',
    tests: ofTheNotices
  },
  {
    name: "a notice is for any document",
    file: emails,
    find: "where e.invoice_id = ${invoice_id} and e.id = ${id}`",
    replace: "where e.id = ${id}`",
    tests: ofTheStore
  },
  {
    name: "any document is e-mailed when somebody asks",
    file: "src/entities/EmailCommandWork.ts",
    find: 'if (state !== "accepted_by_authority" && state !== "accepted_contingency") {',
    replace: "if (false) {",
    tests: ["test/http/Emails.test.ts"]
  },
  {
    name: "webhooks: what waits behind a planned delivery is looked at again and again",
    file: "src/store/DeliveryClaims.ts",
    find: "update deliveries d set next_attempt_at = b.planned_at,",
    replace: "update deliveries d set next_attempt_at = d.next_attempt_at,",
    tests: ["test/store/DeliveryLine.pg.test.ts"]
  },
  {
    name: "webhooks: a delivery is planned for the end of the lease before it",
    file: "src/store/DeliveryClaims.ts",
    find: "h.worker is null and ",
    replace: "",
    tests: ["test/store/DeliveryLine.pg.test.ts"]
  },
  {
    name: "webhooks: what waits behind a delivery that is asked for waits for its first plan",
    file: "src/store/Redelivery.ts",
    find: "and d.status = 'pending' and d.next_attempt_at = h.prior_attempt_at",
    replace: "and false",
    tests: ["test/store/DeliveryLine.pg.test.ts"]
  },
  {
    name: "webhooks: one account's attempts take the places of all",
    file: "src/entities/AttemptPlaces.ts",
    find: "ofOwner - (taken.get(owner) ?? 0), atOnce",
    replace: "atOnce",
    tests: ["test/entities/AttemptPlaces.test.ts"]
  },
  {
    name: "webhooks: a place that is free again wakes nobody",
    file: "src/entities/AttemptPlaces.ts",
    find: "next.job()",
    replace: "",
    tests: ["test/entities/AttemptPlaces.test.ts"]
  },
  {
    name: "the backlog of one account stands before the documents of others",
    file: "src/entities/Sweeper.ts",
    find: "without = [...without, ...crowding(due)]",
    replace: "without = []",
    tests: ["test/entities/Together.test.ts"]
  }
]
