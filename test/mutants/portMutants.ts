import { guards, type Mutant } from "./Mutant.ts"

/** Guards against ports that break their types, broken. */
export const portMutants: ReadonlyArray<Mutant> = [
  ...guards("src/protocol/PortCall.ts", "test/ports/Emails.test.ts", {
    "a port that throws breaks its caller": {
      "Effect.filterOrElse(Effect.suspend(call),": "Effect.filterOrElse(call(),"
    },
    "a port that interrupts itself interrupts its caller": {
      'return broken(name, "interrupted its own call")': "return Effect.interrupt"
    },
    "any answer of a port is believed": {
      "Effect.suspend(call), isAnswer,": "Effect.suspend(call), () => isAnswer !== null,"
    },
    "a port that hangs is waited for": {
      "Effect.timeoutOption(Fiber.await(fiber), within)": "Effect.asSome(Fiber.await(fiber))"
    }
  }),
  ...guards("src/issuing/AuthorityCalls.ts", "test/ports/Texts.pg.test.ts", {
    "an answer that is no JSON keeps the verdict from being stored": {
      "answer: storableJson(verdict.answer)": "answer: verdict.answer"
    }
  }),
  ...guards("src/domain/requests/Storable.ts", "test/ports/Texts.pg.test.ts", {
    "a NUL in a port's text goes to the database": { '.replaceAll("\\u0000", "")': "" }
  }),
  ...guards("src/documents/GuardedProfile.ts", "test/ports/Documents.test.ts", {
    "an empty code is stored": { "? isText(value.success) :": "? true :" },
    "a NUL in the profile's words goes to the database": { "storableText(code, failureMax.code)": "code" }
  }),
  ...guards("src/documents/GuardedProfile.ts", "test/ports/Profile.test.ts", {
    "a page that cannot be made stops events and answers": { "return otherwise": "throw cause" },
    "any text is a date": { "port.localDate(epochMs), isDate": "port.localDate(epochMs), isText" },
    "any answer of a rule is believed": { "Array.isArray(value) && value.every(isViolation)": "true" },
    "a service starts without a form of its numbers": { "port.numbering, isForm": "port.numbering, () => true" }
  }),
  ...guards("src/http/request/Timeouts.ts", "test/ports/RateLimits.test.ts", {
    "a rate limiter that hangs is an error of the service": {
      "isLate ? Effect.fail(late)": "isLate ? Effect.die(late)"
    },
    "a bug of the rate limiter is an answer in time": { "Effect.failCause(cause)": "Effect.fail(late)" }
  }),
  ...guards("src/protocol/Notify.ts", "test/ports/Tells.test.ts", {
    "a tell that breaks breaks who tells": {
      'Effect.timeout(timeout),\n    Effect.catchCause((cause) => Effect.logError("A tell was lost; the sweeper will repeat it", cause)),':
        "",
      "Effect.forkDetach({ startImmediately: true }),\n    Effect.asVoid": "Effect.asVoid"
    }
  }),
  ...guards("src/issuing/Backpressure.ts", "test/ports/Emails.test.ts", {
    "a measure of busyness that throws holds up what can wait": {
      "Effect.catchDefect(Effect.sync(busyness), () => Effect.succeed(1))": "Effect.sync(busyness)"
    }
  })
]
