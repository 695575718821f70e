import { guards, type Mutant } from "./Mutant.ts"

/** Guards of numbering, steps, deliveries, keys and constraints of rows. */
export const mutants: ReadonlyArray<Mutant> = [
  {
    name: "numbering does not lock the drafts",
    edits: [
      {
        file: "src/invoices/store/Numbering.ts",
        find: "i.number is null\n            order by i.id for update of i",
        replace: "i.number is null order by i.id"
      },
      {
        file: "migrations/0001_schema/5_documents.sql",
        find: "create trigger rules_of_documents after update on invoices for each row",
        replace: "create trigger rules_of_documents after update on invoices for each row when (false)"
      }
    ],
    tests: ["test/invoices/store/Numbering.pg.test.ts"]
  },
  ...guards("src/invoices/store/Numbering.ts", "test/invoices/store/Numbering.pg.test.ts", {
    "numbering does not lock the range": { "order by r.id for update of r": "order by r.id" },
    "numbering does not look whether the draft has its number": {
      "and i.state = n.from_state\n            where i.number is null": "where true"
    }
  }),
  ...guards("src/invoices/store/Numbering.ts", "test/postgres/issuing/NumberingByTwoOwners.pg.test.ts", {
    "numbers come from a counter that a rollback does not reset": {
      "r.next_number + row_number()": "r.next_number + (random() < 0.05)::integer + row_number()"
    }
  }),
  ...guards("src/invoices/store/Transitions.ts", "test/contract/Postgres.pg.test.ts", {
    "a step does not compare version and state": { "and i.version = n.version and i.state = n.from_state": "" }
  }),
  ...guards(
    "src/webhooks/store/NewDeliveries.ts",
    ["test/postgres/webhooks/Deliveries.pg.test.ts", "test/postgres/process/CrashAtEveryPoint.full.test.ts"],
    {
      "an outcome stores no event": {
        "from ${from} where event_id is not null order by ord":
          "from ${from} where event_id is not null and event_type <> 'invoice.rejected_by_authority' order by ord"
      }
    }
  ),
  ...guards("src/webhooks/store/NewDeliveries.ts", "test/postgres/webhooks/Deliveries.pg.test.ts", {
    "an event is sent to the endpoints of both modes": {
      "join webhook_endpoints w on w.account_id = e.account_id and w.livemode = e.livemode":
        "join webhook_endpoints w on w.account_id = e.account_id"
    }
  }),
  ...guards("src/webhooks/store/DeliveryClaims.ts", "test/contract/Postgres.pg.test.ts", {
    "a later event does not wait for an earlier one of the same resource": {
      "(select d.* from (${line}) d where ${firstOfItsResource})": "(${line})"
    },
    "a delivery is taken without a lease": {
      "set next_attempt_at = now() + ${deliveryLeaseSeconds} * interval '1 second'": "set next_attempt_at = now()"
    }
  }),
  ...guards("src/webhooks/store/Deliveries.ts", "test/contract/Postgres.pg.test.ts", {
    "an attempt is recorded without comparing the number of attempts": {
      "and d.attempts = n.attempts and d.status = n.from_status": ""
    }
  }),
  ...guards("src/accounts/store/Idempotency.ts", "test/postgres/accounts/Idempotency.pg.test.ts", {
    "a used key is claimed again within its 24 hours": {
      "    sealed = false, completed_at = now()\n  where k.completed_at <= now() - interval '${sql.literal(idempotencyWindow)}'\n  returning":
        "    sealed = false, completed_at = now()\n  returning"
    },
    "a used key answers another request": {
      "if (row.fingerprint !== claim.fingerprint)": "if (row.fingerprint === null)"
    },
    "a stored secret is not sealed": {
      "const body = sealed ? yield* secrets.seal(answer.body, answerContext(claim)) : answer.body":
        "const body = answer.body"
    }
  }),
  ...guards(
    "src/database/Batcher.ts",
    ["test/invoices/store/Numbering.pg.test.ts", "test/invoices/store/Transitions.pg.test.ts"],
    {
      "a batch that fails fails all its items": {
        "if (Exit.isSuccess(exit) || entries.length === 1) return settle(entries, exit)":
          "if (entries.length > 0) return settle(entries, exit)"
      }
    }
  ),
  ...guards("src/invoices/AuthorityCalls.ts", "test/invoices/Submission.test.ts", {
    "a document is sent again without asking for its verdict": {
      "const known = arrived ? yield* ask(row) : null": "const known = null as Verdict | null"
    }
  }),
  ...guards("src/invoices/AuthorityCalls.ts", "test/invoices/SubmissionByTwoOwners.test.ts", {
    "a process that resumes sends the documents that it lost": { "if (!(yield* workers.isAlive)) return null": "" }
  }),
  ...guards("src/database/Input.ts", "test/database/Input.pg.test.ts", {
    "each number of items has a statement plan of its own": { "sql`(select ${": "sql`(${" }
  }),
  ...guards("src/invoices/store/Transitions.ts", "test/invoices/store/Transitions.pg.test.ts", {
    "only batches with an event store bytes": {
      "some(({ signed }) => signed !== undefined, document)": "some(({ event }) => event !== undefined, document)"
    },
    "only batches with bytes store a response": {
      "some(({ authorityAnswer }) => authorityAnswer !== undefined, answer)":
        "some(({ signed }) => signed !== undefined, answer)"
    }
  }),
  ...guards("src/database/Workers.ts", "test/database/Workers.full.test.ts", {
    "the work of a dead process is never taken over": {
      "if (dead.length > 0) yield* free(dead.map((worker) => worker.id))": ""
    }
  }),
  ...guards("src/database/Pages.ts", "test/database/AccountView.pg.test.ts", {
    "an object is found by its id alone": {
      "select ${columns} from ${table} where ${ofKey(sql, key)} and":
        "select ${columns} from ${table} where id = ${key.id} and"
    }
  }),
  ...guards("src/database/AccountView.ts", "test/database/AccountView.pg.test.ts", {
    "an account's request is made by a role that sees every account": {
      "'role', 'folio_account', true": "'role', 'folio_service', true"
    }
  }),
  ...guards("migrations/0001_schema/1_rules.sql", "test/database/AccountView.pg.test.ts", {
    "an account sees the rows of one mode in the other": {
      "and livemode = nullif(": "and livemode = livemode or null = nullif("
    }
  }),
  ...guards("migrations/0001_schema/1_rules.sql", "test/database/Fences.pg.test.ts", {
    "a rejected document can be submitted again": {
      "|| 'numbered submitted'::text;": "|| array['numbered submitted', 'rejected_by_authority submitted'];"
    }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/database/LifecycleRules.pg.test.ts", {
    "the log accepts steps that no document takes": {
      "check (is_transition(command, from_state, to_state))": "check (true)"
    }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/database/LifecycleRules.pg.test.ts", {
    "a document can be in a state that it has not reached": {
      "when 'submitted' then number is not null and submitted_at is not null":
        "when 'submitted' then number is not null"
    },
    "an unfinished document can have no alarm": {
      "(next_action_at is null) = (state in": "next_action_at is null or not (state in"
    }
  }),
  ...guards("migrations/0001_schema/5_documents.sql", "test/database/Fences.pg.test.ts", {
    "two documents can have one number": {
      "create unique index invoices_full_number": "create index invoices_full_number"
    },
    "signed bytes can change after their submission": {
      "when (old.signed <> new.signed and is_issued": "when (old.signed is null and is_issued"
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/postgres/issuing/PoisonDocuments.full.test.ts", {
    "a document that crashes its actor is loaded again for ever": {
      "attempts >= internalFailuresMax": "attempts >= Number.POSITIVE_INFINITY"
    }
  }),
  ...guards("src/invoices/store/Invoices.ts", "test/contract/Postgres.pg.test.ts", {
    "an actor that missed its message receives no reminder": {
      "from (select * from draft union all select * from numbered) due": "from (select * from draft) due"
    }
  }),
  ...guards("src/webhooks/sender/PinnedConnections.ts", "test/webhooks/sender/WebhookSenderEgress.test.ts", {
    "a connection is not compared with the validated address": {
      "if (!isConnectedTo(raw, destination.address)) {": "if (raw.destroyed) {"
    }
  }),
  ...guards("src/webhooks/sender/EgressGuard.ts", "test/webhooks/sender/EgressGuard.test.ts", {
    "one public address among a name's addresses is enough": {
      "if (!addresses.every(isPublicAddress))": "if (!addresses.some(isPublicAddress))"
    }
  }),
  ...guards("src/webhooks/rules/WebhookSignature.ts", "test/webhooks/rules/WebhookSignature.test.ts", {
    "the comparison time of a signature reveals where it differs": {
      "timingSafeEqual(bytes, right)": "bytes.equals(right)"
    }
  })
]
