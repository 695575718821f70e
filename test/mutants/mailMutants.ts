import { guards, type Mutant } from "./Mutant.ts"

/** Guards of e-mails, broken. */
export const mailMutants: ReadonlyArray<Mutant> = [
  ...guards("src/store/documents/Transitions.ts", "test/store/mail/Emails.pg.test.ts", {
    "what is accepted in contingency is not e-mailed": {
      "n.command in ('Accept', 'EnterContingency')": "n.command in ('Accept')"
    }
  }),
  {
    name: "what is rejected is e-mailed",
    edits: [
      {
        file: "src/store/documents/Transitions.ts",
        find: "n.command in ('Accept', 'EnterContingency')",
        replace: "n.command in ('Accept', 'EnterContingency', 'Reject')"
      },
      {
        file: "migrations/0001_schema/5_documents.sql",
        find: "check (document_state in ('accepted_by_authority', 'accepted_contingency'))",
        replace: "check (true)"
      }
    ],
    tests: ["test/store/mail/Emails.pg.test.ts"]
  },
  ...guards("src/store/mail/Emails.ts", "test/store/mail/Emails.pg.test.ts", {
    "an e-mail is taken though somebody is sending it": {
      "                and next_attempt_at <= now()\n": "                and next_attempt_at is not null\n"
    },
    "what became of an e-mail is told by each who says so": {
      "and e.status = any(string_to_array(n.origins, ' '))": "and true"
    },
    "an attempt that is over sets the alarm of the next one": {
      "and (n.retry_ms is null or e.attempts = n.attempts)": ""
    },
    "of what is told together, the second is told to nobody": {
      "events.map((event) => ({ outcome: index + 1, event }))":
        "events.slice(0, 1).map((event) => ({ outcome: index + 1, event }))"
    },
    "a notice is for any document": { "where e.invoice_id = ${invoice_id} and e.id = ${id}`": "where e.id = ${id}`" }
  }),
  ...guards("src/store/sql/Workers.ts", "test/store/mail/Emails.pg.test.ts", {
    "what a dead process was sending is not given back": {
      "set ${sql(due)} = now(), worker = null": "set worker = null"
    }
  }),
  ...guards("src/issuing/Mailing.ts", "test/issuing/Mailing.test.ts", {
    "an e-mail that cannot be made is tried for ever": {
      "email.attempts >= brokenMax ? null :": ""
    },
    "a complaint is stored after its delivery, and lost between the two": {
      'record(email, ["delivered", "complained"], null, at)': '!(yield* record(email, ["delivered"], null, at))'
    },
    "a complaint is lost when a notice has told its delivery": { "if (!stored)": "if (false)" },
    "a refusal is tried again": { "if (error instanceof MailerRefused) return": "if (false) return" }
  }),
  ...guards("src/outbound/mail/Mailer.ts", "test/issuing/Mailing.test.ts", {
    "e-mails of the sandbox are put together, and sent": {
      "envelope.livemode ? live(envelope, message) : sendInSandbox(envelope)": "live(envelope, message)"
    }
  }),
  ...guards("src/issuing/Steps.ts", "test/issuing/Mailing.test.ts", {
    "nobody tells the actor that there is an e-mail": {
      "if (stored.value.emailed) yield* notify.mail(one.step.key)": ""
    }
  }),
  ...guards("src/actors/Sweeper.ts", "test/issuing/Mailing.test.ts", {
    "the sweeper does not look for e-mails": { "emails: sweepEmails": "emails: Effect.void" }
  }),
  ...guards("src/outbound/mail/MailerSmtp.ts", "test/outbound/mail/MailerSmtp.test.ts", {
    "each attempt has a Message-ID of its own": { ", messageId: idOf(reference)": "" },
    "a server that knows no TLS is told all the same": { "requireTLS: !secure && !loopback,": "" },
    "a server that does not know us bounces every address": {
      'const isAboutIt = command === "RCPT TO" || command === "DATA"': "const isAboutIt = true"
    }
  }),
  ...guards("src/documents/parcel/EmailParcel.ts", "test/documents/parcel/EmailParcel.test.ts", {
    "a semicolon of a name parts the subject": { 'oneLine(text).replaceAll(";", ",")': "oneLine(text)" },
    "HTML is not escaped": {
      'text.replaceAll(/[&<>"\']/g, (character) => entities[character] ?? "")': "text + String(entities).slice(0, 0)"
    },
    "an attachment may be larger than 2 MB": { "const fits = whole.length <= archiveBytesMax": "const fits = true" },
    "a ZIP is made in the zone of its machine": {
      "return new Date(year, month - 1, day, 12)": "return new Date(Date.UTC(year, month - 1, day, 12))"
    }
  }),
  ...guards("src/http/routes/EmailNotices.ts", "test/http/routes/EmailNotices.pg.test.ts", {
    "a forged notice is believed": { "if (Result.isFailure(verdict)) return": "if (false) return" },
    "an old notice is believed": {
      "if (Result.isFailure(verdict)) return": 'if (Result.isFailure(verdict) && verdict.failure !== "expired") return'
    }
  }),
  ...guards("src/commands/Emails.ts", "test/http/routes/Emails.pg.test.ts", {
    "any document is e-mailed when somebody asks": {
      'if (state !== "accepted_by_authority" && state !== "accepted_contingency") {': "if (false) {"
    }
  }),
  ...guards("src/store/webhooks/DeliveryClaims.ts", "test/store/webhooks/DeliveryLine.pg.test.ts", {
    "webhooks: what waits behind a planned delivery is looked at again and again": {
      "update deliveries d set next_attempt_at = b.planned_at,":
        "update deliveries d set next_attempt_at = d.next_attempt_at,"
    },
    "webhooks: a delivery is planned for the end of the lease before it": { "h.worker is null and ": "" }
  }),
  ...guards("src/store/webhooks/Redelivery.ts", "test/store/contract/Postgres.pg.test.ts", {
    "webhooks: what waits behind a delivery that is asked for waits for its first plan": {
      "and d.status = 'pending' and d.next_attempt_at = h.prior_attempt_at": "and false"
    }
  }),
  ...guards("src/actors/WebhookEndpoint.ts", "test/actors/AttemptTurns.test.ts", {
    "webhooks: the turns for which no delivery is due are lost": {
      "underWay.turns.end(owner, turns - due.length)": ""
    },
    "webhooks: an attempt ends without its turn": {
      "          underWay.turns.end(owner)\n          return isMoreDue": "          return isMoreDue"
    }
  }),
  ...guards("src/protocol/FairPages.ts", "test/actors/Together.test.ts", {
    "the backlog of one account stands before the documents of others": {
      "without = [...without, ...crowding(due, pageMax)]": "without = []"
    }
  })
]
