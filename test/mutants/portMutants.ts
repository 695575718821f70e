import { guards, type Mutant } from "./Mutant.ts"

/** Guards against ports that break their types, broken. */
export const portMutants: ReadonlyArray<Mutant> = [
  ...guards("src/protocol/PortCall.ts", "test/ports/Emails.test.ts", {
    "a port that throws breaks its caller": {
      "Effect.exit(Effect.suspend(call))": "Effect.exit(call())"
    },
    "a port that interrupts itself interrupts its caller": {
      'return broken(name, "interrupted its own call")': "return Effect.interrupt"
    },
    "any answer of a port is believed": {
      "isAnswer(exit.value) ? exit :": "isAnswer !== undefined ? exit :"
    },
    "a port that hangs is waited for": {
      "withDeadline(checkPort(method, call), Duration.toMillis(within),":
        "withDeadline(checkPort(method, call), Infinity,"
    }
  }),
  ...guards("src/issuing/AuthorityCalls.ts", "test/ports/Texts.full.test.ts", {
    "an answer that is no JSON keeps the verdict from being stored": {
      "answer: storableJson(verdict.answer)": "answer: verdict.answer"
    }
  }),
  ...guards("src/domain/requests/Storable.ts", "test/ports/Texts.full.test.ts", {
    "a NUL in a port's text goes to the database": { '.replaceAll("\\u0000", "")': "" }
  }),
  ...guards("src/documents/NationalProfile.ts", "test/ports/Documents.test.ts", {
    "a NUL in the profile's words goes to the database": { "storableText(this.code, 100)": "this.code" }
  }),
  ...guards("src/issuing/Signing.ts", "test/ports/Documents.test.ts", {
    "a signature that does not come is waited for": { ", signWithinMs, () =>": ", Infinity, () =>" }
  }),
  ...guards("src/issuing/Signing.ts", "test/actors/SentTogether.test.ts", {
    "a profile that interrupts itself interrupts the documents beside its own": {
      "return yield* dieOfInterruption(": "return yield* ("
    }
  }),
  ...guards("src/issuing/Executor.ts", "test/actors/SentTogether.test.ts", {
    "a document that cannot be signed ends its group": {
      "Effect.forEach(rows, (row) => Effect.exit(sign(row)),":
        "Effect.forEach(rows, (row) => Effect.map(sign(row), Exit.succeed),"
    }
  }),
  ...guards("src/issuing/Steps.ts", "test/actors/SentTogether.test.ts", {
    "an event that cannot be written ends its group": {
      "Effect.exit(Effect.sync(() => prepare(change, id, now, linksOf)))":
        "Effect.map(Effect.sync(() => prepare(change, id, now, linksOf)), Exit.succeed)"
    }
  }),
  ...guards("src/issuing/Papers.ts", "test/ports/Emails.test.ts", {
    "a printer that hangs keeps its turn": { "withDeadline(work, printWithinMs,": "withDeadline(work, Infinity," }
  }),
  ...guards("src/actors/Watch.ts", "test/ports/Alerts.test.ts", {
    "an alert that hangs keeps all others waiting": {
      "withDeadline(sending, sendWithinSeconds * 1_000,": "withDeadline(sending, Infinity,"
    }
  }),
  ...guards("src/protocol/PortCall.ts", "test/ports/RateLimits.test.ts", {
    "a rate limiter that hangs is an error of the service": {
      "withDeadline(call, Duration.toMillis(timeout), () => Effect.fail(late))":
        "withDeadline(call, Duration.toMillis(timeout), () => Effect.die(late))"
    }
  }),
  ...guards("src/protocol/Notify.ts", "test/ports/Tells.test.ts", {
    "a tell that breaks breaks who tells": {
      'Effect.timeout(timeout),\n    Effect.catchCause((cause) => Effect.logError("A message to an actor was lost; the sweeper will repeat it", cause)),':
        "",
      "Effect.forkDetach({ startImmediately: true }),\n    Effect.asVoid": "Effect.asVoid"
    }
  }),
  ...guards("src/issuing/Backpressure.ts", "test/ports/Emails.test.ts", {
    "a measure of busyness that throws holds up what can wait": {
      "      } catch {\n        return 1": "      } catch (error) {\n        throw error"
    }
  }),
  ...guards("src/outbound/authority/AuthorityEvents.ts", "test/outbound/authority/AuthorityEvents.test.ts", {
    "what is registered on another invoice counts": { "if (code === cufe) return true": "return true" },
    "an answer about another invoice counts": { 'if (key !== "" && key !== cufe) return null': "" },
    "an answer of any size is parsed": { " || xml.length > xmlBytesMax": "" },
    "a time is read with colons alone": { "(\\d{2})[:-](\\d{2})[:-](\\d{2})": "(\\d{2}):(\\d{2}):(\\d{2})" }
  }),
  ...guards("src/issuing/BuyersAnswers.ts", "test/issuing/acceptance/BuyersAnswers.test.ts", {
    "an authority that is away is asked about buyers": {
      "(yield* circuits.look(key)).leftMs !== null": "false as boolean"
    },
    "any number of questions is under way": {
      "{ concurrency, discard: true }": '{ concurrency: "unbounded", discard: true }'
    }
  }),
  ...guards("src/protocol/FairPages.ts", "test/issuing/acceptance/BuyersAnswers.test.ts", {
    "an account's questions stand before all others'": { "[...without, ...crowding(due, pageMax)]": "without" }
  }),
  ...guards("src/store/acceptance/Acceptances.ts", "test/store/acceptance/Acceptances.pg.test.ts", {
    "two owners ask the same question": {
      "set next_question_at = now() + ${questionLeaseSeconds} * interval '1 second'": "set next_question_at = now()"
    },
    "a buyer is asked about after its acceptance": { "(${came}::jsonb || events) ?| ${finalCodes}::text[] or ": "" }
  }),
  {
    name: "what a buyer has answered is overwritten",
    edits: [
      {
        file: "src/store/acceptance/Acceptances.ts",
        find: "set events = ${came}::jsonb || events,",
        replace: "set events = events || ${came}::jsonb,"
      },
      {
        file: "migrations/0001_schema/5_documents.sql",
        find: "when (not new.events @> old.events)",
        replace: "when (false)"
      }
    ],
    tests: ["test/store/acceptance/Acceptances.pg.test.ts"]
  },
  ...guards("src/store/documents/Transitions.ts", "test/store/acceptance/Acceptances.pg.test.ts", {
    "no question follows from an acceptance": {
      "asking.length > 0 ? questions(asking) : none": "none"
    },
    "every accepted document is asked about": {
      "from done where id = any(${ids}::text[])": "from done where ${ids}::text[] is not null"
    }
  }),
  ...guards("src/domain/documents/Acceptance.ts", "test/domain/documents/Acceptance.test.ts", {
    "a claim takes an acceptance back": { '["031", "claimed"],\n': "" }
  })
]
