import { guards, type Mutant } from "../Mutant.ts"

const takenAtOnce = "test/store/webhooks/TakenAtOnce.pg.test.ts"

/** Guards of what is done in one statement: signing with submitting, and an event with the taking of its deliveries. */
export const stepMutants: ReadonlyArray<Mutant> = [
  ...guards("migrations/0001_schema/5_documents.sql", "test/store/documents/Transitions.pg.test.ts", {
    "steps: to be signed and to be submitted are one version": { "new.version < old.version + 2": "false" },
    "steps: what is submitted at once has no stored bytes": {
      "elsif not exists (\n        select from invoice_documents":
        "elsif false and not exists (\n        select from invoice_documents"
    }
  }),
  ...guards("src/store/documents/Transitions.ts", "test/store/documents/Transitions.pg.test.ts", {
    "steps: a document that is submitted at once was never signed, says its timeline": {
      "from done where signs\n": "from done where false\n"
    }
  }),
  ...guards("src/issuing/NextStep.ts", "test/actors/SentAtOnce.test.ts", {
    "steps: a document is sent at once though the authority may be away": {
      'authority.phase === "closed" && !isHeldBack(true, authority) ?': 'authority.phase === "closed" ?'
    }
  }),
  ...guards("src/issuing/Executor.ts", "test/actors/SentAtOnce.test.ts", {
    "steps: a document is sent at once though others wait": { "index < free ?": "index >= 0 || index < free ?" }
  }),
  ...guards("src/issuing/Changes.ts", "test/actors/SentAtOnce.test.ts", {
    "steps: a document is sent before its bytes are stored": {
      "signs: true, signed: row.signed,": "signs: true, signed: new Uint8Array(),"
    }
  }),
  ...guards("src/issuing/Numbering.ts", "test/actors/SentAtOnce.test.ts", {
    "steps: a numbered document is handed to its actor": {
      "if (row === undefined) yield*": "yield*"
    }
  }),
  ...guards("src/store/documents/Numbering.ts", "test/store/sql/WithoutVacuum.pg.test.ts", {
    "steps: numbering reads all drafts since the last vacuum": { "i.state = n.from_state": "i.state = 'queued'" }
  }),
  ...guards("src/store/webhooks/Deliveries.ts", "test/store/sql/WithoutVacuum.pg.test.ts", {
    "steps: recording reads all deliveries since the last vacuum": {
      "d.status = n.from_status": "d.status = 'pending'"
    }
  }),
  ...guards("src/store/DueWork.ts", "test/store/DueWork.pg.test.ts", {
    "steps: a sweep is begun though nothing is due": { "where next_question_at <= now()": "" },
    "steps: dead workers are not looked for": {
      "dead_since is not null or seen_at <": "dead_since is not null and seen_at <"
    },
    "steps: what rests counts as due by its time": { "next_action_at = 'infinity'": "next_action_at <= now()" },
    "steps: deliveries are due though none is pending": { "where status = 'pending'": "" },
    "steps: a table that is locked keeps all work from being done": {
      "Effect.catchCause((cause) =>": "Effect.catchCauseIf(() => false, (cause) =>"
    }
  }),
  ...guards("src/store/webhooks/NewDeliveries.ts", takenAtOnce, {
    "steps: a delivery is taken beyond max_in_flight": { "select w.max_in_flight > (": "select w.max_in_flight >= (" },
    "steps: a delivery is taken before one that is due": { ") > now(), true)": ") > now() or true, true)" },
    "steps: a delivery is taken though an earlier one of its resource waits": {
      "and p.object_id = e.object_id": "and false"
    },
    "steps: a delivery of a full endpoint is taken": { "w.full_since is null and coalesce(": "coalesce(" },
    "steps: a delivery is taken with its event and without a lease": {
      "now() + ${deliveryLeaseSeconds} * interval '1 second' else now() end": "now() else now() end"
    },
    "steps: a delivery is taken with its event and in nobody's name": {
      "case when t.is_taken then ${worker ?? null}::text end": "null::text"
    }
  }),
  ...guards("src/actors/WebhookEndpoint.ts", "test/actors/ReadyPlaces.test.ts", {
    "steps: a place is offered while deliveries are being taken": { "if (isTaking || ": "if (" },
    "steps: a reserved place does not count": {
      "      underWay.counts.add(entityId, 1)\n      return {": "      return {"
    }
  }),
  ...guards("src/issuing/Steps.ts", "test/actors/ReadyPlaces.test.ts", {
    "steps: a place is lost with a step that is not stored": {
      "          release(one)\n": ""
    }
  })
]
