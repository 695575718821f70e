import { guards, type Mutant } from "./Mutant.ts"

/** Guards of emails and of webhook deliveries. */
export const mailMutants: ReadonlyArray<Mutant> = [
  ...guards("src/invoices/store/Transitions.ts", "test/invoices/store/Emails.pg.test.ts", {
    "a document accepted in contingency is not emailed": {
      "n.command in ('Accept', 'EnterContingency')": "n.command in ('Accept')"
    }
  }),
  {
    name: "a rejected document is emailed",
    edits: [
      {
        file: "src/invoices/store/Transitions.ts",
        find: "n.command in ('Accept', 'EnterContingency')",
        replace: "n.command in ('Accept', 'EnterContingency', 'Reject')"
      },
      {
        file: "migrations/0001_schema/5_documents.sql",
        find: "check (document_state in ('accepted_by_authority', 'accepted_contingency'))",
        replace: "check (true)"
      }
    ],
    tests: ["test/invoices/store/Emails.pg.test.ts"]
  },
  ...guards("src/invoices/store/Emails.ts", "test/invoices/store/Emails.pg.test.ts", {
    "an email is claimed while another worker sends it": {
      "                and next_attempt_at <= now()\n": "                and next_attempt_at is not null\n"
    },
    "each notice about an email emits its event again": {
      "and e.status = any(string_to_array(n.origins, ' '))": "and true"
    },
    "an expired attempt sets the alarm of the next attempt": {
      "and (n.retry_ms is null or e.attempts = n.attempts)": ""
    },
    "the second of two outcomes recorded together emits no event": {
      "events.map((event) => ({ outcome: index + 1, event }))":
        "events.slice(0, 1).map((event) => ({ outcome: index + 1, event }))"
    },
    "a notice applies to any document": {
      "where e.invoice_id = ${invoice_id} and e.id = ${id}`": "where e.id = ${id}`"
    }
  }),
  ...guards("src/database/Workers.ts", "test/invoices/store/Emails.pg.test.ts", {
    "a dead process's emails are not released": {
      "set ${sql(due)} = now(), worker = null": "set worker = null"
    }
  }),
  ...guards("src/invoices/Mailing.ts", "test/invoices/Mailing.test.ts", {
    "an email that cannot be composed is retried for ever": {
      "email.attempts >= brokenMax ? null :": ""
    },
    "a complaint is stored after its delivery, and lost between the two": {
      'record(email, ["delivered", "complained"], null, at)': '!(yield* record(email, ["delivered"], null, at))'
    },
    "a complaint is lost after a notice reported the delivery": { "if (!stored)": "if (false)" },
    "a refused email is retried": { "if (error instanceof MailerRefused) return": "if (false) return" }
  }),
  ...guards("src/invoices/mail/Mailer.ts", "test/invoices/Mailing.test.ts", {
    "sandbox emails are composed and sent": {
      "envelope.livemode ? live(envelope, message) : sendInSandbox(envelope)": "live(envelope, message)"
    }
  }),
  ...guards("src/invoices/Steps.ts", "test/invoices/Mailing.test.ts", {
    "the actor is not notified of a new email": {
      "if (stored.value.emailed) yield* notify.mail(one.step.key)": ""
    }
  }),
  ...guards("src/operations/Sweeper.ts", "test/invoices/Mailing.test.ts", {
    "the sweeper does not look for emails": { "emails: sweepEmails": "emails: Effect.void" }
  }),
  ...guards("src/invoices/mail/MailerSmtp.ts", "test/invoices/mail/MailerSmtp.test.ts", {
    "each attempt has a Message-ID of its own": { ", messageId: idOf(reference)": "" },
    "an email goes to a server without TLS": { "requireTLS: !secure && !loopback,": "" },
    "a failed login at the mail server bounces every address": {
      'const isAboutIt = command === "RCPT TO" || command === "DATA"': "const isAboutIt = true"
    }
  }),
  ...guards("src/documents/email/EmailPackage.ts", "test/documents/email/EmailPackage.test.ts", {
    "a semicolon in a name splits the subject": { 'oneLine(text).replaceAll(";", ",")': "oneLine(text)" },
    "HTML is not escaped": {
      'text.replaceAll(/[&<>"\']/g, (character) => entities[character] ?? "")': "text + String(entities).slice(0, 0)"
    },
    "an attachment has no limit of 2 MB": { "const fits = whole.length <= archiveBytesMax": "const fits = true" },
    "a ZIP has the time zone of its machine": {
      "return new Date(year, month - 1, day, 12)": "return new Date(Date.UTC(year, month - 1, day, 12))"
    }
  }),
  ...guards("src/http/routes/EmailNoticeRoutes.ts", "test/http/routes/EmailNotices.pg.test.ts", {
    "a forged notice is accepted": { "if (Result.isFailure(verdict)) return": "if (false) return" },
    "an old notice is accepted": {
      "if (Result.isFailure(verdict)) return": 'if (Result.isFailure(verdict) && verdict.failure !== "expired") return'
    }
  }),
  ...guards("src/invoices/commands/EmailCommands.ts", "test/http/routes/Emails.pg.test.ts", {
    "a request emails any document": {
      'if (state !== "accepted_by_authority" && state !== "accepted_contingency") {': "if (false) {"
    }
  }),
  ...guards("src/webhooks/store/DeliveryClaims.ts", "test/webhooks/store/DeliveryLine.pg.test.ts", {
    "webhooks: deliveries behind a scheduled one are read again and again": {
      "update deliveries d set next_attempt_at = b.planned_at,":
        "update deliveries d set next_attempt_at = d.next_attempt_at,"
    },
    "webhooks: a delivery is scheduled for the end of the lease before it": { "h.worker is null and ": "" }
  }),
  ...guards("src/webhooks/store/Redelivery.ts", "test/contract/Postgres.pg.test.ts", {
    "webhooks: deliveries behind a redelivery wait for the original schedule": {
      "and d.status = 'pending' and d.next_attempt_at = h.prior_attempt_at": "and false"
    }
  }),
  ...guards("src/webhooks/WebhookEndpointActor.ts", "test/webhooks/AttemptTurns.test.ts", {
    "webhooks: the turns for which no delivery is due are lost": {
      "underWay.turns.end(owner, turns - due.length)": ""
    },
    "webhooks: an attempt ends without its turn": {
      "          underWay.turns.end(owner)\n          return isMoreDue": "          return isMoreDue"
    }
  }),
  ...guards("src/runtime/turns/FairPages.ts", "test/operations/Together.test.ts", {
    "the backlog of one account precedes the documents of others": {
      "without = [...without, ...crowding(due, pageMax)]": "without = []"
    }
  })
]
