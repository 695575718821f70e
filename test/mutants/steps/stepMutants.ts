import { guards, type Mutant } from "../Mutant.ts"

const contract = "test/contract/Postgres.pg.test.ts"

/**
 * Guards of combined statements: signing with submitting, an event with the lease of its deliveries, and groups of
 * documents.
 */
export const stepMutants: ReadonlyArray<Mutant> = [
  ...guards("migrations/0001_schema/5_documents.sql", "test/invoices/store/Transitions.pg.test.ts", {
    "steps: signing and submitting share one version": { "new.version < old.version + 2": "false" },
    "steps: a document signed and submitted in one step has no stored bytes": {
      "elsif not exists (\n        select from invoice_documents":
        "elsif false and not exists (\n        select from invoice_documents"
    }
  }),
  ...guards("src/invoices/store/Transitions.ts", contract, {
    "steps: the timeline of a document submitted in one step lacks its signing": {
      "from done where signs\n": "from done where false\n"
    }
  }),
  ...guards("src/invoices/NextStep.ts", "test/webhooks/SentAtOnce.test.ts", {
    "steps: a document is sent immediately although the authority may be unavailable": {
      'authority.phase === "closed" && !isHeldBack(true, authority) ?': 'authority.phase === "closed" ?'
    }
  }),
  ...guards("src/invoices/Executor.ts", "test/webhooks/SentAtOnce.test.ts", {
    "steps: a document is sent immediately although others wait": { "index < free ?": "index >= 0 || index < free ?" },
    "together: documents that fail before signing are forgotten": {
      "(cause) => Effect.forEach(rows, (row) => leave(row, cause), { discard: true })": "() => Effect.void"
    },
    "together: a document that may not be sent now is forgotten": {
      "for (const row of rows.filter((one) => !isStraight(one))) yield* goOnAlone(row)": ""
    },
    "together: a document without a turn is forgotten": {
      'if (Option.isSome(row) && row.value.state === "signed") yield* goesOn(row.value)': "row satisfies unknown"
    }
  }),
  ...guards("src/invoices/Steps.ts", "test/webhooks/SentAtOnce.test.ts", {
    "steps: a document is sent before its bytes are stored": {
      "signs: true, signed: row.signed,": "signs: true, signed: new Uint8Array(),"
    }
  }),
  ...guards("src/invoices/Numbering.ts", "test/webhooks/SentAtOnce.test.ts", {
    "steps: a numbered document is passed to its actor": {
      "if (row === undefined) yield* notify.proceed(key)\n        else numbered":
        "yield* notify.proceed(key)\n        if (row !== undefined) numbered"
    }
  }),
  ...guards("src/invoices/store/Numbering.ts", "test/database/WithoutVacuum.pg.test.ts", {
    "steps: numbering reads all drafts since the last vacuum": { "i.state = n.from_state": "i.state = 'queued'" }
  }),
  ...guards("src/webhooks/store/Deliveries.ts", "test/database/WithoutVacuum.pg.test.ts", {
    "steps: recording reads all deliveries since the last vacuum": {
      "d.status = n.from_status": "d.status = 'pending'"
    }
  }),
  ...guards("src/operations/store/Backlog.ts", "test/database/DueWork.pg.test.ts", {
    "steps: a sweep starts although nothing is due": { "where next_question_at <= now()": "" },
    "steps: the sweep does not look for dead workers": {
      "dead_since is not null or seen_at <": "dead_since is not null and seen_at <"
    },
    "steps: an inactive row counts as due by its time": { "next_action_at = 'infinity'": "next_action_at <= now()" },
    "steps: deliveries count as due although none is pending": {
      "from deliveries where status = 'pending')": "from deliveries)"
    },
    "steps: a locked table blocks all work": {
      "Effect.catchCause((cause) =>": "Effect.catchCauseIf(() => false, (cause) =>"
    }
  }),
  ...guards("src/webhooks/store/NewDeliveries.ts", contract, {
    "steps: a delivery is taken beyond max_in_flight": { "select w.max_in_flight > (": "select w.max_in_flight >= (" },
    "steps: a delivery is taken before one that is due": { ") > now(), true)": ") > now() or true, true)" },
    "steps: a delivery is taken although an earlier one of its resource waits": {
      "and p.object_id = e.object_id": "and false"
    },
    "steps: a delivery of a full endpoint is taken": { "w.full_since is null and coalesce(": "coalesce(" },
    "steps: a delivery is taken with its event and without a lease": {
      "now() + ${deliveryLeaseSeconds} * interval '1 second' else now() end": "now() else now() end"
    },
    "steps: a delivery is taken with its event but without an owner": {
      "case when t.is_taken then ${worker ?? null}::text end": "null::text"
    }
  }),
  ...guards("src/webhooks/WebhookEndpointActor.ts", "test/webhooks/ReadyPlaces.test.ts", {
    "steps: a slot is offered while deliveries are being taken": { "if (isTaking || ": "if (" },
    "steps: a reserved slot does not count": {
      "      underWay.counts.add(entityId, 1)\n      return {": "      return {"
    }
  }),
  ...guards("src/invoices/Steps.ts", "test/webhooks/ReadyPlaces.test.ts", {
    "steps: a step that is not stored loses a slot": {
      "one.places.forEach((place) => place.release())": "yield* Effect.void"
    },
    "together: an event without a delivery loses a slot": {
      "if (delivery === undefined || event === undefined) place.release()":
        "if (delivery === undefined || event === undefined) yield* Effect.void"
    },
    "together: a stopping process takes a delivery that it does not start": {
      "? Effect.uninterruptible(storing)": "? storing"
    }
  }),
  ...guards("src/invoices/Steps.ts", "test/invoices/SubmissionByTwoOwners.test.ts", {
    "together: a document that another owner has changed is processed further": {
      "stored.value.moved ? Option.some(one.next) : Option.none()": "Option.some(one.next)"
    }
  }),
  ...guards("src/webhooks/store/ReadyEndpoints.ts", "test/webhooks/ReadyPlaces.test.ts", {
    "together: an actor that ends removes its successor's slots": {
      "if (own?.get(key.id) === reserve) own.delete(key.id)": "own?.delete(key.id)"
    }
  }),
  ...guards("src/invoices/Steps.ts", "test/webhooks/SentTogether.test.ts", {
    "together: an event that cannot be written blocks the outcomes of a group": {
      "Effect.exit(Effect.sync(() => prepare(change, id, now, linksOf)))":
        "Effect.map(Effect.sync(() => prepare(change, id, now, linksOf)), Exit.succeed)"
    }
  }),
  ...guards("src/invoices/Numbering.ts", "test/webhooks/SentTogether.test.ts", {
    "together: a draft on which the profile throws blocks its group": {
      "const next = yield* Effect.exit(":
        "const next = yield* ((effect: Effect.Effect<any>) => Effect.map(effect, Exit.succeed))("
    },
    "together: a draft whose number cannot be stored is forgotten": {
      "yield* executor.handleDefect(key, result.cause)": "yield* Effect.void"
    }
  }),
  ...guards("src/invoices/Executor.ts", "test/webhooks/SentTogether.test.ts", {
    "together: each outcome is stored in a statement of its own": {
      "Effect.andThen(Effect.yieldNow, concludeAll)": "concludeAll"
    },
    "together: a document that cannot be signed blocks its group": {
      "Effect.exit(sign(row))": "Effect.map(sign(row), Exit.succeed)"
    },
    "together: a document that fails with its group is forgotten": {
      "else yield* leaves(rows[index]!, exit.cause)": "else yield* Effect.void"
    },
    "together: a failure of the database counts as a defect of the document": {
      "isSqlFailure(cause) ? notify.proceed(row) :": ""
    },
    "together: a verdict that comes after others is never stored": {
      "const all = verdicts\n        verdicts = []": "const all = verdicts"
    },
    "together: a call that throws interrupts the other calls of its group": {
      "Effect.catchCause((cause) => leaves(row, cause)),": ""
    },
    "together: a turn is kept for a document that is not sent": {
      "for (let unused = sent.length; unused < free; unused += 1) yield* giveBack": ""
    },
    "together: a turn is kept until the last call of the group ends": { "Effect.ensuring(giveBack)": "(call) => call" }
  }),
  ...guards("src/invoices/store/Transitions.ts", "test/postgres/process/CutGroup.full.test.ts", {
    "together: a step with a lost response counts as another owner's step": { "blind: true,": "" }
  }),
  ...guards("src/invoices/AuthorityCalls.ts", "test/invoices/AuthorityTurns.test.ts", {
    "together: a turn released twice counts as two turns": { "end(Math.min(left, 1))": "end(1)" },
    "together: the turns of a group that breaks are lost": {
      "() => Effect.sync(() => end(left))": "() => Effect.void"
    },
    "authority: test and live share their turns": { "(livemode ? live : test)": "(livemode ? test : test)" }
  })
]
