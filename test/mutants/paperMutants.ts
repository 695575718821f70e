import { guards, type Mutant } from "./Mutant.ts"

/** Guards of what documents say, when, and in whose name. */
export const paperMutants: ReadonlyArray<Mutant> = [
  ...guards("src/store/documents/Notes.ts", "test/postgres/issuing/Notes.pg.test.ts", {
    "a note does not lock the invoice that it credits": {
      " and kind = 'invoice' for no key update`": " and kind = 'invoice'`"
    },
    "what a note credits is given back while the authority may have it": {
      "or state = 'failed' and submitted_at is not null": "or false and submitted_at is not null"
    }
  }),
  ...guards("src/commands/Notes.ts", "test/http/routes/CreditNotes.test.ts", {
    "each credit note is compared with the invoice alone": {
      "if (cents(payable_amount) > left) return yield* exceeds(left, params.amount)":
        "if (cents(payable_amount) > cents(invoice.totals.payable_amount)) return yield* exceeds(left, params.amount)"
    }
  }),
  ...guards("src/commands/Notes.ts", "test/http/routes/Notes.test.ts", {
    "a note corrects whatever became of its invoice": {
      'if (status === "accepted_by_authority" ||': 'if (status !== "failed" ||'
    }
  }),
  ...guards("src/commands/Invoices.ts", "test/http/routes/CreditNotes.test.ts", {
    "a credit note that is tried again takes what others have credited meanwhile": {
      'kindOf(id) === "credit_note" ? creditAgain(key) : Effect.void': "Effect.void"
    }
  }),
  ...guards("migrations/0001_baseline/3_documents.sql", "test/postgres/issuing/Notes.pg.test.ts", {
    "an account's own transaction makes any document": {
      "with check (kind <> 'invoice' and state = 'queued' and version = 1 and number is null and cufe is null)":
        "with check (true)"
    }
  }),
  ...guards("src/issuing/Contingency.ts", "test/issuing/Contingency.test.ts", {
    "what may have left is signed anew when it enters contingency": {
      "const result = isIssued(row)": "const result = row.state === 'accepted_contingency'"
    }
  }),
  ...guards("src/issuing/CircuitBreaker.ts", "test/issuing/Contingency.test.ts", {
    "every document tries whether the authority is back": {
      '(yield* phase(account)) === "closed" || (yield* circuits.claimProbe(circuitOf(account), probeIntervalMs))':
        '(yield* phase(account)) === "closed" || !(yield* circuits.claimProbe("", probeIntervalMs))'
    }
  }),
  ...guards("src/store/documents/AuthorityCircuits.ts", "test/store/documents/AuthorityCircuits.pg.test.ts", {
    "several processes try at one time whether the authority is back": {
      "where name = ${name} and next_probe_at <= now() returning name": "where name = ${name} returning name"
    },
    "the newest document is transmitted first": {
      "order by created_at, id limit ${limit} for update skip locked":
        "order by created_at desc, id desc limit ${limit} for update skip locked"
    },
    "silence counts as an outage": {
      "failing_since = case when c.opened_at is null and c.failed_at":
        "failing_since = case when false and c.failed_at",
      "opened_at = case when c.opened_at is null and (c.failed_at >= now() - ${silenceMs}::float8 ${ms})":
        "opened_at = case when c.opened_at is null and ${silenceMs}::float8 > 0"
    },
    "a circuit takes invoices alone": {
      "Schema.Struct({ ...AccountMode.fields, id: DocumentId })":
        "Schema.Struct({ ...AccountMode.fields, id: DocumentId.members[0] })"
    }
  }),
  ...guards("src/issuing/Redating.ts", "test/issuing/Redating.test.ts", {
    "a document keeps the date of the day before": {
      "return !isIssued(row) && (row.cufe": "return isIssued(row) && (row.cufe"
    }
  }),
  ...guards("src/issuing/Redating.ts", "test/issuing/NationalProfile.test.ts", {
    "another country: what has no code yet is signed": { "(row.cufe === null || row.issue_date": "(row.issue_date" }
  }),
  ...guards("src/store/documents/Numbering.ts", "test/postgres/issuing/NationalProfile.pg.test.ts", {
    "another country: its numbers have no zeros": { "digits <= 1 ?": "digits <= 99 ?" },
    "another country: its numbers have no separator": { 'separator === "" ?': 'separator !== "" ?' }
  }),
  ...guards("src/domain/documents/FullNumber.ts", "test/issuing/NationalProfile.test.ts", {
    "another country: ranges are compared as if there were no separator": { ": prefix + separator": ": prefix" }
  }),
  ...guards("migrations/0002_codes_after_numbers.sql", "test/store/sql/Fences.pg.test.ts", {
    "another country: the database lets what has no code be signed": {
      "state in ('queued', 'canceled', 'numbered', 'failed')": "state <> 'unknown'"
    }
  }),
  ...guards("src/store/documents/Redating.ts", "test/store/documents/Redating.pg.test.ts", {
    "what was submitted is dated anew": { "not is_issued(i) and": "" }
  }),
  ...guards("src/domain/documents/InvoiceLifecycle.ts", "test/domain/documents/InvoiceLifecycle.test.ts", {
    "a retry of what was submitted signs it anew": {
      'return Result.succeed(facts.isIssued ? "signed" : "numbered")': 'return Result.succeed("numbered")'
    }
  }),
  ...guards("src/store/sandbox/SandboxAuthorities.ts", "test/store/sandbox/SandboxAuthorities.pg.test.ts", {
    "one tester's outage is another's": { "found.get(id) ?? unset": "[...found.values()][0] ?? unset" }
  })
]
