import { guards, type Mutant } from "./Mutant.ts"

/** Guards of how much one request may ask for, and be told. */
export const requestMutants: ReadonlyArray<Mutant> = [
  ...guards("src/http/request/Validation.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: a list is counted after its items": {
      "return Array.isArray(value) && value.length > max": "return Array.isArray(value) && value.length > max * 1e6"
    },
    "request: a record is counted after its values": {
      "isObject(value) && Object.keys(value).length > max": "isObject(value) && Object.keys(value).length > max * 1e6"
    },
    "request: faults are looked for beyond those told": {
      "return this.violations.length > violationsMax": "return this.violations.length > 1e6"
    }
  }),
  ...guards("src/domain/requests/Violations.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: all faults are told": { "index === violationsMax || ": "" },
    "request: faults are told however long they are": { " || (index > 0 && bytes > bytesMax)": "" },
    "request: nobody is told that there is more": {
      "{ errors: violations.slice(0, end), has_more_errors: true }": "{ errors: violations.slice(0, end) }"
    }
  }),
  ...guards("src/http/request/SchemaErrors.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: a name comes back however long it is": { "name.length > nameMax ?": "name.length > 1e6 ?" }
  }),
  ...guards("src/domain/documents/LocalRules.ts", "test/domain/documents/InvoiceRules.test.ts", {
    "request: rules are looked for in every line": {
      "if (refusals > violationsMax)": "if (refusals > 1e6)"
    }
  }),
  ...guards("src/domain/documents/rules/Amounts.ts", "test/domain/documents/InvoiceRules.test.ts", {
    "a figure may be further off than the authority tolerates": {
      "return off <= tolerance && off >= -tolerance": "return off <= 2n * tolerance && off >= -tolerance"
    },
    "a figure that the authority tolerates is refused": {
      "return off <= tolerance && off >= -tolerance": "return off < tolerance && off >= -tolerance"
    }
  }),
  ...guards("src/http/request/Envelope.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: the router ends a path at a semicolon": { "/[;#]/.test": "/[#]/.test" }
  }),
  ...guards("src/domain/requests/StrictJson.ts", "test/domain/requests/StrictJson.test.ts", {
    "request: an object of any number of members is read": { "> membersMax) return tooWide": "> 1e6) return tooWide" },
    "request: any number of objects is read": {
      "++objects > objectsMax) return tooMany": "++objects > 1e6) return tooMany"
    }
  }),
  ...guards("src/store/sql/Slices.ts", "test/store/sql/Slices.test.ts", {
    "request: a list of any length is gone through in one turn": {
      "performance.now() - began < sliceMs": "performance.now() > 0"
    }
  }),
  ...guards("src/http/request/Validation.ts", "test/http/request/BadInput.test.ts", {
    "request: U+0000 goes to the database where any text will do": { 'value.includes("\\0")': "false" }
  }),
  ...guards("src/http/request/Validation.ts", "test/http/request/Validation.test.ts", {
    "request: an unknown customer makes a bad body a missing page": {
      'violation.code === "resource_missing" ?': 'violation.code === "malformed_json" ?'
    }
  }),
  ...guards("src/http/request/BodyChecks.ts", "test/http/request/Validation.test.ts", {
    "request: a rule reads a part that does not fit its schema": { "throw unreadable": "return undefined" },
    "request: a range is looked for that a correction does not need": {
      "keepsNumber ? undefined : range[kind]": "range[kind]"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/Validation.test.ts", {
    "request: a text with U+0000 is looked for": { " || holdsNul(body)": "" },
    "request: a fault of form hides the rules that are broken": {
      "if (kind === undefined || faults.length === 0 ||": "if (faults.length >= 0 ||"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/routes/ApiKeys.pg.test.ts", {
    "request: a key that ended while the body came is not looked for again": {
      "      yield* yield* KeyStillWorks\n": ""
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/RequestTurns.test.ts", {
    "request: a command works on a whole document without a turn": {
      'if (work === undefined || work === "sent") return': "if (bytes.length >= 0) return"
    }
  }),
  ...guards("src/http/request/Ask.ts", "test/http/request/Ask.test.ts", {
    "request: a command is a message though its actor is in this process": {
      "actor ?? clientOf(address)": "actor === null ? actor : clientOf(address)"
    }
  }),
  ...guards("src/http/request/Ask.ts", "test/http/limits/RequestTurns.test.ts", {
    "request: an invoice that is annulled is as small as its answer": {
      "exchange.document_bytes = answered.document_bytes": ""
    }
  }),
  ...guards("src/http/limits/RequestTurns.ts", "test/http/limits/RequestTurns.test.ts", {
    "request: nobody rests for what is done with a document that was sent": {
      "isSent && Exit.isSuccess(exit) ?": "Exit.isFailure(exit) && Exit.isSuccess(exit) ?"
    },
    "request: a read that finds nothing may go through all rows all the time": {
      "Math.max(restMs, Math.min(slowMs, slowRead.restMsMax))": "restMs"
    }
  }),
  ...guards("src/domain/requests/JsonMask.ts", "test/http/log/Canaries.full.test.ts", {
    "request log: a field that nobody knows is kept": {
      "privacy === undefined || secretForm.test(name)": "secretForm.test(name)"
    },
    "request log: a secret among the client's own names is kept": {
      'own === "secret" ? own : (inherited ?? own)': "inherited ?? own"
    },
    "request log: a message quotes what was not read": {
      "if (!this.cursor.isAtEnd) this.options.hidden.isAll = true": ""
    },
    "request log: an object in the place of personal data is kept": {
      'privacy === "secret" || (privacy === "personal" && level === "masked")': 'privacy === "secret"'
    }
  }),
  ...guards("src/domain/requests/RequestMask.ts", "test/http/log/Canaries.full.test.ts", {
    "request log: personal data are kept": {
      'return privacy === "open" && closedForm.test(text) ? text : masked': "return text"
    },
    "request log: any word is kept where an id belongs": {
      'if (privacy === "id") return idForm.test(text) ? text : masked': 'if (privacy === "id") return text'
    },
    "request log: any text is kept where a code belongs": {
      'return privacy === "open" && closedForm.test(text)': 'return privacy === "open"'
    },
    "request log: a message quotes what was masked": {
      "text.length < lengthMin ? words.has(text) : message.includes(text)": "text === message"
    },
    "request log: what has the form of a secret is kept": {
      'privacy === "secret" || secretForm.test(text)': 'privacy === "secret"'
    }
  }),
  ...guards("src/store/requests/RequestLog.ts", "test/http/log/RequestLog.test.ts", {
    "request log: any number of requests waits": { "waiting.length >= waitingMax || ": "" },
    "request log: any amount of bodies waits": { " || waitingBytes + bytes > waitingBytesMax": "" },
    "request log: an account may fill it with bodies": {
      "isWithin ? (sent?.text ?? null)": "sent !== null ? (sent.text ?? null)"
    }
  }),
  ...guards("src/store/requests/RequestLog.ts", "test/http/log/RequestLog.pg.test.ts", {
    "request log: a flood of refusals is kept": { "if (isOneOfMany(answered))": "if (answered === null)" },
    "request log: what an account does not want is kept": { '?? "off") !== "off"': '?? "off") !== ""' }
  }),
  ...guards("src/store/requests/RequestLog.ts", "test/postgres/requests/RequestLogAtStop.full.test.ts", {
    "request log: a stop loses what was answered last": {
      "Effect.ignore(Effect.timeout(drain, stopMax))": "Effect.void"
    }
  }),
  ...guards("migrations/0001_schema/7_service.sql", "test/postgres/requests/RequestLog.pg.test.ts", {
    "request log: an account's role sees all requests": { "call isolate_accounts('requests');": "" }
  }),
  ...guards("schemas/Text.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: a metadata key needs an escape": { '/^[^"\\\\]*$/u': "/^[^]*$/u" }
  })
]
