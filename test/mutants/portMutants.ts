import { guards, type Mutant } from "./Mutant.ts"

/** Guards against ports that violate their types. */
export const portMutants: ReadonlyArray<Mutant> = [
  ...guards("src/runtime/PortCall.ts", "test/ports/Emails.test.ts", {
    "a port that throws breaks its caller": {
      "Effect.exit(Effect.suspend(call))": "Effect.exit(call())"
    },
    "a port that interrupts itself interrupts its caller": {
      'return broken(name, "interrupted its own call")': "return Effect.interrupt"
    },
    "any response of a port is accepted": {
      "isAnswer(exit.value) ? exit :": "isAnswer !== undefined ? exit :"
    },
    "the service waits for a port that hangs": {
      "withDeadline(checkPort(method, call), Duration.toMillis(within),":
        "withDeadline(checkPort(method, call), Infinity,"
    }
  }),
  ...guards("src/invoices/AuthorityCalls.ts", "test/ports/Texts.full.test.ts", {
    "a response that is not JSON prevents storing the verdict": {
      "answer: storableJson(verdict.answer)": "answer: verdict.answer"
    }
  }),
  ...guards("src/runtime/json/Storable.ts", "test/ports/Texts.full.test.ts", {
    "a NUL in a port's text goes to the database": { '.replaceAll("\\u0000", "")': "" }
  }),
  ...guards("src/documents/NationalProfile.ts", "test/ports/Documents.test.ts", {
    "a NUL in the profile's text goes to the database": { "storableText(this.code, 100)": "this.code" }
  }),
  ...guards("src/invoices/Signing.ts", "test/ports/Documents.test.ts", {
    "the service waits for a signer that never responds": {
      "callPort({ ...method, within: signWithin }, call)": "callPort(method, call)"
    }
  }),
  ...guards("src/invoices/Signing.ts", "test/invoices/Signing.pg.test.ts", {
    "a signer's signature with another key is used": {
      "(isSignature(certificate, bytes, signature) ?": "(isSignature !== undefined ?"
    },
    "the key of a certificate with its own signer is stored": {
      "return Redacted.make(certificate.chain)": "return pem"
    }
  }),
  ...guards("src/invoices/Executor.ts", "test/ports/Documents.test.ts", {
    "a document ends when its signer fails": {
      "waitForSigner(row, error) :": 'end(row, { code: "internal_error", message: error.message, retryable: true }) :'
    }
  }),
  ...guards("src/invoices/authority/Authority.ts", "test/invoices/Signer.test.ts", {
    "a signer's failure counts as an outage of the authority": {
      'trouble: "signer_unavailable"': 'trouble: "no_answer"'
    }
  }),
  ...guards("src/invoices/Signing.ts", "test/webhooks/SentTogether.test.ts", {
    "a profile that interrupts itself interrupts other documents": {
      "return yield* dieOfInterruption(": "return yield* ("
    }
  }),
  ...guards("src/invoices/Executor.ts", "test/webhooks/SentTogether.test.ts", {
    "a document that cannot be signed ends its group": {
      "Effect.forEach(rows, (row) => Effect.exit(sign(row)),":
        "Effect.forEach(rows, (row) => Effect.map(sign(row), Exit.succeed),"
    }
  }),
  ...guards("src/invoices/Steps.ts", "test/webhooks/SentTogether.test.ts", {
    "an event that cannot be written ends its group": {
      "Effect.exit(Effect.sync(() => prepare(change, id, now, linksOf)))":
        "Effect.map(Effect.sync(() => prepare(change, id, now, linksOf)), Exit.succeed)"
    }
  }),
  ...guards("src/invoices/IssuedFiles.ts", "test/ports/Emails.test.ts", {
    "a printer that hangs keeps its turn": { "withDeadline(work, printWithinMs,": "withDeadline(work, Infinity," }
  }),
  ...guards("src/operations/Watch.ts", "test/ports/Alerts.test.ts", {
    "an alert that hangs blocks all other alerts": {
      "withDeadline(sending, sendWithinSeconds * 1_000,": "withDeadline(sending, Infinity,"
    }
  }),
  ...guards("src/runtime/PortCall.ts", "test/ports/RateLimits.test.ts", {
    "a rate limiter that hangs fails the request": {
      "withDeadline(call, Duration.toMillis(timeout), () => Effect.fail(late))":
        "withDeadline(call, Duration.toMillis(timeout), () => Effect.die(late))"
    }
  }),
  ...guards("src/accounts/Notify.ts", "test/ports/Tells.test.ts", {
    "a message that throws fails its caller": {
      'Effect.timeout(timeout),\n    Effect.catchCause((cause) => Effect.logError("A message to an actor was lost; the sweeper will repeat it", cause)),':
        "",
      "Effect.forkDetach({ startImmediately: true }),\n    Effect.asVoid": "Effect.asVoid"
    }
  }),
  ...guards("src/invoices/Backpressure.ts", "test/ports/Emails.test.ts", {
    "a load measure that throws blocks deferrable work": {
      "      } catch {\n        return 1": "      } catch (error) {\n        throw error"
    }
  }),
  ...guards("src/invoices/authority/AuthorityEvents.ts", "test/invoices/authority/AuthorityEvents.test.ts", {
    "an event registered on another invoice counts": { "if (code === cufe) return true": "return true" },
    "a response about another invoice counts": { 'if (key !== "" && key !== cufe) return null': "" },
    "a response of any size is parsed": { " || xml.length > xmlBytesMax": "" },
    "a time is accepted only with colons": { "(\\d{2})[:-](\\d{2})[:-](\\d{2})": "(\\d{2}):(\\d{2}):(\\d{2})" }
  }),
  ...guards("src/invoices/BuyersAnswers.ts", "test/invoices/BuyersAnswers.pg.test.ts", {
    "an unavailable authority is asked about buyers": {
      "(yield* circuits.look(key)).leftMs !== null": "false as boolean"
    },
    "the number of concurrent queries has no limit": {
      "{ concurrency, discard: true }": '{ concurrency: "unbounded", discard: true }'
    }
  }),
  ...guards("src/runtime/turns/FairPages.ts", "test/invoices/BuyersAnswers.pg.test.ts", {
    "one account's queries precede all others": { "[...without, ...crowding(due, pageMax)]": "without" }
  }),
  ...guards("src/invoices/store/Acceptances.ts", "test/invoices/store/Acceptances.pg.test.ts", {
    "two owners send the same query": {
      "set next_question_at = now() + ${questionLeaseSeconds} * interval '1 second'": "set next_question_at = now()"
    },
    "a buyer is asked about after its acceptance": { "(${came}::jsonb || events) ?| ${finalCodes}::text[] or ": "" }
  }),
  {
    name: "a buyer's answer is overwritten",
    edits: [
      {
        file: "src/invoices/store/Acceptances.ts",
        find: "set events = ${came}::jsonb || events,",
        replace: "set events = events || ${came}::jsonb,"
      },
      {
        file: "migrations/0001_schema/5_documents.sql",
        find: "when (not new.events @> old.events)",
        replace: "when (false)"
      }
    ],
    tests: ["test/invoices/store/Acceptances.pg.test.ts"]
  },
  ...guards("src/invoices/store/Transitions.ts", "test/invoices/store/Acceptances.pg.test.ts", {
    "an acceptance starts no query": {
      "asking.length > 0 ? questions(asking) : none": "none"
    },
    "every accepted document starts a query": {
      "from done where id = any(${ids}::text[])": "from done where ${ids}::text[] is not null"
    }
  }),
  ...guards("src/invoices/rules/AcceptanceRules.ts", "test/invoices/rules/AcceptanceRules.test.ts", {
    "a claim reverts an acceptance": { '["031", "claimed"],\n': "" }
  })
]
