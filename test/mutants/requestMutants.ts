import { guards, type Mutant } from "./Mutant.ts"

/** Guards of the size of a request and of its error response, and of the request log. */
export const requestMutants: ReadonlyArray<Mutant> = [
  ...guards("src/http/request/Validation.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: a list is counted after its items": {
      "return Array.isArray(value) && value.length > max": "return Array.isArray(value) && value.length > max * 1e6"
    },
    "request: a record is counted after its values": {
      "isObject(value) && Object.keys(value).length > max": "isObject(value) && Object.keys(value).length > max * 1e6"
    },
    "request: validation continues beyond the listed violations": {
      "return this.violations.length > violationsMax": "return this.violations.length > 1e6"
    }
  }),
  ...guards("src/runtime/json/Violations.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: the response lists all violations": { "index === violationsMax || ": "" },
    "request: the length of a listed violation has no limit": { " || (index > 0 && bytes > bytesMax)": "" },
    "request: the response does not say that there are more violations": {
      "{ errors: violations.slice(0, end), has_more_errors: true }": "{ errors: violations.slice(0, end) }"
    }
  }),
  ...guards("src/http/request/SchemaErrors.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: the length of a quoted name has no limit": { "name.length > nameMax ?": "name.length > 1e6 ?" }
  }),
  ...guards("src/documents/rules/LocalRules.ts", "test/documents/rules/InvoiceRules.test.ts", {
    "request: rules are checked in every line": {
      "if (refusals > violationsMax)": "if (refusals > 1e6)"
    }
  }),
  ...guards("src/documents/rules/amounts/Amounts.ts", "test/documents/rules/InvoiceRules.test.ts", {
    "a figure beyond the authority's tolerance is accepted": {
      "return off <= tolerance && off >= -tolerance": "return off <= 2n * tolerance && off >= -tolerance"
    },
    "a figure within the authority's tolerance is rejected": {
      "return off <= tolerance && off >= -tolerance": "return off < tolerance && off >= -tolerance"
    }
  }),
  ...guards("src/http/request/Envelope.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: the router ends a path at a semicolon": { "/[;#]/.test": "/[#]/.test" }
  }),
  ...guards("src/runtime/json/StrictJson.ts", "test/runtime/json/StrictJson.test.ts", {
    "request: the members of an object have no limit": { "> membersMax) return tooWide": "> 1e6) return tooWide" },
    "request: the number of objects has no limit": {
      "++objects > objectsMax) return tooMany": "++objects > 1e6) return tooMany"
    }
  }),
  ...guards("src/database/Slices.ts", "test/database/Slices.test.ts", {
    "request: a list of any length is checked in one turn": {
      "performance.now() - began < sliceMs": "performance.now() > 0"
    }
  }),
  ...guards("src/http/request/Validation.ts", "test/http/request/BadInput.pg.test.ts", {
    "request: U+0000 in a free text goes to the database": { 'value.includes("\\0")': "false" }
  }),
  ...guards("src/http/request/Validation.ts", "test/http/request/Validation.test.ts", {
    "request: an unknown customer turns an invalid body into a 404": {
      'violation.code === "resource_missing" ?': 'violation.code === "malformed_json" ?'
    }
  }),
  ...guards("src/http/request/BodyChecks.ts", "test/http/request/Validation.test.ts", {
    "request: a rule reads a part that does not match its schema": { "throw unreadable": "return undefined" },
    "request: a correction looks for a range that it does not need": {
      "keepsNumber ? [] : [range]": "[range]"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/request/Validation.test.ts", {
    "request: a search with U+0000 goes to the database": { " || holdsNul(body)": "" },
    "request: a schema violation hides the violated rules": {
      "if (kind === undefined || faults.length === 0 ||": "if (faults.length >= 0 ||"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/routes/ApiKeys.pg.test.ts", {
    "request: a key that was revoked while the body arrived is not checked again": {
      "const barred = yield* yield* KeyStillWorks": "const barred: ApiError | null = null"
    }
  }),
  ...guards("src/http/request/Pipeline.ts", "test/http/limits/RequestTurns.test.ts", {
    "request: a command works on a whole document without a turn": {
      'if (work === undefined || work === "sent") return': "if (bytes.length >= 0) return"
    }
  }),
  ...guards("src/http/request/Ask.ts", "test/http/request/Ask.test.ts", {
    "request: a command to a local actor is sent as a message": {
      "actor ?? clientOf(address)": "actor === null ? actor : clientOf(address)"
    }
  }),
  ...guards("src/http/request/Ask.ts", "test/http/limits/RequestTurns.test.ts", {
    "request: the cost of annulling an invoice counts only the response": {
      "exchange.document_bytes = answered.document_bytes": ""
    }
  }),
  ...guards("src/http/limits/RequestTurns.ts", "test/http/limits/RequestTurns.test.ts", {
    "request: work on a received document causes no pause": {
      "isSent && Exit.isSuccess(exit) ?": "Exit.isFailure(exit) && Exit.isSuccess(exit) ?"
    },
    "request: empty reads over all rows have no limit": {
      "Math.max(restMs, Math.min(slowMs, slowRead.restMsMax))": "restMs"
    }
  }),
  ...guards("src/runtime/json/JsonMask.ts", "test/http/log/Canaries.full.test.ts", {
    "request log: an unknown field is stored": {
      "privacy === undefined || secretForm.test(name)": "secretForm.test(name)"
    },
    "request log: a secret in the client's own fields is stored": {
      'own === "secret" ? own : (inherited ?? own)': "inherited ?? own"
    },
    "request log: a message quotes an unread value": {
      "if (!this.cursor.isAtEnd) this.options.hidden.isAll = true": ""
    },
    "request log: an object in place of personal data is stored": {
      'privacy === "secret" || (privacy === "personal" && level === "masked")': 'privacy === "secret"'
    }
  }),
  ...guards("src/runtime/json/RequestMask.ts", "test/http/log/Canaries.full.test.ts", {
    "request log: personal data are stored": {
      'return privacy === "open" && closedForm.test(text) ? text : masked': "return text"
    },
    "request log: any text is stored in place of an id": {
      'if (privacy === "id") return idForm.test(text) ? text : masked': 'if (privacy === "id") return text'
    },
    "request log: any text is stored in place of a code": {
      'return privacy === "open" && closedForm.test(text)': 'return privacy === "open"'
    },
    "request log: a message quotes a masked value": {
      "text.length < lengthMin ? words.has(text) : message.includes(text)": "text === message"
    },
    "request log: text in the form of a secret is stored": {
      'privacy === "secret" || secretForm.test(text)': 'privacy === "secret"'
    }
  }),
  ...guards("src/operations/store/RequestLog.ts", "test/http/log/RequestLog.test.ts", {
    "request log: the number of waiting requests has no limit": { "waiting.length >= waitingMax || ": "" },
    "request log: the bytes of waiting bodies have no limit": { " || waitingBytes + bytes > waitingBytesMax": "" },
    "request log: one account can fill it with bodies": {
      "isWithin ? (sent?.text ?? null)": "sent !== null ? (sent.text ?? null)"
    }
  }),
  ...guards("src/operations/store/RequestLog.ts", "test/http/log/RequestLog.pg.test.ts", {
    "request log: every refusal of a flood is stored": { "if (isOneOfMany(answered))": "if (answered === null)" },
    "request log: requests of an account that opted out are stored": { '?? "off") !== "off"': '?? "off") !== ""' }
  }),
  ...guards("src/operations/store/RequestLog.ts", "test/postgres/requests/RequestLogAtStop.full.test.ts", {
    "request log: a stop loses the last requests": {
      "Effect.ignore(Effect.timeout(drain, stopMax))": "Effect.void"
    }
  }),
  ...guards("migrations/0001_schema/7_service.sql", "test/postgres/requests/RequestLog.pg.test.ts", {
    "request log: an account's role sees all requests": { "call isolate_accounts('requests');": "" }
  }),
  ...guards("schemas/Text.ts", "test/http/limits/RequestLimits.test.ts", {
    "request: a metadata key that needs an escape is accepted": { '/^[^"\\\\]*$/u': "/^[^]*$/u" }
  })
]
