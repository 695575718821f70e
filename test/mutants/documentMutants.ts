import { guards, type Mutant } from "./Mutant.ts"

/** Guards of documents: their content, dates, parties and authority calls. */
export const documentMutants: ReadonlyArray<Mutant> = [
  ...guards("src/invoices/store/Notes.ts", "test/postgres/issuing/Notes.pg.test.ts", {
    "a note does not lock the invoice that it credits": {
      "${correctable(account, id)} for no key update`": "${correctable(account, id)}`"
    }
  }),
  ...guards("src/invoices/store/Notes.ts", "test/http/routes/CreditNotes.pg.test.ts", {
    "the amount of a note is released while the authority may have the note": {
      "or state = 'failed' and submitted_at is not null": "or false and submitted_at is not null"
    }
  }),
  ...guards("src/invoices/commands/NoteChecks.ts", "test/http/routes/CreditNotes.pg.test.ts", {
    "each credit note is compared with the invoice alone": {
      "(cents(payable_amount) > left ?": "(cents(payable_amount) > cents(invoice.totals.payable_amount) ?"
    }
  }),
  ...guards("src/invoices/commands/NoteChecks.ts", "test/http/routes/Notes.pg.test.ts", {
    "a note corrects an invoice with any outcome": {
      'return status === "accepted_by_authority" ||': 'return status !== "failed" ||'
    }
  }),
  ...guards("src/invoices/commands/NoteChecks.ts", "test/http/notes/NotesWithoutInvoice.pg.test.ts", {
    "a note corrects an account's invoice without its lock, as another system's invoice": {
      "...(named.own === null ? [] : [ownInvoice(named.own)]),": ""
    }
  }),
  ...guards("src/documents/rules/amounts/NoteRules.ts", "test/http/notes/NotesWithoutInvoice.pg.test.ts", {
    "a note without an invoice can annul": { "if (!isDebitNote && correction_code === annulment)": "if (false)" },
    "a note without an invoice can correct the sales of a year": {
      "period.start_date.slice(0, 7) !== period.end_date.slice(0, 7)":
        "period.start_date.slice(0, 4) !== period.end_date.slice(0, 4)"
    },
    "a note accepts a buyer besides its invoice's buyer": { "if (request[name] === undefined) return": "return" }
  }),
  ...guards("src/invoices/Signing.ts", "test/http/notes/NotesWithoutInvoice.pg.test.ts", {
    "a note dates its invoice's exchange rate today": {
      ": { exchange_rate_date: corrected.issue_date }": ": {}"
    },
    "a note dates its own exchange rate on the day of its invoice": {
      "exchange_rate === null || own_rate ||": "exchange_rate === null ||"
    }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/postgres/issuing/RangesOfNotes.pg.test.ts", {
    "a note can correct nothing": {
      "or num_nonnulls(invoice_id, original) = 0 and details -> 'period' is not null":
        "or num_nonnulls(invoice_id, original) = 0"
    }
  }),
  ...guards("migrations/0001_schema/4_numbering.sql", "test/postgres/issuing/RangesOfNotes.pg.test.ts", {
    "an account has no limit of counters": {
      "create unique index resolutions_counter": "create index resolutions_counter"
    }
  }),
  ...guards("src/invoices/commands/DocumentCommands.ts", "test/http/routes/CreditNotes.pg.test.ts", {
    "a retried credit note takes an amount that others have credited meanwhile": {
      'if (kindOf(key.id) === "credit_note" && !note.is_credited)': "if (key.id === null)"
    }
  }),
  ...guards("src/invoices/Redating.ts", "test/invoices/Correction.test.ts", {
    "a corrected document can get the code of its rejected version": {
      "rejected.includes(next.success.cufe)": "rejected.includes(`not ${next.success.cufe}`)"
    }
  }),
  ...guards("src/invoices/AuthorityCalls.ts", "test/invoices/Correction.test.ts", {
    "every document with a processed number is rejected": {
      "isCorrected ? row.attempts < knownAfterAttempts : waited < otherAfterMs": "row.attempts < knownAfterAttempts"
    },
    'a corrected document fails on the first "number already processed" response': {
      "isCorrected ? row.attempts < knownAfterAttempts": "isCorrected ? row.attempts < 2"
    }
  }),
  ...guards("src/invoices/commands/CorrectionCommands.ts", "test/postgres/correction/Correction.pg.test.ts", {
    "a document that the authority has can be replaced": {
      "return isKnown ? yield* numberKnown(key, locked) : locked": "return locked"
    },
    "a corrected credit note takes more than its invoice has left": {
      'if (invoice !== null && kind === "credit_note") {': "if (false as boolean) {"
    }
  }),
  ...guards("src/invoices/commands/CorrectionCommands.ts", "test/postgres/correction/InContingency.full.test.ts", {
    "the total of a corrected invoice can fall below its credited amount": {
      "if (cents(totals.payable_amount) < cents(amount))": "if (cents(totals.payable_amount) < 0n)"
    }
  }),
  ...guards("src/invoices/store/InvoiceCommands.ts", "test/postgres/correction/InContingency.full.test.ts", {
    "an email of the rejected version is sent after the correction": {
      "invoice_id = ${key.id} and status = 'pending'": "invoice_id = ${key.id} and status = 'nothing'"
    }
  }),
  ...guards("src/invoices/store/Numbering.ts", "test/postgres/issuing/Notes.pg.test.ts", {
    "all credit notes get one number": {
      "set next_number = r.next_number + f.count":
        "set next_number = r.next_number + case r.document_type when 'credit_note' then 0 else f.count end"
    }
  }),
  ...guards("src/invoices/store/InvoiceCommands.ts", "test/postgres/correction/Correction.pg.test.ts", {
    "a corrected document keeps the code of its rejected version": {
      "cufe = null, issue_date = ${issue_date}::date": "cufe = i.cufe, issue_date = ${issue_date}::date"
    },
    "a correction takes a new number": {
      "cufe = null, issue_date = ${issue_date}::date":
        "cufe = null, number = i.number + 7, full_number = i.prefix || (i.number + 7), issue_date = ${issue_date}::date"
    }
  }),
  // The model's memory store has no constraint behind this guard.
  ...guards("src/invoices/commands/EmailCommands.ts", "test/model/Model.full.test.ts", {
    "every document is emailed": {
      'if (state !== "accepted_by_authority" && state !== "accepted_contingency") {': "if (false) {"
    }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/postgres/correction/Correction.pg.test.ts", {
    "a correction loses the rejected version": {
      "elsif not exists (\n      select from rejected_documents":
        "elsif false and not exists (\n      select from rejected_documents"
    },
    "a request changes the content of any document": {
      "elsif current_user = 'folio_account' and (": "elsif current_user = 'nobody' and ("
    },
    "a request deletes signed bytes": {
      "create trigger signed_bytes_are_kept after delete on invoice_documents for each row":
        "create trigger signed_bytes_are_kept after delete on invoice_documents for each row when (false)"
    },
    "a request deletes the signed bytes of a document that was not rejected": {
      "and i.id = invoice_documents.invoice_id and i.state = 'rejected_by_authority'":
        "and i.id = invoice_documents.invoice_id"
    },
    "a request stores a rejected version of a document that was not rejected": {
      "and i.state = 'rejected_by_authority' and i.cufe = rejected_documents.cufe": ""
    }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/postgres/issuing/Notes.pg.test.ts", {
    "an account's own transaction creates any document": {
      "with check (kind <> 'invoice' and state = 'queued' and version = 1 and number is null and cufe is null)":
        "with check (true)"
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/invoices/Contingency.test.ts", {
    "a document that may have been sent is taken back": {
      "const isUnsent = isFresh && !may_have_left && row.state": "const isUnsent = isFresh && row.state"
    },
    "an unsent document probes an authority that may receive it without a response": {
      "return isAtRisk ? rest : {": 'return isAtRisk && phase === "open" ? rest : {'
    },
    "a fault of the service issues one document in contingency": {
      'const contingency = of !== "authority" ? null :': "const contingency ="
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/invoices/outages/HeldBack.test.ts", {
    "one document delays all others": { "isFresh && isTried && leftMs": "isFresh && leftMs" }
  }),
  ...guards("src/invoices/NextStep.ts", "test/invoices/Refusals.test.ts", {
    "a later trouble clears the record of what the authority received": {
      'return trouble !== "in_process" && isReceived(row)': "return false"
    }
  }),
  ...guards("src/invoices/AuthorityCalls.ts", "test/invoices/Refusals.test.ts", {
    "a document that the authority received is sent again": {
      "if (verdict !== null || !isReceived(row)) return verdict": "return verdict"
    },
    "a rejected status query ends a document that may have been sent": {
      "Effect.fail(new AuthorityUnavailable({ message, trouble, of_document: true }))":
        "Effect.fail(new AuthorityRefusal({ message, trouble }))"
    }
  }),
  ...guards("src/invoices/CircuitBreaker.ts", "test/invoices/CircuitBreaker.test.ts", {
    "the failures of one account stop the calls of all": {
      "(of_all || accounts.length > 1 || accounts.includes(account_id))":
        "(of_all || accounts.length > 0 || account_id === '')"
    }
  }),
  ...guards("src/invoices/CircuitBreaker.ts", "test/invoices/Contingency.test.ts", {
    "every document probes whether the authority is back": {
      "return yield* circuits.claimProbe(circuitOf(account), interval)":
        'return !(yield* circuits.claimProbe("", interval))'
    }
  }),
  ...guards("src/invoices/store/AuthorityCircuits.ts", "test/invoices/store/AuthorityCircuits.pg.test.ts", {
    "several processes probe at one time whether the authority is back": {
      "where name = ${name} and next_probe_at <= now() returning name": "where name = ${name} returning name"
    },
    "the newest document is transmitted first": {
      "order by created_at, id limit ${limit})": "order by created_at desc, id desc limit ${limit})"
    },
    "silence counts as an outage": {
      "or (c.opened_at is null and c.failed_at < now() - ${silenceMs}::float8 ${ms}) as is_new":
        "or ${silenceMs}::float8 < 0 as is_new"
    },
    "a fault of the service opens the circuit": {
      "case when excluded.at_fault_since is null or is_new then null": "case when is_new then null",
      "case when excluded.at_fault_since is null then null when is_new": "case when is_new"
    },
    "the same document probes again and again": { "now()::text), updated_at, id`": "now()::text), created_at, id`" },
    "the documents of one account probe before all others": {
      "rank = 2, md5(account_id || now()::text), updated_at, id": "rank = 2, updated_at, id"
    },
    "a circuit counts only invoices": {
      "Schema.Struct({ ...AccountMode.fields, id: DocumentId })":
        "Schema.Struct({ ...AccountMode.fields, id: DocumentId.members[0] })"
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/invoices/Redating.test.ts", {
    "a document keeps the date of the previous day": {
      "!isIssued(row) && (row.cufe": "isIssued(row) && (row.cufe"
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/invoices/OtherCountry.pg.test.ts", {
    "another country: a document without its code is signed": {
      "(row.cufe === null || row.issue_date": "(row.issue_date"
    }
  }),
  ...guards("src/invoices/store/Numbering.ts", "test/postgres/issuing/NationalProfile.pg.test.ts", {
    "another country: numbers have no leading zeros": { "digits <= 1 ?": "digits <= 99 ?" },
    "another country: numbers have no separator": { 'separator === "" ?': 'separator !== "" ?' }
  }),
  ...guards("src/documents/rules/FullNumber.ts", "test/documents/rules/parties/ResolutionRules.test.ts", {
    "another country: the comparison of ranges ignores the separator": { ": prefix + separator": ": prefix" }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/database/Fences.pg.test.ts", {
    "another country: the database accepts a signed document without its code": {
      "state in ('queued', 'canceled', 'numbered', 'failed')": "state <> 'unknown'"
    }
  }),
  ...guards("src/invoices/store/Numbering.ts", "test/contract/Postgres.pg.test.ts", {
    "a submitted document gets a new date": { "not is_issued(i) and": "" }
  }),
  ...guards("src/invoices/rules/InvoiceLifecycle.ts", "test/invoices/rules/InvoiceLifecycle.test.ts", {
    "a retry signs a submitted document again": {
      'return Result.succeed(facts.isIssued ? "signed" : "numbered")': 'return Result.succeed("numbered")'
    }
  }),
  ...guards(
    "src/accounts/store/sandbox/SandboxAuthorities.ts",
    "test/accounts/store/sandbox/SandboxAuthorities.pg.test.ts",
    {
      "one tester's outage affects other testers": { "found.get(id) ?? unset": "[...found.values()][0] ?? unset" }
    }
  ),
  ...guards("src/invoices/IssuedFiles.ts", "test/http/routes/Files.pg.test.ts", {
    "a client caches the PDF from before the rejection": { '${imprint} ${validity.invalid ?? ""}`': "${imprint}`" }
  }),
  ...guards("src/invoices/IssuedFiles.ts", "test/http/routes/Emails.pg.test.ts", {
    "the email of a rejected document looks valid": { ", ...invalidityOf(row.state) }": " }" }
  }),
  ...guards("src/documents/print/content/Closing.ts", "test/documents/print/Pdf.test.ts", {
    "a rejected document has a QR code": { "url: invalid === undefined ? url : null": "url" }
  })
]
