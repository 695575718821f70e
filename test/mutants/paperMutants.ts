import type { Mutant } from "./mutants.ts"

/** Guards of what documents say, when, and in whose name. */
export const paperMutants: ReadonlyArray<Mutant> = [
  {
    name: "a note does not lock the invoice that it credits",
    file: "src/store/Notes.ts",
    find: "          for no key update`",
    replace: "          `",
    tests: ["test/notes.pg.test.ts"]
  },
  {
    name: "each credit note is compared with the invoice alone",
    file: "src/entities/NoteWork.ts",
    find: "if (cents(payable_amount) > left) return yield* exceeds(left, params.amount)",
    replace:
      "if (cents(payable_amount) > cents(invoice.totals.payable_amount)) return yield* exceeds(left, params.amount)",
    tests: ["test/http/CreditNotes.test.ts"]
  },
  {
    name: "a note corrects whatever became of its invoice",
    file: "src/entities/NoteWork.ts",
    find: 'if (status === "accepted_by_authority" ||',
    replace: 'if (status !== "failed" ||',
    tests: ["test/http/Notes.test.ts"]
  },
  {
    name: "a credit note that is tried again takes what others have credited meanwhile",
    file: "src/entities/InvoiceCommandWork.ts",
    find: 'kindOf(key.id) === "credit_note" ? creditAgain(key) : Effect.void',
    replace: "Effect.void",
    tests: ["test/http/CreditNotes.test.ts"]
  },
  {
    name: "an account's own transaction makes any document",
    file: "migrations/0011_notes.ts",
    find: "with check (kind <> 'invoice' and state = 'queued' and version = 1 and number is null and cufe is null)",
    replace: "with check (true)",
    tests: ["test/notes.pg.test.ts"]
  },
  {
    name: "what may have left is signed anew when it enters contingency",
    file: "src/entities/Contingency.ts",
    find: "const result = isIssued(row)",
    replace: "const result = row.state === 'accepted_contingency'",
    tests: ["test/entities/Contingency.test.ts"]
  },
  {
    name: "every document tries whether the authority is back",
    file: "src/entities/Circuits.ts",
    find: '(yield* phase(of)) === "closed" || (yield* circuits.claimProbe(circuitOf(of), probeIntervalMs))',
    replace: '(yield* phase(of)) === "closed" || !(yield* circuits.claimProbe("", probeIntervalMs))',
    tests: ["test/entities/Contingency.test.ts"]
  },
  {
    name: "several processes try at one time whether the authority is back",
    file: "src/store/AuthorityCircuits.ts",
    find: "where name = ${name} and next_probe_at <= now() returning name",
    replace: "where name = ${name} returning name",
    tests: ["test/store/AuthorityCircuits.pg.test.ts"]
  },
  {
    name: "the newest document is transmitted first",
    file: "src/store/AuthorityCircuits.ts",
    find: "order by created_at, id limit ${limit} for update skip locked",
    replace: "order by created_at desc, id desc limit ${limit} for update skip locked",
    tests: ["test/store/AuthorityCircuits.pg.test.ts"]
  },
  {
    name: "silence counts as an outage",
    file: "src/store/AuthorityCircuits.ts",
    find: "failing_since = case when c.opened_at is null and c.failed_at",
    replace: "failing_since = case when false and c.failed_at",
    and: {
      file: "src/store/AuthorityCircuits.ts",
      find: "opened_at = case when c.opened_at is null and (c.failed_at >= now() - ${silenceMs}::float8 ${ms})",
      replace: "opened_at = case when c.opened_at is null and ${silenceMs}::float8 > 0"
    },
    tests: ["test/store/AuthorityCircuits.pg.test.ts"]
  },
  {
    name: "a document keeps the date of the day before",
    file: "src/entities/Redate.ts",
    find: "return !isIssued(row) && row.issue_date !==",
    replace: "return isIssued(row) && row.issue_date !==",
    tests: ["test/entities/Redate.test.ts"]
  },
  {
    name: "what was submitted is dated anew",
    file: "src/store/Redating.ts",
    find: "i.submitted_at is null and i.contingency_since is null",
    replace: "true",
    and: {
      file: "migrations/0012_contingency.ts",
      find: "or is_issued(old.account_id, old.livemode, old.id)) then",
      replace: ") then"
    },
    tests: ["test/store/Redating.pg.test.ts"]
  },
  {
    name: "a retry of what was submitted signs it anew",
    file: "src/domain/InvoiceLifecycle.ts",
    find: 'return Result.succeed(facts.isIssued ? "signed" : "numbered")',
    replace: 'return Result.succeed("numbered")',
    tests: ["test/domain/InvoiceLifecycle.test.ts"]
  },
  {
    name: "one tester's outage is another's",
    file: "src/store/SandboxAuthorities.ts",
    find: "const mode = modes.get(id)",
    replace: "const [mode] = modes.values()",
    tests: ["test/store/SandboxAuthorities.pg.test.ts"]
  },
  {
    name: "what a note credits is given back while the authority may have it",
    file: "src/store/Notes.ts",
    find: "or state = 'failed' and submitted_at is not null",
    replace: "or false and submitted_at is not null",
    tests: ["test/notes.pg.test.ts"]
  },
  {
    name: "a circuit takes invoices alone",
    file: "src/store/AuthorityCircuits.ts",
    find: "Schema.Struct({ ...AccountMode.fields, id: DocumentId })",
    replace: "Schema.Struct({ ...AccountMode.fields, id: DocumentId.members[0] })",
    tests: ["test/store/AuthorityCircuits.pg.test.ts"]
  }
]
