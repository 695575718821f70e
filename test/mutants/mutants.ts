interface Edit {
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

/** A guard of the service, broken, and the tests that must notice. */
export interface Mutant extends Edit {
  readonly name: string
  /** Broken as well: the guard that stands behind the first. */
  readonly and?: Edit
  readonly tests: ReadonlyArray<string>
}

const numbering = "src/store/Numbering.ts"
const transitions = "src/store/Transitions.ts"
const deliveries = "src/store/Deliveries.ts"
const keys = "src/store/IdempotencyKeys.ts"

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "numbering does not lock the drafts",
    file: numbering,
    find: "order by i.id for update of i",
    replace: "order by i.id",
    and: {
      file: "migrations/0003_fences.ts",
      find: "create trigger guard after update on invoices for each row",
      replace: "create trigger guard after update on invoices for each row when (false)"
    },
    tests: ["test/store/Numbering.pg.test.ts"]
  },
  {
    name: "numbering does not lock the range",
    file: numbering,
    find: "order by r.id for update of r",
    replace: "order by r.id",
    tests: ["test/store/Numbering.pg.test.ts"]
  },
  {
    name: "numbering does not look whether the draft has its number",
    file: numbering,
    find: "where i.state = 'queued' and i.number is null",
    replace: "where true",
    tests: ["test/store/Numbering.pg.test.ts"]
  },
  {
    name: "numbers come from a counter that a rollback does not give back",
    file: numbering,
    find: "r.next_number + row_number()",
    replace: "r.next_number + (random() < 0.05)::integer + row_number()",
    tests: ["test/numbering.pg.test.ts"]
  },
  {
    name: "a step does not compare version and state",
    file: transitions,
    find: "and i.version = n.version and i.state = n.from_state",
    replace: "",
    tests: ["test/store/Transitions.pg.test.ts"]
  },
  {
    name: "an outcome stores no event",
    file: transitions,
    find: "from done where event_id <> '' order by ord",
    replace: "from done where event_id <> '' and to_state <> 'rejected_by_authority' order by ord",
    tests: ["test/deliveries.pg.test.ts", "test/crash.pg.test.ts"]
  },
  {
    name: "an event reaches the endpoints of both modes",
    file: "src/store/NewDeliveries.ts",
    find: "join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode",
    replace: "join webhook_endpoints w on w.account_id = e.account_id",
    tests: ["test/deliveries.pg.test.ts"]
  },
  {
    name: "a later event does not wait for an earlier one of the same resource",
    file: "src/store/DeliveryClaims.ts",
    find: "(select d.* from (${line}) d where ${firstOfItsResource})",
    replace: "(${line})",
    tests: ["test/store/Deliveries.pg.test.ts"]
  },
  {
    name: "a delivery is taken without a lease",
    file: "src/store/DeliveryClaims.ts",
    find: "set next_attempt_at = now() + ${leaseSeconds} * interval '1 second'",
    replace: "set next_attempt_at = now()",
    tests: ["test/store/Deliveries.pg.test.ts"]
  },
  {
    name: "an attempt is recorded without a look at how many there were",
    file: deliveries,
    find: "and d.attempts = n.attempts and d.status = 'pending'",
    replace: "",
    tests: ["test/store/Deliveries.pg.test.ts"]
  },
  {
    name: "a used key is claimed again within its window",
    file: keys,
    find: "    sealed = false, completed_at = now()\n  where k.completed_at <= now() - interval '${sql.literal(idempotencyWindow)}'\n  returning",
    replace: "    sealed = false, completed_at = now()\n  returning",
    tests: ["test/idempotency.pg.test.ts"]
  },
  {
    name: "a used key answers another request",
    file: keys,
    find: "if (row.fingerprint !== claim.fingerprint)",
    replace: "if (row.fingerprint === null)",
    tests: ["test/idempotency.pg.test.ts"]
  },
  {
    name: "a stored secret is not sealed",
    file: keys,
    find: "const body = sealed ? yield* secrets.seal(answer.body, place(claim)) : answer.body",
    replace: "const body = answer.body",
    tests: ["test/idempotency.pg.test.ts"]
  },
  {
    name: "a batch that fails fails all its items",
    file: "src/store/Batcher.ts",
    find: "if (Exit.isSuccess(exit) || entries.length === 1) return settle(entries, exit)",
    replace: "if (entries.length > 0) return settle(entries, exit)",
    tests: ["test/store/Numbering.pg.test.ts", "test/store/Transitions.pg.test.ts"]
  },
  {
    name: "a document is sent again without asking for its verdict",
    file: "src/entities/AuthorityCalls.ts",
    find: 'const known = arrived ? yield* guarded(Metrics.measure(ask, callOf("verdict"))) : null',
    replace: "const known = null as Verdict | null",
    tests: ["test/entities/Invoice.test.ts"]
  },
  {
    name: "a process that was away sends what it had in hand",
    file: "src/entities/AuthorityCalls.ts",
    find: "if (!(yield* workers.isAlive)) return null",
    replace: "",
    tests: ["test/entities/InvoiceOwners.test.ts"]
  },
  {
    name: "nobody takes up what a dead process held",
    file: "src/store/Workers.ts",
    find: "if (dead.length > 0) yield* free(dead.map((worker) => worker.id))",
    replace: "",
    tests: ["test/store/Workers.pg.test.ts"]
  },
  {
    name: "an invoice is found by its id alone",
    file: "src/store/Invoices.ts",
    find: "from invoices\n          where account_id = ${key.account_id} and livemode = ${key.livemode} and id = ${key.id}",
    replace: "from invoices where id = ${key.id}",
    tests: ["test/store/AccountView.pg.test.ts"]
  },
  {
    name: "an account's request is made by a role that sees every account",
    file: "src/store/AccountView.ts",
    find: "'role', 'folio_account', true",
    replace: "'role', 'folio_service', true",
    tests: ["test/store/AccountView.pg.test.ts"]
  },
  {
    name: "an account's rows of one mode are seen in the other",
    file: "migrations/0003_fences.ts",
    find: "sql`account_id = ${account} and livemode = ${mode}`",
    replace: "sql`account_id = ${account}`",
    tests: ["test/store/AccountView.pg.test.ts"]
  },
  {
    name: "a rejected document may be submitted again",
    file: "migrations/0012_contingency.ts",
    find: "'failed queued', 'failed numbered', 'failed signed'",
    replace: "'failed queued', 'failed numbered', 'failed signed', 'rejected_by_authority submitted'",
    tests: ["test/store/Fences.pg.test.ts"]
  },
  {
    name: "two documents may have one number",
    file: "migrations/0018_full_numbers.ts",
    find: "create unique index invoices_full_number",
    replace: "create index invoices_full_number",
    tests: ["test/store/Fences.pg.test.ts"]
  },
  {
    name: "signed bytes may change after they were submitted",
    file: "migrations/0003_fences.ts",
    find: "when (old.signed <> new.signed and is_issued",
    replace: "when (old.signed is null and is_issued",
    tests: ["test/store/Fences.pg.test.ts"]
  },
  {
    name: "a document that breaks its actor comes back for ever",
    file: "src/entities/InvoiceWork.ts",
    find: "attempts < internalFailuresMax",
    replace: "attempts < Number.POSITIVE_INFINITY",
    tests: ["test/poison.pg.test.ts"]
  },
  {
    name: "an actor that was never told is never reminded",
    file: "src/store/Invoices.ts",
    find: "from (select * from draft union all select * from numbered) due",
    replace: "from (select * from draft) due",
    tests: ["test/lostTells.pg.test.ts"]
  },
  {
    name: "a connection is not compared with the address that was checked",
    file: "src/outbound/PinnedConnections.ts",
    find: "if (!isConnectedTo(raw, destination.address)) {",
    replace: "if (raw.destroyed) {",
    tests: ["test/outbound/WebhookSenderEgress.test.ts"]
  },
  {
    name: "one public address among a name's answers is enough",
    file: "src/outbound/EgressGuard.ts",
    find: "if (!addresses.every(isPublicAddress))",
    replace: "if (!addresses.some(isPublicAddress))",
    tests: ["test/outbound/EgressGuard.test.ts"]
  },
  {
    name: "a signature is compared in a time that tells where it differs",
    file: "src/domain/WebhookSignature.ts",
    find: "timingSafeEqual(bytes, right)",
    replace: "bytes.equals(right)",
    tests: ["test/domain/WebhookSignature.test.ts"]
  }
]
